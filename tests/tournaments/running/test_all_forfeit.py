"""Matches that all sides forfeit: they do so in one step, and it says nothing about anybody's strength."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from referee.match.faults import Fault, FaultCounts, Termination
from referee.server.runtime import FinishedMatch
from tests.results import Match, played, report, result, standing
from tests.sample_report import plan
from tests.tournaments.cup import TEXT, Cup
from tests.tournaments.on_paper import drawn_up
from tests.tournaments.standings_plans import FOUR, PAIRS, PARTNERS, TEAMS, TWO
from tournaments import schedule
from tournaments.plan.plan import Format, Plan
from tournaments.running.attempts import setup_of
from tournaments.schedule import Pairing
from tournaments.schedule.knockout import double_knockout, knockout, places
from tournaments.schedule.swiss import scores
from tournaments.standings import Encounters, Tally, current, fold
from tournaments.store import Store

START: Final = "clock = { move = 600, start = 0.1 }"  # of which nothing but the start runs out
SOON: Final = TEXT.replace('clock = "debug"', START)
NEW: Final = (25.0, 25 / 3)


def forfeited(of: FinishedMatch) -> set[str]:
    return {of.setup.entries[seat] for seat in of.outcome.forfeited}


# How they forfeit


async def run_with(cup: Cup, here: str, lost: str) -> list[FinishedMatch]:
    for name in here:
        cup.guest(name)
    cup.runner.lost_bots.holds = False  # as when something was played before
    for name in lost:
        cup.lose(name)
    await cup.run()
    return cup.reports


@pytest.mark.asyncio
async def test_two_lost_bots_draw_and_nobody_waits_for_them(tmp_path: Path) -> None:
    async with Cup(tmp_path, "abc") as cup:  # the start clock is one for debugging: an hour
        reports = await run_with(cup, "a", "bc")
    assert len(reports) == 6
    for each in reports:
        seats = each.setup.entries
        assert each.outcome.termination is Termination.FORFEIT
        assert forfeited(each) == set(seats) & {"b", "c"}
        assert each.outcome.ranks == (tuple(1 + (name != "a") for name in seats) if "a" in seats else (1, 1))
        assert each.outcome.faults == tuple(FaultCounts(disconnected=name != "a") for name in seats)


@pytest.mark.asyncio
async def test_one_that_is_lost_and_one_that_never_came_forfeit_both(tmp_path: Path) -> None:
    text = f"remote = {{ wait = 60 }}\n{SOON}"
    async with Cup(tmp_path, "ab", remote="b", text=text) as cup:
        cup.lose("a")
        task = asyncio.create_task(cup.run())
        await cup.passes()
        await cup.passes(60)
        await task
        assert [forfeited(each) for each in cup.reports] == [{"a", "b"}] * 2
        assert [each.outcome.ranks for each in cup.reports] == [(1, 1)] * 2


@pytest.mark.asyncio
async def test_of_two_that_are_lost_on_opposite_sides_the_partners_are_not_to_blame(tmp_path: Path) -> None:
    text = SOON.replace("two_handed_spades", "euchre")
    async with Cup(tmp_path, "abcd", text=text) as cup:
        reports = await run_with(cup, "ab", "cd")
    partners, opponents = [], []
    for each in reports:
        sides = {*each.setup.entries[::2]}, {*each.setup.entries[1::2]}
        (partners if {"c", "d"} in sides else opponents).append(each)
    assert partners
    assert [each.outcome.ranks.index(2) for each in partners] == [
        int("c" in each.setup.entries[1::2]) for each in partners
    ]
    assert opponents
    for each in opponents:
        assert (forfeited(each), each.outcome.ranks) == ({"c", "d"}, (1, 1))
        for name, count in zip(each.setup.entries, each.outcome.faults, strict=True):
            assert count.total == (name in "cd")


@pytest.mark.asyncio
@pytest.mark.parametrize(("lost", "ranks"), [("abcd", {1}), ("cd", {1, 2, 3}), ("bcd", {1, 2})])
async def test_of_four_single_players_those_who_forfeit_rank_last(
    tmp_path: Path, lost: str, ranks: set[int]
) -> None:
    text = TEXT.replace("two_handed_spades", "hearts").replace("rounds = 2", "rounds = 1")
    async with Cup(tmp_path, "abcd", text=text) as cup:
        (only,) = await run_with(cup, "abcd"[: -len(lost)], lost)
    assert forfeited(only) == set(lost)
    last = {only.outcome.ranks[only.setup.entries.index(name)] for name in lost}
    assert last == {5 - len(lost)}
    assert set(only.outcome.ranks) <= ranks


@pytest.mark.asyncio
async def test_a_match_goes_on_after_a_restart_by_the_clock_that_it_began_with(tmp_path: Path) -> None:
    async with Cup(tmp_path, "ab") as cup:  # as when nobody is there, and none so short that it runs out
        cup.begin_again()
        issued = cup.store.to_do()[0]
        clock = replace(cup.plan.clock, start=cup.plan.clock.start - 1)
        cup.runner._beginning.play(issued, replace(setup_of(cup.plan, issued), clock=clock))
    async with Cup(tmp_path, "ab") as cup:
        assert [setup.clock for setup in cup.host.referee.core.matches.setups] == [clock]
        reports = await run_with(cup, "ab", "")
        assert [each.outcome.termination for each in reports] == [Termination.COMPLETED] * 2
        assert {each.setup.clock for each in reports} == {clock, cup.plan.clock}


# What it counts


ALL: Final[list[tuple[Plan, str, Sequence[int], Sequence[int]]]] = [
    (TWO, "ab", (1, 1), (0, 1)),
    (FOUR, "abcd", (1, 1, 1, 1), (0, 1, 2, 3)),
    (PARTNERS, "abcd", (1, 1), (0, 3)),
    (PAIRS, "abab", (1, 1), (0, 1, 2, 3)),
    (TEAMS, "acbd", (1, 1), (2, 1)),
]
SOME: Final[list[tuple[Plan, str, Sequence[int], Sequence[int]]]] = [
    (TWO, "ab", (2, 1), (0,)),
    (FOUR, "abcd", (1, 2, 2, 2), (1, 2, 3)),
    (PARTNERS, "abcd", (2, 1), (0, 2)),
    (PAIRS, "abab", (1, 2), (1, 3)),
]


def ratings(of: Plan, *matches: Match) -> dict[str, tuple[float, float]]:
    return {each.entry: (each.rating.mu, each.rating.sigma) for each in report(of, *matches).standings}


@pytest.mark.parametrize(("of", "seats", "ranks", "gone"), ALL)
def test_what_all_forfeit_is_not_rated(
    of: Plan, seats: str, ranks: Sequence[int], gone: Sequence[int]
) -> None:
    nothing = played(seats, ranks, forfeited=gone)
    assert set(ratings(of, nothing).values()) == {NEW}
    after = played(seats, range(1, 1 + len(ranks)), ranks, serial=2)
    assert ratings(of, nothing, after) == ratings(of, after)  # the chance of a draw is the same, too


@pytest.mark.parametrize(("of", "seats", "ranks", "gone"), SOME)
def test_what_some_forfeit_is_rated(of: Plan, seats: str, ranks: Sequence[int], gone: Sequence[int]) -> None:
    assert NEW not in [
        ratings(of, played(seats, ranks, forfeited=gone))[name] for name in sorted({*seats})[:2]
    ]


def test_what_all_forfeit_counts_as_drawn_with_its_faults_and_forfeits() -> None:
    gone = (FaultCounts(disconnected=1),) * 2
    made = report(TWO, played("ab", (1, 1), forfeited=(0, 1), faults=gone))
    for name, other in ("ab", "ba"):
        line = standing(made, name)
        assert (line.matches, line.tally, line.faults.total) == (1, Tally(0, 1, 0), 1)
        assert line.forfeits == {Fault.DISCONNECTED.name.lower(): 1}
        assert made.crosstable[name, other] == Encounters(Tally(0, 1, 0), forfeits=1)


def stored(store: Store, of: Plan, outcomes: Sequence[Match]) -> None:
    """Store matches in the order of the schedule."""
    pairings = [
        Pairing(match_id=f"m{n}", round=1, entries=issued.entries)
        for n, (issued, _) in enumerate(outcomes, 1)
    ]
    store.issue(pairings)
    for pairing, (_, decided) in zip(pairings, outcomes, strict=True):
        assert store.add(result(pairing.match_id, decided.outcome))


def test_from_a_checkpoint_and_anew_it_is_the_same(tmp_path: Path) -> None:
    of = plan("ab", "piquet", folder=tmp_path / "cup")
    cycle = [
        played("ab", (1, 1), forfeited=(0, 1)),
        played("ab", (1, 2), (9, 3)),
        played("ba", (1, 1), (5, 5)),
        played("ba", (2, 1), forfeited=(0,)),
    ]
    with Store.open(of) as store:
        stored(store, of, cycle * 150)
        anew = current(store, of, rebuild=True)
        kept = store.checkpoint()
        assert kept is not None and kept.through == 600
        assert '"chances": 450' in kept.data
        assert current(store, of) == anew


def test_a_checkpoint_of_before_is_not_gone_on_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    of = plan("ab", "piquet", folder=tmp_path / "cup")
    with Store.open(of) as store:
        stored(store, of, [played("ab", (1, 1), forfeited=(0, 1))] * 501)
        with monkeypatch.context() as before:
            before.setattr(fold, "VERSION", 1)
            current(store, of)
            kept = store.checkpoint()
        assert kept is not None
        store.keep(replace(kept, data="of no use"))
        assert {(each.rating.mu, each.rating.sigma) for each in current(store, of).standings} == {NEW}


# Who goes on


@pytest.mark.parametrize(
    ("game", "ranks", "gone", "seen"),
    [
        ("piquet", (1, 1), (0, 1), (2, 2)),
        ("piquet", (1, 1), (), (1, 1)),
        ("piquet", (1, 2), (1,), (1, 2)),
        ("hearts", (1, 1, 1, 1), (0, 1, 2, 3), (4, 4, 4, 4)),
        ("hearts", (2, 2, 1, 2), (0, 1, 3), (4, 4, 1, 4)),
        ("hearts", (3, 1, 2, 3), (0, 3), (4, 1, 2, 4)),
        ("hearts", (2, 1, 2, 4), (3,), (2, 1, 2, 4)),
        ("hearts", (3, 1, 1, 3), (), (3, 1, 1, 3)),
    ],
)
def test_for_a_schedule_who_forfeited_is_last(
    tmp_path: Path, game: str, ranks: Sequence[int], gone: Sequence[int], seen: tuple[int, ...]
) -> None:
    of = plan("abcd", game, folder=tmp_path / "cup")
    with Store.open(of) as store:
        stored(store, of, [played("abcd"[: len(ranks)], ranks, forfeited=gone)])
        assert store.ranks() == {"m1": seen}


FORMS: Final = {Format.KNOCKOUT: knockout, Format.DOUBLE_KNOCKOUT: double_knockout}
both: Final = pytest.mark.parametrize("form", FORMS)


def played_out(of: Plan, ranks: Callable[[Pairing], tuple[int, ...]]) -> dict[str, tuple[int, ...]]:
    """Return the results of all matches, in the order in which they came up."""
    results: dict[str, tuple[int, ...]] = {}
    for _ in range(100):
        new = [one for one in schedule.next(of, set(), results) if one.match_id not in results]
        if not new:
            return results
        results |= {pairing.match_id: ranks(pairing) for pairing in new}
    raise AssertionError("the schedule does not end")


@both
@pytest.mark.parametrize("entries", [2, 4, 7, 8])
def test_at_tables_of_two_the_higher_seed_goes_on_at_once(form: Format, entries: int) -> None:
    of = drawn_up("piquet", entries, form)
    results = played_out(of, lambda _pairing: (2, 2))
    by_seed = played_out(of, lambda pairing: (1, 2) if pairing.entries[0] < pairing.entries[1] else (2, 1))
    assert list(results) == list(by_seed)
    assert list(places(of, results).items())[:2] == [("e000", 1), ("e001", 2)]


@both
def test_two_that_never_come_do_not_hold_up_a_bracket(form: Format) -> None:
    of = drawn_up("piquet", 4, form)
    (match,) = (pairing for pairing in FORMS[form](of, {}) if set(pairing.entries) == {"e001", "e002"})
    after = [pairing for pairing in FORMS[form](of, {match.match_id: (2, 2)}) if pairing.round == 1]
    assert len(after) == 2  # the two of the first round, and no replay


@pytest.mark.parametrize(
    ("here", "on"),
    [("", "ab"), ("d", "da"), ("dc", "cd"), ("b", "ba"), ("abcd", "ab")],
)
def test_at_tables_of_four_those_who_came_go_on_first(here: str, on: str) -> None:
    of = drawn_up("hearts", 8, Format.KNOCKOUT)
    first, second = knockout(of, {})
    by_seed = sorted(first.entries)
    names = dict(zip("abcd", by_seed, strict=True))
    came = [names[letter] for letter in here]
    ranks = tuple(1 + came.index(name) if name in came else 4 for name in first.entries)
    results = {first.match_id: ranks, second.match_id: (1, 2, 3, 4)}
    (final,) = [pairing for pairing in knockout(of, results) if pairing.match_id not in results]
    assert final.round == 2
    assert set(final.entries) & {*by_seed} == {names[letter] for letter in on}


def test_a_replay_that_nobody_comes_for_is_the_last_one() -> None:
    of = drawn_up("piquet", 2, Format.KNOCKOUT)
    (first,) = knockout(of, {})
    results = {first.match_id: (1, 1)}
    again = list(knockout(of, results))[-1]
    results[again.match_id] = (2, 2)
    assert len(list(knockout(of, results))) == 2
    assert places(of, results) == {"e000": 1, "e001": 2}


def test_in_a_swiss_what_all_forfeit_is_drawn() -> None:
    of = drawn_up("piquet", 2, Format.SWISS)
    (match,) = schedule.next(of, set(), {})
    assert {name: score.points for name, score in scores(of, {match.match_id: (2, 2)}).items()} == {
        "e000": 1,
        "e001": 1,
    }


@pytest.mark.asyncio
async def test_a_knockout_waits_once_for_two_that_never_come(tmp_path: Path) -> None:
    text = f'format = "knockout"\nremote = {{ wait = 60 }}\n{SOON}'.replace("rounds = 2\n", "")
    async with Cup(tmp_path, "abcd", remote="abcd", text=text) as cup:
        for name in "ad":
            cup.guest(name)
        task = asyncio.create_task(cup.run())
        await cup.until(lambda: len(cup.reports) == 1)
        await cup.passes()
        await cup.passes(60)
        await task
        assert [set(setup.entries) for setup in cup.opened][:2] == [{"a", "d"}, {"b", "c"}]
        assert forfeited(cup.reports[1]) == {"b", "c"}
        assert len(cup.opened) == 3
        assert "b" in cup.opened[2].entries
