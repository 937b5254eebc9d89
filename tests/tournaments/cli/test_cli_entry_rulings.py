"""`fairdeal tournament withdraw`, `disqualify` and `reinstate`: who plays no more, and what comes of it."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

import pytest

from tests.results import result
from tests.tournaments.cli.test_cli_rulings import CUP, outcome
from tests.tournaments.conftest import Fairdeal
from tournaments import schedule
from tournaments.plan.states import TournamentState
from tournaments.store import Store
from tournaments.tournament_file.reader import load

WHY: Final = ("--reason", "why not")
BACK: Final = "bring b back first with fairdeal tournament reinstate"
FORMATS: Final = {
    "round_robin": CUP,
    "gauntlet": f'format = "gauntlet"\nchallenger = "a"\nrounds = 2\n{CUP}',
    "swiss": f'format = "swiss"\nrounds = 3\n{CUP}',
    "knockout": f'format = "knockout"\n{CUP}',
    "double_knockout": f'format = "double_knockout"\n{CUP}',
}


@pytest.fixture(autouse=True)
def olga(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("getpass.getuser", lambda: "olga")


def written(folder: Path, text: str) -> Path:
    folder.mkdir(exist_ok=True)
    file = folder / "cup.toml"
    file.write_text(text)
    return file


def play(file: Path, matches: int = 1000, out: Iterable[str] = ()) -> None:
    """Play some matches, or all; a Swiss draws its rounds without those who are ``out``."""
    plan = load(file)
    with Store.open(plan) as store:
        for _ in range(matches):
            if not store.to_do():
                for _turn in range(50):  # until there is one to be played
                    absent = frozenset(out) if plan.format == "swiss" else frozenset()
                    store.issue(tuple(schedule.next(plan, store.issued(), store.ranks(), absent)), absent)
            if not (to_do := store.to_do(1)):
                store.set_state(TournamentState.FINISHED)
                return
            store.add(result(to_do[0].match_id, outcome(to_do[0]), to_do[0].attempt))
        store.set_state(TournamentState.RUNNING)


def table(fairdeal: Fairdeal, file: Path) -> dict[str, dict[str, object]]:
    standings = fairdeal("tournament", "standings", file, "--json").json["standings"]
    return {each["entry"]: each for each in standings}


@pytest.mark.parametrize("text", FORMATS.values(), ids=FORMATS)
def test_every_format_goes_on_without_who_is_withdrawn(fairdeal: Fairdeal, tmp_path: Path, text: str) -> None:
    file = written(tmp_path, text)
    play(file, 1)
    before = table(fairdeal, file)["b"]["matches"]
    done = fairdeal("tournament", "withdraw", file, "b", *WHY)
    assert (done.status, done.err, done.out.splitlines()[0]) == (0, "", "b: withdrawn")
    play(file, out="b")
    found = table(fairdeal, file)
    assert found["b"]["matches"] == before
    assert found["b"]["state"] == "withdrawn"
    with Store.read(load(file)) as store:
        assert store.state is TournamentState.FINISHED
        plan = load(file)
        assert not tuple(schedule.next(plan, store.issued(), store.ranks()))
    assert fairdeal("tournament", "status", file, "--json").json["state"] == "finished"


def test_struck_results_count_as_if_the_matches_had_been_left_out_from_the_start(
    fairdeal: Fairdeal, tmp_path: Path
) -> None:
    tables = []
    for number in (0, 3, 1000):
        file = written(tmp_path / str(number), CUP)
        play(file, number or 1) if number else None
        if not number:
            with Store.open(load(file)):
                pass
        done = fairdeal("tournament", "disqualify", file, "a", "--results", "struck", *WHY)
        assert done.status == 0
        play(file)
        tables.append(table(fairdeal, file))
    assert tables[0] == tables[1] == tables[2]
    assert {name: each["matches"] for name, each in tables[0].items()} == {"a": 0, "b": 2, "c": 2, "d": 2}
    assert list(tables[0])[-1] == "a"


def test_who_is_disqualified_is_below_all_others_whatever_its_results(
    fairdeal: Fairdeal, tmp_path: Path
) -> None:
    file = written(tmp_path, CUP)
    play(file)
    assert next(iter(table(fairdeal, file))) == "a"
    assert fairdeal("tournament", "disqualify", file, "a", "--results", "kept", *WHY).status == 0
    found = table(fairdeal, file)
    assert list(found)[-1] == "a"
    assert (found["a"]["rank"], found["a"]["matches"], found["a"]["state"]) == (4, 3, "disqualified")
    assert fairdeal("tournament", "reinstate", file, "a", *WHY).status == 0
    assert next(iter(table(fairdeal, file))) == "a"


def test_the_opponents_of_who_is_struck_have_a_bye_in_a_swiss(fairdeal: Fairdeal, tmp_path: Path) -> None:
    file = written(tmp_path, FORMATS["swiss"])
    play(file)
    fairdeal("tournament", "disqualify", file, "a", "--results", "struck", *WHY)
    with Store.read(load(file)) as store:
        met = {
            name for issued, _result in store.matches() if "a" in issued.entries for name in issued.entries
        }
    found = table(fairdeal, file)
    assert met == {"a", "b", "c", "d"}
    assert found["a"]["points"] == 0
    # each has a bye and a share of the three matches between them
    assert sum(float(str(found[name]["points"])) for name in "bcd") == 6


def test_in_a_knockout_who_would_meet_it_goes_on(fairdeal: Fairdeal, tmp_path: Path) -> None:
    file = written(tmp_path, FORMATS["knockout"])
    play(file, 2)
    plan = load(file)
    with Store.open(plan) as store:
        store.issue(tuple(schedule.next(plan, store.issued(), store.ranks())))
        (final,) = store.to_do()
    winner, loser = sorted(final.entries)
    fairdeal("tournament", "disqualify", file, winner, "--results", "struck", *WHY)
    play(file)
    found = table(fairdeal, file)
    assert (found[loser]["rank"], found[loser]["place"]) == (1, 1)
    assert (found[winner]["rank"], found[winner]["place"]) == (4, None)


def test_it_is_told_everywhere(fairdeal: Fairdeal, tmp_path: Path) -> None:
    file = written(tmp_path, CUP)
    play(file, 3)
    done = fairdeal("tournament", "disqualify", file, "a", "--results", "struck", *WHY)
    with Store.read(load(file)) as store:
        left_out = store.skipped_count()
    assert done.out.splitlines() == [
        "a: disqualified, its results struck",
        f"{left_out} matches are left out by it",
    ]
    (ruling,) = fairdeal("tournament", "status", file, "--json").json["rulings"]
    at = ruling.pop("at")
    assert ruling == {"kind": "disqualify", "entry": "a", "struck": True, "who": "olga", "why": "why not"}
    told = f"a: disqualified, its results struck, by olga at {at}: why not"
    assert told in fairdeal("tournament", "status", file).out.splitlines()
    matches = fairdeal("tournament", "matches", file).out
    assert matches.count(": left_out; ") == left_out
    assert "disqualified" in fairdeal("tournament", "standings", file).out
    fairdeal("tournament", "report", file, "-o", "cup.html")
    assert "its results struck" in (tmp_path / "cup.html").read_text()


@pytest.mark.parametrize("again", ["withdraw", "reinstate"])
def test_results_that_count_again_are_told(fairdeal: Fairdeal, tmp_path: Path, again: str) -> None:
    file = written(tmp_path, CUP)
    play(file)
    with Store.read(load(file)) as store:
        results = sum("a" in issued.entries for issued, _ in store.results())
    fairdeal("tournament", "disqualify", file, "a", "--results", "struck", *WHY)
    done = fairdeal("tournament", again, file, "a", *WHY)
    assert done.out.splitlines()[1:] == [f"{results} results count again"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("withdraw", "zoe"), "it has no entry zoe: name one of a, b, c, d"),
        (("withdraw", "b"), "b is withdrawn already"),
        (("reinstate", "a"), "a is not out: only who is withdrawn or disqualified can come back"),
        (("replay", "{name}"), f"cannot be played again while b is withdrawn: {BACK}"),
        (("annul", "{open}"), f"is left out while b is withdrawn: {BACK}"),
    ],
)
def test_what_is_refused(fairdeal: Fairdeal, tmp_path: Path, words: tuple[str, ...], told: str) -> None:
    file = written(tmp_path, CUP)
    play(file, 4)
    fairdeal("tournament", "withdraw", file, "b", *WHY)
    with Store.read(load(file)) as store:
        of_b = [(each, result) for each, result in store.matches() if "b" in each.entries]
        name = next(issued.match_id for issued, result in of_b if result)
        left_out = next((issued.match_id for issued, result in of_b if not result), "")
    command, what = words
    done = fairdeal("tournament", command, file, what.format(name=name, open=left_out), *WHY)
    assert (done.status, done.line.endswith(told)) == (1, True)


def test_a_set_that_is_half_played_is_not_left_out(fairdeal: Fairdeal, tmp_path: Path) -> None:
    file = written(tmp_path, CUP.replace("deals = 1", "deals = 1, duplicate = true"))
    play(file, 1)
    with Store.read(load(file)) as store:
        ((issued, _result),) = store.results()
    done = fairdeal("tournament", "withdraw", file, issued.entries[0], *WHY)
    assert done.line.endswith("is half played: rule when it is over")
    play(file, 1)
    assert fairdeal("tournament", "withdraw", file, issued.entries[0], *WHY).status == 0


def test_what_was_cancelled_stays_as_it_is(fairdeal: Fairdeal, tmp_path: Path) -> None:
    file = written(tmp_path, CUP)
    play(file, 1)
    with Store.open(load(file)) as store:
        store.set_state(TournamentState.CANCELLED)
    assert fairdeal("tournament", "withdraw", file, "a", *WHY).line.endswith("its entries stay as they are")


def test_in_a_ladder_who_is_withdrawn_does_not_resume_by_itself(fairdeal: Fairdeal, tmp_path: Path) -> None:
    file = written(tmp_path, f'format = "ladder"\n{CUP}')
    with Store.open(load(file)):
        pass
    assert fairdeal("tournament", "withdraw", file, "a", *WHY).status == 0
    refused = fairdeal("entry", "resume", file, "a")
    assert refused.line.endswith("a is withdrawn by a ruling: fairdeal tournament reinstate brings a back")
    assert "withdrawn" in fairdeal("entry", "list", file).out.splitlines()[0]
    assert fairdeal("tournament", "reinstate", file, "a", *WHY).status == 0
    assert fairdeal("entry", "pause", file, "a").status == 0
