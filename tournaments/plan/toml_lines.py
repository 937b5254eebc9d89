"""The line of each key in a TOML text, which ``tomllib`` does not give."""

import re
import tomllib
from collections.abc import Mapping
from typing import Final

KeyPath = tuple[str | int, ...]

_TOKEN: Final = re.compile(
    r"""
    (?P<space>[ \t\r]+|\#[^\n]*)
  | (?P<newline>\n)
  | (?P<string>\"{3}(?:\\.|[^\\])*?\"{3,5} | '{3}.*?'{3,5} | "(?:\\.|[^"\\\n])*" | '[^'\n]*')
  | (?P<mark>[\[\]{}=,.])
  | (?P<bare>[^\s\#\[\]{}=,."']+)
    """,
    re.DOTALL | re.VERBOSE,
)
_TRIPLE: Final = ('"' * 3, "'" * 3)
_BRACKETS: Final = {"[": "]", "{": "}"}
_END: Final = ""
_VALUE_ENDS: Final = frozenset({",", "]", "}", "\n", _END})


def key_lines(text: str) -> Mapping[KeyPath, int]:
    """Return the line, from 1, on which each key, table and array element of a valid TOML text begins.

    Tables of an array count from 0, so the second ``[[entries]]`` is at ``("entries", 1)``.
    """
    return _Scanner(text).scan()


def line_of(lines: Mapping[KeyPath, int], path: KeyPath) -> int:
    """Return the line of a key, or of the nearest table around it that is written, or 1."""
    for length in range(len(path), 0, -1):
        if path[:length] in lines:
            return lines[path[:length]]
    return 1


def given_twice(text: str, line: int) -> tuple[KeyPath, int] | None:
    """Return the key that a line of a text repeats, and the line, from 1, that gave it first.

    ``line`` is where ``tomllib`` refused the text; None where it did so for another reason, or the key
    cannot be told.
    """
    rows = text.split("\n")[:line]
    try:
        tomllib.loads("\n".join(rows[:-1]))
        tomllib.loads(rows[-1])
    except ValueError:
        return None
    scanner = _Scanner("\n".join(rows))
    lines = scanner.scan()
    path = scanner.latest
    around = (path[:length] for length in range(len(path), 0, -1))
    return next(((key, lines[key]) for key in around if lines[key] < line), None)


def unclosed(text: str) -> tuple[int, int, str] | None:
    """Return line and column, from 1, of the first quote or bracket that nothing closes, and what it is."""
    opened: list[tuple[int, str]] = []
    at = 0
    while at < len(text):
        token = _TOKEN.match(text, at)
        triple = text[at : at + 3]
        if token is None or (triple in _TRIPLE and len(token[0]) < 2 * len(triple)):
            opened.insert(0, (at, triple if triple in _TRIPLE else text[at]))
            break
        if token[0] in _BRACKETS:
            opened.append((at, token[0]))
        elif token[0] in _BRACKETS.values() and opened and _BRACKETS[opened[-1][1]] == token[0]:
            opened.pop()
        at = token.end()
    if not opened:
        return None
    at, mark = opened[0]
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at), mark


class _Scanner:
    """One pass over the tokens of a text that ``tomllib`` has accepted."""

    def __init__(self, text: str) -> None:
        self._tokens: list[tuple[str, int]] = []
        self._at = 0
        self._lines: dict[KeyPath, int] = {}
        self.latest: KeyPath = ()
        self._sizes: dict[KeyPath, int] = {}  # of the arrays of tables, as far as they are read
        line = 1
        for match in _TOKEN.finditer(text):
            if match.lastgroup != "space":
                self._tokens.append((match[0], line))
            line += match[0].count("\n")

    def scan(self) -> Mapping[KeyPath, int]:
        table: KeyPath = ()
        while self._token != _END:
            if self._token == "\n":
                self._at += 1
            elif self._token == "[":
                table = self._header()
            else:
                self._pair(table)
        return self._lines

    @property
    def _token(self) -> str:
        return self._tokens[self._at][0] if self._at < len(self._tokens) else _END

    @property
    def _line(self) -> int:
        return self._tokens[self._at][1]

    def _take(self, token: str) -> bool:
        """Skip a token if it is the next one."""
        taken = self._token == token
        self._at += taken
        return taken

    def _note(self, path: KeyPath, line: int) -> None:
        self._lines.setdefault(path, line)
        self.latest = path

    def _header(self) -> KeyPath:
        """Read ``[a.b]`` or ``[[a.b]]`` and return the path of the table that it opens."""
        line = self._line
        self._take("[")
        is_array = self._take("[")
        *outer, last = self._key()
        self._take("]")
        self._take("]")
        path: KeyPath = ()
        for key in outer:
            path = (*path, key)
            self._note(path, line)
            if path in self._sizes:  # what follows belongs to the latest table of the array
                path = (*path, self._sizes[path] - 1)
        path = (*path, last)
        self._note(path, line)
        if is_array:
            index = self._sizes.get(path, 0)
            self._sizes[path] = index + 1
            path = (*path, index)
            self._note(path, line)
        return path

    def _key(self) -> list[str]:
        """Read a key, dotted or not, and return its parts, unquoted."""
        parts = [_unquoted(self._token)]
        self._at += 1
        while self._take("."):
            parts.append(_unquoted(self._token))
            self._at += 1
        return parts

    def _pair(self, table: KeyPath) -> None:
        """Read ``key = value``."""
        line = self._line
        path = table
        for part in self._key():
            path = (*path, part)
            self._note(path, line)
        self._take("=")
        self._value(path)

    def _value(self, path: KeyPath) -> None:
        if self._take("["):
            self._array(path)
        elif self._take("{"):
            while not self._take("}"):
                if not (self._take(",") or self._take("\n")):
                    self._pair(path)
        else:
            while self._token not in _VALUE_ENDS:
                self._at += 1

    def _array(self, path: KeyPath) -> None:
        index = 0
        while not self._take("]"):
            if not (self._take(",") or self._take("\n")):
                self._note((*path, index), self._line)
                self._value((*path, index))
                index += 1


def _unquoted(key: str) -> str:
    if key[0] not in "\"'":
        return key
    unquoted = tomllib.loads(f"key = {key}")["key"]
    assert isinstance(unquoted, str)
    return unquoted
