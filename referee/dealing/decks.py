"""The decks of one match, from the key of its epoch."""

from typing import Any

from referee.cards import Card, Seat
from referee.dealing import binding
from referee.dealing.keys import KeySource
from referee.dealing.scheme import Epoch, epoch_id
from referee.games.base import Game
from referee.match.effects import MatchSetup
from referee.match.messages import Commitment


def epoch_id_of(setup: MatchSetup) -> str:
    """Return the id of the epoch of a match: the one that it shares with others, or its own."""
    return setup.epoch or epoch_id(setup.match_id, setup.attempt)


class MatchDeals:
    """The decks of a match and the commitment to them. Matches that share an epoch have the same decks.

    ``rules_version`` is that of the match, by default that of its game.

    Raises:
        OSError, VaultError: the key source cannot give the secret.
        ValueError: the match id or the epoch cannot be a file name, or a name cannot be encoded.
    """

    def __init__(
        self, setup: MatchSetup, game: Game[Any], keys: KeySource, *, rules_version: int | None = None
    ) -> None:
        name = epoch_id_of(setup)
        self._epoch = Epoch.of_match(
            keys.secret(name),
            epoch_id=name,
            game=setup.game,
            options=game.listed(setup.options),
            deals=setup.deals,
            cards=game.cards,
        )
        self.secret = self._epoch.secret
        scheme, manifest = setup.scheme or binding.SCHEME, bytes.fromhex(self._epoch.manifest_digest)
        if scheme != binding.PLAIN_SCHEME:
            bound = binding.fields(
                setup,
                rules_version=game.rules_version if rules_version is None else rules_version,
                repeatable=keys.repeatable,
                epoch_digest=manifest,
            )
            manifest = binding.digest(self.secret, bound)
        self.commitment = Commitment(
            scheme=scheme,
            epoch_id=name,
            commit=bytes.fromhex(self._epoch.commitment),
            manifest=manifest,
            repeatable=keys.repeatable,
        )

    def deck(self, deal: int) -> tuple[Card, ...]:
        """Return the shuffled deck of a deal, from 0."""
        return self._epoch.deck(deal)

    def first(self, seats: int) -> Seat:
        """Return the seat that begins."""
        return self._epoch.first(seats)
