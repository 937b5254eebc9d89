"""What an observation for training holds of bury."""

from typing import Final

from referee.games.bury import GAME
from referee.games.features import Features, by_seat, card, seat, tricks

FEATURES: Final = Features(
    [
        seat("first", GAME),
        card("buried", GAME),
        *tricks(GAME, 5),
        by_seat("taken", GAME, low=0, high=5),
        by_seat("totals", GAME),
    ]
)
