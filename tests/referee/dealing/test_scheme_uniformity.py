"""The dealing scheme's exact uniformity: each order of the cards is as likely as any other."""

import itertools
import math
from collections import Counter

import pytest

from referee.cards import ALL_CARDS, Card
from referee.dealing.scheme import Draws, deck, mac, shuffle, u32be
from tests.referee.dealing.dealing_vectors import ROOT


class EveryByte(Draws):
    """Yields each byte value once, in order."""

    def byte(self) -> int:
        if self.used == 256:
            raise EOFError
        self.used += 1
        return self.used - 1


def test_every_result_of_a_draw_comes_from_equally_many_bytes() -> None:
    for n in range(2, 257):
        stream, drawn = EveryByte(b"", ""), Counter[int]()
        with pytest.raises(EOFError):
            while True:
                drawn[stream.draw(n)] += 1
        assert drawn == dict.fromkeys(range(n), 256 // n), n


class Scripted(Draws):
    """Yields draws that were fixed beforehand."""

    def __init__(self, draws: tuple[int, ...]) -> None:
        super().__init__(b"", "")
        self._script = iter(draws)

    def draw(self, n: int) -> int:
        drawn = next(self._script)
        assert 0 <= drawn < n
        return drawn


@pytest.mark.parametrize("n", range(1, 8))
def test_every_path_of_draws_gives_another_order(n: int) -> None:
    paths = itertools.product(*(range(i + 1) for i in range(n - 1, 0, -1)))
    orders = [shuffle(range(n), Scripted(path)) for path in paths]
    assert len(orders) == math.factorial(n)
    assert set(orders) == set(itertools.permutations(range(n)))


def chi_square(decks: list[tuple[Card, ...]]) -> float:
    """Return the statistic of card by position, which has (n - 1) ** 2 degrees of freedom.

    Each deck fills every row and column once, so that the plain sum is too large by n / (n - 1).
    """
    n = len(decks[0])
    expected = len(decks) / n
    counts = Counter(cell for dealt in decks for cell in enumerate(dealt))
    plain = sum((counts[place, c] - expected) ** 2 / expected for place in range(n) for c in ALL_CARDS[:n])
    return plain * (n - 1) / n


class Hasty(Draws):
    """Forgets to pass over the bytes that make low results too frequent."""

    def draw(self, n: int) -> int:
        return self.byte() % n


DEALS = 8_000
FREEDOM = 51**2
SIGMA = math.sqrt(2 * FREEDOM)


def test_cards_come_to_all_positions_alike() -> None:
    decks = [deck(ROOT, deal, ALL_CARDS) for deal in range(DEALS)]
    assert abs(chi_square(decks) - FREEDOM) < 3 * SIGMA


def test_a_shuffle_without_rejection_would_be_noticed() -> None:
    decks = [shuffle(ALL_CARDS, Hasty(mac(ROOT, u32be(deal)), "")) for deal in range(DEALS)]
    assert chi_square(decks) - FREEDOM > 6 * SIGMA
