"""The standings as a fold over results in schedule order: sums, and for the fit how matches ended."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from types import MappingProxyType
from typing import Any, Final, Self

import trueskill

from referee.core.steps import Steps, at_once
from referee.games.registry import GAMES
from referee.match.effects import Outcome
from tournaments.plan.plan import Format, Plan, RankBy
from tournaments.plan.states import EntryState
from tournaments.ratings import (
    LEAST_DRAWS,
    MOST_DRAWS,
    USUAL_WEIGHT,
    Rating,
    Ratings,
)
from tournaments.schedule.duplicates import epoch_of
from tournaments.schedule.results import half_points
from tournaments.standings.bounded import BINS, HISTORY, History
from tournaments.standings.line import Line, is_clean
from tournaments.standings.names import Place, RatedNames, competitor_in
from tournaments.standings.orderings import Ordering, Rated
from tournaments.standings.ranking import ranked
from tournaments.standings.shapes import NOTHING_FITTED, Encounters, Report, Skills, Standing, Tally
from tournaments.store import Issued, MatchResult, Registered

_LEAST_AWAY_FIRST: Final = (
    *(EntryState.ACTIVE, EntryState.PAUSED, EntryState.LEFT),
    *(EntryState.WITHDRAWN, EntryState.DISQUALIFIED),
)
VERSION: Final = 6  # of the dumped format and of the summing; raised with every change to either

_QUICK: Final = 5_000  # orderings that are fitted in a moment

_NONE_MET: Final = Encounters()
_OF_TALLY: Final = tuple(field.name for field in fields(Tally))
_NO_RANKS: Final[Mapping[str, tuple[int, ...]]] = MappingProxyType({})


class Standings:
    """The standings after the matches that were added; ``serial`` is that of the last one, 0 before.

    A fixed pair is one competitor, also when it is a team of two entries; in a ladder the versions of an
    entry are competitors of their own. In a forfeited match of two sides no score counts; with more sides,
    the scores of the sides that did not forfeit count. A match that all sides forfeited is not rated: it says
    nothing about anybody's strength.

    The matches that are rated are kept as orderings, each with how often it came, for the `fit`. It is made
    once more for the clean ones alone: so skill is told apart from who survives the faults of others.
    """

    def __init__(self, plan: Plan) -> None:
        self.serial = 0
        self.plan: Final = plan
        self._names = RatedNames(plan)
        self._ratings = Ratings(plan.rating, plan.game, plan.priors)
        self._lines: dict[str, Line] = {}
        self._met: dict[tuple[str, str], Encounters] = {}
        self.rated = Rated()
        self._fitted: tuple[int, Skills] = (0, NOTHING_FITTED)  # of how many matches

    def add(self, issued: Issued, result: MatchResult) -> None:
        """Add the result of a match; its serial is not below those before."""
        outcome = result.outcome
        ranks = outcome.ranks
        names = self._names.by_place(issued.entries, issued.versions)
        sides: list[tuple[str, ...]] = [()] * len(ranks)
        for place, name in zip(self._names.places, names, strict=True):
            sides[place.side] += (name,)
        if not all(self._has_forfeited(outcome, side) for side in range(len(ranks))):
            self._ratings.add(sides, ranks)
            deck = epoch_of(self.plan, issued.match_id, issued.attempt) if self.plan.shared_decks else ""
            self.rated.add(Ordering.of(sides, ranks), unclean=not is_clean(outcome), deck=deck)
        halves = half_points(ranks)
        for place, name in zip(self._names.places, names, strict=True):
            line = self._line(name)
            line.half_points += halves[place.side]
            others = [rank for side, rank in enumerate(ranks) if side != place.side]
            line.tally = line.tally.plus(ranks[place.side], min(others))
            line.add(outcome, place.seats, self._counted_score(outcome, place))
            line.history.add(issued.serial, self._ratings.of(name))
            has_forfeited = any(seat in outcome.forfeited for seat in place.seats)
            for opponent, other in self._opponents(place, names):
                before = self._met.get((name, other), _NONE_MET)
                self._met[name, other] = Encounters(
                    before.tally.plus(ranks[place.side], ranks[opponent.side]),
                    before.forfeits + has_forfeited,
                    before.voids,
                )
        self.serial = issued.serial

    @property
    def draw_probability(self) -> float:
        """Return the probability of a draw with which they are fitted."""
        return self._ratings.draw_probability

    def add_void(self, issued: Issued) -> None:
        """Take an attempt without a result; the serial of its match is not below those before."""
        names = self._names.by_place(issued.entries, issued.versions)
        for place, name in zip(self._names.places, names, strict=True):
            self._line(name).voids += 1
            for _, other in self._opponents(place, names):
                before = self._met.get((name, other), _NONE_MET)
                self._met[name, other] = Encounters(before.tally, before.forfeits, before.voids + 1)
        self.serial = issued.serial

    def report(
        self,
        roster: Sequence[Registered] = (),
        ranks: Mapping[str, tuple[int, ...]] = _NO_RANKS,
    ) -> Report:
        """Return the report of what was added; see `reporting`."""
        return at_once(self.reporting(roster, ranks))

    def reporting(
        self,
        roster: Sequence[Registered] = (),
        ranks: Mapping[str, tuple[int, ...]] = _NO_RANKS,
        *,
        skills: Skills | None = None,
    ) -> Steps[Report]:
        """Return the report of what was added, each line of it a step; add nothing meanwhile.

        ``roster`` are the entries that are registered, for their states and, in a ladder, their versions;
        those of the plan that are not among them are active. ``ranks`` are those by side of all matches with
        a result, by id, for formats that rank by more than ratings. ``skills`` are those by fits that were
        made elsewhere; without them all matches are fitted here.
        """
        if skills is None:
            skills = yield from self._fitting()
        states = self._states(roster)
        of_competitor = {competitor_in(name): state for name, state in states.items()}
        lines = {name: self._lines.get(name) or self._new_line(name) for name in (*states, *self._lines)}
        standings: list[Standing] = []
        for name, line in lines.items():
            yield None
            standings.append(
                Standing(
                    rank=0,
                    entry=name,
                    matches=line.matches,
                    tally=line.tally,
                    mean_score=line.mean_score,
                    score_deviation=line.score_deviation,
                    scored=line.scored,
                    rating=self._ratings.of(name),
                    forfeits=dict(sorted(line.forfeits.items())),
                    faults=line.faults,
                    voids=line.voids,
                    think=line.think,
                    is_current=name in states,
                    state=of_competitor.get(competitor_in(name), EntryState.LEFT),
                    history=line.history.points(),
                    scores=line.scores.bins(),
                    points=line.half_points / 2 if self.plan.format.is_fixed else None,
                    skill=skills.of_all.get(name),
                    clean_matches=line.clean,
                    decided_by_faults=line.decided,
                    clean_skill=skills.of_clean.get(name),
                )
            )
        placed = yield from ranked(self.plan, standings, ranks)
        return Report(placed, dict(self._met), skills.margins)

    @property
    def is_large(self) -> bool:
        """Return whether a fit of it has a part in the standings and takes long."""
        return self.plan.rank_by is not RankBy.RUNNING and self.rated.kinds > _QUICK

    @property
    def terms(self) -> dict[str, Any]:
        """Return what a fit needs besides the matches, as JSON: all names, the parameters, how many draws."""
        return {
            "names": list(self._lines),
            "rating": asdict(self.plan.rating),
            "draws": self.draw_probability,
        }

    def _fitting(self) -> Steps[Skills]:
        """Return the skills by the fits, where they have a part in the standings."""
        if self.plan.rank_by is RankBy.RUNNING:
            return NOTHING_FITTED
        fitted, known = self._fitted
        if self.rated.matches > fitted:
            known = yield self._fit
            self._fitted = (self.rated.matches, known)
        return known

    def _fit(self) -> Skills:
        # on demand: NumPy and SciPy take a quarter of a second to load
        from tournaments.standings.certainty import skills_of_both
        from tournaments.standings.fit import fit_both

        return skills_of_both(fit_both(self.rated, self.plan.rating, self.draw_probability))

    def copying(self) -> Steps[Self]:
        """Return an independent copy; add nothing meanwhile."""
        copied = type(self)(self.plan)
        copied.serial = self.serial
        copied._ratings = Ratings.load(self._ratings.dump(), self.plan.rating, self.plan.game)
        for name, line in self._lines.items():
            yield None
            copied._lines[name] = line.copy()
        copied._met = dict(self._met)
        copied.rated = self.rated.copy()
        return copied

    def dumping(self) -> Steps[str]:
        """Return the state for `loading`, as lines of JSON; add nothing meanwhile."""
        met: dict[str, dict[str, dict[str, int]]] = {}
        for (name, other), cell in self._met.items():
            counts = {**asdict(cell.tally), "forfeits": cell.forfeits, "voids": cell.voids}
            met.setdefault(name, {})[other] = {what: count for what, count in counts.items() if count}
        texts = [json.dumps({"serial": self.serial, "ratings": self._ratings.dump()})]
        for name, line in self._lines.items():
            yield None
            texts.append(json.dumps({"name": name, "line": line.dump(), "met": met.get(name, {})}))
        texts += yield from self.rated.dumping(tuple(self._lines))
        return "\n".join(texts)

    @classmethod
    def loading(cls, plan: Plan, text: str) -> Steps[Self]:
        """Return the standings that were dumped under a plan of the same `fingerprint`."""
        loaded = cls(plan)
        lines = _lines(text)
        data = json.loads(next(lines))
        loaded.serial = data["serial"]
        loaded._ratings = Ratings.load(data["ratings"], plan.rating, plan.game)
        names: list[str] = []
        for each in lines:
            yield None
            data = json.loads(each)
            if "sides" in data:
                loaded.rated.load(data, names)
                continue
            name = data["name"]
            names.append(name)
            loaded._lines[name] = Line.load(data["line"])
            for other, counts in data["met"].items():
                tally = Tally(**{what: counts.pop(what) for what in _OF_TALLY if what in counts})
                loaded._met[name, other] = Encounters(tally, **counts)
        return loaded

    def _opponents(self, place: Place, names: Sequence[str]) -> Iterator[tuple[Place, str]]:
        """Yield the places of other sides, with the names there."""
        for opponent, other in zip(self._names.places, names, strict=True):
            if opponent.side != place.side:
                yield opponent, other

    def _line(self, name: str) -> Line:
        if name not in self._lines:
            self._lines[name] = self._new_line(name)
        return self._lines[name]

    def _new_line(self, name: str) -> Line:
        beginner = Rating(self.plan.rating.mu, self.plan.rating.sigma)
        return Line(History.of(self.plan.priors.get(name, beginner)))

    def _counted_score(self, outcome: Outcome, place: Place) -> int | None:
        if not outcome.scores or (outcome.forfeited and self._spoilt(outcome, place)):
            return None
        return outcome.scores[place.side]

    def _spoilt(self, outcome: Outcome, place: Place) -> bool:
        """Return whether the sides that forfeited make the score of a place invalid."""
        return len(outcome.ranks) == 2 or self._has_forfeited(outcome, place.side)

    def _has_forfeited(self, outcome: Outcome, side: int) -> bool:
        of_side = {seat for each in self._names.places if each.side == side for seat in each.seats}
        return not of_side.isdisjoint(outcome.forfeited)

    def _states(self, roster: Sequence[Registered]) -> dict[str, EntryState]:
        """Return the state of each present competitor, by rated name."""
        registered = [each.entry for each in roster] if self.plan.format is Format.LADDER else []
        entries = registered or self.plan.entries
        versions = {entry.name: entry.version for entry in entries}
        of_entry = {each.entry.name: each.state for each in roster}
        states: dict[str, EntryState] = {}
        for entry in entries:
            of_all = [of_entry.get(name, EntryState.ACTIVE) for name in self._names.entries_of(entry.name)]
            states[self._names.rated(entry.name, versions)] = max(of_all, key=_LEAST_AWAY_FIRST.index)
        return states


def _lines(text: str) -> Iterator[str]:
    """Yield the lines of a text one by one: to split millions of characters takes long."""
    begin = 0
    while (end := text.find("\n", begin)) >= 0:
        yield text[begin:end]
        begin = end + 1
    yield text[begin:]


def fingerprint(plan: Plan, rulings: int = 0) -> str:
    """Return the version of these rules, and a SHA-256 of everything besides the results that they go by.

    ``rulings`` is how many were made by which results count or not.
    """
    deciding = {
        "bounds": [HISTORY, BINS, trueskill.__version__],
        "game": plan.game,
        "rating": asdict(plan.rating),
        "draws": [GAMES[plan.game].usual_draws, USUAL_WEIGHT, LEAST_DRAWS, MOST_DRAWS],
        "has_versions": plan.format is Format.LADDER,
        "fixed": plan.has_fixed_pairs,
        "teams": [asdict(team) for team in plan.teams],
        **({"shared_decks": True} if plan.shared_decks else {}),
    }
    if plan.priors:
        deciding["priors"] = {name: asdict(each) for name, each in plan.priors.items()}
    found = f"{VERSION}:{hashlib.sha256(json.dumps(deciding, sort_keys=True).encode()).hexdigest()}"
    return f"{found}:{rulings}" if rulings else found


def is_of_this_version(fingerprint: str) -> bool:
    """Return whether standings were computed by these rules, whatever the plan; version 5 named none."""
    return fingerprint.startswith(f"{VERSION}:")
