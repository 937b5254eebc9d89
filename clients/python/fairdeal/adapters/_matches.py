"""What environments have in common: a game with its options, its matches by seed, what a result is worth."""

import secrets
from collections.abc import Mapping, Sequence
from typing import Final

from fairdeal.errors import BadSetting
from fairdeal.updates import OptionValue
from referee.dealing.decks import MatchDeals
from referee.dealing.keys import SeededKeys
from referee.games.errors import GameError
from referee.games.registry import game as rules_of
from referee.match.clock import PROFILES
from referee.match.effects import MatchSetup
from referee.match.faults import FaultPolicy

_SEED_BYTES: Final = 16


class Variant:
    """A game with its options, and a fixed number of deals or None.

    Raises:
        BadSetting: the game is unknown, or an option or the number of deals is wrong.
    """

    def __init__(self, game: str, options: Mapping[str, OptionValue], deals: int | None) -> None:
        try:
            self.game = rules_of(game)
            self.options = self.game.bind(options)
        except GameError as error:
            raise BadSetting(str(error)) from None
        if deals is not None and deals < 1:
            raise BadSetting(f"deals {deals}: must be 1 or more, or None for a whole game")
        self.deals = deals

    def match(self, keys: SeededKeys, number: int) -> tuple[MatchSetup, MatchDeals]:
        """Return the setup and the deals of a match, which follow from the keys and its number."""
        setup = MatchSetup(
            match_id=f"match-{number}",
            game=self.game.name,
            options=self.options,
            deals=self.deals,
            entries=tuple([f"seat{seat}" for seat in range(self.game.seats)]),
            clock=PROFILES["standard"],
            faults=FaultPolicy(),
        )
        return setup, MatchDeals(setup, self.game, keys)


def keys_of(seed: int | str | None) -> SeededKeys:
    """Return the keys of a seed; None draws one.

    Raises:
        BadSetting: the seed is not ASCII.
    """
    try:
        return SeededKeys(secrets.token_hex(_SEED_BYTES) if seed is None else str(seed))
    except ValueError as error:
        raise BadSetting(f"seed {seed!r}: {error}") from None


def reward_of(ranks: Sequence[int], side: int) -> float:
    """Return 1 for the sole best to -1 for the sole worst of the sides; they sum to 0."""
    worse = sum(rank > ranks[side] for rank in ranks)
    better = sum(rank < ranks[side] for rank in ranks)
    return (worse - better) / (len(ranks) - 1)
