"""What a bench's client process runs: some streams of bots, cheap ones or the SDK's, or of echo clients.

For each line on its standard input it prints the `ClientFigures` of what was since the last, as JSON.
"""

import asyncio
import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Literal, Protocol

Kind = Literal["cards", "grpc", "sdk", "echo"]


@dataclass(frozen=True, slots=True)
class Job:
    """What a client process plays: ``streams`` from a number on, each at some tables; sizes are bytes.

    ``in_flight`` is how many messages an echo keeps on the way, ``answer`` the size of a reply to it.
    ``trusted`` is the file of the CA of a server with TLS.
    """

    kind: Kind
    address: str
    streams: int
    tables: int
    in_flight: int = 0
    answer: int = 0
    events: bool = False
    trusted: str | None = None


@dataclass(frozen=True, slots=True)
class ClientFigures:
    """What a client saw: its own CPU in seconds, decisions, and quantiles of the waiting time in seconds.

    The waiting time is that from an answer to the next question of the same match.
    """

    cpu: float
    decisions: int
    p50: float | None
    p99: float | None


class _Counted(Protocol):
    decisions: int


def main() -> None:
    """Play the job on the command line until the server ends the streams."""
    asyncio.run(_run(Job(**json.loads(sys.argv[1]))))


async def _run(job: Job) -> None:
    delays: Callable[[], list[float]]
    players: Sequence[_Counted]
    # loaded for what is played only: an SDK in the process of the cheap client costs memory and time
    if job.kind == "sdk":
        from tournaments.bench.sdk import CountingBot, play_bots

        players, delays = [bot := CountingBot()], list
        playing = play_bots(job.address, bot, job.streams, job.tables)
    elif job.kind == "echo":
        from tournaments.bench.cheap import EchoDelays, EchoPlayer, reply

        waits = EchoDelays(job.in_flight)
        delays = waits.take
        players = repliers = [EchoPlayer(job.answer, waits) for _ in range(job.streams)]
        playing = reply(job.address, repliers)
    else:
        from tournaments.bench.cheap import CardPlayer, Delays, play_cards

        seen = Delays()
        delays = seen.take
        players = bots = [
            CardPlayer(f"bot{number}", job.tables, seen, events=job.events) for number in range(job.streams)
        ]
        if job.kind == "grpc":
            from tournaments.bench.bare import play_over_grpc

            playing = play_over_grpc(job.address, bots)
        else:
            playing = play_cards(job.address, bots, job.trusted)
    reporting = asyncio.create_task(_report(players, delays))
    try:
        await playing
    finally:
        reporting.cancel()


async def _report(players: Sequence[_Counted], delays: Callable[[], list[float]]) -> None:
    lines = asyncio.StreamReader()
    protocol = asyncio.StreamReaderProtocol(lines)
    await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, sys.stdin)
    cpu = decisions = 0.0
    while await lines.readline():
        cpu_now, decisions_now = time.process_time(), sum(player.decisions for player in players)
        seen = delays()
        p50, p99 = (seen[int(share * len(seen))] if seen else None for share in (0.5, 0.99))
        told = ClientFigures(cpu_now - cpu, int(decisions_now - decisions), p50, p99)
        sys.stdout.write(f"{json.dumps(asdict(told))}\n")
        sys.stdout.flush()
        cpu, decisions = cpu_now, decisions_now


if __name__ == "__main__":
    main()
