"""`fairdeal bench`."""

import asyncio
import json
import os
import platform
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import grpc
import typer
from rich.console import Console
from rich.table import Table

import tournaments.bench
from referee.games.registry import GAMES, game
from referee.server.listen import calls_over
from referee.server.tls import Tls
from tournaments.bench.alone import Memory, measure_alone, measure_memory, sizes_of
from tournaments.bench.client import Kind
from tournaments.bench.hosted import TABLES, HostedFailed, measure_hosted
from tournaments.bench.measure import Extras, Load, measure_echo, measure_referee
from tournaments.bench.results import BenchResults, HostedRow, Quartiles, Row, changes, quartiles
from tournaments.cli.certificates import make_ca, make_server
from tournaments.cli.failure import Failure

LOADS: Final = ((2, 16), (16, 16), (16, 1), (1, 1))  # streams, and tables each
SDK_LOADS: Final = ((2, 16), (16, 1))
HOSTED_MATCHES: Final = 300
BASELINE: Final = Path(tournaments.bench.__file__).with_name("baseline.json")
_SERVED: Final = """us: CPU of the server a decision; ratio: the echo's to it, with its quartiles
p50, p99: microseconds from an answer to the next question in the match
"""
_ALONE: Final = """bytes and rates of decisions; in process: fairdeal.testing.play
rules: without views, messages and records, from the dealt state
"""
_SDK: Final = """us: CPU of a bot a decision; ratio: to it that of the bots above over bare grpc.aio
"""
_HOSTED: Final = f"""{HOSTED_MATCHES} matches, {TABLES} at once; CPU of referee and bots, starts included
ratio: to it what gRPC alone costs, the echo's us for each of two sides
"""
_PER_MATCH_SECONDS: Final = 0.5  # of the rounds in process: they are steadier than those with a server


def run_bench(games: Sequence[str], seconds: float, rounds: int, as_json: bool) -> None:
    """Measure every game and print the results; SDK, extras, hosted bots and memory with the first only.

    Raises:
        GameError: there is no such game.
        Failure: a tournament that is measured has failed.
    """
    names = tuple(games) or tuple(GAMES)
    for name in names:
        game(name)
    with tempfile.TemporaryDirectory(prefix="fairdeal-bench-") as folder:
        try:
            results = _Bench(Path(folder), seconds, rounds).run(names)
        except HostedFailed as error:
            raise Failure(f"the tournament to be measured has failed: {error}") from None
    if as_json:
        typer.echo(json.dumps(results.data()))
    else:
        _print(results, seconds, rounds)


class _Bench:
    def __init__(self, folder: Path, seconds: float, rounds: int) -> None:
        self._folder = folder
        self._seconds = seconds
        self._rounds = rounds
        self._progress = Console(stderr=True, highlight=False)

    def run(self, names: Sequence[str]) -> BenchResults:
        rows, alone = [], []
        for name in names:
            alone.append(measure_alone(name, min(self._seconds, _PER_MATCH_SECONDS), self._rounds))
            rows += [self._row(Load.of(name, *load)) for load in LOADS]
        first = names[0]
        most = Load.of(first, *max(LOADS))
        for extra, extras in self._extras().items():
            rows.append(self._row(most, extra=extra, extras=extras))
        rows += [self._row(Load.of(first, *load), kind="sdk") for load in SDK_LOADS]
        hosted = self._hosted(first)
        memory = asyncio.run(measure_memory(first, self._new_folder()))
        return BenchResults(_machine(), tuple(rows), tuple(alone), memory, hosted)

    def _row(self, load: Load, *, kind: Kind = "cards", extra: str = "", extras: Extras = Extras()) -> Row:  # noqa: B008
        row = asyncio.run(self._measured(load, kind, extra, extras))
        of = "a bare client" if kind == "sdk" else "the echo"
        self._progress.print(f"{row.name}: {quartiles(row.ratios).middle:.2f} of {of}")
        return row

    async def _measured(self, load: Load, kind: Kind, extra: str, extras: Extras) -> Row:
        sizes = sizes_of(load.game)
        referee, yardstick = [], []
        for _ in range(self._rounds):  # in turn, so that other work of the machine affects both
            place = self._new_folder()
            referee.append(await measure_referee(load, self._seconds, place, kind=kind, extras=extras))
            if kind == "sdk":
                place = self._new_folder()
                yardstick.append(await measure_referee(load, self._seconds, place, kind="grpc"))
            else:
                yardstick.append(await measure_echo(load, self._seconds, sizes))
        await calls_over()
        client = "sdk" if kind == "sdk" else "cheap"
        return Row(load, sizes, tuple(referee), tuple(yardstick), client, extra)

    def _hosted(self, name: str) -> HostedRow:
        load, sizes = Load(name, game(name).seats, TABLES), sizes_of(name)
        hosted, echo = [], []
        for _ in range(self._rounds):
            hosted.append(measure_hosted(name, HOSTED_MATCHES, self._new_folder()))
            echo.append(asyncio.run(measure_echo(load, self._seconds, sizes)))
        return HostedRow(name, tuple(hosted), tuple(echo))

    def _extras(self) -> dict[str, Extras]:
        now = datetime.now(UTC)
        ca = make_ca(now)
        pair = make_server(ca, ["127.0.0.1"], now, 1)
        tls = Tls(self._folder / "cert.pem", self._folder / "key.pem")
        trusted = self._folder / "ca.pem"
        trusted.write_bytes(ca.certificate_pem)
        tls.certificate.write_bytes(pair.certificate_pem)
        tls.key.write_bytes(pair.key_pem)
        return {
            "events": Extras(events=True),
            "TLS": Extras(tls=tls, trusted=trusted),
            "metrics": Extras(metrics=True),
            "open tables": Extras(open_tables=True),
        }

    def _new_folder(self) -> Path:
        return Path(tempfile.mkdtemp(dir=self._folder)) / "referee"


def run_compare(now: Path, before: Path) -> None:
    """Print how two results differ; exit with status 1 if something is slower beyond the noise."""
    earlier, later = _read(before), _read(now)
    try:
        found = changes(earlier, later)
    except ValueError as error:
        raise Failure(f"{before} or {now}: {error}") from None
    console = Console(highlight=False)
    if earlier.get("machine") != later.get("machine"):
        console.print(
            "Of another machine or version: only what is a share of the echo or of pyspiel can be compared."
        )
    table = _table("what", "before", "now", "")
    for each in found:
        table.add_row(each.name, _spread(each.before), _spread(each.now), each.verdict)
    console.print(table)
    slower = [each.name for each in found if each.verdict == "slower"]
    console.print(f"slower beyond the noise: {', '.join(slower) or 'nothing'}", soft_wrap=True)
    if slower:
        raise typer.Exit(1)


def _read(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise Failure(f"{path}: not the results of a bench: {error}") from None
    return data if isinstance(data, dict) else {}


def _machine() -> dict[str, Any]:
    return {
        "cpu": _cpu(),
        "cpus": os.cpu_count(),
        "python": platform.python_version(),
        "grpcio": grpc.__version__,
    }


def _cpu() -> str:
    """Return the name of the processor, as far as the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _print(results: BenchResults, seconds: float, rounds: int) -> None:
    console = Console(highlight=False)
    machine = results.machine
    console.print(
        f"{machine['cpus']} CPUs {machine['cpu']}, Python {machine['python']}, grpcio {machine['grpcio']};"
        f" {rounds} rounds of {seconds:g} s, in turn with the echo",
        soft_wrap=True,
    )
    parts = (
        _served(results.rows),
        _SERVED,
        _alone(results),
        _ALONE,
        _sdk(results.rows),
        _SDK,
        _hosted(results.hosted),
        _HOSTED,
        _memory(results.memory),
    )
    for part in parts:
        console.print(part)


def _served(rows: Sequence[Row]) -> Table:
    """Return what the referee's own process costs, beside the echo's, with the cheap client."""
    table = _table("streams x tables", "us", "echo", "ratio", "", "/s", "echo", "p50", "p99", "echo")
    shown = ""
    for row in rows:
        if row.client != "cheap":
            continue
        if row.load.game != shown:
            shown = row.load.game
            table.add_row(shown)
        ratio = quartiles(row.ratios)
        table.add_row(
            f"  {row.name.removeprefix(f'{shown} ')}",
            f"{quartiles([figure.cpu for figure in row.referee]).middle:.0f}",
            f"{quartiles([figure.cpu for figure in row.yardstick]).middle:.0f}",
            *(f"{ratio.middle:.2f}", f"{ratio.low:.2f}-{ratio.high:.2f}"),
            f"{quartiles([figure.rate for figure in row.referee]).middle:,.0f}",
            f"{quartiles([figure.rate for figure in row.yardstick]).middle:,.0f}",
            _micros([figure.p50 for figure in row.referee]),
            _micros([figure.p99 for figure in row.referee]),
            _micros([figure.p50 for figure in row.yardstick]),
        )
    return table


def _alone(results: BenchResults) -> Table:
    table = _table("game", "bytes out", "back", "in process", "rules", "pyspiel", "ratio")
    sizes = {row.load.game: row.sizes for row in results.rows}
    for each in results.alone:
        ratio = [ours / theirs for ours, theirs in zip(each.rules, each.theirs, strict=False)]
        table.add_row(
            each.game,
            *(str(sizes[each.game].question), str(sizes[each.game].answer)),
            *(f"{quartiles(rates).middle:,.0f}" for rates in (each.played, each.rules)),
            *((f"{quartiles(each.theirs).middle:,.0f}", f"{quartiles(ratio).middle:.2f}") if ratio else ()),
        )
    return table


def _sdk(rows: Sequence[Row]) -> Table:
    table = _table("Python SDK, a random bot", "us", "bare client", "ratio", "")
    for row in rows:
        if row.client == "sdk":
            bots, bare = (
                [figure.client_cpu for figure in figures] for figures in (row.referee, row.yardstick)
            )
            ratio = quartiles(row.ratios)
            table.add_row(
                f"  {row.load.game} {row.load.streams}x{row.load.tables}",
                *(f"{quartiles(cpu).middle:.0f}" for cpu in (bots, bare)),
                *(f"{ratio.middle:.2f}", f"{ratio.low:.2f}-{ratio.high:.2f}"),
            )
    return table


def _hosted(row: HostedRow) -> Table:
    table = _table("a tournament, single deals of random bots", "ms a match", "decisions", "ratio", "")
    ratio = quartiles(row.ratios)
    table.add_row(
        f"  {row.game}",
        f"{quartiles([each.cpu / each.matches * 1000 for each in row.hosted]).middle:.1f}",
        f"{quartiles([each.answers / each.matches for each in row.hosted]).middle:.0f}",
        *(f"{ratio.middle:.2f}", f"{ratio.low:.2f}-{ratio.high:.2f}"),
    )
    return table


def _memory(memory: Memory) -> str:
    session, table = memory.session / 1024, memory.table / 1024
    return f"memory: {session:.1f} KiB an idle session, {table:.1f} KiB a table with its first question"


def _table(first: str, *others: str) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0))
    table.add_column(first)
    for heading in others:
        table.add_column(heading, justify="right")
    return table


def _spread(values: Quartiles, digits: int = 2) -> str:
    return f"{values.middle:,.{digits}f} ({values.low:,.{digits}f}-{values.high:,.{digits}f})"


def _micros(values: Sequence[float | None]) -> str:
    known = [value for value in values if value is not None]
    return f"{quartiles(known).middle:,.0f}" if known else ""
