"""What is left of text that others wrote when it is shown."""

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournaments.text import MOST, last_lines, one_line

STEERING = st.sampled_from(
    ["\x1b", "\x1b[", "\x9b", "\x1b]0;", "\x9d", "\x1bP", "\x1b\\", "\x07", "31m", "\u202e"]
)
TEXTS = st.lists(st.one_of(STEERING, st.text(st.characters(codec=None)))).map("".join)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", ""),
        ("é ü 漢 🂡  two spaces ", "é ü 漢 🂡  two spaces "),
        ("a\tb", "a    b"),
        ("a\nb\r\nc\u2028d\u00a0e\u3000f\x85g", "a b  c d e f g"),
        ("\x1b[31mred\x1b[0m \x9b1;4mbold\x9b?25l", "red bold"),
        ("\x1b]0;title\x07a\x1b]8;;http://x\x1b\\b\x9dtitle\x9cc", "abc"),
        ("\x1bPpayload\x1b\\a\x1b_apc\x1b\\b\x1b^pm\x9cc\x1bXsos\x9cd\x90dcs\x9ce", "abcde"),
        ("\x1b(Ba\x1b=b\x1b7c\x1bcd\x1b#8e", "abcde"),
        ("a\x1b", "a"),
        ("a\x1b[", "a"),
        ("a\x1b[12\u202e3", "a123"),
        ("kept\x1b]title that never ends\nkept", "kept kept"),  # it hides its own line, no other
        ("\x00\x07\x08a\x7f\x80\x84\x99b", "ab"),
        ("a\u202eb\u2066c\u200fd\u061ce", "abcde"),  # what turns text around
        ("a\u200bb\u00adc\ufeffd\u2060e\U000e0041f", "abcdef"),  # what is not seen
        ("a\ud800b\udfffc", "abc"),
        ("a\ue000b\uffffc\U0010ffffd", "abcd"),
        ("x" * MOST, "x" * MOST),
        ("x" * (MOST + 1), "x" * (MOST - 1) + "…"),
        ("\x1b[0m" * MOST + "x", "x"),
    ],
)
def test_one_line(text: str, shown: str) -> None:
    assert one_line(text) == shown


def test_of_all_characters_only_the_printable_are_left() -> None:
    for start in range(0, sys.maxunicode, 256):
        left = one_line("".join(map(chr, range(start, start + 256))))
        foul = [each for each in left if unicodedata.category(each)[0] in "CZ" and each != " "]
        assert foul == [], hex(start)


@given(TEXTS)
def test_whatever_comes_is_one_short_line_that_can_be_written(text: str) -> None:
    line = one_line(text)
    assert line.isprintable()
    assert len(line) <= MOST
    assert one_line(line) == line
    line.encode()


def test_long_text_that_steers_takes_no_long_time_to_read() -> None:
    for text in ("\x1b[" * 500_000, "\x1b[" + "0" * 1_000_000, "\x1b]" + "0" * 1_000_000, "\x1bP" * 500_000):
        assert len(one_line(text)) <= MOST  # quadratic, it would take hours


@pytest.mark.parametrize(
    ("output", "lines"),
    [
        (b"", ()),
        (b"a\nb\n\n \t \nc", ("a", "b", "c")),
        (b"1\n2\n3\n4\n5\n", ("3", "4", "5")),
        (b"10%\r20%\r\ndone \x1b[K\n", ("10%", "20%", "done")),
        (b"not \xff UTF-8", ("not \ufffd UTF-8",)),
        (b"\x1b]title\nthe reason\n", ("the reason",)),
        (b"a\n" + b"x" * (MOST + 1), ("a", "x" * (MOST - 1) + "…")),
    ],
)
def test_last_lines(output: bytes, lines: tuple[str, ...]) -> None:
    assert last_lines(output, 3) == lines
