"""What an observation for training holds of two-handed spades."""

from typing import Final

from referee.games.features import Features, Field, Look, bids, by_seat, card, cards, flag, seat, tricks
from referee.games.two_handed_spades import GAME

_TURNS: Final = 26  # of the draft, both seats'


def _choices(look: Look) -> list[int]:
    made = [choice.value for choice in look.view.choices]
    return [*made, *[0] * (_TURNS - len(made))]


FEATURES: Final = Features(
    [
        seat("first", GAME),
        card("offered", GAME),
        Field("choices", _TURNS, 0, 2, _choices),  # in the order of the turns: 0 to come, 1 kept, 2 refused
        cards("kept", GAME),
        cards("discarded", GAME),
        bids(GAME),
        *tricks(GAME, 13),
        by_seat("taken", GAME, low=0, high=13),
        by_seat("scores", GAME),
        by_seat("bags", GAME),
        flag("spades_broken"),
    ]
)
