"""The rows of the schedule on the page of a report."""

from collections import deque
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any, Final
from urllib.parse import quote

from referee.games.registry import GAMES
from referee.match.clock import SECOND
from referee.match.faults import Termination, faults_text
from tournaments.plan.plan import Plan
from tournaments.standings.names import Place, RatedNames
from tournaments.store import Issued, MatchResult

MOST_ROWS: Final = 2000


def rows(
    plan: Plan, schedule: Iterable[tuple[Issued, MatchResult | None]], issued: int, link_base: str | None
) -> dict[str, Any]:
    """Return the rows of the schedule: all, or if they are too many, the last with a result.

    ``issued`` is how many there are in all; ``link_base`` leads to the tournament's folder, None: no
    row has a link.
    """
    has_room = issued <= MOST_ROWS
    kept = deque((each for each in schedule if has_room or each[1] is not None), maxlen=MOST_ROWS)
    names = RatedNames(plan)
    return {
        "sides": sides(plan),
        "lines": [row(match, result, names, _link(result, link_base)) for match, result in kept],
        "left_out": issued - len(kept),
    }


def sides(plan: Plan) -> list[str]:
    """Return the headings of the columns of sides."""
    of_game = GAMES[plan.game].sides
    return [("seat " if len(side) == 1 else "seats ") + " and ".join(map(str, side)) for side in of_game]


def _link(result: MatchResult | None, link_base: str | None) -> str:
    has_link = result is not None and link_base is not None
    return quote(f"{link_base}{result.record}", errors="replace") if has_link and result else ""


def row(issued: Issued, result: MatchResult | None, names: RatedNames, link: str) -> dict[str, Any]:
    """Return a match as the table shows it; ``link`` is where its name leads, empty for nowhere."""
    at_places = list(zip(names.places, names.by_place(issued.entries, issued.versions), strict=True))
    ranks, scores = (result.outcome.ranks, result.outcome.scores) if result else ((), ())
    return {
        "serial": issued.serial,
        "round": issued.round,
        "match_id": issued.match_id,
        "sides": [
            {
                "names": [name for _, name in of_side],
                "score": scores[side] if scores else None,
                "is_best": bool(ranks) and ranks[side] == 1,
            }
            for side, of_side in groupby(at_places, key=lambda at_place: at_place[0].side)
        ],
        "ended": _ended(at_places, result),
        "faults": _faults_of(at_places, result),
        "began": result.started[:19].replace("T", " ") if result else "",
        "seconds": result.duration / SECOND if result else None,
        "link": link,
    }


def _faults_of(at_places: Sequence[tuple[Place, str]], result: MatchResult | None) -> str:
    """Return who made which faults, as ``ann: 2 late; bob: 1 illegal``."""
    faults = result.outcome.faults if result else ()
    said = ((name, faults_text(faults[seat])) for place, name in at_places for seat in place.seats if faults)
    return "; ".join(f"{name}: {text}" for name, text in said if text)


def _ended(at_places: Sequence[tuple[Place, str]], result: MatchResult | None) -> str:
    if result is None:
        return "no result"
    outcome = result.outcome
    said = []
    if outcome.termination is Termination.COMPLETED:
        said.append("capped" if outcome.capped else "completed")
    names = [name for place, name in at_places if set(place.seats) & set(outcome.forfeited)]
    if names:
        said.append(f"forfeited by {', '.join(names)}")
    if result.attempt > 1:
        said.append(f"attempt {result.attempt}")
    return ", ".join(said)
