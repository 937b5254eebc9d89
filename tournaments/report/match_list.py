"""The matches of a tournament as a list: lines of text, JSON data and CSV."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any, Final

from referee.games.registry import GAMES
from referee.match.clock import SECOND
from tournaments.plan.plan import Plan
from tournaments.report.export import as_table
from tournaments.store import Attempted

OPEN: Final = "open"
"""The state of a match that is to be played or is being played."""

_OF_SEAT: Final = ("entry", "version", "score", "rank", "faults", "forfeited", "answered", "think_seconds")


def has_faults(attempted: Attempted) -> bool:
    """Return whether anybody made a fault, lost its session or forfeited."""
    outcome = attempted.result and attempted.result.outcome
    return bool(outcome and (outcome.forfeited or any(any(asdict(each).values()) for each in outcome.faults)))


def as_data(plan: Plan, attempted: Attempted, *, is_here: bool = True) -> dict[str, Any]:
    """Return an attempt for programs.

    ``state`` is how it ended, ``open`` before its end, ``annulled``, ``left_out`` by a ruling on an entry
    (attempt 0) and else ``skipped`` where it was left out. It ``stands`` unless its result was withdrawn. By
    seat are the entry, the score and the rank of its side (None without one), the faults by kind and the
    times in seconds. ``record`` is a path from the tournament's folder, None where that is not ``is_here``
    but on another machine.
    """
    issued, result = attempted.issued, attempted.result
    skipped = "annulled" if attempted.is_annulled else "skipped" if issued.attempt else "left_out"
    state = skipped if attempted.is_skipped else OPEN
    return {
        "match": issued.match_id,
        "serial": issued.serial,
        "round": issued.round,
        "attempt": issued.attempt,
        "state": result.outcome.termination.name.lower() if result else state,
        "stands": attempted.stands,
        "started": result.started if result else None,
        "seconds": result.duration / SECOND if result else None,
        "record": result.record if result and is_here else None,
        "record_sha256": result.record_sha256 if result else None,
        "seats": list(_seats(plan, attempted)),
    }


def as_csv(plan: Plan, attempts: Iterable[Attempted], *, is_here: bool = True) -> str:
    """Return attempts as CSV, one a line; the columns of a seat end with its number.

    Faults are like ``illegal=1 late=2``, columns without a value are empty.
    """
    numbers = range(GAMES[plan.game].seats)
    of_seats = [f"{name}_{seat}" for seat in numbers for name in _OF_SEAT]
    before = ("match", "serial", "round", "attempt", "state", "stands", "started", "seconds")
    lines = (_flat(plan, each, is_here=is_here) for each in attempts)
    return as_table((*before, *of_seats, "record", "record_sha256"), lines)


def as_line(plan: Plan, attempted: Attempted, *, is_here: bool = True) -> str:
    """Return an attempt as a line of text."""
    data = as_data(plan, attempted, is_here=is_here)
    sides = []
    for side in GAMES[plan.game].sides:
        seats = [data["seats"][seat] for seat in side]
        names = " + ".join(dict.fromkeys(seat["entry"] for seat in seats))
        score, rank = seats[0]["score"], seats[0]["rank"]
        sides.append(f"{names}{'' if score is None else f' {score}'}{'' if rank is None else f' ({rank}.)'}")
    ended = data["state"] + ("" if data["stands"] else ", withdrawn")
    ended += f", attempt {data['attempt']}" if data["attempt"] > 1 else ""
    faults = [
        f"{seat['entry']} {said}"
        for seat in data["seats"]
        if (said := ", ".join([*_said(seat["faults"]), *(["forfeits"] if seat["forfeited"] else [])]))
    ]
    parts = [f"{data['match']}: {ended}", f"round {data['round']}", ", ".join(sides), *faults]
    if data["started"]:
        parts.append(f"{data['started'][:19].replace('T', ' ')}, {data['seconds']:.1f} s")
        parts[-1] += f", {data['record']}" if data["record"] else ""
    return "; ".join(parts)


def _seats(plan: Plan, attempted: Attempted) -> Iterator[dict[str, Any]]:
    issued, outcome = attempted.issued, attempted.result and attempted.result.outcome
    side_of: dict[int, int] = {
        seat: side for side, seats in enumerate(GAMES[plan.game].sides) for seat in seats
    }
    for seat, (entry, version) in enumerate(zip(issued.entries, issued.versions, strict=True)):
        side = side_of[seat]
        faults = asdict(outcome.faults[seat]) if outcome and outcome.faults else {}
        time = outcome.times[seat] if outcome and outcome.times else None
        yield {
            "entry": entry,
            "version": version,
            "score": outcome.scores[side] if outcome and outcome.scores else None,
            "rank": outcome.ranks[side] if outcome and outcome.ranks else None,
            "faults": {kind: number for kind, number in faults.items() if number},
            "forfeited": bool(outcome and seat in outcome.forfeited),
            "answered": time.answered if time else None,
            "think_seconds": time.total / SECOND if time else None,
        }


def _flat(plan: Plan, attempted: Attempted, *, is_here: bool) -> dict[str, Any]:
    data = as_data(plan, attempted, is_here=is_here)
    for number, seat in enumerate(data.pop("seats")):
        seat["faults"] = " ".join(f"{kind}={count}" for kind, count in seat["faults"].items())
        data |= {f"{name}_{number}": value for name, value in seat.items()}
    return data


def _said(faults: Mapping[str, int]) -> list[str]:
    return [f"{number} {kind.replace('_', ' ')}" for kind, number in faults.items()]
