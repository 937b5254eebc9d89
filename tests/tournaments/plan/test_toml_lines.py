import tomllib
from collections.abc import Iterator
from typing import Any

import pytest

from tournaments.plan.toml_lines import KeyPath, key_lines, line_of, unclosed

TEXT = r'''# [not.a.header]
name = "x # = [no]"
'quo.ted' = 1
a.b."c \" d" = 2.5e3
list = [ # ]
  "one", 'two',
  [3,
   4], { k = 1, z.y = [1, 2] },
]
text = """
[not.a.header]
x = 1 \""" """""
raw = QQQ
y = 2 QQQ
time = 1979-05-27 07:32:00.5
[t] # the table
k = -inf
[t.'u.v'.w]
k = true
[[entries]]
name = "a"
[[ entries ]]
  name = "b"
[entries.sub]
z = 1
[[entries.deep]]
q = true
[[entries.deep]]
q = false
'''.replace("QQQ", "'''")


def paths(data: Any, path: KeyPath = ()) -> Iterator[KeyPath]:
    if path:
        yield path
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in items:
        yield from paths(value, (*path, key))


@pytest.mark.parametrize("text", [TEXT, TEXT.replace("\n", "\r\n"), "", "x = 1"])
def test_every_key_and_nothing_else_has_a_line(text: str) -> None:
    assert set(key_lines(text)) == set(paths(tomllib.loads(text)))


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("name",), 2),
        (("quo.ted",), 3),
        (("a", "b", 'c " d'), 4),
        (("list",), 5),
        (("list", 1), 6),
        (("list", 2, 1), 8),
        (("list", 3, "z", "y", 1), 8),
        (("raw",), 13),
        (("time",), 15),
        (("t",), 16),
        (("t", "k"), 17),
        (("t", "u.v", "w", "k"), 19),
        (("entries", 0), 20),
        (("entries", 1), 22),
        (("entries", 1, "name"), 23),
        (("entries", 1, "sub", "z"), 25),
        (("entries", 1, "deep", 1, "q"), 29),
    ],
)
def test_a_key_is_found_on_its_line(path: KeyPath, line: int) -> None:
    assert TEXT.splitlines()[line - 1].strip() != ""
    assert line_of(key_lines(TEXT), path) == line


@pytest.mark.parametrize(
    ("path", "line"),
    [(("entries", 1, "command"), 22), (("t", "missing", "deeper"), 16), (("missing",), 1), ((), 1)],
)
def test_what_is_not_written_is_at_the_table_around_it(path: KeyPath, line: int) -> None:
    assert line_of(key_lines(TEXT), path) == line


@pytest.mark.parametrize(
    ("text", "where"),
    [
        (TEXT, None),
        ("x = ]", None),
        ("x = [1, [2]\ny = 3", (1, 5, "[")),
        ("a = 1\n  x = { y = [1", (2, 7, "{")),
        ("a = '['\nb = \"x\\\"\nc = ']'", (2, 5, '"')),
        ("a = 'x\n", (1, 5, "'")),
        ('a = """x"y""\n\n', (1, 5, '"' * 3)),
        ("[a]\nb = '''\n''", (2, 5, "'" * 3)),
    ],
)
def test_what_nothing_closes_is_found(text: str, where: tuple[int, int, str] | None) -> None:
    assert unclosed(text) == where
