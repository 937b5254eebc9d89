"""What bots kept, beside the record of their match: it is what they saw and said, or shows that it is not."""

import copy
import hashlib
import itertools
import json
from collections.abc import Callable
from typing import Any, Final

import pytest

from referee.dealing.keys import SeededKeys
from referee.games.registry import GAMES
from referee.match.clock import SECOND
from referee.storage.record import Record
from referee.transcript import lines as shown
from referee.verify import Past, Status, Verdict, past, seen_by, verify
from referee.verify.lines import lines_of
from tests.referee.verify.bots_that_keep import Lines, played
from tests.referee.verify.edited import bind_anew, edited

NAME: Final = "m-0001.1.jsonl.gz"
INCIDENTS: Final = {
    (0, 2): "breaks",
    (0, 3): "loses the end",
    (0, 5): "illegal",
    (1, 2): "late",
    (1, 3): "malformed",
    (1, 6): "starts anew",
}


def finished(lines: Lines) -> dict[str, Any]:
    (line,) = [line for line in lines if line["type"] == "finished"]
    return line


def right(verdict: Verdict) -> bool:
    assert verdict.problem is None, verdict.problem
    return verdict.status is Status.VERIFIED


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("grid", [0, SECOND // 2])
@pytest.mark.parametrize("incidents", [{}, INCIDENTS], ids=["smooth", "with incidents"])
def test_what_bots_keep_is_what_the_record_says(
    game: str, grid: int, incidents: dict[tuple[int, int], str]
) -> None:
    data, bots = played(game, incidents, event_grid=grid)
    for seat, bot in enumerate(bots):
        line = finished(bot.lines)
        assert line["seat"] == seat
        assert line["decisions"] > 6
        if not incidents or seat > 1:
            assert (line["missed"], line["unknown"]) == ([], [])
        assert right(verify(data, name=NAME, told=bot.lines))
    assert not any(line["type"] == "breach" for bot in bots for line in bot.lines)
    if incidents:
        assert finished(bots[0].lines)["unknown"] == [3]
        assert finished(bots[1].lines)["missed"] == [[1, 5]]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("grid", [0, SECOND // 2])
def test_what_bots_heard_before_the_referee_went_down_is_not_held_against_them(game: str, grid: int) -> None:
    late = 0
    for down_after, away in itertools.product((6, 14, 18), (-1, 0)):
        data, bots = played(game, {}, event_grid=grid, down_after=down_after, away=away)
        for bot in bots:
            assert right(verify(data, name=NAME, told=bot.lines)), (down_after, away)
        late += bool(away >= 0 and finished(bots[away].lines)["unknown"])
    assert late


def test_the_digest_is_made_as_the_page_says() -> None:
    """Of a match without incidents, from what the bots were sent; the page is docs/bots.md."""
    data, bots = played("two_handed_spades", {})
    assert right(verify(data, told=bots[0].lines))
    line = finished(bots[0].lines)

    def enc(*items: bytes) -> bytes:
        return b"".join(len(item).to_bytes(4, "big") + item for item in items)

    made = hashlib.sha256()
    manifest = bytes.fromhex(line["manifest"])
    made.update(enc(b"fairdeal/told/1", b"m-0001", b"\0\0\0\1", b"\0\0\0\0", manifest))
    for kind, raw in bots[0].exchanged:
        made.update(enc(kind, raw))
    assert line["told"] == made.hexdigest()


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("grid", [0, SECOND // 2])
def test_a_record_holds_the_digests_of_bots_that_missed_nothing(game: str, grid: int) -> None:
    data, bots = played(game, {(0, 4): "illegal", (1, 3): "malformed", (1, 5): "late"}, event_grid=grid)
    *_, reveal = lines_of(data, 10_000)
    assert reveal["told"] == [finished(bot.lines)["told"] for bot in bots]


def test_another_digest_in_a_record_is_found() -> None:
    data, _bots = played("euchre", {})

    def forge(lines: Lines) -> None:
        lines[-1]["told"].reverse()

    verdict = verify(edited(data, forge))
    assert verdict.status is Status.WRONG
    assert verdict.problem is not None
    assert verdict.problem.field == "told[0]"
    for told in ("x", None, [], [7, 7, 7, 7]):
        assert verify(edited(data, lambda lines, told=told: lines[-1].update(told=told))).problem


def test_the_digests_of_another_version_are_not_compared() -> None:
    data, _bots = played("euchre", {})

    def forge(lines: Lines) -> None:
        lines[0]["software"] = "fairdeal/9.0.0"
        lines[-1]["told"].reverse()

    verdict = verify(edited(data, forge))
    assert right(verdict)
    assert verdict.notes == (
        "the digests of what bots were told and answered: another version, which put its messages otherwise,"
        " made them",
    )


Edit = Callable[[dict[str, Any]], object]


@pytest.mark.parametrize(
    ("field", "edit"),
    [
        ("entries[0]", lambda line: line["entries"].reverse()),
        ("game", lambda line: line.update(game="whist")),
        ("commitment.scheme", lambda line: line.update(scheme="fairdeal/1")),
        ("commitment.commit", lambda line: line.update(commit=bytes(32).hex())),
        ("commitment.manifest", lambda line: line.update(manifest=bytes(32).hex())),
        ("commitment.manifest", lambda line: line.pop("manifest")),
        ("scores[0]", lambda line: line["scores"].__setitem__(0, 1000)),
        ("ranks[0]", lambda line: line["ranks"].__setitem__(0, 3)),
        ("termination", lambda line: line.update(termination="void")),
        ("secret", lambda line: line.update(secret=bytes(32).hex())),
        ("told", lambda line: line.update(told=bytes(32).hex())),
        ("told", lambda line: line.update(decisions=line["decisions"] - 1)),
        ("told", lambda line: line.update(decisions=10**12, missed=[[1, 10**12]])),
        ("told", lambda line: line.update(missed=[[2, 3]])),
        ("told", lambda line: line.update(missed=7)),
        ("told", lambda line: line.update(unknown=[4])),
        ("told", lambda line: line.update(unknown=None)),
        ("told", lambda line: line.update(entries="ab")),
        ("told", lambda line: line.update(type="breach", breach="it said so")),
        ("entries", lambda line: line.update(seat=7)),
    ],
)
def test_another_line_is_found(field: str, edit: Edit) -> None:
    data, bots = played("piquet", {})
    line = copy.deepcopy(finished(bots[0].lines))
    edit(line)
    verdict = verify(data, told=[line])
    assert verdict.status is Status.WRONG
    assert verdict.problem is not None
    assert verdict.problem.field == field, verdict.problem


def test_a_record_with_other_seats_and_its_manifest_made_anew_is_found() -> None:
    data, bots = played("hearts", {})

    def forge(lines: Lines) -> None:
        lines[0]["entries"].reverse()
        bind_anew(lines)
        del lines[-1]["told"]  # as if an earlier version had written it

    forged = edited(data, forge)
    assert right(verify(forged, name=NAME)), "it verifies by itself"
    verdict = verify(forged, name=NAME, told=bots[0].lines)
    assert verdict.problem is not None
    assert verdict.problem.field == "entries[0]"


def test_another_match_with_the_same_cards_is_found() -> None:
    """Whoever has the secret can play the match again with other answers: a whole, sound record."""
    _data, bots = played("hearts", {})
    other, _bots = played("hearts", {(2, 3): "illegal"})
    assert right(verify(other, told=[]))
    verdicts = [verify(other, told=[finished(bot.lines)]) for bot in bots]
    assert all(verdict.status is Status.WRONG for verdict in verdicts)


def test_lines_of_other_matches_are_passed_over() -> None:
    data, bots = played("euchre", {})
    other = {**finished(bots[0].lines), "match_id": "m-2", "told": ""}
    assert right(verify(data, told=[other, *bots[0].lines]))


def test_a_record_of_other_software_may_have_had_other_messages() -> None:
    data, bots = played("euchre", {})
    line = {**finished(bots[0].lines), "told": bytes(32).hex()}
    older = edited(data, lambda lines: lines[0].update(software="fairdeal/0.0.9"))
    verdict = verify(older, told=[line])
    assert verdict.status is Status.UNKNOWN
    assert verdict.problem is not None
    assert "fairdeal/0.0.9 put its messages otherwise" in verdict.problem.text


def test_lines_hold_no_more_than_a_bot_was_told() -> None:
    """The secret stands in the last line alone, when it was told."""
    _data, bots = played("hearts", {}, keys=SeededKeys("summer"))
    lines = bots[0].lines
    assert [line["type"] for line in lines] == ["seated", "finished"]
    assert lines[1]["secret"] not in json.dumps(lines[0])


@pytest.mark.parametrize("game", GAMES)
def test_notes_stand_in_the_record_and_in_nothing_that_one_seat_is_shown(game: str) -> None:
    noted = {(seat, 2): "notes" for seat in range(GAMES[game].seats)}
    data, bots = played(game, noted)
    _, others = played(game, {})
    for seat, bot in enumerate(bots):
        assert right(verify(data, name=NAME, told=bot.lines))
        # the digest of what was told and answered has no notes
        assert finished(bot.lines)["told"] == finished(others[seat].lines)["told"]
    match = past(data)
    assert {line["seat"]: line["note"] for line in match.lines if "note" in line} == {
        seat: f"♠\x01 of {entry}" for seat, entry in enumerate(match.lines[0]["entries"])
    }
    for seat in range(len(bots)):
        assert not [line for line in seen_by(match, seat).lines if "note" in line]
    text = "\n".join(shown(record_of(match)))
    assert all(f"noted: ♠\\x01 of {entry}" in text for entry in match.lines[0]["entries"])


def record_of(match: Past) -> Record:
    return Record(match.lines[0], match.lines[1:])


@pytest.mark.parametrize(
    ("note", "why"),
    [
        ("a" * 4097, "something else happens"),
        ("\ud800", "an input is damaged"),
        (7, "an input is damaged"),
        (None, "an input is damaged"),
    ],
)
def test_a_note_that_no_referee_keeps_is_wrong(note: object, why: str) -> None:
    data, _ = played("two_handed_spades", {})

    def add(lines: Lines) -> None:
        next(line for line in lines if line.get("kind") == "answer")["note"] = note

    problem = verify(edited(data, add), name=NAME).problem
    assert problem is not None and why in problem.text


def test_a_record_may_be_full_of_notes() -> None:
    data, _ = played("euchre", {})

    def add(lines: Lines) -> None:
        left = dict.fromkeys(range(4), 16)
        for line in lines:
            if line.get("kind") == "answer" and left[line["seat"]]:
                left[line["seat"]] -= 1
                line["note"] = "\x01" * 4096

    assert right(verify(edited(data, add), name=NAME))
