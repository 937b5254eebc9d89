"""What an observation for training holds of a game: fields of a seat's view, one after the other, as numbers.

They are read by `fairdeal.adapters.pettingzoo`, which puts phase, deal and hand before them. A game whose
views hold more than these and the tricks has a ``features.py`` in its folder.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, TypeAlias

from referee.games.base import Game
from referee.games.registry import facts
from referee.values import value_class

MOST: Final = 2**31 - 1

Look: TypeAlias = Any
"""One seat's view, ``look.view``, as its bot gets it, with what writes it as numbers (`_look.py` there)."""


@value_class
class Field:
    """A row of ``size`` numbers from ``low`` to ``high``, and what reads it off a view."""

    name: str
    size: int
    low: int
    high: int
    read: Callable[[Look], Sequence[int]]


@value_class
class Features:
    """The fields of a game.

    With ``picks`` several cards are chosen together, one by one, and those picked so far are shown; with
    ``stops`` their number is open, so that there is an action that ends the choice.
    """

    fields: Sequence[Field]
    picks: bool = False
    stops: bool = False


def features_of(game: Game[Any]) -> Features:
    """Return the features of a game."""
    module = facts(game.name, "features")
    return module.FEATURES if module else Features(tricks(game, len(game.cards) // game.seats))


def bits(name: str, size: int, read: Callable[[Look], Sequence[int]]) -> Field:
    """Return a field of numbers that are 0 or 1."""
    return Field(name, size, 0, 1, read)


def flag(name: str) -> Field:
    """Return a field for what is so or not."""
    return bits(name, 1, lambda look: [int(getattr(look.view, name))])


def plane(name: str, game: Game[Any], read: Callable[[Any], Iterable[Any]]) -> Field:
    """Return a field of a 1 for each of some cards of the view."""
    return bits(name, len(game.cards), lambda look: look.plane(read(look.view)))


def cards(name: str, game: Game[Any]) -> Field:
    """Return a field of a 1 for each card in a list of the view."""
    return plane(name, game, lambda view: getattr(view, name))


def card(name: str, game: Game[Any]) -> Field:
    """Return a field of a 1 for a card of the view, which may be absent."""
    return plane(name, game, lambda view: [getattr(view, name)])


def seat(name: str, game: Game[Any]) -> Field:
    """Return a field of a 1 for a seat of the view."""
    return bits(name, game.seats, lambda look: look.seat(getattr(look.view, name)))


def by_seat(name: str, game: Game[Any], *, low: int = -MOST, high: int = MOST) -> Field:
    """Return a field of numbers that the view has by seat."""
    return Field(name, game.seats, low, high, lambda look: look.of_seats(getattr(look.view, name)))


def by_side(name: str, *, low: int = -MOST, high: int = MOST) -> Field:
    """Return a field of numbers that the view has by side, of two."""
    return Field(name, 2, low, high, lambda look: look.of_sides(getattr(look.view, name)))


def bids(game: Game[Any]) -> Field:
    """Return a field of the bids, -1 where there is none yet."""
    return Field(
        "bids",
        game.seats,
        -1,
        13,
        lambda look: look.by_seat([(b.seat, b.tricks) for b in look.view.bids], -1),
    )


def tricks(game: Game[Any], most: int) -> list[Field]:
    """Return the fields of the tricks of a deal, of which there are ``most`` at most."""
    size, seats = len(game.cards), game.seats
    return [
        bits("played", seats * size, lambda look: look.played()),
        Field("trick_of_card", size, 0, most, lambda look: look.numbers()),
        bits("table", seats * size, lambda look: look.table()),
        bits("leader", seats, lambda look: look.seat(look.view.trick.leader if look.view.trick else None)),
    ]


def one_hot(value: int, size: int) -> list[int]:
    """Return a 1 in the place of a value that counts from 1, none for 0."""
    return [int(n == value) for n in range(1, size + 1)]
