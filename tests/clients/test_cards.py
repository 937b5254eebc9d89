import copy
import pickle

import pytest

from fairdeal import ALL_CARDS, Card, Cards, Rank, Suit
from fairdeal.v1 import cards_pb2


def test_there_is_one_object_for_each_card() -> None:
    queen = Card("QS")
    assert queen is Card("QS")
    assert copy.deepcopy(queen) is queen
    assert pickle.loads(pickle.dumps(queen)) is queen


@pytest.mark.parametrize(
    ("name", "suit", "rank", "wire"),
    [
        ("2C", Suit.CLUBS, Rank.TWO, cards_pb2.CARD_TWO_OF_CLUBS),
        ("TD", Suit.DIAMONDS, Rank.TEN, cards_pb2.CARD_TEN_OF_DIAMONDS),
        ("JH", Suit.HEARTS, Rank.JACK, cards_pb2.CARD_JACK_OF_HEARTS),
        ("QS", Suit.SPADES, Rank.QUEEN, cards_pb2.CARD_QUEEN_OF_SPADES),
        ("AS", Suit.SPADES, Rank.ACE, cards_pb2.CARD_ACE_OF_SPADES),
    ],
)
def test_a_card_knows_its_suit_rank_and_number(name: str, suit: Suit, rank: Rank, wire: int) -> None:
    card = Card(name)
    assert (card.suit, card.rank, card.number) == (suit, rank, wire)
    assert str(card) == repr(card) == name


def test_every_card_has_the_number_of_its_name_on_the_wire() -> None:
    for card in ALL_CARDS:
        assert cards_pb2.Card.Name(card.number) == f"CARD_{card.rank.name}_OF_{card.suit.name}"


def test_cards_sort_in_canonical_order() -> None:
    assert str(Cards(sorted(Cards.parse("AS 2C QH AC 2S")))) == "2C AC QH 2S AS"
    assert Card("KS") < Card("AS")
    assert Card("2D") >= Card("AC")
    with pytest.raises(TypeError):
        assert Card("KS") < 3


@pytest.mark.parametrize("name", ["", "Q", "1S", "10S", "qs", "SQ"])
def test_what_is_no_card_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"is not a card: write rank then suit, such as QS or TC"):
        Card(name)


def test_a_card_cannot_be_changed() -> None:
    with pytest.raises(AttributeError, match="a card cannot be changed"):
        Card("QS").rank = Rank.TWO


def test_cards_print_as_names() -> None:
    hand = Cards.parse("QS KD 2C")
    assert (str(hand), repr(hand), repr(Cards())) == ("QS KD 2C", "[QS KD 2C]", "[]")


def test_the_cards_of_a_suit_keep_their_order() -> None:
    assert Cards.parse("3H QS 2H KD").of(Suit.HEARTS) == Cards.parse("3H 2H")
