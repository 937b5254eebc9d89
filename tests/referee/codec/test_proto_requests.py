"""What bots send: read whole and in bounds, and refused or malformed when it is nothing."""

from typing import Any, Final
from unittest.mock import ANY

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairdeal.v1 import actions_pb2
from fairdeal.v1 import play_service_pb2 as pb
from referee.cards import Rank, Suit, cards
from referee.codec import proto
from referee.games.actions import Bid, ChooseCards, ChooseCombinations
from referee.games.combinations import PointCombination, SetCombination
from referee.match.messages import Answer, Hello, Index, Malformed, Request, ResumePoint
from tests.referee.codec.wire_actions import action, choose, declare, further

TABLES: Final = 16


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
    request = proto.decode(message.SerializeToString(), TABLES)
    assert request == Request(
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
            Answer("m", 2, ANY),
            Answer("m", 3, ANY),
        ),
        bye=True,
    )
    assert [answer.given() for answer in request.answers if not isinstance(answer.given, Index)] == [
        Bid(0),
        Malformed("the answer holds neither an action nor an index"),
    ]


def test_an_empty_frame_says_nothing() -> None:
    request = proto.decode(b"", TABLES)
    assert request == Request(frames_received=0, hello=None, ready=(), declines=(), answers=(), bye=False)


def test_a_bot_that_does_not_say_how_many_tables_plays_one() -> None:
    request = proto.decode(pb.PlayRequest(hello=pb.Hello(entry="e")).SerializeToString(), TABLES)
    assert request.hello is not None and request.hello.tables == 1


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (action(), "holds an empty action, which bots give whose code failed"),
        (actions_pb2.Action.FromString(b"\xa2\x06\x00"), "no kind that this referee knows"),
        (action(play_card="CARD_UNSPECIFIED"), "card number 0 is not a card"),
        (action(play_card=53), "card number 53 is not a card"),
        (action(play_card=-1), "card number -1 is not a card"),
        (action(draft="DRAFT_CHOICE_UNSPECIFIED"), "DraftChoice number 0 is not a choice"),
        (action(draft=3), "DraftChoice number 3 is not a choice"),
        (action(moon=2**31 - 1), "MoonChoice number 2147483647 is not a choice"),
        (choose(1, 99, 77), "card number 99 is not a card"),
        (action(blind="BLIND_CHOICE_UNSPECIFIED"), "BlindChoice number 0 is not a choice"),
        (action(trump_call=6), "TrumpCall number 6 is not a choice"),
        (declare(), "a combination is of no kind that this referee knows"),
        (declare(point={}), "suit number 0 is not a suit"),
        (declare(sequence={"suit": 5, "top": 1}), "suit number 5 is not a suit"),
        (declare(sequence={"suit": 1, "top": 14}), "rank number 14 is not a rank"),
        (declare(set={"count": 3}), "rank number 0 is not a rank"),
        (further({"rank": 1}, {"rank": -1}), "rank number -1 is not a rank"),
    ],
)
def test_what_is_no_action_is_malformed_and_says_why(message: actions_pb2.Action, text: str) -> None:
    given_action = proto.action_of(message)
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
        assert proto.action_of(chosen(*order)) == wanted


def test_chosen_cards_are_read_in_canonical_order_with_their_doubles() -> None:
    message = choose(*["CARD_ACE_OF_SPADES", "CARD_TWO_OF_CLUBS"] * 2)
    assert proto.action_of(message) == ChooseCards(cards("2C 2C AS AS"))


NAME = "x" * 200


with_a_name = pytest.mark.parametrize(
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


@with_a_name
@pytest.mark.parametrize("name", [NAME, NAME + "x"])
def test_names_are_bounded_since_they_come_back_in_frames(request_with: Any, name: str) -> None:
    data = request_with(name).SerializeToString()
    if name == NAME:
        proto.decode(data, TABLES)
    else:
        with pytest.raises(proto.WireError, match="longer than 200"):
            proto.decode(data, TABLES)


@with_a_name
@pytest.mark.parametrize("sign", ["\n", "\x1b", "\x7f", "\u202e"])
def test_names_can_be_printed_since_they_stand_in_logs_and_on_terminals(request_with: Any, sign: str) -> None:
    with pytest.raises(proto.WireError, match="cannot be printed"):
        proto.decode(request_with(f"a{sign}b").SerializeToString(), TABLES)


@pytest.mark.parametrize("count", [TABLES, TABLES + 1])
@pytest.mark.parametrize(
    ("request_with", "text"),
    [
        (lambda n: pb.PlayRequest(ready=[pb.Ready()] * n), "17 ready, at most 16"),
        (lambda n: pb.PlayRequest(declines=[pb.Decline()] * n), "17 declines, at most 16"),
        (lambda n: pb.PlayRequest(answers=[pb.Answer()] * n), "17 answers, at most 16"),
        (lambda n: pb.PlayRequest(hello=pb.Hello(resume=[pb.ResumePoint()] * n)), "17 matches, a"),
        (lambda n: pb.PlayRequest(hello=pb.Hello(games=["x"] * (n + 84))), "101 games, at most 100"),
        (lambda n: pb.PlayRequest(hello=pb.Hello(versions=[1] * (n + 84))), "101 versions, at most 100"),
    ],
    ids=["ready", "declines", "answers", "resume", "games", "versions"],
)
def test_what_a_frame_may_hold_is_bounded(request_with: Any, text: str, count: int) -> None:
    data = request_with(count).SerializeToString()
    if count == TABLES:
        proto.decode(data, TABLES)
    else:
        with pytest.raises(proto.WireError, match=text):
            proto.decode(data, TABLES)


@pytest.mark.parametrize(("cards", "combinations"), [(52, 40), (53, 41)])
def test_what_an_action_may_hold_is_bounded_before_it_is_looked_at(cards: int, combinations: int) -> None:
    given_cards = proto.action_of(choose(*[1] * cards))
    given_combinations = proto.action_of(further(*[{"rank": 1, "count": 3}] * combinations))
    if cards == 52:
        assert isinstance(given_cards, ChooseCards)
        assert isinstance(given_combinations, ChooseCombinations)
    else:
        assert given_cards == Malformed("an action with 53 cards, where there are 52 at most")
        text = "an action with 41 combinations, where there are 40 at most"
        assert given_combinations == Malformed(text)
        # what they are does not matter any more
        assert proto.action_of(choose(*[99] * cards)) == given_cards


@pytest.mark.parametrize(
    "data", [b"\xff", b"\x12\x7f", b"GET / HTTP/1.1\r\n", b"\x12\x03\x12\x01\xff"], ids=repr
)
def test_bytes_that_are_no_frame_are_refused_without_a_word_of_them(data: bytes) -> None:
    with pytest.raises(proto.WireError) as caught:
        proto.decode(data, TABLES)
    assert str(caught.value) == "the frame is not a PlayRequest"
    assert caught.value.__suppress_context__


@given(st.binary(max_size=60))
def test_no_bytes_raise_anything_but_a_wire_error(data: bytes) -> None:
    try:
        request = proto.decode(data, TABLES)
    except proto.WireError:
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
        request = proto.decode(bytes(data), TABLES)
    except proto.WireError:
        return
    assert isinstance(request, Request)
