"""Actions: what a bot may answer, and the legal answers that it is given."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, get_args

from fairdeal._wire_enum import WireEnum, snake_name
from fairdeal.cards import Card, Cards, Suit
from fairdeal.combinations import Combination
from fairdeal.v1 import actions_pb2


class Draft(WireEnum):
    """Keeps or refuses the card just looked at (two-handed spades)."""

    UNKNOWN = 0
    KEEP = 1
    REFUSE = 2


class Moon(WireEnum):
    """Takes the 26 points of a moon off one's own total, or adds them to everybody else's (hearts)."""

    UNKNOWN = 0
    SUBTRACT = 1
    ADD = 2


class Blind(WireEnum):
    """Bids nil without having looked, or looks at the cards and bids then (spades)."""

    UNKNOWN = 0
    NIL = 1
    LOOK = 2


class UpcardCall(WireEnum):
    """Makes the suit of the upcard trump, or passes (euchre, first round)."""

    UNKNOWN = 0
    ACCEPT = 1
    PASS = 2


class TrumpCall(WireEnum):
    """Names trump, or passes (euchre, second round)."""

    UNKNOWN = 0
    CLUBS = 1
    DIAMONDS = 2
    HEARTS = 3
    SPADES = 4
    PASS = 5

    @property
    def suit(self) -> Suit | None:
        """Return the suit named, None for a pass."""
        return Suit[self.name] if self.name in Suit.__members__ else None


class Alone(WireEnum):
    """Plays without the partner, or together (euchre)."""

    UNKNOWN = 0
    ALONE = 1
    TOGETHER = 2


class Blank(WireEnum):
    """Claims a blank, which shows the cards dealt, or claims none (piquet)."""

    UNKNOWN = 0
    CLAIM = 1
    DECLINE = 2


class Leftovers(WireEnum):
    """Turns the cards left over face up for both players, or leaves them (piquet)."""

    UNKNOWN = 0
    REVEAL = 1
    LEAVE = 2


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
class Declare:
    """Declares a combination, or with None nothing (piquet)."""

    combination: Combination | None


@dataclass(frozen=True, slots=True)
class ChooseCombinations:
    """Chooses the further combinations to declare, possibly none (piquet); their order says nothing."""

    combinations: Sequence[Combination]


@dataclass(frozen=True, slots=True)
class OtherAction:
    """An action that this version has no type for: the message as the referee sent it."""

    message: actions_pb2.Action = field(hash=False)


Choice = Draft | Moon | Blind | UpcardCall | TrumpCall | Alone | Blank | Leftovers
"""The actions that choose one of a few words."""

CHOICES: Final[Mapping[str, type[Choice]]] = {snake_name(each.__name__): each for each in get_args(Choice)}
"""These actions by their names on the wire."""

Action = PlayCard | Bid | ChooseCards | Choice | Declare | ChooseCombinations | OtherAction

PlainAnswer = Action | Card | Combination | Sequence[Card] | Sequence[Combination] | actions_pb2.Action


@dataclass(frozen=True, slots=True)
class Noted:
    """An answer with a note for the record, a text or a mapping that becomes JSON.

    ``answer`` is None for a bot that gives the decision up, which is a fault: the referee plays the default
    action. Nobody is shown the note before the deals of the match are revealed, and it changes nothing. By
    convention a mapping has some of the keys ``thought``, ``tokens_in``, ``tokens_out``, ``cost``,
    ``seconds``, ``attempts``, ``finish`` and ``eval``. More than `MAX_NOTE` bytes are not sent, which is
    logged.
    """

    answer: PlainAnswer | None
    note: str | Mapping[str, object] = field(hash=False)


MAX_NOTE: Final = 4096
"""The most bytes of a note, in UTF-8; a match keeps 256 KiB, an equal part for each seat."""

Answer = PlainAnswer | Noted
"""What ``act`` may return: an action, a card to play, a combination to declare, or several cards or
combinations where such are chosen; any of them with a note.

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


@dataclass(frozen=True, slots=True)
class LegalCombinations:
    """A choice of ``minimum`` to ``maximum`` of some combinations, answered by those chosen.

    There may be none to choose from; the answer then is the empty choice.
    """

    combinations: tuple[Combination, ...]
    minimum: int
    maximum: int


Legal = LegalActions | LegalChoice | LegalCombinations


def only_answer(legal: Legal) -> Answer | None:
    """Return the one answer that is legal, None where there are several or none is known."""
    if isinstance(legal, LegalActions):
        return legal.actions[0] if len(legal.actions) == 1 else None
    offered = legal.cards if isinstance(legal, LegalChoice) else legal.combinations
    if legal.minimum == legal.maximum == len(offered):
        return offered
    return offered[:0] if legal.maximum == 0 or not offered else None
