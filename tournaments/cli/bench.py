"""`fairdeal bench`."""

import asyncio
import json
import os
import platform
import statistics
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import grpc
import typer
from rich.console import Console
from rich.table import Table

from fairdeal.bots import make
from fairdeal.testing import play
from referee.match.effects import Input
from referee.server.listen import calls_over
from tournaments.bench.measure import GAME, Figure, Load, Sizes, measure_echo, measure_referee

# a table needs two streams, so two is the minimum; sixteen are eight pairs
LOADS: Final = (Load(2, 1), Load(2, 16), Load(16, 1), Load(16, 16))


@dataclass(frozen=True, slots=True)
class Row:
    """One load, measured several times, alternating with the echo."""

    load: Load
    referee: tuple[Figure, ...]
    echo: tuple[Figure, ...]

    @property
    def ratio(self) -> float:
        """Return the referee's median rate as a share of the echo's."""
        return _median(self.referee) / _median(self.echo)


def _median(figures: tuple[Figure, ...]) -> float:
    return statistics.median(figure.rate for figure in figures)


def run_bench(seconds: float, repeats: int, as_json: bool) -> None:
    """Measure every load and print the results."""
    sizes = _sizes()
    progress = Console(stderr=True, highlight=False)
    rows = []
    with tempfile.TemporaryDirectory(prefix="fairdeal-bench-") as folder:
        for number, load in enumerate(LOADS, 1):
            progress.print(
                f"load {number} of {len(LOADS)}: {load.streams} streams, {load.tables} tables each"
            )
            rows.append(asyncio.run(_row(load, seconds, repeats, sizes, Path(folder))))
    if as_json:
        typer.echo(json.dumps(_data(rows, sizes)))
    else:
        _print(rows, sizes, seconds, repeats)


async def _row(load: Load, seconds: float, repeats: int, sizes: Sizes, folder: Path) -> Row:
    referee, echo = [], []
    for _ in range(repeats):  # alternating, so that other work of the machine affects both
        place = Path(tempfile.mkdtemp(dir=folder))
        referee.append(await measure_referee(load, seconds, place / "referee"))
        echo.append(await measure_echo(load, seconds, sizes))
    await calls_over()
    return Row(load, tuple(referee), tuple(echo))


def _sizes() -> Sizes:
    """Return the mean sizes of a decision's messages on the wire, from a match of random bots."""
    played = play(GAME, [make("random"), make("random")], seed="bench")
    decisions = sum(isinstance(entry, Input) and entry.kind == "answer" for entry in played.log)
    return Sizes(question=played.bytes_told // decisions, answer=played.bytes_said // decisions)


def _print(rows: list[Row], sizes: Sizes, seconds: float, repeats: int) -> None:
    console = Console(highlight=False)
    console.print(
        f"{GAME}, random bots in separate processes, records on; echo of {sizes.question} bytes out and"
        f" {sizes.answer} back; {repeats} times {seconds:g} s each, in turn"
    )
    table = Table(box=None, padding=(0, 2, 0, 0))
    for heading in ("streams", "tables", "referee /s", "spread", "echo /s", "spread", "ratio", "CPU us"):
        table.add_column(heading, justify="right")
    for row in rows:
        cpu = statistics.median(figure.cpu_micros for figure in row.referee)
        table.add_row(
            str(row.load.streams),
            str(row.load.tables),
            f"{_median(row.referee):,.0f}",
            _spread(row.referee),
            f"{_median(row.echo):,.0f}",
            _spread(row.echo),
            f"{row.ratio:.2f}",
            f"{cpu:.0f}",
        )
    console.print(table)
    console.print("/s: median of decisions (replies) a second; CPU: of the referee's process, a decision")


def _spread(figures: tuple[Figure, ...]) -> str:
    """Return half the distance from the least to the greatest rate, as a share of the median."""
    rates = [figure.rate for figure in figures]
    return f"±{(max(rates) - min(rates)) / 2 / statistics.median(rates):.0%}"


def _data(rows: list[Row], sizes: Sizes) -> dict[str, Any]:
    return {
        "machine": {"cpus": os.cpu_count(), "python": platform.python_version(), "grpcio": grpc.__version__},
        "question_bytes": sizes.question,
        "answer_bytes": sizes.answer,
        "loads": [
            {
                "streams": row.load.streams,
                "tables": row.load.tables,
                "referee": [figure.rate for figure in row.referee],
                "echo": [figure.rate for figure in row.echo],
                "ratio": row.ratio,
                "referee_cpu_micros": [figure.cpu_micros for figure in row.referee],
            }
            for row in rows
        ],
    }
