"""The lines that a bot reads."""

import json
from typing import Any

import pytest
from google.protobuf.json_format import ParseDict

import fairdeal
from fairdeal import _updates
from fairdeal.bots import make
from fairdeal.stdio import _format
from fairdeal.testing import play
from fairdeal.v1 import events_pb2
from fairdeal.v1 import play_service_pb2 as pb
from referee.games.registry import GAMES
from tests.clients import conftest as sdk
from tests.stdio.conftest import MadeDecisions

ADDED = ("type", "game", "seat", "choices", "minimum", "maximum", "chance")


def read(update: Any) -> dict[str, Any]:
    line = _format.line(update)
    assert line.endswith(b"}\n")
    assert line.count(b"\n") == 1
    assert line.isascii()
    read: dict[str, Any] = json.loads(line)
    return read


@pytest.mark.parametrize("game", GAMES)
def test_a_decision_s_line_holds_its_whole_message(game: str) -> None:
    asked: list[fairdeal.Decision] = []
    random = make("random")

    def act(decision: fairdeal.Decision) -> fairdeal.Answer:
        asked.append(decision)
        return random.act(decision)

    play(game, [act] * GAMES[game].seats, seed="spring", deals=1)
    assert asked
    for decision in asked:
        told = read(decision)
        assert list(told)[:9] == [
            *("type", "match_id", "decision_id", "game", "seat"),
            *("choices", "minimum", "maximum", "chance"),
        ]
        assert (told["type"], told["game"], told["seat"]) == ("decision", game, f"SEAT_{decision.seat}")
        message = {key: value for key, value in told.items() if key not in ADDED}
        assert ParseDict(message, pb.Decision()) == decision.message


def test_fields_that_are_empty_stand_there(asked: MadeDecisions) -> None:
    told = read(asked.further(0, 0))
    assert told["legal"] == {"choose_combinations": {"combinations": [], "minimum": 0, "maximum": 0}}
    assert told["sequence"] == 0


@pytest.mark.parametrize("message", [pb.Decision, pb.Seated, pb.Closed, pb.Refused, pb.Finished, pb.Notice])
def test_no_field_of_the_protocol_is_hidden_by_what_is_added(message: Any) -> None:
    names = {field.name for field in message.DESCRIPTOR.fields}
    added = ADDED if message is pb.Decision else ("type",)
    assert not names & set(added)


def test_what_a_decision_lets_choose(asked: MadeDecisions, tell: type[sdk.Tell]) -> None:
    def bounds(decision: Any) -> tuple[int, int, int]:
        told = read(decision)
        return told["choices"], told["minimum"], told["maximum"]

    assert bounds(asked.plays("2C 3C")) == (2, 1, 1)
    assert bounds(asked.choose("2C 3C 4C", 1, 2)) == (3, 1, 2)
    assert bounds(asked.further(0, 0)) == (0, 0, 0)
    assert bounds(asked(tell.listed())) == (0, 1, 1)  # of a kind that this version does not know


def test_chance_is_the_beginning_of_the_decision_s_generator(asked: MadeDecisions) -> None:
    bytes_told = bytes.fromhex(read(asked.plays("2C 3C", 5, "m7"))["chance"])
    assert len(bytes_told) == _format.CHANCE_BYTES
    chance = fairdeal.Chance("s", "m7", 2, 5)
    drawn = [chance.draw(52) for _ in range(10)]
    below = [byte for byte in bytes_told if byte < 256 - 256 % 52]
    assert [byte % 52 for byte in below[:10]] == drawn


def test_the_other_updates(tell: type[sdk.Tell]) -> None:
    message = tell.seated("m1", seat=3, entries=["é", "b"], deals=2).seated
    seated = _updates.seated(message)
    told = read(seated)
    assert (told.pop("type"), told["entries"], told["seat"]) == ("seated", ["é", "b"], "SEAT_3")
    assert ParseDict(told, pb.Seated()) == message
    event = events_pb2.Event(sequence=3, trick_taken=events_pb2.TrickTaken(seat=1))
    updates = [
        _updates.happened(seated, pb.Happened(match_id="m1", event=event)),
        _updates.closed(seated, tell.closed(4, fault=4, reason=2).closed),
        _updates.refused(None, tell.refused("m1", decision_id=4, reason=4, text="it is closed").refused),
        _updates.finished(seated, tell.finished("m1", scores=[-5, 7]).finished),
        _updates.notice(tell.notice("DRAINING").notice),
    ]
    assert [read(update) for update in updates] == [
        {"type": "happened", "match_id": "m1", "event": {"sequence": 3, "trick_taken": {"seat": "SEAT_0"}}},
        {
            "type": "closed",
            "match_id": "m1",
            "decision_id": 4,
            "reason": "CLOSE_REASON_DEFAULTED",
            "fault": "FAULT_LATE",
            "note_dropped": False,
        },
        {
            "type": "refused",
            "match_id": "m1",
            "decision_id": 4,
            "reason": "REASON_STALE_DECISION",
            "still_open": False,
            "text": "it is closed",
        },
        {
            "type": "finished",
            "match_id": "m1",
            "termination": "TERMINATION_COMPLETED",
            "ranks": [],
            "scores": [-5, 7],
            "capped": False,
            "faults": [],
            "forfeited": [],
            "secret": "",
            "times": [],
        },
        {"type": "notice", "kind": "NOTICE_KIND_DRAINING", "text": ""},
    ]
