"""`fairdeal tournament replay`: matches that absent entries forfeited are played again."""

from pathlib import Path
from typing import Final

import pytest

from referee.cards import Seat
from referee.match.effects import Outcome
from referee.match.faults import FaultCounts, Termination
from tests.results import result
from tests.tournaments.conftest import Fairdeal
from tournaments import schedule
from tournaments.cli import rulings
from tournaments.folder_lock import owned
from tournaments.plan.states import TournamentState
from tournaments.store import Issued, Store
from tournaments.tournament_file.reader import load

ENTRIES: Final = "".join(f'[[entries]]\nname = "{name}"\nbot = "greedy"\n' for name in "abcd")
CUP: Final = f'game = "two_handed_spades"\nmatch = {{ deals = 1 }}\n{ENTRIES}'
KNOCKOUT: Final = f'format = "knockout"\n{CUP}'


def outcome(issued: Issued, away: str) -> Outcome:
    gone = tuple(Seat(seat) for seat, name in enumerate(issued.entries) if name in away)
    return Outcome(
        termination=Termination.FORFEIT if gone else Termination.COMPLETED,
        ranks=tuple(2 if seat in gone else 1 for seat in range(2)) if gone else (1, 2),
        scores=() if gone else (90, 30),
        capped=False,
        faults=tuple(FaultCounts(disconnected=int(seat in gone)) for seat in range(2)),
        forfeited=gone,
        times=(),
    )


def played(folder: Path, away: str, text: str = CUP, *, rounds: int = 9, late: str = "") -> Path:
    """Write a tournament's file, and have it played to its end without the bots that are away.

    One that comes ``late`` is away in its first match.
    """
    file = folder / "cup.toml"
    to_come = set(late)
    file.write_text(text)
    plan = load(file)
    with Store.open(plan) as store:
        for _ in range(rounds):
            store.issue(schedule.next(plan, store.issued(), store.ranks()))
            for issued in store.to_do():
                missing = to_come.intersection(issued.entries)
                to_come -= missing
                store.add(result(issued.match_id, outcome(issued, away + "".join(missing))))
        store.set_state(TournamentState.FINISHED)
    return file


@pytest.fixture(autouse=True)
def olga(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("getpass.getuser", lambda: "olga")


def test_what_is_taken_back_is_to_do_again(fairdeal: Fairdeal, tmp_path: Path) -> None:
    file = played(tmp_path, "cd")
    done = fairdeal("tournament", "replay", file, "--no-shows", "--why", "a slow machine")
    *matches, last = done.out.splitlines()
    assert (done.status, done.err, len(matches)) == (0, "", 6)
    assert sum(line.endswith(": replay ordered") for line in matches) == 5
    assert matches[-1] == "5 results are withdrawn, and kept with the records"
    assert last == f"to play again: fairdeal tournament run {file}"
    with Store.read(load(file)) as store:
        assert store.state is TournamentState.RUNNING
        assert {issued.attempt for issued in store.to_do()} == {2}
        assert {(each.kind, each.who, each.why) for each in store.adjudications()} == {
            ("replay", "olga", "a slow machine")
        }
    status = fairdeal("tournament", "status", file)
    assert "1 of 6 matches are played; it is begun, and not running now" in status.out
    assert "\n1 completed, 5 withdrawn\n" in status.out
    assert fairdeal("tournament", "status", file, "--json").json["taken_back"] == 5
    again = fairdeal("tournament", "replay", file, "--no-shows")
    assert (again.status, again.out) == (0, "nothing was forfeited by an entry that was not there\n")


def test_only_those_of_some_entries(fairdeal: Fairdeal, tmp_path: Path) -> None:
    file = played(tmp_path, "cd")
    assert fairdeal("tournament", "replay", file, "--no-shows", "--entry", "d").status == 0
    with Store.read(load(file)) as store:
        assert [set(issued.entries) >= {"d"} for issued in store.to_do()] == [True] * 3


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        ((), 2, "fairdeal: name what to play again: matches, --forfeits or --no-shows"),
        (
            ("--no-shows", "--entry", "zoe"),
            1,
            "fairdeal: {file}: it has no entry zoe: name one of a, b, c, d",
        ),
    ],
)
def test_what_is_refused(
    fairdeal: Fairdeal, tmp_path: Path, words: tuple[str, ...], status: int, told: str
) -> None:
    file = played(tmp_path, "d")
    done = fairdeal("tournament", "replay", file, *words)
    assert (done.status, done.line) == (status, told.format(file=file))


def test_what_others_rest_on_is_refused(fairdeal: Fairdeal, tmp_path: Path) -> None:
    file = played(tmp_path, "d", KNOCKOUT)
    done = fairdeal("tournament", "replay", file, "--no-shows")
    assert done.status == 1
    assert done.line.endswith("in a knockout a match can be played again as long as no other one rests on its"
                              " result")  # fmt: skip
    with Store.read(load(file)) as store:
        assert (store.to_do(), store.adjudications()) == ((), ())


def test_the_last_round_of_a_knockout_can_be_played_again(fairdeal: Fairdeal, tmp_path: Path) -> None:
    file = played(tmp_path, "d", KNOCKOUT, rounds=1)
    assert fairdeal("tournament", "replay", file, "--no-shows").status == 0


def test_what_was_cancelled_or_is_being_played_or_never_was(fairdeal: Fairdeal, tmp_path: Path) -> None:
    file = tmp_path / "cup.toml"
    file.write_text(CUP)
    assert "no match has been played here" in fairdeal("tournament", "replay", file, "--no-shows").line
    played(tmp_path, "d")
    with owned(load(file).folder):
        busy = fairdeal("tournament", "replay", file, "--no-shows")
    assert "another fairdeal process is at work here" in busy.line
    with Store.open(load(file)) as store:
        store.set_state(TournamentState.CANCELLED)
    assert "it was cancelled for good" in fairdeal("tournament", "replay", file, "--no-shows").line


def test_at_the_end_of_a_run_it_is_said_who_never_came(fairdeal: Fairdeal, tmp_path: Path) -> None:
    file = played(tmp_path, "cd")
    done = fairdeal("tournament", "run", file)
    assert done.status == 0
    assert done.err.splitlines()[-1] == (
        "never connected, and forfeited all their matches: c (3), d (3),"
        f" see {tmp_path / 'cup.fairdeal' / 'logs'}."
        f" When their bots connect, have the matches played again with:"
        f" fairdeal tournament replay {file} --no-shows"
    )
    strict = fairdeal("tournament", "run", file, "--strict")
    assert (strict.status, strict.out) == (1, done.out)
    assert strict.err.splitlines()[-1] == f"fairdeal: {done.err.splitlines()[-1]}"


def test_remote_entries_have_no_log_here(fairdeal: Fairdeal, tmp_path: Path) -> None:
    file = played(tmp_path, "cd", CUP.replace('bot = "greedy"', "remote = true"))
    assert fairdeal("tournament", "run", file).err.splitlines()[-1] == (
        "never connected, and forfeited all their matches: c (3), d (3). When their bots connect, have the"
        f" matches played again with: fairdeal tournament replay {file} --no-shows"
    )


def test_who_is_out_is_none_that_never_came(fairdeal: Fairdeal, tmp_path: Path) -> None:
    file = played(tmp_path, "cd")
    why = ("--reason", "gone")
    assert fairdeal("tournament", "withdraw", file, "d", *why).status == 0
    told = fairdeal("tournament", "run", file).err.splitlines()[-1]
    assert told.startswith("never connected, and forfeited all their matches: c (3), see ")
    assert fairdeal("tournament", "disqualify", file, "c", "--results", "kept", *why).status == 0
    assert "never connected" not in fairdeal("tournament", "run", file, "--strict").err


def test_no_shows_are_played_again_but_for_those_who_are_out(fairdeal: Fairdeal, tmp_path: Path) -> None:
    file = played(tmp_path, "cd")
    assert fairdeal("tournament", "withdraw", file, "d", "--reason", "gone").status == 0
    refused = fairdeal("tournament", "replay", file, "--no-shows", "--entry", "d")
    assert refused.line.endswith(
        "while d is withdrawn: bring d back first with fairdeal tournament reinstate"
    )
    assert fairdeal("tournament", "replay", file, "--no-shows").status == 0
    with Store.read(load(file)) as store:
        again = sorted(sorted(each.entries) for each in store.to_do())
    assert again == [["a", "c"], ["b", "c"]]


@pytest.mark.parametrize("late", ["", "b"])
def test_who_has_played_is_none_that_never_came(fairdeal: Fairdeal, tmp_path: Path, late: str) -> None:
    file = played(tmp_path, "", late=late)
    done = fairdeal("tournament", "run", file, "--strict")
    assert (done.status, "never connected" in done.err) == (0, False)


def test_a_user_without_a_name_has_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody() -> str:
        raise KeyError("uid not found")

    monkeypatch.setattr("getpass.getuser", nobody)
    assert rulings.user().isdecimal()
