"""How many connections a referee takes, which the number of open files limits."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

from referee.core.limits import MOST_CONNECTIONS, Limits
from referee.files.open_files import RESERVE, Room, most_files
from referee.server.addresses import CannotListen

_log: Final = logging.getLogger(__name__)
_EVENT: Final = {"event": "open_files"}
_LEAST: Final = 16  # a referee with fewer connections than this is of no use


@contextmanager
def enough_files(limits: Limits) -> Iterator[Limits]:
    """Raise the limit of open files while the context lasts; yield the limits with the connections that fit.

    Raises:
        CannotListen: there cannot be as many connections as the limits say, or hardly any.
    """
    with most_files() as room:
        connections = allowed(limits.connections, room)
        fields = {"files": room.files, "reserve": RESERVE, "connections": connections}
        text = "open files: %(files)d, %(reserve)d of them in reserve; connections: %(connections)d"
        _log.info(text, fields, extra=_EVENT)
        yield replace(limits, connections=connections)


def allowed(asked: int, room: Room) -> int:
    """Return how many connections there may be; ``asked`` is 0 when the limit is not given.

    Raises:
        CannotListen: there cannot be so many, or hardly any.
    """
    wanted = asked or _LEAST
    if room.connections >= wanted:
        return asked or min(room.connections, MOST_CONNECTIONS)
    files = room.files_for(wanted)
    more = f"allow {files} (ulimit -Hn {files}, or LimitNOFILE={files} in a unit of systemd)"
    if asked and room.connections >= _LEAST:
        more += f", or set connections to {room.connections} or less"
    raise CannotListen(
        f"{wanted} connections need more open files than the {room.files} that this process may have: {more}"
    )
