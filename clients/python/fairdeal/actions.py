"""Actions: what a bot may answer, and the legal answers that it is given."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from fairdeal._wire_enum import WireEnum
from fairdeal.cards import Card, Cards
from fairdeal.v1 import actions_pb2


class Draft(WireEnum):
    """Keeps or refuses the card looked at (two-handed spades)."""

    UNKNOWN = 0
    KEEP = 1
    REFUSE = 2


class Moon(WireEnum):
    """Takes the 26 points of a moon off one's own total, or adds them to everybody else's (hearts)."""

    UNKNOWN = 0
    SUBTRACT = 1
    ADD = 2


@dataclass(frozen=True, slots=True, repr=False)
class PlayCard:
    """Plays a card to the trick."""

    card: Card

    def __repr__(self) -> str:
        return f"PlayCard({self.card})"


@dataclass(frozen=True, slots=True, repr=False)
class Bid:
    """Declares a number of tricks; 0 is nil."""

    tricks: int

    def __repr__(self) -> str:
        return f"Bid({self.tricks})"


@dataclass(frozen=True, slots=True, repr=False)
class ChooseCards:
    """Chooses several cards, such as the hearts pass; their order says nothing."""

    cards: Sequence[Card]

    def __repr__(self) -> str:
        return f"ChooseCards({Cards(self.cards)})"


@dataclass(frozen=True, slots=True)
class OtherAction:
    """An action that this version has no type for: the message as the referee sent it."""

    message: actions_pb2.Action = field(hash=False)


Action = PlayCard | Bid | ChooseCards | Draft | Moon | OtherAction

Answer = Action | Card | Sequence[Card] | actions_pb2.Action
"""What ``act`` may return: an action, a card to play, or several cards where cards are chosen.

A bare message is sent unchecked, for actions that this version has no type for.
"""


@dataclass(frozen=True, slots=True)
class LegalActions:
    """A list of actions to choose one from.

    Empty where the choice is of a kind that this version has no type for: see ``decision.message.legal``.
    """

    actions: tuple[Action, ...]


@dataclass(frozen=True, slots=True)
class LegalChoice:
    """A choice of ``minimum`` to ``maximum`` of some cards, answered by the cards chosen."""

    cards: Cards
    minimum: int
    maximum: int


Legal = LegalActions | LegalChoice
