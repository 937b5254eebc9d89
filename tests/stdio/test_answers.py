"""What a bot's line means."""

import json
from typing import Any

import pytest
from google.protobuf.json_format import ParseDict
from hypothesis import given
from hypothesis import strategies as st

from fairdeal import Bid, Card, Declare, Draft, Noted, OtherAction, PlayCard, SetCombination
from fairdeal.stdio import _answers
from fairdeal.stdio._answers import WrongAnswer
from fairdeal.v1 import actions_pb2
from tests.stdio.conftest import MadeDecisions

SET = {"set": {"rank": "RANK_TEN", "count": 3}}
POINT = {"point": {"suit": "SUIT_HEARTS"}}


def combinations(*shown: dict[str, Any]) -> list[actions_pb2.Combination]:
    return [ParseDict(each, actions_pb2.Combination()) for each in shown]


PLAYS = MadeDecisions().plays("2C 3C QS")
PASS = MadeDecisions().choose("2C 3C QS KS", 2, 3)
FURTHER = MadeDecisions().further(0, 2, *combinations(SET, POINT))
NOTHING = MadeDecisions().further(0, 0)
DECLARE = MadeDecisions()(
    actions_pb2.Legal(
        actions={
            "actions": [
                actions_pb2.Action(declare=actions_pb2.Declaration()),
                actions_pb2.Action(declare=actions_pb2.Declaration(combination=combinations(SET)[0])),
                actions_pb2.Action(bid=0),
                actions_pb2.Action(draft=2),
                actions_pb2.Action(play_card=99),
            ]
        }
    )
)
NAMES = ("CARD_TWO_OF_CLUBS", "CARD_THREE_OF_CLUBS", "CARD_QUEEN_OF_SPADES", "CARD_KING_OF_SPADES")


def chosen(*places: int) -> actions_pb2.Action:
    cards = [PASS.message.legal.choose_cards.cards[place] for place in places]
    return actions_pb2.Action(choose_cards=actions_pb2.CardList(cards=cards))


def declared(*shown: dict[str, Any]) -> actions_pb2.Action:
    listed = actions_pb2.CombinationList(combinations=combinations(*shown))
    return actions_pb2.Action(choose_combinations=listed)


@pytest.mark.parametrize(
    ("decision", "said", "expected"),
    [
        (PLAYS, "2", PlayCard(Card("QS"))),
        (PLAYS, " 0\r", PlayCard(Card("2C"))),
        (PLAYS, "[1]", PlayCard(Card("3C"))),
        (PLAYS, "1.0", PlayCard(Card("3C"))),
        (PLAYS, '"1"', PlayCard(Card("3C"))),
        (PLAYS, '{"index": 1}', PlayCard(Card("3C"))),
        (PLAYS, '{"index": 1, "action": null, "why": "it is low"}', PlayCard(Card("3C"))),
        (PLAYS, '{"indexes": [2]}', PlayCard(Card("QS"))),
        (PLAYS, '{"action": {"play_card": "CARD_QUEEN_OF_SPADES"}}', PlayCard(Card("QS"))),
        (PLAYS, '{"action": {"playCard": 50}}', PlayCard(Card("QS"))),
        (PLAYS, '{"index": 1, "note": "low"}', Noted(PlayCard(Card("3C")), "low")),
        (PLAYS, '{"index": 1, "note": {"eval": 2}}', Noted(PlayCard(Card("3C")), {"eval": 2})),
        (PLAYS, '{"index": 1, "note": [7]}', Noted(PlayCard(Card("3C")), "[7]")),
        (PASS, "[3, 0]", chosen(0, 3)),
        (PASS, '{"indexes": [1, 2, 3]}', chosen(1, 2, 3)),
        (PASS, json.dumps({"cards": [NAMES[2], NAMES[0]]}), chosen(0, 2)),
        (PASS, json.dumps({"action": {"choose_cards": {"cards": NAMES[:2]}}}), chosen(0, 1)),
        (FURTHER, "[]", declared()),
        (FURTHER, "[1]", declared(POINT)),
        (FURTHER, json.dumps({"combinations": [POINT, SET]}), declared(SET, POINT)),
        (FURTHER, json.dumps({"combinations": []}), declared()),
        (FURTHER, '{"action": {"choose_combinations": {}}}', declared()),
        (NOTHING, "[]", declared()),
        (DECLARE, "0", Declare(None)),
        (DECLARE, '{"action": {"declare": {}}}', Declare(None)),
        (DECLARE, json.dumps({"action": {"declare": {"combination": SET}}}), None),
        (DECLARE, '{"action": {"bid": 0}}', Bid(0)),
        (DECLARE, "3", Draft.REFUSE),
        (DECLARE, "4", actions_pb2.Action(play_card=99)),  # a card that this version does not know
    ],
)
def test_an_answer(decision: Any, said: str, expected: Any) -> None:
    given = _answers.answer(decision, _answers.parse(said.encode()))
    assert not isinstance(given, OtherAction)
    if expected is None:
        assert isinstance(given, Declare)
        assert isinstance(given.combination, SetCombination)
    else:
        assert given == expected
    if isinstance(given, actions_pb2.Action):
        assert given.WhichOneof("kind")  # an empty choice is on the wire, too


@pytest.mark.parametrize(
    ("decision", "said", "why"),
    [
        (PLAYS, b"hello", "is not JSON"),
        (PLAYS, b"{", "is not JSON"),
        (PLAYS, b"\xff\xfe", "is not JSON"),
        (PLAYS, b"\x00\x01", "is not JSON"),
        (PLAYS, b"0 1", "is not JSON"),
        (PLAYS, b"NaN", "is not JSON"),
        (PLAYS, b"[" * 100_000, "is not JSON"),
        (PLAYS, b"1" * 10_000, "is not JSON"),
        (PLAYS, rb'{"cards": ["\ud800"]}', "is not JSON"),
        (PLAYS, rb'{"action": {"\udfff": 1}}', "is not JSON"),
        (PLAYS, rb'{"cards": ["\ud83c\udca1"]}', "cannot be read"),  # a whole pair is text
        (PLAYS, b"1" * (_answers.MAX_LINE + 1), "is longer than 1048576 bytes"),
        (PLAYS, b"null", "has null for an index"),
        (PLAYS, b"[null]", "has null for an index"),
        (PLAYS, b"true", "cannot be read"),
        (PLAYS, b"1.5", "cannot be read"),
        (PLAYS, b"1e999", "cannot be read"),
        (PLAYS, b'"QS"', "cannot be read"),
        (PLAYS, b"3", "has index 3"),
        (PLAYS, b"-1", "has index -1"),
        (PLAYS, b"1" * 100, "has an index that is out of range"),
        (PLAYS, b"[]", "chooses 0"),
        (PLAYS, b"[0, 1]", "chooses 2"),
        (PLAYS, b"[0, 0]", "chooses the same one twice"),
        (PLAYS, b"{}", "has none of index, indexes, action, cards, combinations"),
        (PLAYS, b'{"idx": 0}', "has none of index"),
        (PLAYS, b'{"index": null}', "has none of index"),
        (PLAYS, b'{"index": 0, "action": {"bid": 1}}', "has index and action"),
        (PLAYS, b'{"indexes": 0}', "has indexes that are not a list"),
        (
            PLAYS,
            b'{"action": {"play_card": "CARD_KING_OF_SPADES"}}',
            "chooses play_card: CARD_KING_OF_SPADES",
        ),
        (PLAYS, b'{"action": {}}', "chooses nothing, which is not offered"),
        (PLAYS, b'{"action": {"play_card": "QS"}}', "cannot be read"),
        (PLAYS, b'{"action": {"play": 1}}', "cannot be read"),
        (PLAYS, b'{"action": 3}', "has an action that is not an object"),
        (PLAYS, b'{"action": []}', "has an action that is not an object"),
        (PLAYS, b'{"cards": ["CARD_TWO_OF_CLUBS"]}', "which is not offered"),
        (PASS, b"[0]", "chooses 1"),
        (PASS, b"[0, 1, 2, 3]", "chooses 4"),
        (PASS, b"[0, 0]", "chooses the same one twice"),
        (PASS, b"[0, 4]", "has index 4"),
        (PASS, b"0", "chooses 1"),
        (PASS, b'{"cards": ["CARD_TWO_OF_CLUBS", "CARD_TWO_OF_CLUBS"]}', "chooses the same one twice"),
        (PASS, b'{"cards": ["CARD_TWO_OF_CLUBS", "CARD_FOUR_OF_CLUBS"]}', "chooses CARD_FOUR_OF_CLUBS"),
        (PASS, b'{"cards": ["CARD_TWO_OF_CLUBS", 99]}', "chooses 99, which is not offered"),
        (PASS, b'{"cards": "CARD_TWO_OF_CLUBS"}', "cannot be read"),
        (PASS, b'{"cards": [{}]}', "cannot be read"),
        (PASS, b'{"combinations": []}', "is not a choose_cards"),
        (PASS, b'{"action": {"play_card": 1}}', "is not a choose_cards"),
        (
            FURTHER,
            b'{"combinations": [{"point": {"suit": "SUIT_CLUBS"}}]}',
            "chooses point { suit: SUIT_CLUBS }",
        ),
        (FURTHER, b'{"combinations": [5]}', "cannot be read"),
        (FURTHER, b"[0, 1, 1]", "chooses the same one twice"),
        (NOTHING, b"[0]", "has index 0"),
    ],
)
def test_a_wrong_answer(decision: Any, said: bytes, why: str) -> None:
    with pytest.raises(WrongAnswer) as raised:
        _answers.answer(decision, _answers.parse(said))
    text = str(raised.value)
    assert why in text
    assert len(text) < 200
    assert text.isascii()
    assert text.isprintable()


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(NAMES),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                (
                    *_answers.FORMS,
                    "play_card",
                    "choose_cards",
                    "choose_combinations",
                    "declare",
                    "set",
                    "rank",
                )
            )
            | st.text(max_size=3),
            inner,
            max_size=3,
        )
    ),
    max_leaves=6,
)


@given(st.sampled_from((PLAYS, PASS, FURTHER, NOTHING, DECLARE)), VALUES)
def test_whatever_is_said_is_an_answer_or_a_wrong_one(decision: Any, value: Any) -> None:
    try:
        _answers.answer(decision, value)
    except WrongAnswer as wrong:
        assert str(wrong)


@given(st.binary(max_size=40))
def test_whatever_is_printed_is_json_or_not(line: bytes) -> None:
    shown = _answers.shown(line)
    assert shown.isascii()
    assert shown.isprintable()
    try:
        _answers.parse(line)
    except WrongAnswer as wrong:
        assert str(wrong)


@pytest.mark.parametrize(
    ("decision", "expected"),
    [
        (PLAYS, "an index from 0 to 2"),
        (PASS, "2 to 3 of 4 cards, such as [0, 1]"),
        (MadeDecisions().choose("2C 3C QS KS", 3, 3), "3 of 4 cards, such as [0, 1, 2]"),
        (FURTHER, "0 to 2 of 2 combinations, such as []"),
        (NOTHING, "0 of 0 combinations, such as []"),
    ],
)
def test_what_is_expected(decision: Any, expected: str) -> None:
    assert _answers.expected(decision) == expected


def test_a_long_line_is_shown_by_its_beginning() -> None:
    assert _answers.shown(b"a" * 80) == repr("a" * 80)
    assert _answers.shown(b"a" * 81) == repr("a" * 80) + "..."
    assert _answers.shown("é\t\x1b[2J".encode() + b"\xff") == r"'\xe9\t\x1b[2J\\xff'"
