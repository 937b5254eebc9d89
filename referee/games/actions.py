"""Actions: the answers a seat can give, shared by all games, and the choices they come from.

Legal actions are listed in the order of their values on the wire: cards in canonical order, bids from low
to high, choices as their enum numbers them.
"""

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from referee.cards import Card


class MoonChoice(IntEnum):
    """What a hearts player who shot the moon does with the 26 points."""

    SUBTRACT = 1
    ADD = 2


class DraftChoice(IntEnum):
    """What a two-handed spades player does with the card it looks at."""

    KEEP = 1
    REFUSE = 2


@dataclass(frozen=True, slots=True)
class PlayCard:
    """Play one card to the trick."""

    card: Card


@dataclass(frozen=True, slots=True)
class Bid:
    """Declare a number of tricks; 0 is nil."""

    tricks: int


@dataclass(frozen=True, slots=True)
class Draft:
    """Keep or refuse the card just looked at."""

    choice: DraftChoice


@dataclass(frozen=True, slots=True)
class Moon:
    """Choose how a moon is scored."""

    choice: MoonChoice


@dataclass(frozen=True, slots=True)
class ChooseCards:
    """Choose several cards (a hearts pass, a discard, an exchange); their order says nothing."""

    cards: tuple[Card, ...]


Action = PlayCard | Bid | Draft | Moon | ChooseCards


@dataclass(frozen=True, slots=True)
class LegalActions:
    """A list to choose one from, sorted and without doubles."""

    actions: tuple[Action, ...]


@dataclass(frozen=True, slots=True)
class Choose:
    """A choice of ``minimum`` to ``maximum`` of the given cards, too many to list."""

    cards: tuple[Card, ...]
    minimum: int
    maximum: int


Legal = LegalActions | Choose

NOTHING: Final = LegalActions(())
"""What is legal for a seat that is not to act."""


def plays(cards: tuple[Card, ...]) -> LegalActions:
    """Return the legal list that plays one of some cards, given in canonical order."""
    return LegalActions(tuple(PlayCard(c) for c in cards))
