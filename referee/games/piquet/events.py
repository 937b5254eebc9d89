"""Piquet: the terms of a deal and what happens in it.

`Dealt`, `Exchanged` and `Declared` hold what not everybody may know: `view` tells of them. All other events
are public as they stand, since each says no more than what was said or shown at the table.
"""

from enum import IntEnum

from referee.cards import Card, Rank, Seat
from referee.games.actions import LeftoversChoice
from referee.games.combinations import Combination
from referee.values import value_class


class Phase(IntEnum):
    """What is decided in a deal, in order; a declaration and further ones take turns."""

    BLANK = 1
    EXCHANGE = 2
    LEFTOVERS = 3
    DECLARE = 4
    FURTHER = 5
    PLAY = 6


class PiquetRound(IntEnum):
    """The rounds of the dialogue, in order."""

    POINT = 1
    SEQUENCE = 2
    SET = 3


class PiquetAnswer(IntEnum):
    """What younger says to a declaration: it cannot match it, has better, or has the same."""

    GOOD = 1
    NOT_GOOD = 2
    EQUAL = 3


class Bonus(IntEnum):
    """The bonuses of a deal."""

    REPIQUE = 1
    PIQUE = 2
    CARDS = 3
    CAPOT = 4


@value_class
class Dealt:
    """A deal began: the hands by seat, each in canonical order, and the talon from the top."""

    deal: int
    elder: Seat
    hands: tuple[tuple[Card, ...], ...]
    talon: tuple[Card, ...]


@value_class
class BlankClaimed:
    """A player claimed a blank: announced without cards, proved with the twelve cards dealt to it."""

    seat: Seat
    cards: tuple[Card, ...]


@value_class
class Exchanged:
    """A player exchanged: its discards in canonical order, what it drew and looked at in talon order."""

    seat: Seat
    discarded: tuple[Card, ...]
    drawn: tuple[Card, ...]
    looked: tuple[Card, ...]


@value_class
class LeftoversSettled:
    """Younger revealed the cards left over, in talon order, or left them, and then none are named."""

    choice: LeftoversChoice
    cards: tuple[Card, ...]


@value_class
class Declared:
    """Elder declared a combination, or nothing, in the words that follow, and younger answered.

    ``length`` counts its cards, 0 for nothing. ``value`` (of a point) and ``rank`` (top of a sequence) were
    said only if younger asked; the ``rank`` of a set is always said. There is no answer to nothing.
    """

    round: PiquetRound
    combination: Combination | None
    length: int
    value: int | None
    rank: Rank | None
    answer: PiquetAnswer | None


@value_class
class CombinationsShown:
    """A player scored combinations of a round; ``cards`` are all that make them up, in canonical order."""

    seat: Seat
    round: PiquetRound
    combinations: tuple[Combination, ...]
    points: int
    cards: tuple[Card, ...]


@value_class
class BonusScored:
    """A player scored a bonus."""

    seat: Seat
    bonus: Bonus
    points: int
