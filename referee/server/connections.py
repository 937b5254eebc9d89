"""Who has connections: gRPC does not show them, but the kernel of Linux does."""

import asyncio
import ipaddress
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Final

from referee.core.observer import Observer

_EVERY: Final = 10.0  # seconds; in a thread, since it takes the kernel some milliseconds
_TABLES: Final = tuple(map(Path, ("/proc/self/net/tcp", "/proc/self/net/tcp6")))
_ESTABLISHED: Final = "01"


async def watch(port: int, most: int, observer: Observer) -> None:
    """Report now and then how many of ``most`` connections a port has, and which address has the most."""
    while True:
        await asyncio.sleep(_EVERY)
        found = await asyncio.to_thread(look, port)
        ((peer, count),) = found.most_common(1) or [("", 0)]
        observer.connected(found.total(), most, peer, count)


def look(port: int) -> Counter[str]:
    """Return how many connections each address has with a port of this machine; empty where unknown."""
    found: Counter[str] = Counter()
    for table in _TABLES:
        with suppress(OSError):
            found += callers(table.read_text(), port)
    return found


def callers(table: str, port: int) -> Counter[str]:
    """Return how many established connections each address has with a port, from a table of the kernel."""
    end = f":{port:04X}"
    rows = (line.split(maxsplit=4) for line in table.splitlines()[1:])
    return Counter(_address(row[2]) for row in rows if row[1].endswith(end) and row[3] == _ESTABLISHED)


def _address(text: str) -> str:
    """Return an address and port from the kernel's hexadecimal, in which each word is reversed."""
    data = bytes.fromhex(text.partition(":")[0])
    packed = b"".join(data[at : at + 4][::-1] for at in range(0, len(data), 4))
    address = ipaddress.ip_address(packed)
    return str(getattr(address, "ipv4_mapped", None) or address)
