"""Standings and crosstable, as data and as text."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, field, replace
from io import StringIO
from itertools import permutations, product
from typing import Any, Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from referee.cards import Seat
from referee.clock import SECOND
from referee.effects import Outcome
from referee.faults import Fault, FaultCounts
from tournaments.ratings import RatedMatch, Rating, RatingParameters, rate

_FAULT_KINDS: Final = tuple(kind.name.lower() for kind in Fault)

_SAME_DECIMALS: Final = 6  # ratings that agree so far are equal: sums of floats differ in the last digits
_UNBOUNDED: Final = 10_000  # columns
_HEADINGS: Final = (
    "rank",
    "entry",
    "matches",
    "W/D/L",
    "mean score",
    "mu",
    "sigma",
    "mu-3sigma",
    "forfeits",
    "faults",
    "voids",
)


@dataclass(frozen=True, slots=True)
class Played:
    """A match with a result: the entries by seat, and how it ended."""

    seats: tuple[str, ...]
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Tally:
    """Matches won, drawn and lost."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    def __str__(self) -> str:
        return f"{self.wins}/{self.draws}/{self.losses}"

    def plus(self, own: int, best_other: int) -> "Tally":
        """Return the tally after a match with an own rank and the best rank of the others; 1 is best."""
        if own < best_other:
            return replace(self, wins=self.wins + 1)
        if own == best_other:
            return replace(self, draws=self.draws + 1)
        return replace(self, losses=self.losses + 1)


@dataclass(frozen=True, slots=True)
class Encounters:
    """How an entry did against another: ``forfeits`` it forfeited itself, ``voids`` were played again."""

    tally: Tally = Tally()
    forfeits: int = 0
    voids: int = 0

    def __str__(self) -> str:
        marks = ((self.forfeits, "f"), (self.voids, "v"))
        return " ".join((str(self.tally), *(f"{number}{mark}" for number, mark in marks if number)))


@dataclass(frozen=True, slots=True)
class ThinkTime:
    """How long an entry thought over all decisions that it answered, in microseconds."""

    answered: int = 0
    total: int = 0
    longest: int = 0

    @property
    def mean(self) -> float | None:
        """Return the mean of a decision; None without any."""
        return self.total / self.answered if self.answered else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One entry's line of the standings.

    A match is won by who is sole best and drawn by those who share the best rank. ``mean_score`` is in points
    of the game, None where no score counts. ``forfeits`` counts matches by the kinds of faults that the entry
    made in them (``late``, ``illegal+late``, or ``declined`` without any). ``faults`` are those of all
    matches, ``voids`` the attempts without a result, which were played again.
    """

    rank: int
    entry: str
    matches: int
    tally: Tally
    mean_score: float | None
    rating: Rating
    forfeits: Mapping[str, int]
    faults: FaultCounts
    voids: int
    think: ThinkTime


@dataclass(frozen=True, slots=True)
class Report:
    """The standings, best first, and for each two entries that met how the first did against the second."""

    standings: tuple[Standing, ...]
    crosstable: Mapping[tuple[str, str], Encounters]


@dataclass(slots=True)
class _Sums:
    matches: int = 0
    tally: Tally = Tally()
    points: int = 0
    scored: int = 0  # matches whose score counts
    forfeits: Counter[str] = field(default_factory=Counter)
    faults: FaultCounts = field(default_factory=FaultCounts)
    voids: int = 0
    think: ThinkTime = ThinkTime()


def report(
    entries: Sequence[str],
    sides: Sequence[Sequence[Seat]],
    played: Iterable[Played],
    voids: Iterable[Sequence[str]],
    parameters: RatingParameters,
) -> Report:
    """Return the report of matches, taken in schedule order, of a game with these sides.

    ``voids`` are the entries by seat of the attempts without a result.

    An entry that has several seats of a side is one competitor there. Of a match of two sides that was
    forfeited no score counts, of a match of more sides all but those of the sides that forfeited.
    """
    sums = {entry: _Sums() for entry in entries}
    crosstable: dict[tuple[str, str], Encounters] = defaultdict(Encounters)
    rated: list[RatedMatch] = []
    for match in played:
        ranks = match.outcome.ranks
        members = _members(match.seats, sides)
        rated.append(RatedMatch(members, ranks))
        for side, names in enumerate(members):
            others = [other for other in range(len(members)) if other != side]
            score = _counted_score(match.outcome, sides, side)
            for name in names:
                seats = [seat for seat in sides[side] if match.seats[seat] == name]
                _add(sums[name], match.outcome, seats, score)
                sums[name].tally = sums[name].tally.plus(ranks[side], min(ranks[other] for other in others))
                has_forfeited = any(seat in match.outcome.forfeited for seat in seats)
                for other in others:
                    for opponent in members[other]:
                        before = crosstable[name, opponent]
                        crosstable[name, opponent] = replace(
                            before,
                            tally=before.tally.plus(ranks[side], ranks[other]),
                            forfeits=before.forfeits + has_forfeited,
                        )
    for void in voids:
        for members_of_two in permutations(_members(void, sides), 2):
            for pair in product(*members_of_two):
                crosstable[pair] = replace(crosstable[pair], voids=crosstable[pair].voids + 1)
        for name in set(void):
            sums[name].voids += 1
    return Report(_standings(sums, rate(rated, parameters), parameters), crosstable)


def _members(seats: Sequence[str], sides: Sequence[Sequence[Seat]]) -> tuple[tuple[str, ...], ...]:
    """Return the entries of each side, each once."""
    return tuple(tuple(dict.fromkeys(seats[seat] for seat in side)) for side in sides)


def _counted_score(outcome: Outcome, sides: Sequence[Sequence[Seat]], side: int) -> int | None:
    spoilt_by = outcome.forfeited if len(sides) == 2 else set(outcome.forfeited) & set(sides[side])
    return None if spoilt_by or not outcome.scores else outcome.scores[side]


def _add(sums: _Sums, outcome: Outcome, seats: Sequence[Seat], score: int | None) -> None:
    sums.matches += 1
    faults = _summed([outcome.faults[seat] for seat in seats])
    sums.faults = _summed([sums.faults, faults])
    if any(seat in outcome.forfeited for seat in seats):
        kinds = [kind for kind in _FAULT_KINDS if getattr(faults, kind)]
        sums.forfeits["+".join(kinds) or "declined"] += 1
    for seat, time in enumerate(outcome.times):
        if seat in seats:
            sums.think = ThinkTime(
                answered=sums.think.answered + time.answered,
                total=sums.think.total + time.total,
                longest=max(sums.think.longest, time.longest),
            )
    if score is not None:
        sums.points += score
        sums.scored += 1


def _summed(counts: Sequence[FaultCounts]) -> FaultCounts:
    return FaultCounts(*(sum(numbers) for numbers in zip(*map(astuple, counts), strict=True)))


def _standings(
    sums: Mapping[str, _Sums], ratings: Mapping[str, Rating], parameters: RatingParameters
) -> tuple[Standing, ...]:
    rating_of = {name: ratings.get(name, Rating(parameters.mu, parameters.sigma)) for name in sums}
    value = {name: round(rating.conservative, _SAME_DECIMALS) for name, rating in rating_of.items()}
    best_first = sorted(value.values(), reverse=True)
    return tuple(
        Standing(
            rank=1 + best_first.index(value[name]),
            entry=name,
            matches=sums[name].matches,
            tally=sums[name].tally,
            mean_score=sums[name].points / sums[name].scored if sums[name].scored else None,
            rating=rating_of[name],
            forfeits=sums[name].forfeits,
            faults=sums[name].faults,
            voids=sums[name].voids,
            think=sums[name].think,
        )
        for name in sorted(sums, key=lambda name: (-value[name], name))
    )


def as_json(report: Report) -> dict[str, Any]:
    """Return a report as JSON data, numbers in full."""
    return {
        "standings": [
            {
                "rank": standing.rank,
                "entry": standing.entry,
                "matches": standing.matches,
                **asdict(standing.tally),
                "mean_score": standing.mean_score,
                "mu": standing.rating.mu,
                "sigma": standing.rating.sigma,
                "conservative": standing.rating.conservative,
                "forfeits": sum(standing.forfeits.values()),
                "forfeits_by": dict(standing.forfeits),
                "faults": standing.faults.total,
                "faults_by": {kind: getattr(standing.faults, kind) for kind in _FAULT_KINDS},
                "sessions_lost": standing.faults.sessions_lost,
                "voids": standing.voids,
                "decisions": standing.think.answered,
                "mean_think_seconds": _seconds(standing.think.mean),
                "longest_think_seconds": _seconds(standing.think.longest),
            }
            for standing in report.standings
        ],
        "crosstable": [
            {
                "entry": entry,
                "opponent": opponent,
                **asdict(cell.tally),
                "forfeits": cell.forfeits,
                "voids": cell.voids,
            }
            for (entry, opponent), cell in sorted(report.crosstable.items(), key=lambda item: item[0])
        ],
    }


def _seconds(micros: float | None) -> float | None:
    return None if micros is None else micros / SECOND


def show(report: Report, title: str, console: Console) -> None:
    """Print the standings and the crosstable; what is no terminal, or a narrow one, gets plain text."""
    text = as_text(report, title)
    if console.is_terminal and max(map(len, text.splitlines())) <= console.width:
        _print(report, title, console)
    else:  # a line that is too long says more than one that is cut
        console.out(text, highlight=False)


def as_text(report: Report, title: str) -> str:
    """Return the standings and the crosstable as plain lines, as wide as they need to be."""
    text = StringIO()
    _print(report, title, Console(file=text, width=_UNBOUNDED, color_system=None, force_terminal=False))
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines())


def _print(report: Report, title: str, console: Console) -> None:
    console.print(Text(f"{title}: standings", "bold"))
    console.print(_standings_table(report))
    for each in report.standings:
        if each.forfeits:
            kinds = ", ".join(f"{number} {kind}" for kind, number in sorted(each.forfeits.items()))
            console.print(Text(f"forfeits of {each.entry}: {kinds}"))
    console.print()
    console.print(Text(f"{title}: W/D/L of the row against the column{_legend(report)}", "bold"))
    console.print(_crosstable(report))


def _legend(report: Report) -> str:
    """Say what the marks in the crosstable mean, as far as there are any."""
    cells = report.crosstable.values()
    marks = {
        "f: forfeited by the row": any(cell.forfeits for cell in cells),
        "v: void and played again": any(cell.voids for cell in cells),
    }
    said = ", ".join(mark for mark, is_there in marks.items() if is_there)
    return f" ({said})" if said else ""


def _standings_table(report: Report) -> Table:
    table = _table()
    for heading in _HEADINGS:
        table.add_column(heading, justify="left" if heading == "entry" else "right")
    for each in report.standings:
        table.add_row(
            str(each.rank),
            each.entry,
            str(each.matches),
            str(each.tally),
            "-" if each.mean_score is None else f"{each.mean_score:.1f}",
            f"{each.rating.mu:.2f}",
            f"{each.rating.sigma:.2f}",
            f"{each.rating.conservative:.2f}",
            str(sum(each.forfeits.values())),
            str(each.faults.total),
            str(each.voids),
        )
    return table


def _crosstable(report: Report) -> Table:
    """Lay out the crosstable in the order of the standings; columns bear the numbers of the rows."""
    table = _table()
    table.add_column("", justify="right")
    table.add_column("entry")
    names = [standing.entry for standing in report.standings]
    for number in range(1, len(names) + 1):
        table.add_column(str(number), justify="right")
    for number, name in enumerate(names, start=1):
        cells = ["-" if other == name else str(report.crosstable.get((name, other), "")) for other in names]
        table.add_row(str(number), name, *cells)
    return table


def _table() -> Table:
    return Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
