"""Standings of a store: from a checkpoint and from the beginning they are the same."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.results import fill, played
from tests.sample_report import plan
from tests.tournaments.standings.issuing import NAMES, end, exactly, folded, issue, reads, void
from tournaments import schedule
from tournaments.plan.plan import Format, Partners, Plan
from tournaments.plan.states import TournamentState
from tournaments.ratings import RatingParameters
from tournaments.standings import Live, current
from tournaments.store import Checkpoint, Store, StoreError
from tournaments.store.checkpoints import StoredCheckpoint

pytestmark = pytest.mark.usefixtures("kept_early")


def test_from_a_checkpoint_and_anew_they_are_the_same(
    of: Plan, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(store, of, 60)
    first = current(store, of)
    fill(store, of, 15)
    kept = store.checkpoint()
    assert kept is not None and kept.through == 60
    found = reads(store, monkeypatch)
    warm = current(store, of)
    assert found == list(range(61, 76))
    anew = current(store, of, rebuild=True)
    assert len(found) == 15 + 75
    assert exactly(warm) == exactly(anew) == folded(of, store)
    assert exactly(warm) != exactly(first)


def test_a_checkpoint_is_of_the_longest_complete_prefix(of: Plan, store: Store) -> None:
    to_come = issue(store, of, 90)
    for serial, (issued, match) in to_come.items():
        if serial == 30:
            store.skip(issued)  # which does not count, and is not a gap
        elif serial not in (80, 85):
            end(store, issued, match)
    void(store, *to_come[80])
    before = current(store, of)
    kept = store.checkpoint()
    assert kept is not None and kept.through == 79
    assert exactly(before) == exactly(current(store, of)) == folded(of, store)
    for serial in (85, 80):
        issued, match = to_come[serial]
        end(store, issued.again() if serial == 80 else issued, match)
        assert exactly(current(store, of)) == folded(of, store)


@pytest.mark.parametrize("is_over", [False, True])
def test_what_one_reader_has_folded_the_next_one_need_not(
    of: Plan, store: Store, monkeypatch: pytest.MonkeyPatch, is_over: bool
) -> None:
    fill(store, of, 60)
    if is_over:
        store.set_state(TournamentState.FINISHED)
        store.close()
    with Store.read(of) as reader:
        first = current(reader, of)
    with Store.read(of) as another:
        found = reads(another, monkeypatch)
        assert exactly(current(another, of)) == exactly(first)
    assert found == []


def test_who_may_read_and_not_write_reads(of: Plan, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def readonly(_stored: StoredCheckpoint, checkpoint: Checkpoint) -> None:
        raise StoreError("attempt to write a readonly database")

    fill(store, of, 60)
    monkeypatch.setattr(StoredCheckpoint, "keep", readonly)
    with Store.read(of) as reader:
        assert exactly(current(reader, of)) == folded(of, store)
    assert store.checkpoint() is None
    with pytest.raises(StoreError, match="readonly"):
        current(store, of)


def test_a_checkpoint_stays_that_reaches_further(store: Store) -> None:
    store.keep(Checkpoint(700, "f", "more"))
    store.keep(Checkpoint(600, "f", "less"))
    assert store.checkpoint() == Checkpoint(700, "f", "more")
    store.keep(Checkpoint(600, "other", "of another plan"))
    assert store.checkpoint() == Checkpoint(600, "other", "of another plan")


def test_what_another_version_ranked_is_ranked_anew_and_that_is_told(of: Plan, store: Store) -> None:
    fill(store, of, 60)
    anew: list[int] = []
    first = current(store, of, on_anew=anew.append)
    kept = store.checkpoint()
    assert kept is not None and not anew
    changed = replace(of, rating=RatingParameters(beta=4.0))
    current(store, changed, on_anew=anew.append)
    assert not anew  # the organiser's own change
    for earlier in ("5" * 64, "4:" + "5" * 64):
        store.keep(replace(kept, fingerprint=earlier))
        assert exactly(current(store, of, on_anew=anew.append)) == exactly(first)
    assert anew == [60, 60]
    current(store, of, on_anew=anew.append)
    assert len(anew) == 2  # once


@pytest.mark.parametrize("late", [(), (70,), (40, 70)])
def test_a_report_that_is_broken_off_anywhere_is_gone_on_with(
    of: Plan, store: Store, late: tuple[int, ...]
) -> None:
    """At each step something else goes wrong, or comes in."""
    live = Live(store, of)
    to_come = issue(store, of, 90)
    again = {serial: void(store, *to_come[serial]) for serial in (30, 75)}
    for serial, (issued, match) in to_come.items():
        if serial not in late:
            end(store, again.get(serial, issued), match)
    after = 0
    while True:
        after += 1
        steps = live.reporting()
        try:
            for _ in range(after):
                call = next(steps)
                while call is not None:
                    call = steps.send(call())
        except StopIteration as over:
            report = over.value
            break
        steps.close()
        if after == 20:
            for serial in late:
                end(store, *to_come[serial])
                live.changed(serial)
    assert exactly(report) == exactly(live.report()) == folded(of, store)


def test_a_few_matches_are_not_worth_a_checkpoint(of: Plan, store: Store) -> None:
    fill(store, of, 60)
    current(store, of)
    fill(store, of, 20)
    current(store, of)
    kept = store.checkpoint()
    assert kept is not None and kept.through == 60


def test_a_checkpoint_is_kept_once(of: Plan, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[Checkpoint] = []
    monkeypatch.setattr(store, "keep", kept.append)
    live = Live(store, of)
    fill(store, of, 60)
    for _ in range(3):
        live.report()
    fill(store, of, 60)
    live.report()
    assert [checkpoint.through for checkpoint in kept] == [60, 120]


def test_a_checkpoint_that_does_not_fit_is_not_used(
    of: Plan, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(store, of, 60)
    current(store, of)
    other = replace(of, rating=RatingParameters(beta=5.0))
    found = reads(store, monkeypatch)
    report = exactly(current(store, other))
    assert len(found) == 60
    assert report == folded(other, store)
    kept = store.checkpoint()
    assert kept is not None and '"beta": 5.0' in kept.data


def test_who_only_reads_does_so_beside_who_writes(of: Plan, store: Store) -> None:
    fill(store, of, 60)
    with Store.read(of) as reader:
        assert exactly(current(reader, of)) == folded(of, store)
        fill(store, of, 5)
        assert exactly(current(reader, of)) == folded(of, store)


def test_what_is_done_is_told(of: Plan, store: Store) -> None:
    fill(store, of, 250)
    told: list[tuple[int, int]] = []
    current(store, of, lambda done, total: told.append((done, total)))
    assert [done // 10 for done, _ in told] == [9, 19, 25]
    assert {total for _, total in told} == {250}
    assert told[-1] == (250, 250)
    told.clear()
    current(store, of, lambda done, total: told.append((done, total)))
    assert told == [(250, 250)]


def test_nothing_played_is_reported_too(of: Plan, store: Store) -> None:
    told: list[tuple[int, int]] = []
    report = current(store, of, lambda done, total: told.append((done, total)))
    assert [each.entry for each in report.standings] == NAMES
    assert told == [(0, 0)]


@pytest.mark.parametrize("kind", [Format.SWISS, Format.KNOCKOUT, Format.DOUBLE_KNOCKOUT])
def test_a_format_has_its_points_or_places(tmp_path: Path, kind: Format) -> None:
    of = plan(NAMES, "spades", format=kind, partners=Partners.FIXED, rounds=3, folder=tmp_path / "cup")
    with Store.open(of) as store:
        before = current(store, of)
        pairings = store.issue(schedule.next(of, set(), {}))
        for issued in pairings:
            end(store, issued, played(issued.entries, (1, 2), (9, 1)))
        after = current(store, of)
        assert exactly(after) == folded(of, store)
    for report in (before, after):
        assert all((each.place is None) == (kind is Format.SWISS) for each in report.standings)
        assert all((each.points is None) != (kind is Format.SWISS) for each in report.standings)
    decided = [{(each.place, each.points) for each in report.standings} for report in (before, after)]
    # of a double knockout nobody is out after one round
    assert (decided[0] != decided[1]) is (kind is not Format.DOUBLE_KNOCKOUT)
