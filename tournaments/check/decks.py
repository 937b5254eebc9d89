"""Arranged decks, so that a bot is asked decisions that chance would rarely bring."""

from collections.abc import Mapping
from typing import Any

from referee.cards import Card
from referee.dealing.decks import MatchDeals
from referee.dealing.keys import KeySource
from referee.games.base import Game
from referee.match.effects import MatchSetup


class ArrangedDeals(MatchDeals):
    """The decks of a match, some of them arranged: ``decks`` by deal, from 0.

    They have no commitment that could be opened, so the secret is never revealed.
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
