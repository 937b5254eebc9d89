"""The observations of each game: fields of a view, one after the other, as numbers."""

from collections.abc import Sequence
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING

from fairdeal.adapters.pettingzoo._actions import game_of, items_of
from fairdeal.adapters.pettingzoo._look import Look
from fairdeal.views import View

if TYPE_CHECKING:
    from referee.games.features import Field


@cache
def fields_of(name: str) -> "Sequence[Field]":
    """Return the fields of a game: those of every game, and its own.

    Raises:
        BadSetting: the game is unknown.
    """
    from referee.games import features

    game = game_of(name)
    own, phases = features.features_of(game), len(game.phases)
    picked = features.bits("picked", len(items_of(name)), lambda look: look.picks())
    return [
        features.bits("phase", phases, lambda look: features.one_hot(look.view.phase.value, phases)),
        features.Field("deal", 1, 0, features.MOST, lambda look: [look.view.deal]),
        features.cards("hand", game),
        *([picked] if own.picks else []),
        *own.fields,
    ]


def values_of(game: str, view: View, picked: Sequence[int]) -> list[int]:
    """Return the observation of the seat that a view belongs to."""
    look = Look(game, view, picked)
    return list(chain.from_iterable(field.read(look) for field in fields_of(game)))


def layout_of(game: str) -> dict[str, slice]:
    """Return where the fields of a game stand.

    Raises:
        BadSetting: the game is unknown.
    """
    places, at = {}, 0
    for field in fields_of(game):
        places[field.name] = slice(at, at + field.size)
        at += field.size
    return places
