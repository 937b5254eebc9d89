from typing import Any

import pytest

import fairdeal
from fairdeal import (
    Alone,
    AloneChosen,
    Bid,
    BidMade,
    Blank,
    BlankClaimed,
    Blind,
    BonusScored,
    Card,
    CardDrafted,
    CardPlayed,
    Cards,
    CardsExchanged,
    CardsLooked,
    ChooseCards,
    ChooseCombinations,
    CombinationDeclared,
    CombinationsShown,
    DealScored,
    Declare,
    Draft,
    DraftStarted,
    EuchreDealStarted,
    HeartsDealStarted,
    HeartsPhase,
    HeartsView,
    Leftovers,
    LeftoversSettled,
    LegalActions,
    LegalChoice,
    LegalCombinations,
    Moon,
    MoonChosen,
    OtherAction,
    PassDirection,
    PassReceived,
    PiquetAnswer,
    PiquetBonus,
    PiquetDealStarted,
    PiquetRound,
    PlayCard,
    PointCombination,
    Rank,
    SequenceCombination,
    SetCombination,
    SpadesDealStarted,
    Suit,
    Trick,
    TrickTaken,
    TrumpCall,
    TrumpCalled,
    TwoHandedSpadesPhase,
    TwoHandedSpadesView,
    UpcardCall,
    UpcardCalled,
    UpcardTaken,
    _decode,
)
from fairdeal.v1 import actions_pb2, cards_pb2, events_pb2, views_pb2
from tests.clients.conftest import Tell

UNKNOWN_CARD = 53
UNKNOWN_KIND = b"\xfa\x01\x00"  # an empty message in field 31


def test_a_hearts_view_is_decoded(tell: type[Tell]) -> None:
    message = tell.hearts_view(
        phase=views_pb2.HEARTS_PHASE_PLAY,
        deal=2,
        direction=events_pb2.PASS_DIRECTION_RIGHT,
        seat=cards_pb2.SEAT_1,
        hand=tell.numbers("3D QS"),
        passed=tell.numbers("AH KH QH"),
        received=tell.numbers("2C 3C 4C"),
        tricks=[tell.trick(0, "2C 3C 4C 5C", winner=3)],
        trick=tell.trick(3, "9D"),
        points=[0, 1, 0, 13],
        totals=[5, -26, 12, 9],
        hearts_broken=True,
    )
    view = _decode.view(message)
    assert view == HeartsView(
        phase=HeartsPhase.PLAY,
        deal=2,
        direction=PassDirection.RIGHT,
        seat=1,
        hand=Cards.parse("3D QS"),
        passed=Cards.parse("AH KH QH"),
        received=Cards.parse("2C 3C 4C"),
        tricks=(Trick(0, Cards.parse("2C 3C 4C 5C"), 3),),
        trick=Trick(3, Cards.parse("9D"), None),
        points=(0, 1, 0, 13),
        totals=(5, -26, 12, 9),
        hearts_broken=True,
    )
    assert repr(view) == (
        "HeartsView(phase=HeartsPhase.PLAY, deal=2, direction=PassDirection.RIGHT, seat=1, hand=[3D QS], "
        "passed=[AH KH QH], received=[2C 3C 4C], tricks=(Trick(leader=0, cards=[2C 3C 4C 5C], winner=3),), "
        "trick=Trick(leader=3, cards=[9D], winner=None), points=(0, 1, 0, 13), totals=(5, -26, 12, 9), "
        "hearts_broken=True)"
    )


def test_a_two_handed_spades_view_is_decoded(tell: type[Tell]) -> None:
    message = tell.two_handed_spades_view(
        phase=views_pb2.TWO_HANDED_SPADES_PHASE_DRAFT,
        deal=3,
        first=cards_pb2.SEAT_1,
        seat=cards_pb2.SEAT_0,
        offered=Card("AH").number,
        choices=[actions_pb2.DRAFT_CHOICE_KEEP, actions_pb2.DRAFT_CHOICE_REFUSE],
        kept=tell.numbers("KS 2D"),
        discarded=tell.numbers("4D 3D"),
        hand=tell.numbers("2D KS"),
        bids=[events_pb2.BidMade(seat=cards_pb2.SEAT_1, tricks=0)],
        tricks=[tell.trick(1, "5H 2S", winner=0)],
        taken=[1, 0],
        scores=[-120, 43],
        bags=[9, 3],
        spades_broken=True,
    )
    assert _decode.view(message) == TwoHandedSpadesView(
        phase=TwoHandedSpadesPhase.DRAFT,
        deal=3,
        first=1,
        seat=0,
        offered=Card("AH"),
        choices=(Draft.KEEP, Draft.REFUSE),
        kept=Cards.parse("KS 2D"),
        discarded=Cards.parse("4D 3D"),
        hand=Cards.parse("2D KS"),
        bids=(BidMade(1, 0),),
        tricks=(Trick(1, Cards.parse("5H 2S"), 0),),
        trick=None,
        taken=(1, 0),
        scores=(-120, 43),
        bags=(9, 3),
        spades_broken=True,
    )


SEAT_2 = cards_pb2.SEAT_2


@pytest.mark.parametrize(
    ("message", "event"),
    [
        ({"card_played": {"seat": SEAT_2, "card": Card("QS").number}}, CardPlayed(2, Card("QS"))),
        ({"trick_taken": {"seat": SEAT_2}}, TrickTaken(2)),
        (
            {"deal_scored": {"deal": 1, "points": [3, -60], "totals": [43, -60], "bags": [3, 0]}},
            DealScored(1, (3, -60), (43, -60), (3, 0)),
        ),
        ({"bid_made": {"seat": SEAT_2, "tricks": 4}}, BidMade(2, 4)),
        ({"bid_made": {"seat": SEAT_2, "blind": True}}, BidMade(2, 0, blind=True)),
        (
            {"hearts_deal_started": {"deal": 4, "direction": events_pb2.PASS_DIRECTION_NONE, "hand": [1, 2]}},
            HeartsDealStarted(4, PassDirection.NONE, Cards.parse("2C 3C")),
        ),
        (
            {"pass_received": {"given": [1], "given_to": SEAT_2, "received": [2], "received_from": 1}},
            PassReceived(Cards.parse("2C"), 2, Cards.parse("3C"), 0),
        ),
        (
            {"moon_chosen": {"seat": SEAT_2, "choice": actions_pb2.MOON_CHOICE_ADD}},
            MoonChosen(2, Moon.ADD),
        ),
        ({"draft_started": {"deal": 1, "first": cards_pb2.SEAT_1}}, DraftStarted(1, 1)),
        (
            {"card_drafted": {"seat": 1, "choice": actions_pb2.DRAFT_CHOICE_KEEP, "kept": 1, "discarded": 2}},
            CardDrafted(0, Draft.KEEP, Card("2C"), Card("3C")),
        ),
        (
            {"card_drafted": {"seat": 2, "choice": actions_pb2.DRAFT_CHOICE_REFUSE}},
            CardDrafted(1, Draft.REFUSE, None, None),
        ),
        (
            {"spades_deal_started": {"deal": 2, "dealer": SEAT_2, "hand": [1, 2], "blind_sides": [1, 2]}},
            SpadesDealStarted(2, 2, Cards.parse("2C 3C"), (0, 1)),
        ),
        ({"cards_looked": {"seat": SEAT_2, "hand": [1]}}, CardsLooked(2, Cards.parse("2C"))),
        (
            {"euchre_deal_started": {"deal": 3, "dealer": 1, "hand": [8], "upcard": Card("JH").number}},
            EuchreDealStarted(3, 0, Cards.parse("9C"), Card("JH")),
        ),
        (
            {"upcard_called": {"seat": SEAT_2, "call": actions_pb2.UPCARD_CALL_PASS}},
            UpcardCalled(2, UpcardCall.PASS),
        ),
        (
            {"trump_called": {"seat": SEAT_2, "call": actions_pb2.TRUMP_CALL_HEARTS}},
            TrumpCalled(2, TrumpCall.HEARTS),
        ),
        ({"upcard_taken": {"seat": SEAT_2, "discarded": 8}}, UpcardTaken(2, Card("9C"))),
        ({"upcard_taken": {"seat": SEAT_2}}, UpcardTaken(2, None)),
        (
            {"alone_chosen": {"seat": SEAT_2, "choice": actions_pb2.ALONE_CHOICE_ALONE}},
            AloneChosen(2, Alone.ALONE),
        ),
        (
            {"piquet_deal_started": {"deal": 6, "elder": 2, "hand": [6]}},
            PiquetDealStarted(6, 1, Cards.parse("7C")),
        ),
        ({"blank_claimed": {"seat": 2, "cards": [6, 7]}}, BlankClaimed(1, Cards.parse("7C 8C"))),
        (
            {
                "cards_exchanged": {
                    "seat": 1,
                    "count": 2,
                    "discarded": [6, 7],
                    "drawn": [8, 9],
                    "looked": [13],
                }
            },
            CardsExchanged(0, 2, Cards.parse("7C 8C"), Cards.parse("9C TC"), Cards.parse("AC")),
        ),
        (
            {"leftovers_settled": {"choice": actions_pb2.LEFTOVERS_CHOICE_REVEAL, "cards": [6]}},
            LeftoversSettled(Leftovers.REVEAL, Cards.parse("7C")),
        ),
        (
            {
                "combination_declared": {
                    "round": events_pb2.PIQUET_ROUND_POINT,
                    "length": 5,
                    "value": 48,
                    "answer": events_pb2.PIQUET_ANSWER_GOOD,
                }
            },
            CombinationDeclared(PiquetRound.POINT, 5, 48, None, PiquetAnswer.GOOD),
        ),
        (
            {"combination_declared": {"round": 3, "length": 3, "rank": 9, "answer": 2}},
            CombinationDeclared(PiquetRound.SET, 3, None, Rank.TEN, PiquetAnswer.NOT_GOOD),
        ),
        (
            {"combination_declared": {"round": 2}},
            CombinationDeclared(PiquetRound.SEQUENCE, 0, None, None, None),
        ),
        (
            {
                "combinations_shown": {
                    "seat": 1,
                    "round": 2,
                    "combinations": [{"sequence": {"suit": 4, "top": 11, "length": 3}}],
                    "points": 3,
                    "cards": [Card(name).number for name in ("TS", "JS", "QS")],
                }
            },
            CombinationsShown(
                0,
                PiquetRound.SEQUENCE,
                (SequenceCombination(Suit.SPADES, Rank.QUEEN, 3),),
                3,
                Cards.parse("TS JS QS"),
            ),
        ),
        (
            {"bonus_scored": {"seat": 2, "bonus": events_pb2.PIQUET_BONUS_REPIQUE, "points": 60}},
            BonusScored(1, PiquetBonus.REPIQUE, 60),
        ),
        ({"card_played": {"seat": 1, "card": UNKNOWN_CARD}}, None),
        ({}, None),
    ],
)
def test_an_event_is_decoded(message: dict[str, Any], event: object) -> None:
    assert _decode.event(events_pb2.Event(**message)) == event


@pytest.mark.parametrize(
    ("message", "action", "shown"),
    [
        ({"play_card": Card("QS").number}, PlayCard(Card("QS")), "PlayCard(QS)"),
        ({"bid": 0}, Bid(0), "Bid(0)"),
        ({"draft": actions_pb2.DRAFT_CHOICE_REFUSE}, Draft.REFUSE, "Draft.REFUSE"),
        ({"moon": actions_pb2.MOON_CHOICE_SUBTRACT}, Moon.SUBTRACT, "Moon.SUBTRACT"),
        ({"choose_cards": {"cards": [1, 2]}}, ChooseCards(Cards.parse("2C 3C")), "ChooseCards(2C 3C)"),
        ({"blind": actions_pb2.BLIND_CHOICE_NIL}, Blind.NIL, "Blind.NIL"),
        ({"upcard_call": actions_pb2.UPCARD_CALL_ACCEPT}, UpcardCall.ACCEPT, "UpcardCall.ACCEPT"),
        ({"trump_call": actions_pb2.TRUMP_CALL_PASS}, TrumpCall.PASS, "TrumpCall.PASS"),
        ({"alone": actions_pb2.ALONE_CHOICE_TOGETHER}, Alone.TOGETHER, "Alone.TOGETHER"),
        ({"blank": actions_pb2.BLANK_CHOICE_CLAIM}, Blank.CLAIM, "Blank.CLAIM"),
        ({"leftovers": actions_pb2.LEFTOVERS_CHOICE_LEAVE}, Leftovers.LEAVE, "Leftovers.LEAVE"),
        ({"declare": {}}, Declare(None), "Declare(combination=None)"),
        (
            {"declare": {"combination": {"point": {"suit": cards_pb2.SUIT_HEARTS}}}},
            Declare(PointCombination(Suit.HEARTS)),
            "Declare(combination=PointCombination(suit=Suit.HEARTS))",
        ),
        (
            {"declare": {"combination": {"set": {"rank": cards_pb2.RANK_QUEEN, "count": 4}}}},
            Declare(SetCombination(Rank.QUEEN, 4)),
            "Declare(combination=SetCombination(rank=Rank.QUEEN, count=4))",
        ),
        (
            {"choose_combinations": {"combinations": [{"sequence": {"suit": 1, "top": 8, "length": 3}}]}},
            ChooseCombinations((SequenceCombination(Suit.CLUBS, Rank.NINE, 3),)),
            "ChooseCombinations(combinations="
            "(SequenceCombination(suit=Suit.CLUBS, top=Rank.NINE, length=3),))",
        ),
    ],
)
def test_an_action_is_decoded(message: dict[str, Any], action: object, shown: str) -> None:
    decoded = _decode.action(actions_pb2.Action(**message))
    assert decoded == action
    assert repr(decoded) == shown


@pytest.mark.parametrize(
    "message",
    [
        {"alone": 9},
        {"declare": {"combination": {}}},
        {"declare": {"combination": {"point": {"suit": 9}}}},
        {"declare": {"combination": {"sequence": {"suit": 1, "top": 14, "length": 3}}}},
        {"declare": {"combination": {"sequence": {"suit": 5, "top": 9, "length": 3}}}},
        {"declare": {"combination": {"set": {"rank": 14, "count": 3}}}},
        {"play_card": UNKNOWN_CARD},
        {"draft": 9},
        {"moon": 9},
        {},
    ],
)
def test_an_unknown_action_stays_a_message(message: dict[str, Any]) -> None:
    action = _decode.action(actions_pb2.Action(**message))
    assert action == OtherAction(actions_pb2.Action(**message))
    assert len({action, action}) == 1


def test_legal_answers_are_a_list_or_a_choice(tell: type[Tell]) -> None:
    listed = actions_pb2.Legal(actions={"actions": [{"bid": 0}, {"bid": 1}]})
    assert _decode.legal(listed) == LegalActions((Bid(0), Bid(1)))
    choice = actions_pb2.ChooseCards(cards=tell.numbers("2C QS"), minimum=0, maximum=2)
    assert _decode.legal(actions_pb2.Legal(choose_cards=choice)) == LegalChoice(Cards.parse("2C QS"), 0, 2)
    further: list[Any] = [{"set": {"rank": 9, "count": 3}}, {}]  # the second is of a kind that is unknown
    combinations = actions_pb2.ChooseCombinations(combinations=further, minimum=0, maximum=1)
    expected = LegalCombinations((SetCombination(Rank.TEN, 3),), 0, 1)
    assert _decode.legal(actions_pb2.Legal(choose_combinations=combinations)) == expected
    assert _decode.legal(actions_pb2.Legal(choose_combinations={})) == LegalCombinations((), 0, 0)


@pytest.mark.parametrize("count", [1, 2, 13, 31, 32, 52])
def test_a_list_of_plays_is_read_from_its_bytes_as_from_its_message(tell: type[Tell], count: int) -> None:
    legal = tell.listed(*({"play_card": number} for number in range(52, 52 - count, -1)))
    assert _decode.legal(legal) == _decode._legal(legal)
    assert (_decode._are_plays(legal.SerializeToString()) is not None) == (count < 32)


@pytest.mark.parametrize("other", [{"play_card": 0}, {"play_card": 53}, {"bid": 3}, {}])
def test_a_list_that_is_not_of_known_cards_alone_is_read_from_its_message(
    tell: type[Tell], other: dict[str, Any]
) -> None:
    legal = tell.listed({"play_card": 1}, other, {"play_card": 2})
    assert _decode._are_plays(legal.SerializeToString()) is None
    assert _decode.legal(legal) == _decode._legal(legal)


def test_what_is_unknown_is_passed_over(tell: type[Tell]) -> None:
    assert _decode.view(views_pb2.View.FromString(UNKNOWN_KIND)) is None
    assert _decode.event(events_pb2.Event.FromString(UNKNOWN_KIND)) is None
    assert _decode.legal(actions_pb2.Legal.FromString(UNKNOWN_KIND)) == LegalActions(())
    view = _decode.view(tell.hearts_view(phase=99, direction=99, hand=[1, UNKNOWN_CARD, 2]))
    assert isinstance(view, HeartsView)
    assert (view.phase, view.direction) == (HeartsPhase.UNKNOWN, PassDirection.UNKNOWN)
    assert view.hand == Cards.parse("2C 3C")
    assert view.seat is None


def test_the_enums_are_numbered_as_on_the_wire() -> None:
    pairs = [
        (Draft, actions_pb2.DraftChoice),
        (Moon, actions_pb2.MoonChoice),
        (Blind, actions_pb2.BlindChoice),
        (UpcardCall, actions_pb2.UpcardCall),
        (TrumpCall, actions_pb2.TrumpCall),
        (Alone, actions_pb2.AloneChoice),
        (Blank, actions_pb2.BlankChoice),
        (Leftovers, actions_pb2.LeftoversChoice),
        (PassDirection, events_pb2.PassDirection),
        (HeartsPhase, views_pb2.HeartsPhase),
        (TwoHandedSpadesPhase, views_pb2.TwoHandedSpadesPhase),
        (fairdeal.SpadesPhase, views_pb2.SpadesPhase),
        (fairdeal.EuchrePhase, views_pb2.EuchrePhase),
        (fairdeal.PiquetPhase, views_pb2.PiquetPhase),
        (PiquetRound, events_pb2.PiquetRound),
        (PiquetAnswer, events_pb2.PiquetAnswer),
        (PiquetBonus, events_pb2.PiquetBonus),
        (fairdeal.Fault, fairdeal.v1.play_service_pb2.Fault),
        (fairdeal.CloseReason, fairdeal.v1.play_service_pb2.CloseReason),
        (fairdeal.Termination, fairdeal.v1.play_service_pb2.Termination),
        (fairdeal.NoticeKind, fairdeal.v1.play_service_pb2.NoticeKind),
    ]
    for ours, wire in pairs:
        prefix = wire.Name(0).removesuffix("UNSPECIFIED")
        numbers = {name.removeprefix(prefix): number for name, number in wire.items() if number}
        assert {member.name: member.value for member in ours} == {"UNKNOWN": 0, **numbers}
