"""Standings of a store: from a checkpoint, from the beginning, and while matches end in any order."""

from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from referee.match.faults import Termination
from tests.draws import draw
from tests.results import Match, drawn, fill, played, result
from tests.sample_report import plan
from tournaments import schedule
from tournaments.plan.plan import Entry, Format, Partners, Plan
from tournaments.plan.states import EntryState, TournamentState
from tournaments.ratings import RatingParameters
from tournaments.schedule.pairing import seated
from tournaments.standings import Live, Report, Standings, current
from tournaments.store import Checkpoint, Issued, MatchResult, Store, StoreError

NAMES = [f"entry-{number}" for number in range(6)]


@pytest.fixture(autouse=True)
def kept_early(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep checkpoints and tell of progress ten times as often, so that few matches are enough here."""
    monkeypatch.setattr("tournaments.standings.live._WORTH_KEEPING", 50)
    monkeypatch.setattr("tournaments.standings.live._PROGRESS_EVERY", 100)


@pytest.fixture
def of(tmp_path: Path) -> Plan:
    return plan(NAMES, "piquet", format=Format.LADDER, folder=tmp_path / "ladder")


@pytest.fixture
def store(of: Plan) -> Iterator[Store]:
    with Store.open(of) as store:
        yield store


def issue(store: Store, of: Plan, number: int) -> dict[int, tuple[Issued, Match]]:
    """Issue matches, and return them by serial with what is to come of them."""
    first = store.issued_count() + 1
    to_come = [drawn(of, serial) for serial in range(first, first + number)]
    store.issue(seated(of, issued.serial, issued.entries) for issued, _ in to_come)
    open_ones = {issued.serial: issued for issued in store.to_do()}
    return {match[0].serial: (open_ones[match[0].serial], match) for match in to_come}


def end(store: Store, issued: Issued, match: Match) -> None:
    assert store.add(result(issued.match_id, match[1].outcome, issued.attempt))


def void(store: Store, issued: Issued, match: Match) -> Issued:
    outcome = replace(match[1].outcome, termination=Termination.VOID, ranks=(), scores=())
    assert store.add(result(issued.match_id, outcome, issued.attempt))
    return issued.again()


def exactly(report: Report) -> str:
    """Return all of a report, to the last digit of every number."""
    cells = sorted(report.crosstable.items(), key=lambda item: item[0])
    return repr(([asdict(standing) for standing in report.standings], cells))


def folded(of: Plan, store: Store) -> str:
    """Return the report of what is stored, folded at one go."""
    standings = Standings(of)
    for issued in store.voids():
        standings.add_void(issued)
    for issued, ended in store.results():
        standings.add(issued, ended)
    return exactly(standings.report(store.roster(), store.ranks()))


def reads(store: Store, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list to which the serial of each result is added that is read from now on."""
    found: list[int] = []
    over = store.over

    def noted(first: int, last: int) -> list[tuple[Issued, MatchResult | None]]:
        read = over(first, last)
        found.extend(issued.serial for issued, ended in read if ended is not None)
        return read

    monkeypatch.setattr(store, "over", noted)
    return found


# Checkpoints


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
    def readonly(_connection: object, checkpoint: Checkpoint) -> None:
        raise StoreError("attempt to write a readonly database")

    fill(store, of, 60)
    with Store.read(of) as reader:
        monkeypatch.setattr(reader, "_keep", readonly)
        assert exactly(current(reader, of)) == folded(of, store)
    assert store.checkpoint() is None
    monkeypatch.setattr(store, "_keep", readonly)
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


# Live


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
