from typing import Any

import pytest

from fairdeal import (
    BadAnswer,
    Bid,
    Card,
    Cards,
    ChooseCards,
    Decision,
    Draft,
    Moon,
    OtherAction,
    PlayCard,
    _encode,
    _updates,
)
from fairdeal.v1 import actions_pb2
from fairdeal.v1 import play_service_pb2 as play


def asked(tell: Any, update: play.Update) -> Decision:
    return Decision(_updates.seated(tell.seated().seated), update.decision, "")


def listed(tell: Any, *actions: dict[str, Any]) -> Decision:
    legal = actions_pb2.Legal(actions={"actions": [actions_pb2.Action(**action) for action in actions]})
    return asked(tell, tell.decision(legal))


OTHER = actions_pb2.Action(alone=actions_pb2.ALONE_CHOICE_ALONE)
LISTS = [
    [{"play_card": number} for number in (1, 2, 3)],
    [{"bid": number} for number in (0, 1, 2)],
    [{"draft": 1}, {"draft": 2}],
    [{"moon": 1}, {"moon": 2}],
    [{"upcard_call": 1}, {"alone": actions_pb2.ALONE_CHOICE_ALONE}],
]


@pytest.mark.parametrize(
    ("actions", "given", "index"),
    [
        (LISTS[0], PlayCard(Card("4C")), 2),
        (LISTS[0], Card("3C"), 1),
        (LISTS[1], Bid(0), 0),
        (LISTS[1], Bid(2), 2),
        (LISTS[2], Draft.REFUSE, 1),
        (LISTS[3], Moon.SUBTRACT, 0),
        (LISTS[4], OtherAction(OTHER), 1),
    ],
)
def test_an_action_of_a_list_is_answered_by_its_position(
    tell: Any, actions: list[dict[str, Any]], given: object, index: int
) -> None:
    answer = _encode.answer(listed(tell, *actions), given)
    assert answer == play.Answer(match_id="m1", decision_id=1, index=index)


@pytest.mark.parametrize(
    "given",
    [
        Cards.parse("QS 3C"),
        [Card("3C"), Card("QS")],
        (Card("QS"), Card("3C")),
        ChooseCards(Cards.parse("QS 3C")),
    ],
)
def test_a_choice_is_answered_by_its_cards(tell: Any, given: object) -> None:
    answer = _encode.answer(asked(tell, tell.choose("2C 3C QS", 2, 2)), given)
    assert answer.action.WhichOneof("kind") == "choose_cards"
    assert answer.action.choose_cards.cards == tell.numbers("3C QS")


def test_an_empty_choice_is_on_the_wire(tell: Any) -> None:
    answer = _encode.answer(asked(tell, tell.choose("2C 3C", 0, 2)), [])
    assert answer.WhichOneof("answer") == "action"
    assert answer.action.WhichOneof("kind") == "choose_cards"


def test_a_bare_message_is_sent_as_it_is(tell: Any) -> None:
    answer = _encode.answer(listed(tell, *LISTS[0]), OTHER)
    assert answer.action == OTHER


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (None, "act answered None, but the legal actions are PlayCard(2C), PlayCard(3C), PlayCard(4C)"),
        (Card("QS"), "act answered QS, but the legal actions are PlayCard(2C)"),
        (Bid(1), "act answered Bid(1)"),
        (1, "act answered 1, but"),
        ([Card("2C")], "act answered [2C], but"),
        ("2C", "act answered '2C', but"),
    ],
)
def test_what_is_not_in_the_list_is_refused(tell: Any, given: object, reason: str) -> None:
    with pytest.raises(BadAnswer) as caught:
        _encode.answer(listed(tell, *LISTS[0]), given)
    assert str(caught.value).startswith(f"match m1, decision 1: {reason}")


def test_one_choice_is_not_taken_for_another_of_the_same_number(tell: Any) -> None:
    with pytest.raises(BadAnswer, match=r"the legal actions are Draft.KEEP, Draft.REFUSE"):
        _encode.answer(listed(tell, *LISTS[2]), Moon.SUBTRACT)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (Cards.parse("2C"), "but 2 to 3 cards are to be chosen"),
        (Cards.parse("2C 3C 4C QS"), "but 2 to 3 cards are to be chosen"),
        (Cards.parse("2C 2C"), "but a card is chosen twice"),
        (Cards.parse("2C AS"), "but AS cannot be chosen"),
        (Card("2C"), "but several cards are to be chosen"),
        (PlayCard(Card("2C")), "but several cards are to be chosen"),
        (None, "but several cards are to be chosen"),
        ("QS", "but several cards are to be chosen"),
    ],
)
def test_what_cannot_be_chosen_is_refused(tell: Any, given: object, reason: str) -> None:
    with pytest.raises(BadAnswer) as caught:
        _encode.answer(asked(tell, tell.choose("2C 3C 4C QS", 2, 3)), given)
    assert reason in str(caught.value)


def test_a_decision_of_an_unknown_kind_is_answered_by_a_message_only(tell: Any) -> None:
    legal = actions_pb2.Legal(choose_combinations={"maximum": 1})
    decision = asked(tell, tell.decision(legal))
    with pytest.raises(BadAnswer, match="of a kind that this version has no type for"):
        _encode.answer(decision, [])
    message = actions_pb2.Action(choose_combinations=actions_pb2.CombinationList())
    assert _encode.answer(decision, message).action == message
