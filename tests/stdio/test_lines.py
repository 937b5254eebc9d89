"""The cutting of a program's output into lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairdeal.stdio._lines import Lines


def cut(pieces: list[bytes], limit: int = 4) -> list[bytes]:
    lines = Lines(limit)
    return [line for piece in pieces for line in lines.feed(piece)] + list(lines.end())


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        ([b"ab\ncd\n"], [b"ab", b"cd"]),
        ([b"a", b"b", b"\n", b"\n"], [b"ab", b""]),
        ([b"ab\ncd"], [b"ab", b"cd"]),  # the last one has no end
        ([b"abcd\n"], [b"abcd"]),
        ([b"abcde\nf\n"], [b"abcde", b"f"]),
        ([b"abcdefgh", b"ijk", b"lm\nn\n"], [b"abcde", b"n"]),  # too long: the beginning stands for it
        ([b"abc", b"defg"], [b"abcde"]),
        ([b""], []),
    ],
)
def test_lines(pieces: list[bytes], expected: list[bytes]) -> None:
    assert cut(pieces) == expected


def test_a_line_that_is_too_long_is_told_before_its_end() -> None:
    lines = Lines(4)
    assert list(lines.feed(b"abc")) == []
    assert list(lines.feed(b"def")) == [b"abcde"]
    assert list(lines.feed(b"ghi")) == []


@given(st.lists(st.binary(max_size=9).map(lambda piece: piece.replace(b"\0", b"\n"))))
def test_how_the_output_comes_in_pieces_does_not_matter(pieces: list[bytes]) -> None:
    whole = b"".join(pieces)
    lines = whole.split(b"\n")
    expected = [line[:5] for line in (lines if lines[-1] else lines[:-1])]
    assert cut(pieces) == expected
