"""Euchre: the phases of a deal and what happens in it.

`Dealt` and `PickedUp` hold what not everybody may know: `view` tells of them. The others are public as they
stand.
"""

from enum import IntEnum
from typing import Final

from referee.cards import Card, Seat
from referee.games.actions import AloneChoice, TrumpCall, UpcardCall
from referee.games.partners import SEATS
from referee.values import value_class


class Phase(IntEnum):
    """What is decided in a deal, in order; a deal has either the second or the third."""

    UPCARD = 1
    TRUMP = 2
    DISCARD = 3
    ALONE = 4
    PLAY = 5


@value_class
class Dealt:
    """A deal began; the hands of all seats in canonical order, the upcard, and the three cards left over."""

    deal: int
    dealer: Seat
    hands: tuple[tuple[Card, ...], ...]
    upcard: Card
    unseen: tuple[Card, ...]


@value_class
class UpcardCalled:
    """A seat accepted the upcard or passed."""

    seat: Seat
    call: UpcardCall


UPCARD_CALLED: Final = tuple({call: UpcardCalled(seat, call) for call in UpcardCall} for seat in SEATS)
"""These events by seat and call, made once."""


@value_class
class PickedUp:
    """The dealer took the upcard and put a card aside."""

    seat: Seat
    discarded: Card


@value_class
class TrumpCalled:
    """A seat named trump or passed."""

    seat: Seat
    call: TrumpCall


@value_class
class AloneChosen:
    """A seat chose whether to play without its partner."""

    seat: Seat
    choice: AloneChoice


ALONE_CHOSEN: Final = tuple({choice: AloneChosen(seat, choice) for choice in AloneChoice} for seat in SEATS)
"""These events by seat and choice, made once."""
