"""A real browser without a window, with every way out leading to the test."""

import os
import re
import shutil
import socket
import subprocess
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Final

import pytest

from tests.workspace import PATIENCE

IS_NEEDED: Final = os.environ.get("FAIRDEAL_BROWSER") == "1"
NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "chrome")
# What a browser asks its maker for, whatever the page and the flags; that a page holds no address at all, not
# even one of these, is tested on its text.
MAKERS: Final = re.compile(r"[A-Z]+ (https?://)?[a-z0-9.-]+\.(google|googleapis|gvt1)\.com[:/]")
FLAGS: Final = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--proxy-bypass-list=<-loopback>",
)


class Outside:
    """A proxy that lets nothing through and keeps the first line of every request, but of those to makers."""

    def __init__(self) -> None:
        self.requests: list[str] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        self._thread = Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            connection, _ = self._listener.accept()
            with suppress(OSError), connection, connection.makefile("rb") as lines:
                line = lines.readline().decode("latin-1").strip()
                if line == "end":
                    return
                if line and not MAKERS.match(line):
                    self.requests.append(line)
                connection.sendall(
                    b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                )

    def close(self) -> None:
        with socket.create_connection(self._listener.getsockname()) as last:
            last.sendall(b"end\n")
        self._thread.join()
        self._listener.close()


class Browser:
    """A browser without a window; each page gets a profile of its own."""

    def __init__(self, program: str, folder: Path, outside: Outside) -> None:
        self._words = [program, *FLAGS, f"--proxy-server=http://{outside.address}"]
        self._folder = folder

    def run(self, html: str, *words: str) -> str:
        """Open a page from a file, and return what the browser prints."""
        file = self._folder / "page.html"
        file.write_text(html, encoding="utf-8")
        profile = f"--user-data-dir={self._folder / 'profile'}"
        command = [*self._words, profile, *words, file.as_uri()]
        return subprocess.run(command, capture_output=True, check=True, timeout=PATIENCE).stdout.decode()

    def dom(self, html: str) -> str:
        """Return the page as the browser has understood it."""
        return self.run(html, "--dump-dom")

    def pages(self, html: str) -> int:
        """Return how many sheets of paper a page takes."""
        file = self._folder / "report.pdf"
        self.run(html, f"--print-to-pdf={file}", "--no-pdf-header-footer")
        return len(re.findall(rb"/Type /Page\b", file.read_bytes()))


def found(folder: Path, outside: Outside) -> Browser:
    """Return a browser, or skip the test where none is installed."""
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        missing = f"no browser is installed: none of {', '.join(NAMES)} is there"
        assert not IS_NEEDED, missing
        pytest.skip(missing)
    return Browser(program, folder, outside)
