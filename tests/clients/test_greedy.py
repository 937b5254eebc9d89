"""The house bot `greedy` in positions of spades, euchre and piquet; seat 0 is asked unless said otherwise."""

from typing import Any

import pytest

from fairdeal import (
    Alone,
    Bid,
    Blank,
    Blind,
    Card,
    Cards,
    Decision,
    Declare,
    Leftovers,
    LegalActions,
    PlayCard,
    PointCombination,
    Rank,
    SequenceCombination,
    SetCombination,
    Suit,
    TrumpCall,
    UpcardCall,
    _updates,
    bots,
)
from fairdeal.v1 import actions_pb2, cards_pb2, events_pb2, views_pb2
from tests.clients.conftest import Tell

SEAT_0, SEAT_1, SEAT_2, SEAT_3 = 1, 2, 3, 4


def greedy(tell: Any, legal: actions_pb2.Legal, view: views_pb2.View) -> Any:
    """Return the answer to a decision, once it is seen to be among the legal ones of a list."""
    update = tell.decision(legal, view=view)
    decision = Decision(
        _updates.seated(tell.seated(game=view.WhichOneof("game")).seated), update.decision, ""
    )
    answer = bots.make("greedy").act(decision)
    if isinstance(decision.legal, LegalActions):
        assert answer in decision.legal.actions or PlayCard(answer) in decision.legal.actions
    return answer


def plays(tell: Any, names: str) -> actions_pb2.Legal:
    return tell.listed(*({"play_card": number} for number in tell.numbers(names)))


def following(hand: str, led: str) -> str:
    """Return the cards of a hand that may be played to a lead."""
    return str(Cards.parse(hand).of(Card(led).suit)) or hand


# Spades


def test_greedy_looks_before_it_bids(tell: type[Tell]) -> None:
    view = tell.spades_view(phase=views_pb2.SPADES_PHASE_BLIND, seat=SEAT_0, blind_sides=[SEAT_0])
    assert greedy(tell, tell.listed({"blind": 1}, {"blind": 2}), view) is Blind.LOOK


@pytest.mark.parametrize(
    ("hand", "least", "most"),
    [
        ("AS KS QS JS TS 9S 8S 7S 6S 5S 4S 3S 2S", 9, 13),
        ("2C 3C AC 2D 5D KD 2H 3H AH KH 2S 9S AS", 4, 6),
        ("2C 7C TC JC 3D 8D JD 9H TH JH 4S 5S TS", 1, 2),
        ("2C 4C 6C 9C 2D 5D 7D 3H 5H 8H 9H 2S 4S", 0, 0),  # nil
        ("2C 4C 6C 9C 2D 5D 7D 3H 5H 8H 9H 2S KS", 1, 2),  # a high spade is no nil
    ],
)
def test_greedy_bids_what_a_hand_of_spades_is_worth(
    tell: type[Tell], hand: str, least: int, most: int
) -> None:
    view = tell.spades_view(phase=views_pb2.SPADES_PHASE_BID, seat=SEAT_0, hand=tell.numbers(hand))
    answer = greedy(tell, tell.listed(*({"bid": tricks} for tricks in range(14))), view)
    assert isinstance(answer, Bid)
    assert least <= answer.tricks <= most


def spades(tell: Any, hand: str, trick: str, bids: list[int], taken: list[int]) -> Any:
    """Have seat 0 play; the cards of the trick are those of the seats before it."""
    led = trick.split()[0] if trick else None
    leader = 4 - len(trick.split())
    view = tell.spades_view(
        phase=views_pb2.SPADES_PHASE_PLAY,
        seat=SEAT_0,
        hand=tell.numbers(hand),
        bids=[events_pb2.BidMade(seat=seat + 1, tricks=tricks) for seat, tricks in enumerate(bids)],
        taken=taken,
        trick=tell.trick(leader, trick) if led else None,
    )
    return greedy(tell, plays(tell, following(hand, led) if led else hand), view)


@pytest.mark.parametrize(
    ("hand", "trick", "bids", "taken", "card"),
    [
        ("2D 9D KD AD", "3D 4D TD", [3, 3, 3, 3], [0, 0, 0, 0], "KD"),  # wins as cheaply as it can
        ("2D 9D KD", "3D TD 4D", [3, 3, 3, 3], [0, 0, 0, 0], "2D"),  # the partner wins it already
        ("2D 9D KD", "3D 4D", [3, 3, 3, 3], [0, 0, 0, 0], "KD"),  # third plays high
        ("2D 9D KD", "3D", [3, 3, 3, 3], [0, 0, 0, 0], "2D"),  # second plays low, unless
        ("2D 9D AD", "3D", [3, 3, 3, 3], [0, 0, 0, 0], "AD"),  # nothing beats it
        ("9C 2S 5S", "TD JD QD", [3, 3, 3, 3], [0, 0, 0, 0], "2S"),  # ruffs low
        ("9C 2S 5S", "TD AD QD", [3, 3, 3, 3], [0, 0, 0, 0], "9C"),  # ruffs no trick of the partner's
        ("2D 9D KD", "3D 4D TD", [3, 2, 3, 3], [3, 2, 3, 2], "9D"),  # has enough
        ("2D 9D KD", "3D 4D TD", [3, 9, 3, 1], [3, 4, 3, 0], "9D"),  # and the others have failed
        ("2D 9D KD", "3D 4D TD", [3, 9, 3, 1], [3, 7, 3, 0], "KD"),  # makes the others fail
        ("2D 9D KD", "3D 4D TD", [0, 4, 4, 4], [0, 0, 0, 0], "9D"),  # nil
        ("2D 9D KD", "3D 4D TD", [0, 4, 4, 4], [1, 4, 1, 4], "9D"),  # a failed nil fills no contract
        ("JD KD", "3D 4D TD", [0, 4, 4, 4], [0, 0, 0, 0], "KD"),  # cannot be helped
        ("JD KD", "3D TD", [0, 4, 4, 4], [0, 0, 0, 0], "JD"),  # the last may go over it
        ("2D 9D KD", "3D TD 4D", [3, 4, 0, 4], [0, 0, 0, 0], "KD"),  # covers the partner's nil
        ("2D 9D KD", "3D 4D TD", [3, 4, 4, 0], [0, 0, 0, 0], "2D"),  # leaves a nil its trick
        ("2D 9D KD", "3D 4D TD", [3, 4, 4, 0], [0, 0, 0, 1], "KD"),  # which failed already
    ],
)
def test_greedy_follows_in_spades(
    tell: type[Tell], hand: str, trick: str, bids: list[int], taken: list[int], card: str
) -> None:
    assert spades(tell, hand, trick, bids, taken) == Card(card)


@pytest.mark.parametrize(
    ("hand", "bids", "taken", "card"),
    [
        ("2D AD KC", [3, 3, 3, 3], [0, 0, 0, 0], "AD"),  # cashes what wins
        ("3D JC 2S", [3, 3, 3, 3], [0, 0, 0, 0], "3D"),  # nothing wins: the lowest
        ("3D JC 2S", [3, 3, 0, 3], [0, 0, 0, 0], "JC"),  # but covers the partner's nil
        ("2D AD KC", [3, 2, 3, 3], [3, 2, 3, 2], "2D"),  # has enough
        ("2D AD KC", [0, 3, 3, 3], [0, 0, 0, 0], "2D"),  # nil
    ],
)
def test_greedy_leads_in_spades(
    tell: type[Tell], hand: str, bids: list[int], taken: list[int], card: str
) -> None:
    assert spades(tell, hand, "", bids, taken) == Card(card)


# Euchre


@pytest.mark.parametrize(
    ("hand", "upcard", "dealer", "call"),
    [
        ("JH AH 9H AC KD", "JD", SEAT_3, UpcardCall.PASS),
        ("JD JH AD AC 9S", "9D", SEAT_3, UpcardCall.ACCEPT),
        ("9C TC QS KS 9H", "9D", SEAT_0, UpcardCall.PASS),
        ("AD KD 9C 9S TS", "JD", SEAT_0, UpcardCall.ACCEPT),  # the dealer gets the right bower
        ("AD KD 9C 9S TS", "JD", SEAT_2, UpcardCall.ACCEPT),  # the partner gets it
        ("AD KD AC 9S TS", "JD", SEAT_1, UpcardCall.PASS),  # an opponent gets it
    ],
)
def test_greedy_accepts_the_upcard_on_enough(
    tell: type[Tell], hand: str, upcard: str, dealer: int, call: UpcardCall
) -> None:
    view = tell.euchre_view(
        phase=views_pb2.EUCHRE_PHASE_UPCARD,
        seat=SEAT_0,
        dealer=dealer,
        hand=tell.numbers(hand),
        upcard=Card(upcard).number,
    )
    assert greedy(tell, tell.listed({"upcard_call": 1}, {"upcard_call": 2}), view) is call


@pytest.mark.parametrize(
    ("hand", "calls", "call"),
    [
        ("JS JC AS 9H 9D", (1, 3, 4, 5), TrumpCall.SPADES),
        ("9C TC QS KS 9H", (1, 3, 4, 5), TrumpCall.PASS),
        ("9C TC QS KS 9H", (1, 3, 4), TrumpCall.SPADES),  # the dealer is stuck
        ("JS JC AS 9H 9D", (1, 2, 3, 5), TrumpCall.CLUBS),  # spades were turned down
    ],
)
def test_greedy_names_its_best_suit(
    tell: type[Tell], hand: str, calls: tuple[int, ...], call: TrumpCall
) -> None:
    view = tell.euchre_view(phase=views_pb2.EUCHRE_PHASE_TRUMP, seat=SEAT_0, hand=tell.numbers(hand))
    assert greedy(tell, tell.listed(*({"trump_call": number} for number in calls)), view) is call


@pytest.mark.parametrize(
    ("hand", "maker", "choice"),
    [
        ("JS JC AS KS AH", SEAT_0, Alone.ALONE),
        ("JS JC AS KS AH", SEAT_2, Alone.TOGETHER),
        ("JS JC AS KS QS", SEAT_1, Alone.TOGETHER),
        ("9C TC QS KS 9H", SEAT_0, Alone.TOGETHER),
    ],
)
def test_greedy_plays_alone_with_a_sure_hand(tell: type[Tell], hand: str, maker: int, choice: Alone) -> None:
    view = tell.euchre_view(
        phase=views_pb2.EUCHRE_PHASE_ALONE,
        seat=SEAT_0,
        maker=maker,
        trump=cards_pb2.SUIT_SPADES,
        hand=tell.numbers(hand),
    )
    assert greedy(tell, tell.listed({"alone": 1}, {"alone": 2}), view) is choice


@pytest.mark.parametrize(
    ("hand", "offered", "card"),
    [
        ("JS JC AS AH 9D TD", "JS JC AS AH 9D TD", "9D"),
        ("JS JC AS AH 9D KC", "JS JC AS AH 9D KC", "9D"),
        ("JS AS KS QS TS 9S", "JS AS KS QS TS", "TS"),  # the upcard may not be put aside
    ],
)
def test_greedy_puts_its_worst_card_aside(tell: type[Tell], hand: str, offered: str, card: str) -> None:
    view = tell.euchre_view(
        phase=views_pb2.EUCHRE_PHASE_DISCARD,
        seat=SEAT_0,
        trump=cards_pb2.SUIT_SPADES,
        hand=tell.numbers(hand),
    )
    choice = actions_pb2.ChooseCards(cards=tell.numbers(offered), minimum=1, maximum=1)
    assert greedy(tell, actions_pb2.Legal(choose_cards=choice), view) == Cards.parse(card)


@pytest.mark.parametrize(
    ("hand", "legal", "leader", "trick", "alone", "card"),
    [
        ("9D KD AD", "9D KD AD", 1, "TD QD JD", None, "9D"),  # the partner wins it already
        ("9D KD AD", "9D KD AD", 1, "TD 9C QD", None, "KD"),  # wins as cheaply as it can
        ("9D AD", "9D AD", 3, "TD", None, "AD"),
        ("9H JC 9S", "JC 9S", 3, "TS", None, "JC"),  # the left bower follows spades
        ("9H 9S AS", "9S AS", 2, "JC QS", None, "9S"),  # it stands above the ace
        ("9H 9S AS", "9H 9S AS", 1, "KD 9C AD", None, "9S"),  # ruffs low
        ("9H TC 9S", "9H TC 9S", 3, "AD", None, "9S"),
        ("9D KD AD", "9D KD AD", 2, "TD JD", SEAT_3, "KD"),  # seat 1 sits out: the last plays now
        ("9D KD AD", "9D KD AD", 3, "QD", SEAT_0, "AD"),  # the own partner sits out: seat 1 plays after
    ],
)
def test_greedy_follows_in_euchre(
    tell: type[Tell], hand: str, legal: str, leader: int, trick: str, alone: int | None, card: str
) -> None:
    said = [events_pb2.AloneChosen(seat=alone, choice=actions_pb2.ALONE_CHOICE_ALONE)] if alone else []
    view = tell.euchre_view(
        phase=views_pb2.EUCHRE_PHASE_PLAY,
        seat=SEAT_0,
        maker=SEAT_1,
        trump=cards_pb2.SUIT_SPADES,
        hand=tell.numbers(hand),
        trick=tell.trick(leader, trick),
        alone=said,
    )
    assert greedy(tell, plays(tell, legal), view) == Card(card)


@pytest.mark.parametrize(
    ("hand", "maker", "upcard", "card"),
    [
        ("JS 9S AD", SEAT_0, "9C", "JS"),  # draws trumps
        ("JC 9S AD", SEAT_0, "JS", "JC"),  # the right bower was turned down
        ("QS 9S AD", SEAT_0, "9C", "AD"),  # its trumps are not high enough
        ("QS 9S KD", SEAT_2, "9C", "QS"),  # helps the partner
        ("JS 9D KD", SEAT_1, "9C", "9D"),  # keeps its trump
        ("JS AD 9D", SEAT_1, "9C", "AD"),
        ("JS 9S", SEAT_1, "9C", "9S"),
    ],
)
def test_greedy_leads_in_euchre(tell: type[Tell], hand: str, maker: int, upcard: str, card: str) -> None:
    view = tell.euchre_view(
        phase=views_pb2.EUCHRE_PHASE_PLAY,
        seat=SEAT_0,
        maker=maker,
        trump=cards_pb2.SUIT_SPADES,
        trump_calls=[actions_pb2.TRUMP_CALL_SPADES],
        upcard=Card(upcard).number,
        hand=tell.numbers(hand),
    )
    assert greedy(tell, plays(tell, hand), view) == Card(card)


# Piquet

HAND = "7C 9C JC 8D 9D AH KH QH JH TH 8S KS"


@pytest.mark.parametrize(
    ("minimum", "maximum", "discarded"),
    [(1, 5, "7C 9C 8D 9D 8S"), (0, 3, "7C 9C 8D 9D 8S"), (0, 8, "7C 9C JC 8D 9D 8S KS")],
)
def test_greedy_keeps_its_long_suit(tell: type[Tell], minimum: int, maximum: int, discarded: str) -> None:
    view = tell.piquet_view(
        phase=views_pb2.PIQUET_PHASE_EXCHANGE, seat=SEAT_0, elder=SEAT_0, hand=tell.numbers(HAND)
    )
    choice = actions_pb2.ChooseCards(cards=tell.numbers(HAND), minimum=minimum, maximum=maximum)
    answer = greedy(tell, actions_pb2.Legal(choose_cards=choice), view)
    assert minimum <= len(answer) <= maximum
    assert set(answer) <= set(Cards.parse(discarded))


@pytest.mark.parametrize(
    "hand", ["AC AD AH AS KC KD KH KS QC QD QH QS", "7C 7D 7H 7S 8C 8D 8H 8S 9C 9D 9H 9S"]
)
def test_greedy_exchanges_as_many_as_it_must_and_may(tell: type[Tell], hand: str) -> None:
    view = tell.piquet_view(phase=views_pb2.PIQUET_PHASE_EXCHANGE, hand=tell.numbers(hand))
    choice = actions_pb2.ChooseCards(cards=tell.numbers(hand), minimum=1, maximum=5)
    answer = greedy(tell, actions_pb2.Legal(choose_cards=choice), view)
    assert len(answer) == (1 if "AC" in hand else 5)


@pytest.mark.parametrize(
    ("phase", "field", "numbers", "answer"),
    [
        (views_pb2.PIQUET_PHASE_BLANK, "blank", (1, 2), Blank.CLAIM),
        (views_pb2.PIQUET_PHASE_BLANK, "blank", (2,), Blank.DECLINE),
        (views_pb2.PIQUET_PHASE_LEFTOVERS, "leftovers", (1, 2), Leftovers.LEAVE),
    ],
)
def test_greedy_claims_blanks_and_leaves_what_is_over(
    tell: type[Tell], phase: Any, field: str, numbers: tuple[int, ...], answer: object
) -> None:
    view = tell.piquet_view(phase=phase, seat=SEAT_0)
    assert greedy(tell, tell.listed(*({field: number} for number in numbers)), view) is answer


POINTS = [{"point": {"suit": suit}} for suit in (1, 2, 3, 4)]
SEQUENCES = [
    {"sequence": {"suit": 1, "top": 13, "length": 3}},
    {"sequence": {"suit": 2, "top": 9, "length": 4}},
    {"sequence": {"suit": 3, "top": 10, "length": 4}},
]
SETS = [{"set": {"rank": 9, "count": 4}}, {"set": {"rank": 13, "count": 3}}]


@pytest.mark.parametrize(
    ("combinations", "declared"),
    [
        (POINTS, PointCombination(Suit.SPADES)),  # four cards, and the ace
        (SEQUENCES, SequenceCombination(Suit.HEARTS, Rank.JACK, 4)),
        (SETS, SetCombination(Rank.TEN, 4)),
        ([], None),
    ],
)
def test_greedy_declares_its_best(
    tell: type[Tell], combinations: list[dict[str, Any]], declared: Any
) -> None:
    view = tell.piquet_view(
        phase=views_pb2.PIQUET_PHASE_DECLARE,
        seat=SEAT_0,
        hand=tell.numbers("7C 8C QD KD 7H TH JH KH 7S TS KS AS"),
    )
    legal = tell.listed({"declare": {}}, *({"declare": {"combination": each}} for each in combinations))
    assert greedy(tell, legal, view) == Declare(declared)


def test_greedy_declares_all_further_combinations(tell: type[Tell]) -> None:
    view = tell.piquet_view(phase=views_pb2.PIQUET_PHASE_FURTHER, seat=SEAT_0)
    further = actions_pb2.ChooseCombinations(combinations=SETS, minimum=0, maximum=2)
    expected = (SetCombination(Rank.TEN, 4), SetCombination(Rank.ACE, 3))
    assert greedy(tell, actions_pb2.Legal(choose_combinations=further), view) == expected
    assert greedy(tell, actions_pb2.Legal(choose_combinations={}), view) == ()


@pytest.mark.parametrize(
    ("hand", "view", "card"),
    [
        ("AC 9D 8D AH KH", {}, "AH"),  # more of it stands
        ("7C 9C KC 8D", {}, "7C"),  # nothing stands: low from the longest
        ("7C KC 8D", {"discarded": ["AC"]}, "KC"),
        ("7C KC 8D", {"leftovers": ["AC"]}, "KC"),
        ("7C KC 8D", {"looked": ["AC", "7D"], "taken": 0}, "KC"),  # left in the talon
        ("7C KC 8D", {"looked": ["AC", "7D"], "taken": 1}, "7C"),  # younger drew it
    ],
)
def test_greedy_leads_what_stands(tell: type[Tell], hand: str, view: dict[str, Any], card: str) -> None:
    fields = dict(view)
    exchanges = [
        events_pb2.CardsExchanged(seat=SEAT_0, count=3),
        events_pb2.CardsExchanged(seat=SEAT_1, count=fields.pop("taken", 0)),
    ]
    message = tell.piquet_view(
        phase=views_pb2.PIQUET_PHASE_PLAY,
        seat=SEAT_0,
        elder=SEAT_0,
        hand=tell.numbers(hand),
        exchanges=exchanges,
        **{name: tell.numbers(" ".join(cards)) for name, cards in fields.items()},
    )
    assert greedy(tell, plays(tell, hand), message) == Card(card)


@pytest.mark.parametrize(
    ("hand", "led", "card"),
    [
        ("9D KD AD", "QD", "KD"),  # wins as cheaply as it can
        ("7D 9D", "QD", "7D"),
        ("AC 7H KS 8S", "QD", "7H"),  # throws away what helps nothing
        ("AC 9H KS 8S", "QD", "9H"),  # the eight guards the king
    ],
)
def test_greedy_follows_in_piquet(tell: type[Tell], hand: str, led: str, card: str) -> None:
    view = tell.piquet_view(
        phase=views_pb2.PIQUET_PHASE_PLAY,
        seat=SEAT_0,
        hand=tell.numbers(hand),
        trick=tell.trick(1, led),
    )
    assert greedy(tell, plays(tell, following(hand, led)), view) == Card(card)
