"""`fairdeal tournament run`: what is refused before anything begins, and how a run ends before its end."""

import gzip
import json
import os
import re
import stat
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Final

import pytest

import tournaments.cli.tournament
from referee.storage import record_files
from tests.tournaments.conftest import Fairdeal
from tournaments.folder_lock import owned
from tournaments.hosting.cpu_share import Share
from tournaments.plan.plan import Plan
from tournaments.plan.states import TournamentState
from tournaments.running.errors import RunFailed
from tournaments.store import Store
from tournaments.tournament_file.reader import load

ENTRIES: Final = """[[entries]]
name = "one"
bot = "greedy"
[[entries]]
name = "two"
bot = "random"
"""
PAIR: Final = f'game = "two_handed_spades"\nmatch = {{ deals = 1 }}\n{ENTRIES}'
OPEN: Final = f'registration = "open"\n{PAIR}'


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            OPEN.replace("two_handed_spades", "hearts"),
            "entries: a match of hearts takes 4 entries, and there are 2: add some",
        ),
        (
            f'format = "gauntlet"\nchallenger = "alpha"\n{OPEN}',
            "challenger: alpha does not take part; name one of them",
        ),
        (
            f'format = "swiss"\nrounds = 3\n{OPEN}',
            "rounds: in a swiss no two meet twice: 2 can play 1 round, not 3; lower it, or take a round"
            " robin",
        ),
    ],
    ids=["entries", "challenger", "rounds"],
)
def test_what_lacks_entries_is_refused_before_anything_begins(
    fairdeal: Fairdeal, tmp_path: Path, text: str, told: str
) -> None:
    file = tmp_path / "my cup.toml"
    file.write_text(f'name = "cup"\n{text}')
    done = fairdeal("tournament", "run", "my cup.toml")
    assert done.status == 1
    assert done.line == (f"fairdeal: {file}: {told} (registration is open: fairdeal entry add '{file}' NAME)")
    assert not (tmp_path / "cup.fairdeal" / "records").exists()
    with Store.read(load(file)) as store:
        assert store.state is TournamentState.CREATED


def test_who_has_registered_is_counted(fairdeal: Fairdeal, tmp_path: Path) -> None:
    file = tmp_path / "cup.toml"
    file.write_text(OPEN.replace("two_handed_spades", "hearts"))
    assert fairdeal("entry", "add", file, "alice").status == 0
    assert "takes 4 entries, and there are 3: " in fairdeal("tournament", "run", file).line


@pytest.mark.parametrize(("kind", "head"), [("tournament", ""), ("ladder", 'format = "ladder"\n')])
def test_what_was_cancelled_is_refused_before_anything_begins(
    fairdeal: Fairdeal, tmp_path: Path, kind: str, head: str
) -> None:
    file = tmp_path / "cup.toml"
    file.write_text(head + PAIR)
    with Store.open(load(file)) as store:
        store.set_state(TournamentState.CANCELLED)
    done = fairdeal(kind, "run", file)
    assert done.status == 1
    assert done.line == (
        f"fairdeal: {file}: it was cancelled for good: to play it again, give it another name and"
        " another folder"
    )
    assert not (tmp_path / "cup.fairdeal" / "records").exists()


@pytest.fixture
def ends(monkeypatch: pytest.MonkeyPatch) -> Callable[[TournamentState], None]:
    """Return a function that has runs end in a state, without any signal."""

    def end(state: TournamentState) -> None:
        async def conduct(plan: Plan, *_args: object, **_more: object) -> TournamentState:
            with owned(plan.folder), Store.open(plan) as store:
                store.set_state(state)
            return state

        monkeypatch.setattr(tournaments.cli.tournament, "conduct", conduct)

    return end


@pytest.mark.parametrize(
    ("state", "told"),
    [
        (TournamentState.PAUSED, "paused; nothing is lost, go on with: fairdeal tournament run cup.toml"),
        (TournamentState.RUNNING, "stopped; nothing is lost, go on with: fairdeal tournament run cup.toml"),
        (TournamentState.CANCELLED, "cancelled for good: matches that are not over are not played"),
    ],
    ids=str,
)
def test_a_run_that_ends_before_its_end_fails(
    fairdeal: Fairdeal,
    tmp_path: Path,
    ends: Callable[[TournamentState], None],
    state: TournamentState,
    told: str,
) -> None:
    (tmp_path / "cup.toml").write_text(PAIR)
    ends(state)
    done = fairdeal("tournament", "run", "cup.toml")
    assert (done.status, done.line) == (1, told)


REMOTE: Final = '[[entries]]\nname = "three"\nremote = true\n'
LISTENS: Final = "listens on 127.0.0.1:1 for remote entries: three (no token is required)"


@pytest.mark.parametrize(
    ("seed", "entry", "told"),
    [
        ('seed = "spring"\n', REMOTE, ["the seed can be guessed: ", LISTENS]),
        ("", '[[entries]]\nname = "three"\ncommand = ["true"]\n', ["by thread"]),
        ("", REMOTE, [LISTENS]),
        ('seed = "spring"\n', "", []),
    ],
    ids=["who may guess a seed", "hosted bots", "remote entries", "none of these"],
)
def test_what_organisers_should_know_is_said_at_the_start(
    fairdeal: Fairdeal,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    seed: str,
    entry: str,
    told: list[str],
) -> None:
    (tmp_path / "cup.toml").write_text(seed + PAIR + entry)

    async def conduct(
        plan: Plan, *_args: object, on_listening: Callable[..., None], **_more: object
    ) -> TournamentState:
        with owned(plan.folder), Store.open(plan) as store:
            store.set_state(TournamentState.FINISHED)
        on_listening(SimpleNamespace(plan=plan), "127.0.0.1:1", Share(None, "by thread"))
        return TournamentState.FINISHED

    monkeypatch.setattr(tournaments.cli.tournament, "conduct", conduct)
    done = fairdeal("tournament", "run", "cup.toml")
    said = [line.removeprefix("cup (two_handed_spades): ") for line in done.err.splitlines()]
    assert len(said) == len(told)
    assert all(line.startswith(beginning) for line, beginning in zip(said, told, strict=True))


@pytest.mark.parametrize(("words", "seconds"), [((), 10.0), (("--drain", "2.5"), 2.5)])
def test_what_is_played_at_a_signal_has_as_long_as_is_said(
    fairdeal: Fairdeal,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    seconds: float,
) -> None:
    (tmp_path / "cup.toml").write_text(PAIR)
    given: list[float] = []

    async def conduct(*_args: object, drain: float, **_more: object) -> None:
        given.append(drain)
        raise RunFailed("seen")

    monkeypatch.setattr(tournaments.cli.tournament, "conduct", conduct)
    assert fairdeal("tournament", "run", "cup.toml", *words).line == "fairdeal: seen"
    assert given == [seconds]


def test_a_run_that_comes_to_its_end_does_not_fail(
    fairdeal: Fairdeal, tmp_path: Path, ends: Callable[[TournamentState], None]
) -> None:
    (tmp_path / "cup.toml").write_text(PAIR)
    ends(TournamentState.FINISHED)
    done = fairdeal("tournament", "run", "cup.toml")
    assert (done.status, done.err) == (0, "")


def test_a_ladder_that_is_paused_shows_how_it_stands(
    fairdeal: Fairdeal, tmp_path: Path, ends: Callable[[TournamentState], None]
) -> None:
    (tmp_path / "cup.toml").write_text(f'format = "ladder"\n{PAIR}')
    ends(TournamentState.PAUSED)
    done = fairdeal("ladder", "run", "cup.toml")
    assert done.status == 0
    assert done.err == "paused; nothing is lost, go on with: fairdeal ladder run cup.toml\n"
    assert "0 matches are played" in done.out


@pytest.mark.process
@pytest.mark.parametrize("form", ["knockout", "double_knockout"])
def test_how_many_matches_a_knockout_has_is_known_at_its_end(
    fairdeal: Fairdeal, tmp_path: Path, form: str
) -> None:
    file = tmp_path / "cup.toml"
    file.write_text(f'format = "{form}"\n{PAIR}')
    least = {"knockout": 1, "double_knockout": 2}[form]
    with Store.open(load(file)):
        pass
    told = f"0 of at least {least} matches are played"
    assert f"{told}; it is created" in fairdeal("tournament", "status", file).out
    assert told in fairdeal("tournament", "standings", file).out
    assert f"cup (two_handed_spades): 0 of at least {least} matches\n" in (
        fairdeal("tournament", "run", file).err
    )
    with Store.read(load(file)) as store:
        played = store.played_count()
    assert f" {played} of {played} matches are played; it is finished" in (
        fairdeal("tournament", "status", file).out
    )
    assert " matches are played" not in fairdeal("tournament", "standings", file).out
    again = fairdeal("tournament", "run", file)
    assert (again.status, again.err) == (0, f"cup (two_handed_spades): all {played} matches are played\n")


def test_a_tournament_is_held_by_a_process_and_runs_only_when_it_has_begun(
    fairdeal: Fairdeal, tmp_path: Path
) -> None:
    file = tmp_path / "cup.toml"
    file.write_text(PAIR)
    seen = []
    with owned(tmp_path / "cup.fairdeal"), Store.open(load(file)) as store:
        for state in (TournamentState.CREATED, TournamentState.RUNNING, TournamentState.PAUSED):
            store.set_state(state)
            seen.append(fairdeal("tournament", "status", file, "--json").json["is_running"])
    assert seen == [False, True, False]


def test_who_runs_a_tournament_already_is_told(fairdeal: Fairdeal, tmp_path: Path) -> None:
    file, folder = tmp_path / "cup.toml", tmp_path / "cup.fairdeal"
    file.write_text(PAIR)
    with owned(folder):
        done = fairdeal("tournament", "run", file)
    assert done.status == 1
    who = rf"process {os.getpid()} on \S+ since 20\d\d-\S+\+00:00"
    assert re.fullmatch(
        rf"fairdeal: {folder}: another fairdeal process is at work here \({who}\); wait for it or end it"
        r" \(--wait waits and then continues\)",
        done.line,
    )


@pytest.mark.process
@pytest.mark.parametrize("umask", [0o000, 0o077])
def test_all_that_a_run_keeps_is_private(fairdeal: Fairdeal, tmp_path: Path, umask: int) -> None:
    file = tmp_path / "cup.toml"
    file.write_text(PAIR)
    before = os.umask(umask)
    try:
        added = fairdeal(
            "token", "add", "carol", "--role", "organiser", "--folder", tmp_path / "cup.fairdeal"
        )
        assert added.status == 0
        done = fairdeal("tournament", "run", file)
    finally:
        os.umask(before)
    assert done.status == 0, done.err
    folder = tmp_path / "cup.fairdeal"
    kept = {path.relative_to(tmp_path): stat.S_IMODE(path.stat().st_mode) for path in folder.rglob("*")}
    kept[Path(folder.name)] = stat.S_IMODE(folder.stat().st_mode)
    folders = {path for path in kept if (tmp_path / path).is_dir()}
    assert {path.name for path in kept} >= {"lock", "tokens.json", "store.sqlite", "one.log"}
    assert {path.name for path in folders} >= {"journal", "records", "logs", "secrets", folder.name}
    assert {
        path: oct(mode) for path, mode in kept.items() if mode != (0o700 if path in folders else 0o600)
    } == {}


@pytest.mark.process
def test_a_tournament_is_played_on_a_grid(fairdeal: Fairdeal, tmp_path: Path) -> None:
    file = tmp_path / "cup.toml"
    file.write_text(f"event_grid = 10\n{PAIR}")
    done = fairdeal("tournament", "run", file)
    assert done.status == 0, done.err
    (path,) = record_files.in_folder(tmp_path / "cup.fairdeal" / "records")
    lines = [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
    assert lines[0]["event_grid"] == 10_000
    (outcome,) = (line for line in lines if line["type"] == "outcome")
    assert outcome["termination"] == "completed"


@pytest.mark.process
def test_pages_are_served_while_a_tournament_is_played(fairdeal: Fairdeal, tmp_path: Path) -> None:
    (tmp_path / "cup.toml").write_text(PAIR)
    done = fairdeal("tournament", "run", "cup.toml", "--http", "127.0.0.1:0")
    assert done.status == 0
    assert "pages: http://127.0.0.1:" in done.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--http", "0.0.0.0:0"], "fairdeal: --http 0.0.0.0:0: other machines could reach it: add TLS"),
        (["--http", "nowhere"], "fairdeal: --http nowhere: is no address for pages; write HOST:PORT"),
    ],
)
def test_pages_that_cannot_be_served_so(
    fairdeal: Fairdeal, tmp_path: Path, words: list[str], told: str
) -> None:
    (tmp_path / "cup.toml").write_text(PAIR)
    done = fairdeal("tournament", "run", "cup.toml", *words)
    assert done.status == 2
    assert done.line.startswith(told)
