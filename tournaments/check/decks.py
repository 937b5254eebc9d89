"""Decks put in order, so that a bot is asked what chance would rarely bring."""

from collections.abc import Mapping
from typing import Any

from referee.cards import Card, Seat, cards
from referee.deals import MatchDeals
from referee.effects import MatchSetup
from referee.games.base import Game
from referee.vault import KeySource


class ArrangedDeals(MatchDeals):
    """The decks of a match, some of them as they are wanted: ``decks`` by deal, from 0.

    They are bound by no commitment that could be opened, so that the secret is never told.
    """

    def __init__(
        self, setup: MatchSetup, game: Game[Any], keys: KeySource, decks: Mapping[int, tuple[Card, ...]]
    ) -> None:
        super().__init__(setup, game, keys)
        self.secret = b""
        self._decks = decks

    def deck(self, deal: int) -> tuple[Card, ...]:
        """Return the deck of a deal, from 0."""
        return self._decks.get(deal) or super().deck(deal)


def one_sequence() -> Mapping[int, tuple[Card, ...]]:
    """Return the decks of a partie of piquet in which seat 0 holds one sequence, the best there is.

    Declared and found good, it leaves nothing else to be declared. Neither seat can draw another one among
    the first five cards of the talon.
    """
    first = "AC KC QC 7D 9D JD 8H TH QH 7S 9S JS"
    other = "7C 9C JC 8D TD KD 7H 9H KH 8S TS KS"
    talon = "8C TC QD AD QS JH AH AS"
    return dict.fromkeys(range(6), cards(f"{first} {other} {talon}"))


def moon_for(bot: Seat) -> Mapping[int, tuple[Card, ...]]:
    """Return the decks of a match of hearts in which a bot shoots the moon, whatever it plays.

    In the fourth deal nothing is passed, and it holds all clubs: it leads the two, and nobody can follow.
    """
    clubs, rest = list(range(13)), list(range(13, 52))
    at = 13 * bot
    return {3: tuple(map(Card, rest[:at] + clubs + rest[at:]))}
