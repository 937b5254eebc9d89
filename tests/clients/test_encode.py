from typing import Any

import pytest

from fairdeal import (
    BadAnswer,
    Bid,
    Card,
    Cards,
    ChooseCards,
    ChooseCombinations,
    Decision,
    Declare,
    Draft,
    LegalActions,
    Moon,
    Noted,
    OtherAction,
    PlayCard,
    PointCombination,
    Rank,
    SequenceCombination,
    SetCombination,
    Suit,
    TrumpCall,
    UpcardCall,
    _decode,
    _encode,
    _updates,
)
from fairdeal.v1 import actions_pb2
from fairdeal.v1 import play_service_pb2 as play
from tests.clients.conftest import Tell


def asked(tell: Any, update: play.Update) -> Decision:
    return Decision(_updates.seated(tell.seated().seated), update.decision, "")


def listed(tell: Any, *actions: dict[str, Any]) -> Decision:
    return asked(tell, tell.decision(tell.listed(*actions)))


def further(tell: Any, minimum: int, maximum: int) -> Decision:
    """Ask which of two sets and a sequence are declared as well."""
    combinations: list[dict[str, Any]] = [
        {"sequence": {"suit": 1, "top": 12, "length": 4}},
        {"set": {"rank": 9, "count": 3}},
        {"set": {"rank": 12, "count": 4}},
    ]
    choice = actions_pb2.ChooseCombinations(combinations=combinations, minimum=minimum, maximum=maximum)
    return asked(tell, tell.decision(actions_pb2.Legal(choose_combinations=choice)))


QUART = SequenceCombination(Suit.CLUBS, Rank.KING, 4)
TENS = SetCombination(Rank.TEN, 3)
KINGS = SetCombination(Rank.KING, 4)
OTHER = actions_pb2.Action(alone=9)  # a choice that this version does not know
LISTS = [
    [{"play_card": number} for number in (1, 2, 3)],
    [{"bid": number} for number in (0, 1, 2)],
    [{"draft": 1}, {"draft": 2}],
    [{"moon": 1}, {"moon": 2}],
    [{"upcard_call": 1}, {"alone": 9}],
    [{"declare": {"combination": {"point": {"suit": 1}}}}, {"declare": {}}],
    [{"trump_call": 1}, {"trump_call": 5}],
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
        (LISTS[4], UpcardCall.ACCEPT, 0),
        (LISTS[5], Declare(PointCombination(Suit.CLUBS)), 0),
        (LISTS[5], PointCombination(Suit.CLUBS), 0),
        (LISTS[5], Declare(None), 1),
        (LISTS[6], TrumpCall.PASS, 1),
    ],
)
def test_an_action_of_a_list_is_answered_by_its_position(
    tell: type[Tell], actions: list[dict[str, Any]], given: object, index: int
) -> None:
    answer = _encode.answer(listed(tell, *actions), given)
    assert answer == play.Answer(match_id="m1", decision_id=1, index=index)


@pytest.mark.parametrize("decision_id", [1, 127, 128, 70_000])
@pytest.mark.parametrize("match_id", ["m", "m" * 127, "m" * 128, "Spiel-\u00e4"])
@pytest.mark.parametrize("count", [3, 130])
def test_the_bytes_of_an_answer_are_those_of_its_message(
    tell: type[Tell], match_id: str, decision_id: int, count: int
) -> None:
    seated = _updates.seated(tell.seated(match_id).seated)
    update = tell.decision(tell.listed(*({"bid": number} for number in range(count))), match_id, decision_id)
    decision = Decision(seated, update.decision, "")
    assert isinstance(decision.legal, LegalActions)
    for given in (decision.legal.actions[0], decision.legal.actions[-1], Bid(1), Noted(Bid(2), "well")):
        data = _encode.answer_bytes(decision, given)
        assert data == _encode.answer(decision, given).SerializeToString()
        assert (
            _encode.item(data) == play.PlayRequest(answers=[play.Answer.FromString(data)]).SerializeToString()
        )


@pytest.mark.parametrize("frames", [0, 1, 127, 128, 2**40])
def test_the_bytes_of_an_acknowledgement_are_those_of_its_message(frames: int) -> None:
    request = play.PlayRequest(frames_received=frames)
    assert _encode.acknowledgement(frames) == request.SerializeToString()


@pytest.mark.parametrize(
    "given",
    [
        Cards.parse("QS 3C"),
        [Card("3C"), Card("QS")],
        (Card("QS"), Card("3C")),
        ChooseCards(Cards.parse("QS 3C")),
    ],
)
def test_a_choice_is_answered_by_its_cards(tell: type[Tell], given: object) -> None:
    answer = _encode.answer(asked(tell, tell.choose("2C 3C QS", 2, 2)), given)
    assert answer.action.WhichOneof("kind") == "choose_cards"
    assert answer.action.choose_cards.cards == tell.numbers("3C QS")


def test_an_empty_choice_is_on_the_wire(tell: type[Tell]) -> None:
    answer = _encode.answer(asked(tell, tell.choose("2C 3C", 0, 2)), [])
    assert answer.WhichOneof("answer") == "action"
    assert answer.action.WhichOneof("kind") == "choose_cards"


def test_a_bare_message_is_sent_as_it_is(tell: type[Tell]) -> None:
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
def test_what_is_not_in_the_list_is_refused(tell: type[Tell], given: object, reason: str) -> None:
    with pytest.raises(BadAnswer) as caught:
        _encode.answer(listed(tell, *LISTS[0]), given)
    assert str(caught.value).startswith(f"match m1, decision 1: {reason}")


def test_one_choice_is_not_taken_for_another_of_the_same_number(tell: type[Tell]) -> None:
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
def test_what_cannot_be_chosen_is_refused(tell: type[Tell], given: object, reason: str) -> None:
    with pytest.raises(BadAnswer) as caught:
        _encode.answer(asked(tell, tell.choose("2C 3C 4C QS", 2, 3)), given)
    assert reason in str(caught.value)


@pytest.mark.parametrize(
    ("given", "chosen"),
    [
        ([KINGS, QUART], (QUART, KINGS)),
        ((TENS,), (TENS,)),
        (ChooseCombinations([KINGS]), (KINGS,)),
        ([], ()),
        (ChooseCombinations(()), ()),
    ],
)
def test_a_choice_of_combinations_is_answered_by_them(
    tell: type[Tell], given: object, chosen: object
) -> None:
    answer = _encode.answer(further(tell, 0, 3), given)
    assert answer.WhichOneof("answer") == "action"
    # the empty choice too is on the wire
    assert answer.action.WhichOneof("kind") == "choose_combinations"
    assert _decode.combinations(answer.action.choose_combinations.combinations) == chosen


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ([], "but 1 to 2 combinations are to be chosen"),
        ([QUART, TENS, KINGS], "but 1 to 2 combinations are to be chosen"),
        ([TENS, TENS], "but a combination is chosen twice"),
        ([SetCombination(Rank.ACE, 3)], "SetCombination(rank=Rank.ACE, count=3) cannot be chosen"),
        (TENS, "but several combinations are to be chosen"),
        (Cards.parse("TC"), "but several combinations are to be chosen"),
        (Declare(TENS), "but several combinations are to be chosen"),
        (None, "but several combinations are to be chosen, such as [SetCombination(Rank.TEN, 3)], or none"),
    ],
)
def test_combinations_that_cannot_be_chosen_are_refused(tell: type[Tell], given: object, reason: str) -> None:
    with pytest.raises(BadAnswer) as caught:
        _encode.answer(further(tell, 1, 2), given)
    assert str(caught.value).startswith(f"match m1, decision 1: act answered {given!r}, ")
    assert reason in str(caught.value)


def test_a_decision_of_an_unknown_kind_is_answered_by_a_message_only(tell: type[Tell]) -> None:
    decision = asked(tell, tell.decision(actions_pb2.Legal.FromString(b"\xfa\x01\x00")))
    with pytest.raises(BadAnswer, match="of a kind that this version has no type for"):
        _encode.answer(decision, [])
    message = actions_pb2.Action(choose_cards=actions_pb2.CardList())
    assert _encode.answer(decision, message).action == message


@pytest.mark.parametrize(
    ("note", "sent"),
    [
        ("♠", "♠"),
        ({"thought": "♠", "eval": 0.5}, '{"thought":"♠","eval":0.5}'),
        ("a" * 4096, "a" * 4096),
        ("a" * 4097, ""),
        ("\ud800", ""),
        ({"thought": object()}, ""),
    ],
)
def test_a_note_is_sent_or_left_out_with_a_warning(
    tell: type[Tell], caplog: pytest.LogCaptureFixture, note: Any, sent: str
) -> None:
    decision = listed(tell, {"bid": 1}, {"bid": 2})
    reply = _encode.answer(decision, Noted(Bid(2), note))
    assert (reply.index, reply.note.decode()) == (1, sent)
    assert bool(sent) == (not caplog.messages)
