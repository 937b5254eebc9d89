"""What bots send: read whole and in bounds, and refused or malformed when it is nothing."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairdeal.v1 import actions_pb2
from fairdeal.v1 import play_service_pb2 as pb
from referee import wire
from referee.cards import Rank, Suit, cards
from referee.games.actions import Bid, ChooseCards, ChooseCombinations
from referee.games.combinations import PointCombination, SetCombination
from referee.updates import Answer, Hello, Index, Malformed, Request, ResumePoint
from tests.referee.wire_actions import action, choose, declare, further


def test_a_request_is_read_whole() -> None:
    message = pb.PlayRequest(
        frames_received=7,
        hello=pb.Hello(
            versions=[2, 1],
            entry="e",
            instance="i",
            games=["hearts"],
            tables=3,
            matches=4,
            events=True,
            resume=[pb.ResumePoint(match_id="m", sequence=5, attempt=2), pb.ResumePoint(match_id="n")],
            agent="a/1",
        ),
        ready=[pb.Ready(match_id="r"), pb.Ready(match_id="s")],
        declines=[pb.Decline(match_id="d")],
        answers=[
            pb.Answer(match_id="m", decision_id=1, index=0),
            pb.Answer(match_id="m", decision_id=2, action=action(bid=0)),
            pb.Answer(match_id="m", decision_id=3),
        ],
        bye=pb.Bye(),
    )
    assert wire.decode(message.SerializeToString()) == Request(
        frames_received=7,
        hello=Hello(
            versions=(2, 1),
            entry="e",
            instance="i",
            games=("hearts",),
            tables=3,
            matches=4,
            events=True,
            resume={"m": ResumePoint(5, 2), "n": ResumePoint(0)},
            agent="a/1",
        ),
        ready=("r", "s"),
        declines=("d",),
        answers=(
            Answer("m", 1, Index(0)),
            Answer("m", 2, Bid(0)),
            Answer("m", 3, Malformed("the answer holds neither an action nor an index")),
        ),
        bye=True,
    )


def test_an_empty_frame_says_nothing() -> None:
    request = wire.decode(b"")
    assert request == Request(frames_received=0, hello=None, ready=(), declines=(), answers=(), bye=False)


def test_a_bot_that_does_not_say_how_many_tables_plays_one() -> None:
    request = wire.decode(pb.PlayRequest(hello=pb.Hello(entry="e")).SerializeToString())
    assert request.hello is not None and request.hello.tables == 1


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (action(), "the action is of no kind that this referee knows"),
        (actions_pb2.Action.FromString(b"\xa2\x06\x00"), "no kind that this referee knows"),
        (action(play_card="CARD_UNSPECIFIED"), "card number 0 is no card"),
        (action(play_card=53), "card number 53 is no card"),
        (action(play_card=-1), "card number -1 is no card"),
        (action(draft="DRAFT_CHOICE_UNSPECIFIED"), "DraftChoice number 0 is no choice"),
        (action(draft=3), "DraftChoice number 3 is no choice"),
        (action(moon=2**31 - 1), "MoonChoice number 2147483647 is no choice"),
        (choose(1, 99, 77), "card number 99 is no card"),
        (action(blind="BLIND_CHOICE_UNSPECIFIED"), "BlindChoice number 0 is no choice"),
        (action(trump_call=6), "TrumpCall number 6 is no choice"),
        (declare(), "a combination is of no kind that this referee knows"),
        (declare(point={}), "suit number 0 is no suit"),
        (declare(sequence={"suit": 5, "top": 1}), "suit number 5 is no suit"),
        (declare(sequence={"suit": 1, "top": 14}), "rank number 14 is no rank"),
        (declare(set={"count": 3}), "rank number 0 is no rank"),
        (further({"rank": 1}, {"rank": -1}), "rank number -1 is no rank"),
    ],
)
def test_what_is_no_action_is_malformed_and_says_why(message: actions_pb2.Action, text: str) -> None:
    given_action = wire.action_of(message)
    assert isinstance(given_action, Malformed)
    assert text in given_action.text


def test_chosen_combinations_are_read_in_an_order_of_their_own_with_their_doubles() -> None:
    def chosen(*order: int) -> actions_pb2.Action:
        some = [
            actions_pb2.Combination(set={"rank": 9, "count": 3}),
            actions_pb2.Combination(point={"suit": 4}),
            actions_pb2.Combination(set={"rank": 2, "count": 4}),
        ]
        return action(choose_combinations=actions_pb2.CombinationList(combinations=[some[i] for i in order]))

    ten, point, three = (
        SetCombination(Rank.TEN, 3),
        PointCombination(Suit.SPADES),
        SetCombination(Rank.THREE, 4),
    )
    wanted = ChooseCombinations((point, three, ten, ten))
    for order in ((0, 1, 2, 0), (2, 0, 0, 1), (1, 0, 2, 0)):
        assert wire.action_of(chosen(*order)) == wanted


def test_chosen_cards_are_read_in_canonical_order_with_their_doubles() -> None:
    message = choose(*["CARD_ACE_OF_SPADES", "CARD_TWO_OF_CLUBS"] * 2)
    assert wire.action_of(message) == ChooseCards(cards("2C 2C AS AS"))


NAME = "x" * 200


@pytest.mark.parametrize("name", [NAME, NAME + "x"])
@pytest.mark.parametrize(
    "request_with",
    [
        lambda name: pb.PlayRequest(hello=pb.Hello(entry=name)),
        lambda name: pb.PlayRequest(hello=pb.Hello(instance=name)),
        lambda name: pb.PlayRequest(hello=pb.Hello(agent=name)),
        lambda name: pb.PlayRequest(hello=pb.Hello(games=["hearts", name])),
        lambda name: pb.PlayRequest(hello=pb.Hello(resume=[pb.ResumePoint(match_id=name)])),
        lambda name: pb.PlayRequest(ready=[pb.Ready(match_id=name)]),
        lambda name: pb.PlayRequest(declines=[pb.Decline(match_id=name)]),
        lambda name: pb.PlayRequest(answers=[pb.Answer(match_id=name)]),
    ],
    ids=["entry", "instance", "agent", "games", "resume", "ready", "declines", "answers"],
)
def test_names_are_bounded_since_they_come_back_in_frames(request_with: Any, name: str) -> None:
    data = request_with(name).SerializeToString()
    if name == NAME:
        wire.decode(data)
    else:
        with pytest.raises(wire.WireError, match="longer than 200"):
            wire.decode(data)


@pytest.mark.parametrize(
    "data", [b"\xff", b"\x12\x7f", b"GET / HTTP/1.1\r\n", b"\x12\x03\x12\x01\xff"], ids=repr
)
def test_bytes_that_are_no_frame_are_refused_without_a_word_of_them(data: bytes) -> None:
    with pytest.raises(wire.WireError) as caught:
        wire.decode(data)
    assert str(caught.value) == "the frame is no PlayRequest"
    assert caught.value.__suppress_context__


@given(st.binary(max_size=60))
def test_no_bytes_raise_anything_but_a_wire_error(data: bytes) -> None:
    try:
        request = wire.decode(data)
    except wire.WireError:
        return
    assert isinstance(request, Request)


FRAME = pb.PlayRequest(
    hello=pb.Hello(versions=[1], entry="e", resume=[pb.ResumePoint(match_id="m", sequence=1)]),
    answers=[
        pb.Answer(match_id="m", decision_id=1, index=1),
        pb.Answer(action=action(play_card="CARD_ACE_OF_SPADES")),
        pb.Answer(action=choose("CARD_ACE_OF_SPADES")),
        pb.Answer(action=action(moon="MOON_CHOICE_ADD")),
    ],
).SerializeToString()


@given(st.lists(st.tuples(st.integers(0, len(FRAME) - 1), st.integers(0, 255)), max_size=4))
def test_no_damaged_frame_raises_anything_but_a_wire_error(damage: list[tuple[int, int]]) -> None:
    data = bytearray(FRAME)
    for place, byte in damage:
        data[place] = byte
    try:
        request = wire.decode(bytes(data))
    except wire.WireError:
        return
    assert isinstance(request, Request)
