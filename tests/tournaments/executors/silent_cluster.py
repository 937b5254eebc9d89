"""Starts a local cluster, as a program of its own, and prints what listens while it is there."""

import asyncio
import sys
from pathlib import Path

from tournaments.executors.bot_files import BotFiles
from tournaments.executors.cluster import joined


def listening(table: str) -> list[str]:
    """Return the addresses in a table of the kernel that somebody listens on, in its own notation."""
    rows = [line.split() for line in Path(table).read_text().splitlines()[1:]]
    return sorted({row[1].rpartition(":")[0] for row in rows if row[3] in ("0A", "07")})  # LISTEN, UDP


async def main() -> None:
    """Start it and look."""
    async with joined(
        "local", Path(sys.argv[1]), BotFiles(Path(), {}), processors=1, failed=print
    ) as cluster:
        assert len(cluster.machines) == 1
        for table in ("tcp", "tcp6", "udp", "udp6"):
            sys.stdout.write(" ".join((table, *listening(f"/proc/net/{table}"))) + "\n")


asyncio.run(main())
