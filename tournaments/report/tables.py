"""Standings and crosstable, as data and as text."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from io import StringIO
from typing import Any, Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from referee.cards import Seat
from referee.effects import Outcome
from tournaments.ratings import RatedMatch, Rating, RatingParameters, rate

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
    "mu - 3 sigma",
    "forfeits",
    "faults",
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One entry's line of the standings.

    A match is won by who is sole best and drawn by those who share the best rank. ``mean_score`` is in points
    of the game, None where no score counts. ``forfeits`` counts matches, ``faults`` all kinds in all matches.
    """

    rank: int
    entry: str
    matches: int
    tally: Tally
    mean_score: float | None
    rating: Rating
    forfeits: int
    faults: int


@dataclass(frozen=True, slots=True)
class Report:
    """The standings, best first, and for each two entries that met how the first did against the second."""

    standings: tuple[Standing, ...]
    crosstable: Mapping[tuple[str, str], Tally]


@dataclass(slots=True)
class _Sums:
    matches: int = 0
    tally: Tally = Tally()
    points: int = 0
    scored: int = 0  # matches whose score counts
    forfeits: int = 0
    faults: int = 0


def report(
    entries: Sequence[str],
    sides: Sequence[Sequence[Seat]],
    played: Iterable[Played],
    parameters: RatingParameters,
) -> Report:
    """Return the report of matches, taken in schedule order, of a game with these sides.

    An entry that has several seats of a side is one competitor there. Of a match of two sides that was
    forfeited no score counts, of a match of more sides all but those of the sides that forfeited.
    """
    sums = {entry: _Sums() for entry in entries}
    crosstable: dict[tuple[str, str], Tally] = {}
    rated: list[RatedMatch] = []
    for match in played:
        ranks = match.outcome.ranks
        members = [tuple(dict.fromkeys(match.seats[seat] for seat in side)) for side in sides]
        rated.append(RatedMatch(tuple(members), ranks))
        for side, names in enumerate(members):
            others = [other for other in range(len(members)) if other != side]
            score = _counted_score(match.outcome, sides, side)
            for name in names:
                seats = [seat for seat in sides[side] if match.seats[seat] == name]
                _add(sums[name], match.outcome, seats, score)
                sums[name].tally = sums[name].tally.plus(ranks[side], min(ranks[other] for other in others))
                for other in others:
                    for opponent in members[other]:
                        tally = crosstable.get((name, opponent), Tally())
                        crosstable[name, opponent] = tally.plus(ranks[side], ranks[other])
    return Report(_standings(sums, rate(rated, parameters), parameters), crosstable)


def _counted_score(outcome: Outcome, sides: Sequence[Sequence[Seat]], side: int) -> int | None:
    spoilt_by = outcome.forfeited if len(sides) == 2 else set(outcome.forfeited) & set(sides[side])
    return None if spoilt_by or not outcome.scores else outcome.scores[side]


def _add(sums: _Sums, outcome: Outcome, seats: Sequence[Seat], score: int | None) -> None:
    sums.matches += 1
    sums.forfeits += any(seat in outcome.forfeited for seat in seats)
    sums.faults += sum(outcome.faults[seat].total for seat in seats)
    if score is not None:
        sums.points += score
        sums.scored += 1


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
                "forfeits": standing.forfeits,
                "faults": standing.faults,
            }
            for standing in report.standings
        ],
        "crosstable": [
            {"entry": entry, "opponent": opponent, **asdict(tally)}
            for (entry, opponent), tally in sorted(report.crosstable.items(), key=lambda item: item[0])
        ],
    }


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
    console.print()
    console.print(Text(f"{title}: W/D/L of the row against the column", "bold"))
    console.print(_crosstable(report))


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
            str(each.forfeits),
            str(each.faults),
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
