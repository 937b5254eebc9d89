"""Records of real matches as text: nothing is lost, nothing is invented.

With FAIRDEAL_REGENERATE=1 in the environment the golden texts are written anew, and their tests fail once.
"""

import os
import re
from pathlib import Path

import pytest

from referee.games.registry import GAMES
from referee.match.clock import SECOND
from referee.storage.record import Record
from referee.transcript import WIDTH, lines
from tests.referee.courses import COURSES
from tests.referee.recorded import SHORT_MATCHES, RecordedTable, normal, text_of

GOLDEN = Path(__file__).parents[2] / "golden"
REMARKS = ("! ", "- ")


@pytest.mark.parametrize("game", GAMES)
def test_the_text_of_a_match_is_the_golden_one(game: str, tmp_path: Path) -> None:
    text = "".join(f"{line}\n" for line in text_of(SHORT_MATCHES[game](), tmp_path))
    path = GOLDEN / f"record_{game}.txt"
    if os.environ.get("FAIRDEAL_REGENERATE") == "1":
        path.write_text(text)
        pytest.fail(f"{path} was written anew: read it, and run again without FAIRDEAL_REGENERATE")
    assert text == path.read_text()


@pytest.mark.parametrize("course", COURSES)
def test_what_matters_is_told_in_order_and_no_other_remark(course: str, tmp_path: Path) -> None:
    game, given, expected = COURSES[course]
    text = normal(text_of(RecordedTable(game, **given), tmp_path))
    rest = iter(text)
    missing = [line for line in expected if line not in rest]
    assert not missing, "\n".join(text)
    assert [line for line in text if line[:2] in REMARKS] == [
        line for line in expected if line[:2] in REMARKS
    ]


def test_all_text_fits_and_prints(corpus: list[tuple[RecordedTable, Record]]) -> None:
    for _table, played in corpus:
        for line in lines(played):
            assert len(line) <= WIDTH and line.isprintable() and line == line.rstrip()


def test_nothing_that_happens_in_a_real_match_is_shown_as_it_stands(
    corpus: list[tuple[RecordedTable, Record]],
) -> None:
    assert not [line for _table, played in corpus for line in lines(played) if "{" in line]


def test_the_time_to_think_is_what_the_bots_took(corpus: list[tuple[RecordedTable, Record]]) -> None:
    for table, played in corpus:
        text = normal(lines(played))
        thought = text[text.index("time to think, of the decisions that were answered") + 1 : -2]
        told = [re.match(r"seat \d \S+ ([\d.]+) s in (\d+) answers?", line) for line in thought]
        assert [(f"{sum(times) / SECOND:.3f}", str(len(times))) for times in table.thought] == [
            found.groups() for found in told if found
        ]


def test_a_default_that_makes_no_event_is_not_put_down_to_what_the_bot_does_next(tmp_path: Path) -> None:
    # elder's blank is declined for it, and nobody is told
    (elder,) = (
        int(line.split()[3]) for line in text_of(RecordedTable("piquet"), tmp_path) if "is elder" in line
    )
    played = RecordedTable("piquet", incidents={(elder, 1): "late"})
    (done,) = (line for line in text_of(played, tmp_path) if f"seat {elder}" in line and "exchanges" in line)
    assert not done.endswith("(default)")


def test_a_note_stands_at_its_answer_and_what_does_not_print_is_spelled_out(tmp_path: Path) -> None:
    played = SHORT_MATCHES["hearts"]().record(tmp_path)
    number, line = next((at, each) for at, each in enumerate(played.lines) if each.get("kind") == "answer")
    log = [*played.lines]
    log[number] = {**line, "note": '{"thought":"low \N{BLACK SPADE SUIT}"}\n  ! forged'}
    text = normal(lines(Record(played.header, tuple(log))))
    (remark,) = set(text) - set(normal(lines(played)))
    text_of_note = '{"thought":"low \N{BLACK SPADE SUIT}"}\\n ! forged'
    assert remark == f"- 0.090 s seat {line['seat']} careful noted: {text_of_note}"
