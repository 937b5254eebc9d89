"""Where in a TOML text each key stands, which ``tomllib`` does not tell."""

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


class _Scanner:
    """One pass over the tokens of a text that ``tomllib`` has accepted."""

    def __init__(self, text: str) -> None:
        self._tokens: list[tuple[str, int]] = []
        self._at = 0
        self._lines: dict[KeyPath, int] = {}
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
        """Pass over a token if it is the next one."""
        taken = self._token == token
        self._at += taken
        return taken

    def _note(self, path: KeyPath, line: int) -> None:
        self._lines.setdefault(path, line)

    def _header(self) -> KeyPath:
        """Read ``[a.b]`` or ``[[a.b]]``; the path of the table that it opens."""
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
            if path in self._sizes:  # what follows is about the latest table of the array
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
        """Read a key, dotted or not; its parts, unquoted."""
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
