"""The decks of one match, from the key of its epoch."""

from typing import Any

from referee.cards import Card, Seat
from referee.dealing.keys import KeySource
from referee.dealing.scheme import SCHEME, Epoch, epoch_id
from referee.games.base import Game
from referee.match.effects import MatchSetup
from referee.match.messages import Commitment


def epoch_of(setup: MatchSetup) -> str:
    """Return the id of the epoch of a match: the one that it shares with others, or its own."""
    return setup.epoch or epoch_id(setup.match_id, setup.attempt)


class MatchDeals:
    """The decks of a match and the commitment to them. Matches that share an epoch have the same decks.

    Raises:
        OSError, VaultError: the key source cannot give the secret.
        ValueError: the match id or the epoch cannot be a file name.
    """

    def __init__(self, setup: MatchSetup, game: Game[Any], keys: KeySource) -> None:
        name = epoch_of(setup)
        self._epoch = Epoch.of_match(
            keys.secret(name),
            epoch_id=name,
            game=setup.game,
            options=game.listed(setup.options),
            deals=setup.deals,
            cards=game.cards,
        )
        self.secret = self._epoch.secret
        self.commitment = Commitment(
            scheme=SCHEME,
            epoch_id=name,
            commit=bytes.fromhex(self._epoch.commitment),
            manifest=bytes.fromhex(self._epoch.manifest_digest),
            repeatable=keys.repeatable,
        )

    def deck(self, deal: int) -> tuple[Card, ...]:
        """Return the shuffled deck of a deal, from 0."""
        return self._epoch.deck(deal)

    def first(self, seats: int) -> Seat:
        """Return the seat that begins."""
        return self._epoch.first(seats)
