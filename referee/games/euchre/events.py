"""Euchre: the phases of a deal and what happens in it.

`Dealt` and `PickedUp` hold what not everybody may know: `view` tells of them. The others are public as they
stand.
"""

from dataclasses import dataclass
from enum import IntEnum

from referee.cards import Card, Seat
from referee.games.actions import AloneChoice, TrumpCall, UpcardCall


class Phase(IntEnum):
    """What is decided in a deal, in order; a deal has either the second or the third."""

    UPCARD = 1
    TRUMP = 2
    DISCARD = 3
    ALONE = 4
    PLAY = 5


@dataclass(frozen=True, slots=True)
class Dealt:
    """A deal began; the hands of all seats in canonical order, the upcard, and the three cards left over."""

    deal: int
    dealer: Seat
    hands: tuple[tuple[Card, ...], ...]
    upcard: Card
    unseen: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class UpcardCalled:
    """A seat accepted the upcard or passed."""

    seat: Seat
    call: UpcardCall


@dataclass(frozen=True, slots=True)
class PickedUp:
    """The dealer took the upcard and put a card aside."""

    seat: Seat
    discarded: Card


@dataclass(frozen=True, slots=True)
class TrumpCalled:
    """A seat named trump or passed."""

    seat: Seat
    call: TrumpCall


@dataclass(frozen=True, slots=True)
class AloneChosen:
    """A seat chose whether to play without its partner."""

    seat: Seat
    choice: AloneChoice
