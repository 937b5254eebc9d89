"""Frames that are read without protobuf hold what protobuf reads in them, to the byte."""

from typing import Any

import pytest

from fairdeal.v1 import play_service_pb2 as pb
from referee.codec import proto
from referee.match.messages import Index
from tests.choices import Choices

TABLES = 16
OPEN = {
    proto.question_bytes(match_id, number): (match_id, number) for match_id in "mn" for number in (1, 300)
}


def frame(**fields: Any) -> bytes:
    return pb.PlayRequest(**fields).SerializeToString()


def answer(match_id: str, number: int, index: int, **more: Any) -> pb.Answer:
    return pb.Answer(match_id=match_id, decision_id=number, index=index, **more)


@pytest.mark.parametrize("received", [0, 1, 127, 128, 2**28 - 1])
def test_answers_by_index_are_read_with_their_questions(received: int) -> None:
    answers = [answer("m", 1, 0), answer("n", 300, 127)]
    assert proto.plain_answers(frame(frames_received=received, answers=answers), TABLES) == (
        received,
        [(proto.question_bytes("m", 1), Index(0)), (proto.question_bytes("n", 300), Index(127))],
    )


def test_a_frame_may_only_acknowledge() -> None:
    assert proto.plain_answers(frame(frames_received=5), TABLES) == (5, [])


@pytest.mark.parametrize(
    "data",
    [
        b"",
        frame(frames_received=2**28),
        frame(ready=[pb.Ready(match_id="m")]),
        frame(answers=[answer("m", 1, 128)]),
        frame(answers=[answer("m", 1, 0, note=b"n")]),
        frame(answers=[pb.Answer(match_id="m", decision_id=1)]),
        frame(answers=[pb.Answer()]),
        frame(answers=[answer("m" * 130, 1, 0)]),
        frame(answers=[answer("m", 1, 0)], bye=pb.Bye()),
        frame(answers=[answer("m", 1, 0)], no_more_matches=True),
        frame(answers=[answer("m", number, 0) for number in range(TABLES + 1)]),
    ],
)
def test_other_frames_are_left_to_protobuf(data: bytes) -> None:
    assert proto.plain_answers(data, TABLES) is None


def test_what_is_read_is_what_protobuf_reads() -> None:
    chance = Choices("plain answers")
    read = 0
    for _ in range(3_000):
        answers = [answer(*chance.one([*OPEN.values()]), chance.below(4)) for _ in range(chance.below(4))]
        data = bytearray(frame(frames_received=chance.below(300), answers=answers))
        for _ in range(chance.below(3)):  # one byte more, less, or another
            place = chance.below(len(data) + 1)
            data[place : place + chance.below(2)] = chance.junk(chance.below(2))
        plain = proto.plain_answers(bytes(data), TABLES)
        if plain is None or not all(question in OPEN for question, _index in plain[1]):
            continue
        request = proto.decode(bytes(data), TABLES)
        assert request.hello is None
        assert not (request.ready or request.declines or request.bye or request.no_more_matches)
        assert request.frames_received == plain[0]
        assert [(each.match_id, each.decision_id, each.given, each.note) for each in request.answers] == [
            (*OPEN[question], index, b"") for question, index in plain[1]
        ]
        read += 1
    assert 1_000 < read < 2_500
