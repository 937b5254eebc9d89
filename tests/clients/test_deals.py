"""How unseen cards are drawn: every possible deal, all equally likely."""

from collections import Counter
from itertools import permutations
from typing import Any, Final

import pytest

from fairdeal import ALL_CARDS, Cards, Chance
from fairdeal.model._deals import UnseenCards, UnseenPile, _below

ROOMS: Final = (2, 1, 2)
CARDS: Final = Cards.parse("2C 3C 2D 3D 2H")
BANNED: Final = ({*Cards.parse("2C")}, {*Cards.parse("2D 3D")}, {*Cards.parse("2C 2H")})


def chance(number: int) -> Chance:
    return Chance("deals", "m", 0, number)


def piles(rooms: tuple[int, ...] = ROOMS, banned: tuple[Any, ...] = BANNED) -> list[UnseenPile]:
    return [UnseenPile(room, set(cards)) for room, cards in zip(rooms, banned, strict=True)]


def possible() -> set[tuple[frozenset[Any], ...]]:
    """Return all deals there are, by trying all orders."""
    found = set()
    for order in permutations(CARDS):
        deal = (frozenset(order[:2]), frozenset(order[2:3]), frozenset(order[3:]))
        if not any(held & banned for held, banned in zip(deal, BANNED, strict=True)):
            found.add(deal)
    return found


def test_every_deal_that_can_be_is_drawn_equally_often() -> None:
    deals = possible()
    assert len(deals) > 2
    times = 300
    drawn = Counter(
        tuple(frozenset(held) for held in UnseenCards(CARDS, piles()).draw(chance(number)))
        for number in range(times * len(deals))
    )
    assert set(drawn) == deals
    square = sum((count - times) ** 2 / times for count in drawn.values())
    assert square < 3 * len(deals)


def test_a_whole_pack_is_drawn() -> None:
    rooms = (13, 13, 13, 13)
    hands = UnseenCards(ALL_CARDS, [UnseenPile(room) for room in rooms]).draw(chance(1))
    assert [len(hand) for hand in hands] == [*rooms]
    assert sorted(card for hand in hands for card in hand) == list(ALL_CARDS)
    assert hands != UnseenCards(ALL_CARDS, [UnseenPile(room) for room in rooms]).draw(chance(2))


@pytest.mark.parametrize(
    ("rooms", "banned"),
    [
        ((2, 1, 1), ((), (), ())),
        ((2, 2, 2), ((), (), ())),
        ((3, 1, 1), (CARDS[:3], (), ())),
        ((2, 2, 1), (CARDS[:2], CARDS[:2], CARDS[:1])),
        ((2, 2, 1), (CARDS[:1], CARDS[:1], CARDS[:1])),
    ],
)
def test_a_deal_that_cannot_be_is_not_drawn(rooms: tuple[int, ...], banned: tuple[Any, ...]) -> None:
    with pytest.raises(ValueError, match="5 cards cannot lie so in piles of"):
        UnseenCards(CARDS, piles(rooms, banned))


def test_nothing_is_drawn_of_nothing() -> None:
    assert UnseenCards([], piles((0, 0, 0))).draw(chance(1)) == [[], [], []]


class Given:
    """A generator that draws what it was given."""

    def __init__(self, *numbers: int) -> None:
        self._left = list(numbers)

    def draw(self, n: int) -> int:
        assert n == 2**32
        return self._left.pop(0)


@pytest.mark.parametrize(
    ("limit", "given", "drawn"),
    [
        (3 * 2**30, (2**32 - 1, 5), 5),  # with it the low numbers would come up more often
        (3 * 2**30, (3 * 2**30 - 1,), 3 * 2**30 - 1),
        (6, (2**32 - 4, 13), 1),
        (2**40, (2, 3), 2**33 + 3),
        (1, (7,), 0),
    ],
)
def test_numbers_of_any_size_are_drawn_alike(limit: int, given: tuple[int, ...], drawn: int) -> None:
    chance: Any = Given(*given)
    assert _below(limit, chance) == drawn
