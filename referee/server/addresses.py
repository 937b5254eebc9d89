"""Addresses to listen on: what they look like, and whether they can be had."""

import asyncio
import errno
import os
import re
import socket
from pathlib import Path
from typing import Final

# a host, one of IPv6 in brackets, and a port
_HOST_AND_PORT: Final = re.compile(r"(\[[^][\s]+\]|[^][:\s]+):([0-9]{1,5})")


class CannotListen(Exception):
    """The address cannot be listened on; the text names it and the remedy."""


async def check_address(address: str) -> None:
    """Check that an address can be listened on, since gRPC gives no reasons and takes over Unix sockets.

    Raises:
        CannotListen: it cannot.
    """
    path = address.removeprefix("unix:")
    found = _HOST_AND_PORT.fullmatch(address)
    try:
        if path and path != address:
            _try_path(path)
        elif found and int(found[2]) < 1 << 16:
            await _try_port(found[1].strip("[]"), int(found[2]))
        else:
            wanted = "HOST:PORT, the port 0 to 65535, or unix:/PATH"
            raise CannotListen(f"cannot listen on {address!r}: write {wanted}")
    except UnicodeError:
        raise cannot_listen(address, "no host can have this name") from None
    except OSError as error:
        raise cannot_listen(address, error.strerror or str(error)) from None


def _try_path(path: str) -> None:
    with socket.socket(socket.AF_UNIX) as probe:
        probe.setblocking(False)
        if Path(path).is_socket():
            try:
                probe.connect(path)
            except ConnectionRefusedError:
                return  # its server is gone, so it can be replaced
            raise OSError(errno.EADDRINUSE, os.strerror(errno.EADDRINUSE))
        probe.bind(path)
        Path(path).unlink()


async def _try_port(host: str, port: int) -> None:
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    errors = []
    for family, kind, protocol, _name, place in found:
        try:
            with socket.socket(family, kind, protocol) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(place)
        except OSError as error:
            errors.append(error)
    # a name can have addresses that this machine lacks, but none of them may be somebody else's
    taken = [error for error in errors if error.errno == errno.EADDRINUSE]
    if taken or len(errors) == len(found):
        raise (taken or errors)[0]


def cannot_listen(address: str, reason: str) -> CannotListen:
    """Return the error that an address cannot be listened on for a reason."""
    other = "path" if address.startswith("unix:") else "address, or port 0 for a free one"
    return CannotListen(f"cannot listen on {address}: {reason}; choose another {other}")
