"""Reports of tournaments of any size that were never played, for tests of the page."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any, Final

from referee.cards import Seat
from referee.games.registry import GAMES
from referee.match.clock import PROFILES
from referee.match.effects import Outcome
from referee.match.faults import FaultCounts, FaultPolicy, SeatTime, Termination
from tests.draws import draw
from tournaments.plan.plan import Entry, Format, Plan, RankBy
from tournaments.plan.states import EntryState, TournamentState
from tournaments.ratings import Rating, RatingParameters
from tournaments.report.data import ReportData
from tournaments.standings.shapes import (
    Encounters,
    RatingPoint,
    Report,
    ScoreBin,
    Standing,
    Tally,
    ThinkTime,
)
from tournaments.store import Issued, MatchResult

_WORDS: Final = ("greedy", "random", "nelly", "prudent", "moonshot", "paul-the-octopus", "t", "Zeta_2.1")


def names(number: int) -> list[str]:
    """Return names of different lengths."""
    return [_WORDS[n % 8] + ("" if n < 8 else f"-{n}") for n in range(number)]


def plan(entries: Sequence[str], game: str = "two_handed_spades", **more: Any) -> Plan:
    """Return a plan for these entries, with the order that is usual for its format."""
    is_ladder = more.get("format") is Format.LADDER
    given = {
        "rank_by": RankBy.RUNNING if is_ladder else RankBy.TRUESKILL,
        "name": "cup",
        "game": game,
        "options": GAMES[game].bind({}),
        "deals": None,
        "rounds": 1,
        "concurrency": 4,
        "seed": None,
        "base": Path(),
        "folder": Path("cup.fairdeal"),
        "clock": PROFILES["fast"],
        "faults": FaultPolicy(),
        "rating": RatingParameters(),
        "entries": tuple(Entry(name=name, bot="greedy") for name in entries),
    }
    return Plan(**{**given, **more})


def standing(name: str, **more: Any) -> Standing:
    """Return the standing of a competitor that has not played."""
    start = Rating(25.0, 25 / 3)
    given = {
        "rank": 1,
        "entry": name,
        "matches": 0,
        "tally": Tally(),
        "mean_score": None,
        "score_deviation": None,
        "scored": 0,
        "rating": start,
        "forfeits": {},
        "faults": FaultCounts(),
        "voids": 0,
        "think": ThinkTime(),
        "is_current": True,
        "state": EntryState.ACTIVE,
        "history": (RatingPoint(0, 0, start.mu, start.sigma),),
        "scores": (),
    }
    return Standing(**{**given, **more})


def match(serial: int, seats: Sequence[str], scores: Sequence[int], game: str) -> tuple[Issued, MatchResult]:
    """Return a match with its result, ranked by its scores, the higher the better."""
    match_id = f"{game}-1-{serial:016x}"
    forfeited = (Seat(1),) if serial % 37 == 0 else ()
    outcome = Outcome(
        termination=Termination.FORFEIT if forfeited else Termination.COMPLETED,
        ranks=tuple(1 + sum(other > score for other in scores) for score in scores),
        scores=tuple(scores),
        capped=serial % 50 == 7,
        faults=(FaultCounts(),) * len(seats),
        forfeited=forfeited,
        times=(SeatTime(10, 1000, 200),) * len(seats),
    )
    result = MatchResult(
        match_id=match_id,
        attempt=1,
        outcome=outcome,
        record=f"records/{match_id}.1.jsonl.gz",
        record_sha256="0" * 64,
        started=f"2025-11-21T10:{serial // 60 % 60:02}:{serial % 60:02}.5+00:00",
        duration=1_234_567 + 1000 * serial,
    )
    issued = Issued(
        serial=serial, match_id=match_id, round=1, entries=tuple(seats), versions=(None,) * len(seats)
    )
    return issued, result


def played(number: int, matches: int, **more: Any) -> ReportData:
    """Return the report of so many competitors, after so many matches each, of which some made faults."""
    who = names(number)
    pairs = list(combinations(who, 2))
    standings = sorted((_played(n, who[n], matches) for n in range(number)), key=_value)
    met = {
        pair: Encounters(
            Tally(draw(4, "w", *pair), draw(2, "d", *pair), draw(4, "l", *pair)), draw(9, *pair) // 8
        )
        for one, other in pairs
        for pair in ((one, other), (other, one))
    }
    schedule = [
        match(serial, pair, (draw(300, "a", *pair), draw(300, "b", *pair)), "two_handed_spades")
        for serial, pair in enumerate(pairs, start=1)
    ]
    given = {
        "plan": plan(who),
        "state": TournamentState.FINISHED,
        "planned": len(pairs),
        "issued": len(pairs),
        "played": len(pairs),
        "report": Report(
            tuple(replace(each, rank=rank) for rank, each in enumerate(standings, start=1)), met
        ),
        "schedule": schedule,
        "link_base": "cup.fairdeal/",
    }
    return ReportData(**{**given, **more})


def _value(each: Standing) -> float:
    return -each.rating.conservative


def _played(number: int, name: str, matches: int) -> Standing:
    target = 15 + draw(2000, "skill", number) / 100
    history = [RatingPoint(0, 0, 25.0, 25 / 3)]
    for n in range(1, matches + 1):
        sigma = max(0.8, history[-1].sigma * 0.94)
        step = (target - history[-1].mu) * 0.12 + (draw(200, "step", number, n) - 100) * sigma / 500
        history.append(RatingPoint(n * 3 + draw(3, "serial", number, n), n, history[-1].mu + step, sigma))
    wins = draw(matches + 1, "wins", number)
    centre = round(target * 10) - 100
    low = [(centre + 10 * n - 60) // 8 * 8 for n in range(12)]
    scores = tuple(
        ScoreBin(each, each + 7, 1 + min(n, 11 - n) ** 2) for n, each in enumerate(dict.fromkeys(low))
    )
    faulty = draw(3, "faulty", number) == 0
    late = draw(40, "late", number) if faulty else 0
    return standing(
        name,
        matches=matches,
        tally=Tally(wins, 0, matches - wins),
        mean_score=float(centre),
        score_deviation=35.5,
        scored=sum(each.matches for each in scores),
        rating=Rating(history[-1].mu, history[-1].sigma),
        forfeits={"illegal+late": 2} if faulty else {},
        faults=FaultCounts(
            late=late, illegal=draw(9, "illegal", number) if faulty else 0, sessions_lost=late // 9
        ),
        think=ThinkTime(matches * 100, matches * 100 * (30 + 10 ** draw(5, "think", number)), 900_000),
        history=tuple(history),
        scores=scores,
    )
