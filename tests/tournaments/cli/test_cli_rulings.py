"""`fairdeal tournament annul` and `replay` of matches: an organiser puts a result right."""

from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from referee.cards import Seat
from referee.match.effects import Outcome
from referee.match.faults import FaultCounts, Termination
from tests.results import result
from tests.tournaments.conftest import Fairdeal, Run
from tests.tournaments.manager_server import ServedManager
from tournaments import schedule
from tournaments.folder_lock import owned
from tournaments.plan.states import TournamentState
from tournaments.standings import Live
from tournaments.store import Checkpoint, Issued, Store
from tournaments.tournament_file.reader import load

ENTRIES: Final = "".join(f'[[entries]]\nname = "{name}"\nbot = "greedy"\n' for name in "abcd")
CUP: Final = f'game = "two_handed_spades"\nmatch = {{ deals = 1 }}\n{ENTRIES}'
RULED: Final = 2  # the number of the match that is ruled on


@pytest.fixture(autouse=True)
def olga(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("getpass.getuser", lambda: "olga")


def outcome(issued: Issued, *, is_other: bool = False) -> Outcome:
    """Return the result of a match: the first by the alphabet wins, or the other one."""
    wins = [name == min(issued.entries) for name in issued.entries]
    ranks = tuple(1 if won is not is_other else 2 for won in wins)
    scores = tuple(100 if rank == 1 else 10 * issued.serial for rank in ranks)
    return Outcome(Termination.COMPLETED, ranks, scores, False, (FaultCounts(),) * 2, ())


def played(folder: Path, text: str = CUP, *, other: int = 0, skipped: int = 0) -> Path:
    """Have a tournament played; the match of number ``other`` ends otherwise, ``skipped`` is left out."""
    folder.mkdir(exist_ok=True)
    file = folder / "cup.toml"
    file.write_text(text)
    plan = load(file)
    with Store.open(plan) as store:
        while pairings := tuple(schedule.next(plan, store.issued(), store.ranks())):
            store.issue(pairings)
            for issued in store.to_do():
                if issued.serial == skipped:
                    store.skip(issued)
                else:
                    store.add(result(issued.match_id, outcome(issued, is_other=issued.serial == other)))
        store.set_state(TournamentState.FINISHED)
    return file


def name_of(file: Path, serial: int = RULED) -> str:
    with Store.read(load(file)) as store:
        return next(issued.match_id for issued, _result in store.matches() if issued.serial == serial)


def table(fairdeal: Fairdeal, file: Path) -> dict[str, object]:
    data: dict[str, object] = fairdeal("tournament", "standings", file, "--json", "--history").json
    return {key: data[key] for key in ("standings", "crosstable", "played")}


def play(file: Path) -> None:
    """Have what is to do played, with the other result."""
    with Store.open(load(file)) as store:
        for issued in store.to_do():
            assert issued.attempt > 1
            store.add(result(issued.match_id, outcome(issued, is_other=True), issued.attempt))


def test_an_annulled_match_counts_as_if_it_had_been_left_out_from_the_start(
    fairdeal: Fairdeal, tmp_path: Path
) -> None:
    file = played(tmp_path / "one")
    before = table(fairdeal, file)
    name = name_of(file)
    done = fairdeal("tournament", "annul", file, name, "--reason", "a and b colluded")
    assert (done.status, done.err) == (0, "")
    assert done.out == f"{name}: annulled\n1 result is withdrawn, and kept with the records\n"
    never = table(fairdeal, played(tmp_path / "two", skipped=RULED))
    assert table(fairdeal, file) == never != before
    with Store.read(load(file)) as store:
        assert (store.state, store.to_do()) == (TournamentState.FINISHED, ())


def test_the_beginning_of_a_name_is_enough_where_one_match_has_it(fairdeal: Fairdeal, tmp_path: Path) -> None:
    file = played(tmp_path)
    name = name_of(file)
    done = fairdeal("tournament", "annul", file, name[:-3], "--reason", "why not")
    assert (done.status, done.out.split(":")[0]) == (0, name)


def test_a_match_that_is_played_again_counts_as_if_that_had_been_its_result(
    fairdeal: Fairdeal, tmp_path: Path
) -> None:
    file = played(tmp_path / "one")
    name = name_of(file)
    done = fairdeal("tournament", "replay", file, name, "--reason", "the disk was full")
    assert done.out.splitlines() == [
        f"{name}: replay ordered",
        "1 result is withdrawn, and kept with the records",
        f"to play again: fairdeal tournament run {file}",
    ]
    with Store.read(load(file)) as store:
        assert (store.state, [each.match_id for each in store.to_do()]) == (TournamentState.RUNNING, [name])
    play(file)
    assert table(fairdeal, file) == table(fairdeal, played(tmp_path / "two", other=RULED))


def test_an_annulled_match_can_be_played_after_all(fairdeal: Fairdeal, tmp_path: Path) -> None:
    file = played(tmp_path / "one")
    name = name_of(file)
    for command in ("annul", "replay", "annul", "replay"):
        if command == "annul":
            play(file)
        assert fairdeal("tournament", command, file, name, "--reason", "why not").status == 0
    with Store.read(load(file)) as store:
        assert [each.attempt for each in store.to_do()] == [5]
        assert [each.kind for each in store.adjudications()] == ["annul", "replay", "annul", "replay"]
    play(file)
    assert table(fairdeal, file) == table(fairdeal, played(tmp_path / "two", other=RULED))


def test_who_ruled_when_and_why_is_told_everywhere_and_nothing_is_deleted(
    fairdeal: Fairdeal, tmp_path: Path
) -> None:
    file = played(tmp_path)
    name = name_of(file)
    assert fairdeal("tournament", "annul", file, name, "--reason", "a <b> of c").status == 0
    (ruling,) = fairdeal("tournament", "status", file, "--json").json["rulings"]
    at = ruling.pop("at")
    assert ruling == {
        "kind": "annul", "match_id": name, "attempt": 1, "who": "olga", "why": "a <b> of c"
    }  # fmt: skip
    status = fairdeal("tournament", "status", file).out.splitlines()
    assert f"{name}: annulled, by olga at {at}: a <b> of c" in status
    assert "5 completed, 1 left out, 1 withdrawn" in status
    for command in ("standings", "report", "matches"):
        assert len(fairdeal("tournament", command, file, "--json").json["rulings"]) == 1
    fairdeal("tournament", "report", file, "-o", "cup.html")
    page = (tmp_path / "cup.html").read_text()
    assert "<h2>Rulings</h2>" in page
    assert "a &lt;b&gt; of " in page
    lines = [each for each in fairdeal("tournament", "matches", file).out.splitlines() if name in each]
    assert [line.split(";")[0] for line in lines] == [
        f"{name}: completed, withdrawn",
        f"{name}: annulled, attempt 2",
    ]


def test_standings_that_are_open_meanwhile_begin_anew(tmp_path: Path) -> None:
    file = played(tmp_path / "one")
    plan = load(file)
    with Store.open(plan) as store:
        live = Live(store, plan)
        before = live.report()
        outdated = live._fingerprint(0)
        store.annul([next(each for each, _ in store.matches() if each.serial == RULED)], "olga", "why not")
        # a reader who began before the ruling keeps its checkpoint after it
        store.keep(Checkpoint(6, outdated, "not to be read"))
        assert live.report() != before
        assert live.report() == Live(store, plan).report() == Live(store, plan, rebuild=True).report()


@pytest.mark.parametrize(
    ("command", "text", "number", "told"),
    [
        ("annul", "knockout", 1, "decides who goes on in a knockout: have it played again instead"),
        ("replay", "knockout", 1, "can be played again as long as no other one rests on its result"),
        ("replay", "swiss", 1, "in a swiss only the last round can be played again"),
    ],
)
def test_what_others_rest_on_is_refused(
    fairdeal: Fairdeal, tmp_path: Path, command: str, text: str, number: int, told: str
) -> None:
    file = played(tmp_path, f'format = "{text}"\n{"rounds = 2" if text == "swiss" else ""}\n{CUP}')
    done = fairdeal("tournament", command, file, name_of(file, number), "--reason", "why not")
    assert (done.status, done.line.endswith(told)) == (1, True)
    with Store.read(load(file)) as store:
        assert (store.to_do(), store.adjudications()) == ((), ())


def test_a_swiss_goes_on_after_a_match_was_annulled(fairdeal: Fairdeal, tmp_path: Path) -> None:
    text = f'format = "swiss"\nrounds = 2\n{CUP}'
    file = played(tmp_path, text)
    assert fairdeal("tournament", "annul", file, name_of(file, 1), "--reason", "why not").status == 0
    longer = load(file)
    with Store.open(longer) as store:
        (points,) = ({each.entry: each.points for each in Live(store, longer).report().standings},)
    assert sum(filter(None, points.values())) == 3
    file.write_text(text.replace("rounds = 2", "rounds = 3"))
    with Store.open(load(file)) as store:
        third = store.issue(schedule.next(load(file), store.issued(), store.ranks()))
    assert [each.round for each in third] == [3, 3]


def test_all_turns_of_a_set_are_ruled_on_together(fairdeal: Fairdeal, tmp_path: Path) -> None:
    file = played(tmp_path, CUP.replace("deals = 1", "deals = 1, duplicate = true"))
    done = fairdeal("tournament", "annul", file, name_of(file, 3), "--reason", "why not")
    assert done.status == 0
    ruled = [line.split(":")[0] for line in done.out.splitlines()[:-1]]
    assert ruled == [name_of(file, 3), name_of(file, 4)]


def test_sets_of_a_knockout_are_played_again_as_long_as_none_rests_on_them(
    fairdeal: Fairdeal, tmp_path: Path
) -> None:
    text = CUP.replace("deals = 1", "deals = 1, duplicate = true")
    file = played(tmp_path, f'format = "knockout"\n{text}')
    words = ("tournament", "replay", file)
    first, last = name_of(file, 1), name_of(file, 6)  # four in sets of two, and a final of two
    assert "can be played again as long as" in fairdeal(*words, first, "--reason", "why not").line
    done = fairdeal(*words, last, "--reason", "why not")
    assert [line.split(":")[0] for line in done.out.splitlines()][:2] == [name_of(file, 5), last]
    assert fairdeal("tournament", "status", file).out.startswith(
        "cup (two_handed_spades): 2 of at least 3 sets of 2 matches are played; it is begun"
    )
    play(file)
    standings = fairdeal("tournament", "standings", file)
    assert "3 of at least 3 sets of 2 matches are played" in standings.out
    told = fairdeal("tournament", "standings", file, "--json").json
    assert (told["played"], told["matches"], told["matches_per_set"]) == (6, 6, 2)
    assert fairdeal("tournament", "status", file, "--json").json["matches_per_set"] == 2
    assert told["standings"][0]["place"] == 1


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        (("annul", "{file}", "{name}", "--reason", " "), 1, "a ruling needs a reason of at most 500"),
        (("annul", "{file}", "{name}", "--reason", "x" * 501), 1, "a ruling needs a reason of at most 500"),
        (("annul", "{file}", "{name}", "--reason", "\udcff"), 1, "is one line without control characters"),
        (("annul", "{file}", "{name}", "--reason", "a\x1b[31mb"), 1, "without control characters"),
        (("annul", "{file}", "{name}", "--reason", "a\u202eb"), 1, "without control characters"),
        (("replay", "{file}", "--no-shows", "--why", "x" * 501), 1, "a reason of at most 500"),
        (("annul", "{file}", "\udcff", "--reason", "x"), 1, "it has no match of this name"),
        (("annul", "{file}", "", "--reason", "x"), 1, "it has no match of this name"),
        (("annul", "{file}", "m0", "--reason", "x"), 1, "it has no match m0: fairdeal tournament matches"),
        (("replay", "{file}", "{name}"), 2, "say why: --reason TEXT"),
        (("replay", "{file}", "{name}", "--no-shows"), 2, "name matches, or choose them by an option"),
        (("annul", "{file}", "--reason", "x"), 2, "name matches, or choose them by an option"),
        (("annul", "{file}", "m", "--entry", "a", "--reason", "x"), 2, "one of the two"),
        (("annul", "{file}", "--entry", "zoe", "--reason", "x"), 1, "it has no entry zoe: name one of a, b"),
        (("replay", "{file}", "--forfeits", "--reason", "x"), 1, "there is no such match that counts"),
        (("annul", "{file}", "two", "--reason", "x"), 1, "is the beginning of several matches, such as"),
    ],
)  # fmt: skip
def test_what_is_refused(
    fairdeal: Fairdeal, tmp_path: Path, words: tuple[str, ...], status: int, told: str
) -> None:
    file = played(tmp_path)
    done = fairdeal("tournament", *(each.format(file=file, name=name_of(file)) for each in words))
    assert (done.status, told in done.err) == (status, True)


def test_what_is_open_or_annulled_or_cancelled_has_no_result(fairdeal: Fairdeal, tmp_path: Path) -> None:
    file = played(tmp_path)
    annul = ("tournament", "annul", file, name_of(file), "--reason", "why not")
    assert fairdeal(*annul).status == 0
    assert fairdeal(*annul).line.endswith("has no result that could be annulled")
    assert fairdeal("tournament", "replay", file, name_of(file), "--reason", "why not").status == 0
    assert fairdeal(*annul).line.endswith("is not over: a ruling withdraws a result")
    with owned(load(file).folder):
        assert "another fairdeal process is at work here" in fairdeal(*annul).line
    with Store.open(load(file)) as store:
        store.set_state(TournamentState.CANCELLED)
    assert "it was cancelled for good" in fairdeal(*annul).line


def test_all_matches_of_an_entry_are_annulled(fairdeal: Fairdeal, tmp_path: Path) -> None:
    file = played(tmp_path)
    assert fairdeal("tournament", "annul", file, "--entry", "a", "--reason", "it cheated").status == 0
    standings = fairdeal("tournament", "standings", file, "--json").json["standings"]
    assert {each["entry"]: each["matches"] for each in standings} == {"a": 0, "b": 2, "c": 2, "d": 2}


def test_of_an_entry_the_sets_are_annulled_that_are_over(fairdeal: Fairdeal, tmp_path: Path) -> None:
    file = tmp_path / "cup.toml"
    file.write_text(CUP.replace("deals = 1", "deals = 1, duplicate = true"))
    plan = load(file)
    with Store.open(plan) as store:
        store.issue(tuple(schedule.next(plan, store.issued(), store.ranks())))
        of_a = [each for each in store.to_do() if "a" in each.entries]
        for each in of_a[:3]:
            store.add(result(each.match_id, outcome(each)))
    done = fairdeal("tournament", "annul", file, "--entry", "a", "--reason", "it cheated")
    ruled = [line.split(":")[0] for line in done.out.splitlines()[:-1]]
    assert ruled == [each.match_id for each in of_a[:2]]


def test_forfeits_that_were_the_machines_are_taken_back(fairdeal: Fairdeal, tmp_path: Path) -> None:
    file = played(tmp_path)
    plan = load(file)
    with Store.open(plan) as store:
        for name, seat in (("a", 0), ("b", 1)):
            issued, _result = next(each for each in store.results() if each[0].entries[seat] == name)
            store.take_back([issued], "olga", "to have it forfeited")
            lost = replace(outcome(issued), termination=Termination.FORFEIT, forfeited=(Seat(seat),))
            store.add(result(issued.match_id, lost, 2))
    words = ("tournament", "replay", file, "--forfeits", "--reason", "the disk was full")
    done = fairdeal(*words, "--entry", "b")
    assert len(done.out.splitlines()) == 3
    assert len(fairdeal(*words).out.splitlines()) == 3
    with Store.read(plan) as store:
        assert [each.attempt for each in store.to_do()] == [3, 3]


def test_what_is_being_played_is_ruled_on_where_it_is_played(fairdeal: Fairdeal) -> None:
    done = fairdeal("tournament", "void", "cup", "m1", "--reason", "why not")
    assert done.status == 2
    assert "name it with --server ADDRESS, which the run prints" in done.line
    assert "for matches that are over: fairdeal tournament annul or replay" in done.line


@pytest.mark.asyncio
async def test_a_ruling_is_made_through_a_server(run: Run, served: ServedManager) -> None:
    cup = served.cup()
    done = await run("tournament", "annul", "cup", "m1", "--reason", "why not")
    assert (done.status, cup.calls) == (0, ["adjudicate"])
    done = await run("tournament", "void", "cup", "m1", "m2", "--reason", "why not")
    assert (done.status, cup.calls[1:]) == (0, ["void m1 m2 by boss"])
    done = await run("tournament", "replay", "cup", "--no-shows")
    assert (done.status, cup.calls[2:]) == (0, ["adjudicate"])
    done = await run("tournament", "disqualify", "cup", "a", "--results", "struck", "--reason", "why not")
    assert (done.status, cup.calls[3:]) == (0, ["disqualify a struck by boss"])
