"""Addresses to listen on: their form, and whether they are free."""

import asyncio
import errno
import os
import re
import socket
from pathlib import Path
from typing import Final

# a host, one of IPv6 in brackets, and a port
_HOST_AND_PORT: Final = re.compile(r"(\[[^][\s]+\]|[^][:\s]+):([0-9]{1,5})")


FORM: Final = "HOST:PORT, the port 0 to 65535, or unix:/PATH"


class CannotListen(Exception):
    """The address cannot be listened on; the text names it and the remedy."""


def is_address(text: str) -> bool:
    """Return whether a text has the form of an address."""
    found = _HOST_AND_PORT.fullmatch(text)
    return int(found[2]) < 1 << 16 if found else text.startswith("unix:") and text != "unix:"


async def check_address(address: str) -> int:
    """Check that an address can be listened on, since gRPC gives no reasons and replaces Unix sockets.

    Returns how many addresses it stands for: those of its host.

    Raises:
        CannotListen: it cannot.
    """
    if not is_address(address):
        raise CannotListen(f"cannot listen on {address!r}: write {FORM}")
    try:
        if found := _HOST_AND_PORT.fullmatch(address):
            return await _try_port(found[1].strip("[]"), int(found[2]))
        _try_path(address.removeprefix("unix:"))
        return 1
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
                return  # the server of this socket is gone, so it can be replaced
            raise OSError(errno.EADDRINUSE, os.strerror(errno.EADDRINUSE))
        probe.bind(path)
        Path(path).unlink()


async def _try_port(host: str, port: int) -> int:
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
    # a name can have addresses that this machine lacks, but no process may be listening on any of them
    taken = [error for error in errors if error.errno == errno.EADDRINUSE]
    if taken or len(errors) == len(found):
        raise (taken or errors)[0]
    return len(found) - len(errors)


def cannot_listen(address: str, reason: str) -> CannotListen:
    """Return the error for an address that cannot be listened on, with the reason."""
    other = "path" if address.startswith("unix:") else "address, or port 0 for a free one"
    return CannotListen(f"cannot listen on {address}: {reason}; choose another {other}")
