"""Legal lists of plays, which are sets of cards until somebody looks."""

import pytest

from referee.cards import ALL_CARDS, Card, hand_of
from referee.games.actions import LegalActions, PlayCard, plays
from tests.draws import shuffled


def drawn(count: int) -> tuple[Card, ...]:
    return tuple(sorted(shuffled(ALL_CARDS, "plays", count)[:count]))


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 13, 52])
def test_each_position_plays_its_card(count: int) -> None:
    some = drawn(count)
    for legal in (plays(hand_of(some)), LegalActions((), hand_of(some))):
        found = [legal.at(index) for index in range(-1, count + 1)]
        assert found == [None, *map(PlayCard, some), None]
        assert legal.actions == tuple(map(PlayCard, some))
        assert len(legal) == count


@pytest.mark.parametrize("count", [1, 2, 3, 13])
def test_plays_are_made_as_the_constructor_makes_them(count: int) -> None:
    hand = hand_of(drawn(count))
    assert plays(hand) == LegalActions((), hand)
    assert (plays(hand).cards, plays(hand).count) == (hand, count)
