"""The results of a bench, as JSON, and what is slower than before beyond the noise."""

import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from tournaments.bench.alone import GameRates, Memory
from tournaments.bench.hosted import HostedRun
from tournaments.bench.measure import Figure, Load, Sizes

FORMAT: Final = 2


@dataclass(frozen=True, slots=True)
class Quartiles:
    """The quartiles of some rounds."""

    low: float
    middle: float
    high: float


def quartiles(values: Sequence[float]) -> Quartiles:
    """Return the quartiles of some values, by interpolation between neighbours."""
    if len(values) == 1:
        return Quartiles(values[0], values[0], values[0])
    return Quartiles(*statistics.quantiles(values, n=4, method="inclusive"))


@dataclass(frozen=True, slots=True)
class Row:
    """One load by round, each of the referee followed by its yardstick.

    With the cheap ``client`` that is the echo, of which the server counts; with the SDK's bots (``sdk``) the
    bare client at the same referee, of which the client counts. ``extra`` says what the referee does besides.
    """

    load: Load
    sizes: Sizes
    referee: tuple[Figure, ...]
    yardstick: tuple[Figure, ...]
    client: str = "cheap"
    extra: str = ""

    @property
    def name(self) -> str:
        """Return what tells the row from all others."""
        words = (self.load.game, f"{self.load.streams}x{self.load.tables}", self.extra)
        return " ".join(filter(None, (*words, "SDK by a bare client" * (self.client == "sdk"))))

    @property
    def ratios(self) -> tuple[float, ...]:
        """Return by round the yardstick's CPU a decision as a share of the referee's, or of the SDK's bot."""
        pairs = zip(self.referee, self.yardstick, strict=True)
        if self.client == "sdk":
            return tuple(bare.client_cpu / referee.client_cpu for referee, bare in pairs)
        return tuple(echo.cpu / referee.cpu for referee, echo in pairs)


@dataclass(frozen=True, slots=True)
class HostedRow:
    """Tournaments of hosted bots by round, each followed by the echo with as many messages in flight."""

    game: str
    hosted: tuple[HostedRun, ...]
    echo: tuple[Figure, ...]

    @property
    def name(self) -> str:
        """Return what tells the row from all others."""
        return f"{self.game} hosted"

    @property
    def ratios(self) -> tuple[float, ...]:
        """Return by round what gRPC alone costs, the echo's CPU for each of two sides, as a share of all."""
        pairs = zip(self.hosted, self.echo, strict=True)
        return tuple(2 * echo.cpu * hosted.answers / 1e6 / hosted.cpu for hosted, echo in pairs)


@dataclass(frozen=True, slots=True)
class BenchResults:
    """All that one bench measured, and the machine."""

    machine: Mapping[str, Any]
    rows: tuple[Row, ...]
    alone: tuple[GameRates, ...]
    memory: Memory
    hosted: HostedRow

    def data(self) -> dict[str, Any]:
        """Return the results as JSON values."""
        rows = [asdict(row) | {"name": row.name, "ratios": row.ratios} for row in self.rows]
        alone = [asdict(each) for each in self.alone]
        return {
            "format": FORMAT,
            "machine": dict(self.machine),
            "rows": rows,
            "alone": alone,
            "memory": asdict(self.memory),
            "hosted": asdict(self.hosted) | {"name": self.hosted.name, "ratios": self.hosted.ratios},
        }


@dataclass(frozen=True, slots=True)
class Change:
    """One figure before and now, the greater the better."""

    name: str
    before: Quartiles
    now: Quartiles

    @property
    def verdict(self) -> str:
        """Return ``slower`` or ``faster`` where the middle halves of the rounds do not meet, else nothing."""
        if self.now.high < self.before.low:
            return "slower"
        return "faster" if self.now.low > self.before.high else ""


def changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[Change]:
    """Compare what two results, as JSON values, have in common.

    Raises:
        ValueError: one of them is not the result of a bench.
    """
    earlier, later = dict(_figures(before)), dict(_figures(now))
    return [
        Change(name, quartiles(earlier[name]), quartiles(later[name])) for name in earlier if name in later
    ]


def _figures(data: Mapping[str, Any]) -> Iterator[tuple[str, Sequence[float]]]:
    """Yield each figure's name and its rounds: shares of the echo, and decisions a second in process."""
    if data.get("format") != FORMAT:
        raise ValueError("it is not what this version's `fairdeal bench --json` prints")
    try:
        for row in data["rows"]:
            yield str(row["name"]), row["ratios"]
        if hosted := data.get("hosted"):  # not in the results of earlier versions
            yield str(hosted["name"]), hosted["ratios"]
        for each in data["alone"]:
            yield f"{each['game']} in process", each["played"]
            if each["theirs"]:
                pairs = zip(each["rules"], each["theirs"], strict=True)
                yield f"{each['game']} rules, of pyspiel", [ours / theirs for ours, theirs in pairs]
            else:
                yield f"{each['game']} rules", each["rules"]
    except (KeyError, TypeError) as error:
        raise ValueError(f"it is not what `fairdeal bench --json` prints: {error}") from None
