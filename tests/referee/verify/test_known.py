"""What a store knows of a record is compared with it, and shows what nothing else would."""

from dataclasses import replace
from typing import Any

import pytest

from referee.games.registry import GAMES
from referee.verify import Status, verify
from tests.referee.recorded import RecordedTable
from tests.referee.verify.edited import NAME, Lines, bind_anew, data_of, edited, known, lines_of, played


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("started", "2026-11-21T02:13:36+00:00"),
        ("software", "fairdeal/9"),
        ("instances", ["1", "2", "3", "4"]),
        ("clock", {"move": 1_999_999}),
        ("commitment", {"repeatable": False}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_only_the_hash_of_the_file_binds(game: str, path: str, value: Any) -> None:
    def change(lines: Lines) -> None:
        if isinstance(value, dict):
            lines[0][path] |= value
        else:
            lines[0][path] = value[: len(lines[0][path])] if isinstance(value, list) else value
        bind_anew(lines)  # the manifest that the bots were told is another, then

    data = edited(data_of(game), change)
    assert verify(data, name=NAME).status is Status.VERIFIED, "it is not bound by anything else"
    verdict = verify(data, name=NAME, known=known(played(game), data_of(game)))
    assert verdict.status is Status.WRONG


@pytest.mark.parametrize("game", GAMES)
def test_who_sat_where_is_what_the_store_knows(game: str) -> None:
    data = edited(data_of(game), lambda lines: lines[0]["entries"].reverse())
    verdict = verify(data, known=known(played(game), data_of(game)))
    assert verdict.problem is not None
    assert (verdict.problem.line, verdict.problem.field) == (1, "entries")
    assert "SHA-256" in verdict.problem.text


def test_who_sat_where_is_what_the_store_knows_whatever_the_manifest() -> None:
    def change(lines: Lines) -> None:
        lines[0]["entries"].reverse()
        bind_anew(lines)

    verdict = verify(edited(data_of("hearts"), change), known=known(played("hearts"), data_of("hearts")))
    assert verdict.problem is not None
    assert (verdict.problem.line, verdict.problem.field) == (1, "entries[0]")


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("field", ["ranks", "scores", "faults", "times"])
def test_a_result_that_was_changed_in_the_store_is_found(game: str, field: str) -> None:
    data = data_of(game)
    told = known(played(game), data)
    told.outcome[field].reverse()  # type: ignore[index]
    verdict = verify(data, known=told)
    assert verdict.problem is not None
    assert (verdict.problem.line, verdict.problem.field[:5]) == (len(lines_of(data)) - 1, field[:5])


def test_another_seed_or_duration_in_the_store_is_found() -> None:
    data = data_of("piquet")
    told = known(played("piquet"), data)
    assert verify(data, known=told).status is Status.VERIFIED
    for change in ({"seed": "other"}, {"seed": None}, {"duration": 1}):
        assert verify(data, known=replace(told, **change)).status is Status.WRONG


def test_a_byte_without_meaning_is_one_that_the_hash_finds() -> None:
    data = bytearray(data_of("piquet"))
    data[4] ^= 1  # the time in the head of the gzip file
    assert verify(bytes(data)).status is Status.VERIFIED
    verdict = verify(bytes(data), known=known(played("piquet"), data_of("piquet")))
    assert verdict.problem is not None
    assert (verdict.problem.line, verdict.problem.field) == (None, "sha256")


@pytest.mark.parametrize("game", GAMES)
def test_a_match_that_was_written_anew_is_one_that_only_the_store_tells_apart(game: str) -> None:
    """Other answers, and all that follows from them: no hash binds what was answered."""
    table = RecordedTable(
        game, deals=played(game).setup.deals, options=played(game).setup.options, first_legal=True
    )
    other = table.encoded()
    before, after = lines_of(data_of(game)), lines_of(other)
    assert after[0] == before[0]
    assert after[-1] == before[-1]
    assert after[1:-1] != before[1:-1]
    assert verify(other, name=NAME).status is Status.VERIFIED
    assert verify(other, name=NAME, known=known(played(game), data_of(game))).status is Status.WRONG
