"""A tab of a real browser, driven over a pipe: pages are opened, clicked and looked at."""

import base64
import json
import os
import re
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from tests.e2e.browser import FLAGS
from tests.workspace import PATIENCE

_LEFT = re.compile("navigated|context")


class _Navigated(Exception):
    """The page has gone to another one meanwhile."""


class Tab:
    """One tab of a browser with a profile of its own; to be used as a context.

    ``problems`` are the errors that the page has told its console, those of its policy among them.
    """

    def __init__(self, program: str, folder: Path, *flags: str) -> None:
        to_browser, self._out = os.pipe()
        self._in, from_browser = os.pipe()
        words = [program, *FLAGS, *flags, f"--user-data-dir={folder}", "--remote-debugging-pipe"]

        def pipes() -> None:  # the browser reads from 3 and writes to 4
            one, two = os.dup(to_browser), os.dup(from_browser)
            os.dup2(one, 3)
            os.dup2(two, 4)

        self._process = subprocess.Popen(
            words,
            preexec_fn=pipes,
            close_fds=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        self._reader = os.fdopen(self._in, "rb")
        self._number = 0
        self._session = ""
        self.problems: list[str] = []

    def __enter__(self) -> Self:
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.ask("Page.enable")
        self.ask("Runtime.enable")
        self.ask("Log.enable")
        return self

    def __exit__(self, *error: object) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._out)
        self._reader.close()

    def ask(self, method: str, **params: Any) -> Any:
        """Call a method of the browser's protocol and return its result."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            heard = self._hear()
            if heard.get("id") == self._number:
                if _LEFT.search(heard.get("error", {}).get("message", "")):
                    raise _Navigated
                assert "error" not in heard, heard
                return heard["result"]

    def _hear(self) -> Any:
        data = bytearray()
        while not data.endswith(b"\0"):
            part = self._reader.read(1)
            assert part, "the browser has gone"
            data += part
        heard = json.loads(data[:-1])
        if heard.get("method") == "Log.entryAdded" and heard["params"]["entry"]["level"] == "error":
            self.problems.append(heard["params"]["entry"]["text"])
        if heard.get("method") == "Runtime.exceptionThrown":
            self.problems.append(json.dumps(heard["params"]["exceptionDetails"]))
        return heard

    def open(self, address: str) -> None:
        """Open a page and wait until it is loaded."""
        self.ask("Page.navigate", url=address)
        self.until("document.readyState === 'complete' && location.href !== 'about:blank'")

    def run(self, script: str) -> Any:
        """Return what a script gives; a promise is waited for."""
        given = {"expression": script, "awaitPromise": True, "returnByValue": True}
        result = self.ask("Runtime.evaluate", **given, timeout=PATIENCE * 1000)
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def until(self, condition: str) -> Any:
        """Wait until an expression holds in the page, whichever that is by then, and return its value.

        It fails while the page is being loaded, which counts as not yet.
        """
        look = f"(() => {{ try {{ return ({condition}); }} catch {{ return null; }} }})()"
        began = time.monotonic()
        while time.monotonic() - began < PATIENCE:
            with suppress(_Navigated):
                if (found := self.run(look)) not in (None, False, 0, ""):  # an element comes as {}
                    return found
            time.sleep(0.015)
        raise AssertionError(f"in vain waited for: {condition}")

    def click(self, selector: str) -> None:
        """Click an element, which may lead to another page."""
        self.run(f"setTimeout(() => document.querySelector({json.dumps(selector)}).click()) && 1")

    def press(self, key: str, text: str = "") -> None:
        """Press a key, which may write a text, and let it go."""
        self.ask("Input.dispatchKeyEvent", type="keyDown", key=key, text=text)
        self.ask("Input.dispatchKeyEvent", type="keyUp", key=key)

    def picture(self, file: Path, *, width: int = 1200, height: int = 900, dark: bool = False) -> None:
        """Write what the page looks like on a screen of a width."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.ask("Emulation.setDeviceMetricsOverride", **metrics)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.ask("Emulation.setEmulatedMedia", features=[scheme])
        shot = self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        file.write_bytes(base64.b64decode(shot["data"]))
