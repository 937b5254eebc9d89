"""What an observation for training holds of euchre."""

from collections.abc import Callable
from typing import Any, Final

from referee.games.euchre import GAME
from referee.games.features import Features, Field, Look, bits, by_side, card, one_hot, seat, tricks

_SEATS: Final = GAME.seats


def _calls(name: str) -> Callable[[Look], Any]:
    """Return what reads calls by seat, as they are numbered on the wire, 0 where there is none."""
    return lambda look: look.by_seat(
        [((look.view.dealer + n) % _SEATS, call.value) for n, call in enumerate(getattr(look.view, name), 1)]
    )


FEATURES: Final = Features(
    [
        seat("dealer", GAME),
        card("upcard", GAME),
        Field("upcard_calls", _SEATS, 0, 2, _calls("upcard_calls")),
        Field("trump_calls", _SEATS, 0, 5, _calls("trump_calls")),
        seat("maker", GAME),
        bits("trump", 4, lambda look: one_hot(look.view.trump or 0, 4)),
        card("discarded", GAME),
        Field(
            *("alone", _SEATS, 0, 2),
            lambda look: look.by_seat([(a.seat, a.choice.value) for a in look.view.alone]),
        ),
        *tricks(GAME, 5),
        by_side("taken", low=0, high=5),
        by_side("scores"),
    ]
)
