"""A log whose lines tests read, and an error that holds cards."""

import io
import json
import logging
import re
from typing import Any, Final

import pytest

from referee.server.logs import Form, Logs, configure

CANARY: Final = "QS-and-TC"
# what logfmt allows: bare values without blanks, and values in quotes in which a backslash escapes
_PAIR: Final = re.compile(r'(?P<name>\w+)=(?:"(?P<quoted>(?:[^"\\]|\\.)*)"|(?P<bare>[^\s"=]*))(?: |$)')

forms: Final = pytest.mark.parametrize("form", Form)


class Time:
    """A clock that goes when it is told to."""

    def __init__(self) -> None:
        self.now = 5_000_000

    def __call__(self) -> int:
        return self.now


class Log:
    """Logs on a stream of their own."""

    def __init__(self, form: Form = Form.JSON, level: int = logging.DEBUG) -> None:
        self.form = form
        self.stream = io.StringIO()
        self.time = Time()
        self.log = configure(self.stream, form, level)
        self.logs = Logs(self.log, self.time)

    @property
    def text(self) -> str:
        return self.stream.getvalue()

    def lines(self) -> list[dict[str, Any]]:
        """Return the fields of each line but the time, which must be there."""
        read = json.loads if self.form is Form.JSON else logfmt
        lines = [read(line) for line in self.text.splitlines()]
        assert self.text.count("\n") == len(lines)
        for line in lines:
            assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", line.pop("timestamp"))
        return lines

    def line(self) -> dict[str, Any]:
        """Return the fields of the only line."""
        (line,) = self.lines()
        return line


def logfmt(line: str) -> dict[str, str]:
    """Return the fields of a line of logfmt, which must be nothing else."""
    fields = {}
    at = 0
    while at < len(line):
        pair = _PAIR.match(line, at)
        assert pair, line[at:]
        assert pair["name"] not in fields, line
        fields[pair["name"]] = pair["bare"] if pair["quoted"] is None else pair["quoted"]
        at = pair.end()
    return fields


def raised(*, text: str = CANARY) -> Exception:
    """Return an error whose text, cause, context and note all hold a card."""
    try:
        try:
            raise ValueError(text)
        except ValueError:
            cause = KeyError(text)
            cause.add_note(text)
            error = RuntimeError(text, {"hand": text})
            error.add_note(text)
            raise error from cause
    except RuntimeError as caught:
        return caught
