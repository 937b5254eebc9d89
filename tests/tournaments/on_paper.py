"""Tournaments played on paper: a plan of bots that are never started, and results that are drawn."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from referee.games.registry import GAMES
from referee.match.clock import PROFILES
from referee.match.faults import FaultPolicy
from tests.draws import draw, shuffled
from tournaments.plan.plan import Entry, Format, Plan
from tournaments.ratings import RatingParameters
from tournaments.schedule.pairing import Pairing

Results = Mapping[str, tuple[int, ...]]
Schedule = Callable[[Plan, Results], Iterator[Pairing]]
Ranks = Callable[[Plan, Pairing], tuple[int, ...]]


def drawn_up(game: str, entries: int | Sequence[Entry], form: Format, **more: Any) -> Plan:
    """Return a plan of entries, or of a number of them, named e000 and so on."""
    if isinstance(entries, int):
        entries = [Entry(name=f"e{n:03}", bot="random") for n in range(entries)]
    given: dict[str, Any] = {"name": "cup", "rounds": 1, "seed": "spring", **more}
    return Plan(
        game=game,
        options=GAMES[game].bind({}),
        deals=None,
        concurrency=8,
        base=Path(),
        folder=Path("cup.fairdeal"),
        clock=PROFILES["fast"],
        faults=FaultPolicy(),
        rating=RatingParameters(),
        entries=tuple(entries),
        format=form,
        **given,
    )


def by_chance(plan: Plan, pairing: Pairing) -> tuple[int, ...]:
    """Return ranks by side that are a function of the match's id; equal ones are not rare."""
    scores = [draw(5, pairing.match_id, side) for side in range(len(GAMES[plan.game].sides))]
    return tuple(1 + sum(other > score for other in scores) for score in scores)


def by_chance_without_draws(plan: Plan, pairing: Pairing) -> tuple[int, ...]:
    """Return ranks by side that are a function of the match's id, all different."""
    return shuffled(range(1, 1 + len(GAMES[plan.game].sides)), pairing.match_id)


def by_name(plan: Plan, pairing: Pairing) -> tuple[int, ...]:
    """Return ranks by side by which the first name of the alphabet wins."""
    firsts = [min(pairing.entries[seat] for seat in side) for side in GAMES[plan.game].sides]
    return tuple(1 + sorted(firsts).index(first) for first in firsts)


def play_out(
    schedule: Schedule, plan: Plan, ranks: Ranks = by_chance
) -> tuple[list[Pairing], dict[str, tuple[int, ...]]]:
    """Play all that a schedule yields until it yields no more; return the matches and the results."""
    matches: list[Pairing] = []
    results: dict[str, tuple[int, ...]] = {}
    for _ in range(10_000):
        new = [pairing for pairing in schedule(plan, results) if pairing.match_id not in results]
        if not new:
            return matches, results
        matches += new
        results.update((pairing.match_id, ranks(plan, pairing)) for pairing in new)
    raise AssertionError("the schedule does not end")


def stays(schedule: Schedule, plan: Plan, *key: object) -> None:
    """Check that matches are the same however results arrive, and that none is ever taken back."""
    matches, results = play_out(schedule, plan)
    by_id = {pairing.match_id: pairing for pairing in matches}
    assert len(by_id) == len(matches)
    known: dict[str, tuple[int, ...]] = {"piquet-1-of-another-cup": (1, 2)}
    issued: dict[str, Pairing] = {}
    for step in range(len(matches) + 1):
        now = {pairing.match_id: pairing for pairing in schedule(plan, known)}
        assert issued.items() <= now.items()
        issued = now
        waiting = sorted(issued.keys() - known.keys())
        if not waiting:
            break
        arrives = shuffled(waiting, step, *key)[0]
        known[arrives] = results[arrives]
    assert issued == by_id
