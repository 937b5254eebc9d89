"""More connections than there may be open files: what is being played comes to its end, with its record."""

import os
import re
import signal
import socket
import ssl
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Any, Final

import pytest

from tests.e2e.killing import Folder
from tests.e2e.places import free_port
from tests.workspace import PATIENCE, PROGRAM, Workspace

LONG: Final = os.environ.get("FAIRDEAL_LONG") == "1"
FILES: Final = 1024 if LONG else 256
DIALS: Final = FILES + 76
BOTS: Final = Path(__file__).parent / "bots"
TABLE: Final = ("--game", "two_handed_spades", "--deals", 1, "--clock", "debug", "--log-level", "info")
# who says nothing is not pinged, and lasts
PATIENT: Final = ("--limit", "keepalive_seconds=3600", "--limit", "handshake_seconds=3600")
GREETING: Final = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"


def with_files(workspace: Any, files: int, *words: object, **environment: str) -> Any:
    """Start `fairdeal` where it may have so many open files; the limits of this process stay."""
    shell = f'ulimit -n {files} && exec "$0" "$@"'
    return workspace.start(Path("/bin/sh"), "-c", shell, PROGRAM, *words, **environment)


@pytest.fixture
def idle() -> Iterator[Callable[[str, Path | None], list[socket.socket]]]:
    """Return a function that opens connections which say no more than a greeting, with TLS for a CA."""
    with ExitStack() as stack:

        def dial(address: str, ca: Path | None) -> list[socket.socket]:
            host, _, port = address.rpartition(":")
            context = ssl.create_default_context(cafile=str(ca)) if ca else None
            if context:
                context.set_alpn_protocols(["h2"])
            made = []
            for _ in range(DIALS):
                with suppress(OSError):  # one too many is closed
                    made.append(socket.create_connection((host, int(port)), PATIENCE))
                    if context:
                        made[-1] = context.wrap_socket(made[-1], server_hostname=host)
                    made[-1].sendall(GREETING)
            for each in made:
                stack.enter_context(closing(each))
            return made

        yield dial


def is_open(connection: socket.socket) -> bool:
    """Return whether the referee has greeted back; where there are too many it hangs up at once."""
    try:
        return bool(connection.recv(1))
    except OSError:
        return False


@pytest.mark.parametrize("is_tls", [False, True], ids=["plain", "tls"])
def test_idle_connections_end_no_match(
    workspace: Workspace,
    eventually: Callable[..., Any],
    idle: Callable[..., list[socket.socket]],
    is_tls: bool,
) -> None:
    address = f"127.0.0.1:{free_port(workspace.folder)}"
    words: tuple[object, ...] = ()
    environment = {"FAIRDEAL_ADDRESS": address}
    ca = None
    if is_tls:
        assert workspace.ask("certs").status == 0
        ca = workspace.folder / "certs/ca.pem"
        words = ("--tls-cert", "certs/server.pem", "--tls-key", "certs/server.key")
        environment["FAIRDEAL_CA"] = str(ca)
    (workspace.folder / "hold").write_text("0")
    serving = with_files(workspace, FILES, "serve", "--listen", address, *TABLE, *PATIENT, *words)
    serving.says(r"listens on (\S+);")
    workspace.start(Path(sys.executable), BOTS / "held.py", **environment)
    workspace.start("bot", "random", **environment)
    eventually((workspace.folder / "held").exists, "the midst of a match")

    connections = idle(address, ca)
    (workspace.folder / "hold").unlink()
    serving.says(": completed")
    stay = sum(map(is_open, connections))
    (told,) = re.findall(r"event=open_files files=(\d+) reserve=32 connections=(\d+)", serving.err)
    assert int(told[0]) == FILES
    assert FILES // 4 < stay < int(told[1])  # the bots have some, too
    done = serving.stopped(signal.SIGTERM)
    assert done.status == 0
    assert "Too many open files" not in done.err
    assert len(Folder(workspace.folder / "fairdeal-serve").records()) >= 1


def test_connections_that_do_not_fit_are_refused_at_the_start(workspace: Workspace) -> None:
    done = with_files(
        workspace, 256, "serve", "--listen", "127.0.0.1:0", "--limit", "connections=5000"
    ).done()
    assert done.status == 1
    found = re.fullmatch(
        r"fairdeal: 5000 connections need more open files than the 256 that this process may have:"
        r" allow 6912 \(ulimit -Hn 6912, or LimitNOFILE=6912 in a unit of systemd\),"
        r" or set connections to (\d+) or less\n",
        done.err,
    )
    assert found, done.err
    assert 100 < int(found[1]) < 256 - 32 - 64


@pytest.mark.parametrize("command", ["serve", "serve --tournaments", "tournament run cup.toml", "demo"])
def test_a_referee_with_hardly_any_files_is_refused_at_the_start(workspace: Workspace, command: str) -> None:
    workspace.file(
        'game = "two_handed_spades"\nmatch = { deals = 1 }\n'
        '[[entries]]\nname = "a"\nbot = "random"\n[[entries]]\nname = "b"\nbot = "random"\n'
    )
    done = with_files(workspace, 100, *command.split()).done()
    assert done.status == 1
    text = "16 connections need more open files than the 100 that this process may have: allow 256"
    assert text in done.err
    assert "Traceback" not in done.err
