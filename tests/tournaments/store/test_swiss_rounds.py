"""The rounds of a Swiss in a store: as they were issued, also by a version that drew them otherwise."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

from tests.tournaments.on_paper import by_chance
from tests.tournaments.store.conftest import StoreLocation
from tournaments import schedule
from tournaments.schedule.results import IssuedRound
from tournaments.schedule.swiss import scores, swiss
from tournaments.store import FILE, Store

REVISION_3: Final = Path(__file__).parents[2] / "data" / "store_revision_3.sql"
NINE: Final = "".join(f'[[entries]]\nname = "e{n}"\nbot = "random"\n' for n in range(9))
TEXT: Final = f'game = "hearts"\nformat = "swiss"\nrounds = 5\nseed = "spring"\n{NINE}'


def _finish(location: StoreLocation, store: Store) -> None:
    """Have all matches played that were issued."""
    for issued in store.to_do():
        assert store.add(location.result(issued.match_id))


def test_a_store_of_the_old_rule_goes_on_by_the_new_one(sqlite: StoreLocation) -> None:
    # two rounds were played by that version, in which the sole best of a table won and all others had
    # nothing; the third one was issued, and one of its matches played
    plan = sqlite.plan(TEXT)
    plan.folder.mkdir()
    with closing(sqlite3.connect(plan.folder / FILE)) as old:
        old.executescript(REVISION_3.read_text())
    with Store.open(plan) as store:
        before = [issued.match_id for issued in store.last_issued(9)]
        (left,) = store.to_do()
        assert (len(before), left.round) == (6, 3)
        results = store.ranks()
        drawn_anew = {pairing.match_id for pairing in swiss(plan, dict(results))}
        assert not drawn_anew >= set(before)  # or the test tells nothing
        assert list(schedule.next(plan, store.issued(), results)) == []  # the third round is not over
        # each of the five matches that are over has 6 points, and each of the three byes 1.5
        assert sum(score.points for score in scores(plan, results).values()) == 2 * 5 * 6 + 3 * 3
        results[left.match_id] = by_chance(plan, left)
        fourth = list(schedule.next(plan, store.issued(), results))
        assert [pairing.round for pairing in fourth] == [4, 4]
        byes = [
            set(scores(plan, results)) - {n for p in one.pairings for n in p.entries}
            for one in results.rounds
        ]
        assert {len(names) for names in byes} == {1}
        assert len(set.union(*byes)) == 3
        store.issue(fourth)
        assert [issued.match_id for issued in store.last_issued(9)][:6] == before


def test_the_rounds_are_kept_with_those_who_were_absent(location: StoreLocation) -> None:
    plan = location.plan(TEXT.replace("hearts", "two_handed_spades"))
    with Store.open(plan) as store:
        assert store.ranks().rounds == ()
        first = store.issue(schedule.next(plan, set(), {}, {"e3", "e7"}), {"e3", "e7"})
        again = store.issue(schedule.next(plan, set(), {}, {"e3", "e7"}), {"e3", "e7"})
        assert (len(first), again) == (3, ())
        _finish(location, store)
        second = store.issue(schedule.next(plan, store.issued(), store.ranks()))
        assert len(second) == 4
    with Store.read(plan) as reader:
        one, two = reader.ranks().rounds
        assert isinstance(one, IssuedRound)
        assert [p.match_id for p in one.pairings] == [each.match_id for each in first]
        assert [p.entries for p in two.pairings] == [each.entries for each in second]
        assert (one.absent, two.absent) == ({"e3", "e7"}, frozenset())
