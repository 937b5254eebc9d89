"""Whose connections there are, as the kernel tells."""

import asyncio
import socket
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import pytest

from referee.core.limits import Limits
from referee.core.observer import Observer
from referee.server import connections as kernel
from referee.server.connections import callers
from tests.server.conftest import Serve
from tests.workspace import PATIENCE

HEAD: Final = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid\n"
TCP: Final = f"""{HEAD}\
   0: 0100007F:1D17 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0
   1: 0100007F:1D17 070200C0:C350 01 00000000:00000000 00:00000000 00000000     0
   2: 0100007F:1D17 070200C0:C351 01 00000000:00000000 00:00000000 00000000     0
   3: 0100007F:1D17 080200C0:C351 01 00000000:00000000 00:00000000 00000000     0
   4: 0100007F:1D17 080200C0:C352 06 00000000:00000000 00:00000000 00000000     0
   5: 070200C0:C350 0100007F:1D17 01 00000000:00000000 00:00000000 00000000     0
"""
MAPPED: Final = "0000000000000000FFFF0000070200C0"
TCP6: Final = f"""{HEAD}\
   0: {MAPPED}:1D17 {MAPPED}:C350 01 00000000:00000000 00:00000000 00000000     0
   1: {MAPPED}:1D17 B80D0120000000000000000001000000:C350 01 00000000:00000000 00:00000000 00000000     0
"""


def test_the_established_connections_of_a_port_are_counted_by_address() -> None:
    assert callers(TCP, 0x1D17) == {"192.0.2.7": 2, "192.0.2.8": 1}
    assert callers(TCP6, 0x1D17) == {"192.0.2.7": 1, "2001:db8::1": 1}
    assert callers(TCP, 7448) == callers(HEAD, 7447) == callers("", 7447) == Counter()


@pytest.mark.asyncio
@pytest.mark.skipif(
    not Path("/proc/self/net/tcp").exists(), reason="only Linux tells whose connections there are"
)
async def test_who_has_most_of_the_connections_is_told(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    told: asyncio.Queue[tuple[int, int, str, int]] = asyncio.Queue()

    class ConnectionCounts(Observer):
        def connected(self, connections: int, most: int, peer: str, of_peer: int) -> None:
            told.put_nowait((connections, most, peer, of_peer))

    monkeypatch.setattr(kernel, "_EVERY", 0.01)
    with ExitStack() as stack:
        async with serve(observer=ConnectionCounts(), limits=Limits(connections=40)) as served:
            port = int(served.address.rpartition(":")[2])
            for source in ("127.0.0.2", "127.0.0.3", "127.0.0.3"):
                stack.enter_context(socket.create_connection(("127.0.0.1", port), PATIENCE, (source, 0)))
            async with asyncio.timeout(PATIENCE):
                while await told.get() != (3, 40, "127.0.0.3", 2):
                    pass
