import re
import signal
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from referee.cards import Seat
from referee.effects import Outcome
from referee.faults import FaultCounts, SeatTime, Termination
from referee.shapes import Micros
from tournaments import schedule
from tournaments.config import load
from tournaments.plan import Plan
from tournaments.store import FILE, MatchResult, Store, StoreError

CUP = """game = "two_handed_spades"
rounds = 2
[[entries]]
name = "ann"
bot = "greedy"
[[entries]]
name = "ben"
bot = "random"
[[entries]]
name = "cid"
bot = "random"
"""
Door = Callable[[Plan], Store]
CLEAN = (FaultCounts(), FaultCounts())


def plan(folder: Path, text: str = CUP) -> Plan:
    path = folder / "cup.toml"
    path.write_text(text, encoding="utf-8")
    return load(path)


def issued(drawn_up: Plan) -> Store:
    store = Store.open(drawn_up)
    store.issue(schedule.next(drawn_up, store.issued_ids(), {}, set()))
    return store


def result(
    match_id: str, attempt: int = 1, termination: Termination = Termination.COMPLETED, score: int = 300
) -> MatchResult:
    return MatchResult(
        match_id=match_id,
        attempt=attempt,
        outcome=Outcome(termination, (1, 2), (score, 120), False, CLEAN, ()),
        record=f"records/{match_id}.{attempt}.jsonl.gz",
        record_sha256="ab" * 32,
        started="2026-03-01T12:00:00+00:00",
        duration=1_500_000,
    )


def ids(drawn_up: Plan) -> list[str]:
    return [pairing.match_id for pairing in schedule.next(drawn_up, set(), {}, set())]


# Issued, to do, results


def test_matches_are_to_do_in_the_order_in_which_they_were_issued(tmp_path: Path) -> None:
    cup = plan(tmp_path)
    with issued(cup) as store:
        to_do = store.to_do()
        assert [(each.serial, each.match_id) for each in to_do] == list(enumerate(ids(cup), start=1))
        pairings = schedule.next(cup, set(), {}, set())
        assert [(p.round, p.seats) for p in pairings] == [(each.round, each.seats) for each in to_do]
        assert {each.attempt for each in to_do} == {1}
        assert store.issued_count() == len(to_do) == 6
        assert store.issued_ids() == set(ids(cup))


def test_nothing_is_issued_twice(tmp_path: Path) -> None:
    cup = plan(tmp_path)
    for _ in range(2):
        with issued(cup) as store:
            assert store.issued_count() == 6


def test_a_match_with_a_result_is_no_longer_to_do(tmp_path: Path) -> None:
    cup = plan(tmp_path)
    first, second, *rest = ids(cup)
    with issued(cup) as store:
        assert store.add(result(first))
        assert store.add(result(second, termination=Termination.FORFEIT))
        assert [each.match_id for each in store.to_do()] == rest
    with Store.open(cup) as store:
        assert [each.match_id for each in store.to_do()] == rest


@pytest.mark.parametrize("termination", [Termination.VOID, Termination.CANCELLED])
def test_an_attempt_without_a_result_is_followed_by_the_next(
    tmp_path: Path, termination: Termination
) -> None:
    cup = plan(tmp_path)
    first = ids(cup)[0]
    with issued(cup) as store:
        for attempt in (1, 2):
            before = store.to_do()[0]
            assert (before.match_id, before.attempt) == (first, attempt)
            assert store.add(result(first, attempt, termination))
            assert store.to_do()[0] == before.again()
        assert list(store.results()) == []
        assert store.add(result(first, 3))
        assert store.voids() == (before.seats, before.seats)
        ((match, decided),) = store.results()
        assert (match.match_id, match.attempt, decided.attempt) == (first, 3, 3)
        assert first not in {each.match_id for each in store.to_do()}
        assert store.terminations() == Counter({termination: 2, Termination.COMPLETED: 1})


@pytest.mark.parametrize(
    "late",
    [
        {"attempt": 1, "score": 7},
        {"attempt": 1, "termination": Termination.VOID},
        {"attempt": 2, "score": 7},
        {"attempt": 2, "termination": Termination.VOID},
    ],
)
def test_the_first_result_stays(tmp_path: Path, late: dict[str, int]) -> None:
    cup = plan(tmp_path)
    first = ids(cup)[0]
    with issued(cup) as store:
        assert store.add(result(first))
        attempt, score = late["attempt"], late.get("score", 300)
        termination = Termination(late.get("termination", Termination.COMPLETED))
        assert not store.add(result(first, attempt, termination, score))
        assert [decided for _, decided in store.results()] == [result(first)]
        assert store.terminations().total() == 1


def test_a_void_attempt_cannot_become_a_result(tmp_path: Path) -> None:
    cup = plan(tmp_path)
    first = ids(cup)[0]
    with issued(cup) as store:
        store.add(result(first, 1, Termination.VOID))
        assert not store.add(result(first, 1))
        assert store.to_do()[0].attempt == 2


def test_results_come_in_schedule_order_as_they_were_stored(tmp_path: Path) -> None:
    cup = plan(tmp_path)
    full = Outcome(
        termination=Termination.FORFEIT,
        ranks=(2, 1),
        scores=(),
        capped=True,
        faults=(FaultCounts(malformed=1, illegal=2, disconnected=3, late=4, sessions_lost=5), FaultCounts()),
        forfeited=(Seat(0),),
        times=(SeatTime(12, Micros(3_000_001), Micros(2_000_000)), SeatTime(0, Micros(0), Micros(0))),
    )
    with issued(cup) as store:
        for match_id in reversed(ids(cup)):
            store.add(replace(result(match_id), outcome=full))
        with Store.read(cup) as reader:
            found = list(reader.results())
    assert [match.serial for match, _ in found] == [1, 2, 3, 4, 5, 6]
    assert [decided for _, decided in found] == [
        replace(result(match_id), outcome=full) for match_id in ids(cup)
    ]


def test_results_can_be_read_while_more_are_stored(tmp_path: Path) -> None:
    cup = plan(tmp_path)
    first, *rest = ids(cup)
    with issued(cup) as store:
        store.add(result(first))
        reading = store.results()
        assert next(reading)[0].match_id == first
        for match_id in rest:
            assert store.add(result(match_id))
        assert list(reading) == []
        assert len(list(store.results())) == 6


def test_a_result_of_a_match_that_was_never_issued_is_refused(tmp_path: Path) -> None:
    with issued(plan(tmp_path)) as store, pytest.raises(StoreError, match="FOREIGN KEY"):
        store.add(result("two_handed_spades-1-none"))


KILLED = """
import os, signal, sys
from pathlib import Path
from referee.effects import Outcome
from referee.faults import FaultCounts, SeatTime, Termination
from referee.shapes import Micros
from tournaments import schedule
from tournaments.config import load
from tournaments.store import MatchResult, Store

cup = load(Path(sys.argv[1]))
store = Store.open(cup)
store.issue(schedule.next(cup, set(), {}, set()))
outcome = Outcome(Termination.COMPLETED, (1, 2), (300, 120), False, (FaultCounts(), FaultCounts()), ())
store.add(
    MatchResult(
        match_id=store.to_do()[0].match_id, attempt=1, outcome=outcome, record="r", record_sha256="s",
        started="now", duration=1,
    )
)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_was_stored_survives_a_kill(tmp_path: Path) -> None:
    cup = plan(tmp_path)
    command = [sys.executable, "-c", KILLED, str(tmp_path / "cup.toml")]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    with Store.open(cup) as store:
        assert [match.match_id for match, _ in store.results()] == ids(cup)[:1]
        assert [each.match_id for each in store.to_do()] == ids(cup)[1:]


@pytest.mark.parametrize(("durability", "synchronous"), [("process", 1), ("disk", 2)])
def test_how_much_a_result_outlives_is_chosen(tmp_path: Path, durability: str, synchronous: int) -> None:
    cup = plan(tmp_path, f'durability = "{durability}"\n{CUP}')
    with issued(cup) as store, store._engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == synchronous


# Seeds


def test_the_seed_of_the_bots_follows_from_the_seed_without_showing_it(tmp_path: Path) -> None:
    seeds = []
    for number in (1, 2):
        folder = tmp_path / str(number)
        folder.mkdir()
        with Store.open(plan(folder, f'seed = "spring"\n{CUP}')) as store:
            seeds.append(store.bot_seed)
    assert seeds[0] == seeds[1]
    assert re.fullmatch("[0-9a-f]{32}", seeds[0])


def test_without_a_seed_that_of_the_bots_is_drawn_once(tmp_path: Path) -> None:
    seeds = []
    for number in (1, 2):
        folder = tmp_path / str(number)
        folder.mkdir()
        cup = plan(folder)
        with Store.open(cup) as store, Store.open(cup) as again, Store.read(cup) as reader:
            assert store.bot_seed == again.bot_seed == reader.bot_seed
            seeds.append(store.bot_seed)
    assert seeds[0] != seeds[1]


# What may change


def test_rounds_can_be_added_to_a_tournament_that_has_begun(tmp_path: Path) -> None:
    with issued(plan(tmp_path)) as store:
        store.add(result(ids(plan(tmp_path))[0]))
    more = "rounds = 3\nconcurrency = 1\nrating = { mu = 0 }\nlimits = { sessions = 9 }"
    longer = plan(tmp_path, CUP.replace("rounds = 2", f'{more}\ndurability = "disk"'))
    with issued(longer) as store:
        assert store.issued_count() == 9
        assert [each.match_id for each in store.to_do()] == ids(longer)[1:]
    with pytest.raises(StoreError, match="rounds is 2, was 3"):
        Store.open(plan(tmp_path))


@pytest.mark.parametrize("door", [Store.open, Store.read])
@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ('name = "cid"', 'name = "dan"', "entry dan is new, entry cid is missing"),
        ("rounds = 2", "rounds = 1", "rounds is 1, was 2"),
        ("rounds = 2", "rounds = 2\noptions = { target = 100 }", "options.target is 100, was 300"),
        (
            "rounds = 2",
            'rounds = 2\nseed = "x"\nmatch = { deals = 1 }',
            'match is {"deals": 1}, was "game", seed',
        ),
    ],
)
def test_another_tournament_is_refused_and_the_difference_named(
    tmp_path: Path, door: Door, old: str, new: str, named: str
) -> None:
    issued(plan(tmp_path)).close()
    changed = plan(tmp_path, CUP.replace(old, new))
    with pytest.raises(StoreError) as refused:
        door(changed)
    assert str(refused.value).startswith(f"{changed.folder / FILE}: holds another tournament ({named}")
    assert "\n" not in str(refused.value)


def test_of_many_differences_the_first_are_named(tmp_path: Path) -> None:
    issued(plan(tmp_path)).close()
    extra = "".join(f'[[entries]]\nname = "e{n}"\nbot = "random"\n' for n in range(30))
    with pytest.raises(StoreError, match="entry e4 is new, and 25 more"):
        Store.open(plan(tmp_path, CUP + extra))


# What is no store


@pytest.mark.parametrize("door", [Store.open, Store.read])
def test_a_file_that_is_no_database(tmp_path: Path, door: Door) -> None:
    cup = plan(tmp_path)
    cup.folder.mkdir()
    (cup.folder / FILE).write_text("no database, but text that is long enough to be one" * 100)
    with pytest.raises(
        StoreError, match=re.escape(f"{cup.folder / FILE}: cannot be used as a store (file is")
    ):
        door(cup)


@pytest.mark.parametrize("door", [Store.open, Store.read])
def test_a_database_of_another_program(tmp_path: Path, door: Door) -> None:
    cup = plan(tmp_path)
    cup.folder.mkdir()
    with closing(sqlite3.connect(cup.folder / FILE)) as other:
        other.execute("CREATE TABLE recipes (name TEXT)")
    with pytest.raises(StoreError, match=r"not the store of a tournament \(it has a table recipes\)"):
        door(cup)


@pytest.mark.parametrize("door", [Store.open, Store.read])
def test_a_store_of_another_version(tmp_path: Path, door: Door) -> None:
    cup = plan(tmp_path)
    issued(cup).close()
    with closing(sqlite3.connect(cup.folder / FILE)) as database, database:
        database.execute("UPDATE tournament SET format = 99")
    with pytest.raises(StoreError, match=r"another version of fairdeal \(its format is 99, ours 2\)"):
        door(cup)


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    cup = replace(plan(tmp_path), folder=tmp_path / "file" / "cup")
    with pytest.raises(StoreError, match=r"cup: cannot be made \(Not a directory\): choose another folder"):
        Store.open(cup)


def test_a_folder_in_place_of_the_database(tmp_path: Path) -> None:
    cup = plan(tmp_path)
    (cup.folder / FILE).mkdir(parents=True)
    with pytest.raises(StoreError, match=r"cannot be used as a store \(unable to open database file\)"):
        Store.open(cup)


def test_reading_makes_nothing(tmp_path: Path) -> None:
    cup = plan(tmp_path)
    with pytest.raises(StoreError, match="no match has been played here: run the tournament first"):
        Store.read(cup)
    assert not cup.folder.exists()


def test_an_empty_file_holds_nothing_yet_and_becomes_a_store(tmp_path: Path) -> None:
    cup = plan(tmp_path)
    cup.folder.mkdir()
    (cup.folder / FILE).touch()
    with pytest.raises(StoreError, match="no match has been played here"):
        Store.read(cup)
    with issued(cup) as store:
        assert store.issued_count() == 6


def test_a_store_is_made_whole_or_not_at_all(tmp_path: Path) -> None:
    cup = plan(tmp_path)
    with pytest.raises(ValueError, match="ASCII"):  # told when the tables are made, and the row is not
        Store.open(replace(cup, seed="frühling"))
    with closing(sqlite3.connect(cup.folder / FILE)) as database:
        assert database.execute("SELECT name FROM sqlite_master").fetchall() == []
    issued(cup).close()


def test_a_path_with_characters_of_an_address(tmp_path: Path) -> None:
    cup = replace(plan(tmp_path), folder=tmp_path / "a?b#c %41")
    issued(cup).close()
    assert (cup.folder / FILE).is_file()
