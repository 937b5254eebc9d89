"""Standings while matches end in any order, and what it costs to follow them."""

import pytest

from tests.draws import draw
from tests.results import fill
from tests.tournaments.standings.issuing import NAMES, end, exactly, folded, issue, reads, void
from tournaments.plan.plan import Entry, Plan
from tournaments.plan.states import EntryState
from tournaments.standings import Live, current
from tournaments.store import Store

pytestmark = pytest.mark.usefixtures("kept_early")


@pytest.mark.parametrize("late", [3, 70])
def test_matches_may_end_in_any_order(of: Plan, late: int) -> None:
    """Some matches end ``late``, so many after those that were issued with them."""
    with Store.open(of) as store:
        live = Live(store, of)
        to_come = issue(store, of, 120)
        due = sorted(
            to_come, key=lambda serial: serial + draw(4, serial) + late * (draw(17, "late", serial) == 0)
        )
        for number, serial in enumerate(due):
            issued, match = to_come[serial]
            if draw(23, "void", serial) == 0:
                issued = void(store, issued, match)
                live.changed(serial)
                live.report()
            if draw(31, "skip", serial) == 0:
                store.skip(issued)
            else:
                end(store, issued, match)
            live.changed(serial)
            report = live.report()
            if number % 29 == 0:
                assert exactly(report) == folded(of, store)
        assert exactly(live.report()) == folded(of, store) == exactly(current(store, of))


def test_several_changes_may_be_told_before_the_next_report(of: Plan, store: Store) -> None:
    live = Live(store, of)
    to_come = issue(store, of, 150)
    for serial in (*range(100, 151), *range(1, 51)):
        end(store, *to_come[serial])
    live.report()
    for serial in (60, 99, 51, 75):
        end(store, *to_come[serial])
    for serial in (99, 51, 60, 75, 51):
        live.changed(serial)
    assert exactly(live.report()) == folded(of, store)


@pytest.mark.parametrize("serial", [31, 32, 33, 40])
def test_a_result_after_an_attempt_without_one_is_seen(of: Plan, store: Store, serial: int) -> None:
    live = Live(store, of)
    to_come = issue(store, of, 40)
    for other in range(2, 41):
        if other != serial:
            end(store, *to_come[other])
    issued, match = to_come[serial]
    again = void(store, issued, match)
    assert exactly(live.report()) == folded(of, store)
    end(store, again, match)
    live.changed(serial)
    assert exactly(live.report()) == folded(of, store)


def test_in_plain_order_each_result_is_read_once(
    of: Plan, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    live = Live(store, of)
    found = reads(store, monkeypatch)
    for serial, (issued, match) in issue(store, of, 100).items():
        end(store, void(store, issued, match) if serial == 50 else issued, match)
        live.changed(serial)
        live.report()
    assert found == list(range(1, 101))


def test_what_is_skipped_and_not_told_is_looked_for_once(
    of: Plan, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    live = Live(store, of)
    to_come = issue(store, of, 40)
    for serial in to_come:
        if serial not in (20, 30):
            end(store, *to_come[serial])
    live.report()
    for serial in (20, 30):
        store.skip(to_come[serial][0])
    live.report()
    found = reads(store, monkeypatch)
    report = exactly(live.report())
    assert found == []
    assert report == folded(of, store)


def test_what_is_told_too_late_is_seen_when_all_before_it_is_over(of: Plan, store: Store) -> None:
    live = Live(store, of)
    to_come = issue(store, of, 90)
    for serial in range(1, 86):
        if serial not in (70, 80):
            end(store, *to_come[serial])
    live.report()
    for serial in (70, 80):
        end(store, *to_come[serial])
    assert exactly(live.report()) == folded(of, store)
    live.changed(70)
    live.changed(80)
    assert exactly(live.report()) == folded(of, store)
    assert exactly(current(store, of)) == folded(of, store)


@pytest.mark.parametrize("endless", [[], [3], [3, 190]])
def test_the_latest_result_costs_no_more_when_much_was_played(
    of: Plan, store: Store, monkeypatch: pytest.MonkeyPatch, endless: list[int]
) -> None:
    to_come = issue(store, of, 240)
    live = Live(store, of)
    for serial in range(1, 200):
        if serial not in endless:
            end(store, *to_come[serial])
    live.report()
    found = reads(store, monkeypatch)
    most = [0, 0]
    for first in range(200, 240, 2):
        for late, serial in enumerate((first + 1, first)):
            end(store, *to_come[serial])
            live.changed(serial)
            found.clear()
            live.report()
            most[late] = max(most[late], len(found))
    assert most[0] == 1
    assert most[1] <= 70
    assert exactly(live.report()) == folded(of, store)


def test_who_comes_pauses_and_leaves_is_seen_without_a_match(of: Plan, store: Store) -> None:
    live = Live(store, of)
    fill(store, of, 5)
    live.report()
    store.register(Entry(name="new", remote=True, version="2"))
    store.set_standing(NAMES[0], EntryState.PAUSED)
    states = {each.entry: each.state for each in live.report().standings}
    assert states["new@2"] is EntryState.ACTIVE
    assert states[NAMES[0]] is EntryState.PAUSED
