"""Frames that are read without protobuf hold what protobuf reads in them, to the byte."""

from typing import Any

import pytest

from fairdeal.v1 import play_service_pb2 as pb
from referee.cards import cards
from referee.codec import proto
from referee.games.actions import ChooseCards, LegalActions
from referee.match.clock import Micros
from referee.match.messages import Decision, Index
from tests.choices import Choices

TABLES = 16
CHOICE = ChooseCards(cards("2C 7H"))


def asked(match_id: str, number: int) -> Decision:
    return Decision(match_id, number, 0, Micros(0), Micros(0), LegalActions(()), b"")


OPEN = {proto.question_bytes(m, n): asked(m, n) for m in "mn" for n in (1, 300)}


def frame(**fields: Any) -> bytes:
    return pb.PlayRequest(**fields).SerializeToString()


def answer(match_id: str, number: int, index: int, **more: Any) -> pb.Answer:
    return pb.Answer(match_id=match_id, decision_id=number, index=index, **more)


def choice(match_id: str, number: int) -> pb.Answer:
    made = pb.Answer(match_id=match_id, decision_id=number)
    proto.fill_action(made.action, CHOICE)
    return made


def item(data: bytes) -> bytes:
    """Return the bytes of an answer as they stand in a request."""
    return b"\x2a" + bytes([len(data)]) + data


def padded(data: bytes, size: int) -> bytes:
    """Return an answer with an unknown field behind it, of so many bytes in all."""
    rest = size - len(data) - 3
    return data + b"\xfa\x01" + bytes([rest]) + bytes(rest)


def value(given: Any) -> Any:
    return given if isinstance(given, Index) else given()


@pytest.mark.parametrize("received", [0, 1, 127, 128, 2**28 - 1])
def test_answers_are_read_with_their_questions(received: int) -> None:
    answers = [answer("m", 1, 0), choice("m", 300), answer("n", 300, 127), answer("n", 1, 128)]
    plain = proto.plain_answers(frame(frames_received=received, answers=answers), OPEN, TABLES)
    assert plain is not None
    assert plain[0] == received
    assert [(decision.match_id, decision.decision_id, value(given)) for decision, given in plain[1]] == [
        ("m", 1, Index(0)),
        ("m", 300, CHOICE),
        ("n", 300, Index(127)),
        ("n", 1, Index(128)),
    ]


class Counted(dict[bytes, Decision]):
    """Open decisions that count how often they are looked for."""

    looked = 0

    def get(self, key: bytes, default: Any = None) -> Any:
        self.looked += 1
        return super().get(key, default)


@pytest.mark.parametrize(
    "one", [answer("m", 1, 0), answer("m", 1, 128), choice("m", 1)], ids=["index", "128", "choice"]
)
def test_of_too_many_answers_the_last_are_not_looked_at(one: pb.Answer) -> None:
    asked = Counted(OPEN)
    assert proto.plain_answers(frame(answers=[one] * 1000), asked, TABLES) is None
    assert asked.looked <= 2 * (TABLES + 1)


def test_a_frame_may_only_acknowledge() -> None:
    assert proto.plain_answers(frame(frames_received=5), OPEN, TABLES) == (5, [])


@pytest.mark.parametrize(
    "data",
    [
        b"",
        frame(frames_received=2**28),
        frame(ready=[pb.Ready(match_id="m")]),
        frame(answers=[answer("m", 2, 0)]),
        frame(answers=[answer("m", 1, 0, note=b"n")]),
        frame(answers=[pb.Answer()]),
        frame(answers=[answer("m" * 130, 1, 0)]),
        frame(answers=[answer("m", 1, 0)], bye=pb.Bye()),
        frame(answers=[answer("m", 1, 0)], no_more_matches=True),
        frame(answers=[answer("m", 1, 0)] * (TABLES + 1)),
        item(choice("m", 300).SerializeToString() + pb.Answer(match_id="n").SerializeToString()),
        b"\x2a\x80" + padded(choice("m", 300).SerializeToString(), 128),  # a length that goes on
        item(choice("m", 300).SerializeToString() + pb.Answer(decision_id=1).SerializeToString()),
    ],
)
def test_other_frames_are_left_to_protobuf(data: bytes) -> None:
    assert proto.plain_answers(data, OPEN, TABLES) is None


def test_what_is_read_is_what_protobuf_reads() -> None:
    chance = Choices("plain answers")
    read = 0
    for _ in range(1_000):
        questions = [chance.one([*OPEN.values()]) for _ in range(chance.below(4))]
        answers = [
            answer(each.match_id, each.decision_id, chance.below(4))
            if chance.below(2)
            else choice(each.match_id, each.decision_id)
            for each in questions
        ]
        data = bytearray(frame(frames_received=chance.below(300), answers=answers))
        for _ in range(chance.below(3)):  # one byte more, less, or another
            place = chance.below(len(data) + 1)
            data[place : place + chance.below(2)] = chance.junk(chance.below(2))
        if (plain := proto.plain_answers(bytes(data), OPEN, TABLES)) is None:
            continue
        request = proto.decode(bytes(data), TABLES)
        assert request.hello is None
        assert not (request.ready or request.declines or request.bye or request.no_more_matches)
        assert request.frames_received == plain[0]
        assert [
            (each.match_id, each.decision_id, value(each.given), each.note) for each in request.answers
        ] == [(decision.match_id, decision.decision_id, value(given), b"") for decision, given in plain[1]]
        read += 1
    assert 300 < read < 800
