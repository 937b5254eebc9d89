"""What a model was sent and replied, whole, as JSON lines in a file of the bot's own."""

import json
import logging
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fairdeal.errors import BadSetting
from fairdeal.updates import Decision

log = logging.getLogger("fairdeal")


class CallLog:
    """Appends a line for each call to a file, which only its owner may read; None: nowhere.

    Raises:
        BadSetting: the file cannot be written.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._failed = False
        try:
            self._append("")
        except OSError as error:
            raise BadSetting(f"--transcript {path}: {error.strerror}") from None

    def write(self, decision: Decision, call: int, **said: Any) -> None:
        """Write the line of a call; that it cannot be is told once."""
        match = decision.match
        line = {
            "at": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "match": match.id,
            "attempt": match.attempt,
            "game": match.game,
            "seat": match.seat,
            "decision": decision.id,
            "call": call,
            **{name: value for name, value in said.items() if value is not None},
        }
        try:
            self._append(json.dumps(line, ensure_ascii=False) + "\n")
        except OSError as error:
            if not self._failed:
                log.error("%s: the transcript cannot be written: %s", self._path, error.strerror)
            self._failed = True

    def _append(self, text: str) -> None:
        if self._path is None:
            return
        file = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        with os.fdopen(file, "a", encoding="utf-8", errors="replace") as opened:
            opened.write(text)
