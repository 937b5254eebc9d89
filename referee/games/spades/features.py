"""What an observation for training holds of spades."""

from typing import Final

from referee.games.features import Features, bids, bits, by_seat, by_side, flag, seat, tricks
from referee.games.spades import GAME

FEATURES: Final = Features(
    [
        seat("dealer", GAME),
        bits(
            "blind_sides", 2, lambda look: look.of_sides([int(n in look.view.blind_sides) for n in range(2)])
        ),
        bits("looked", GAME.seats, lambda look: look.by_seat([(seat, 1) for seat in look.view.looked])),
        bids(GAME),
        bits(
            "blind", GAME.seats, lambda look: look.by_seat([(b.seat, int(b.blind)) for b in look.view.bids])
        ),
        *tricks(GAME, 13),
        by_seat("taken", GAME, low=0, high=13),
        by_side("scores"),
        by_side("bags"),
        flag("spades_broken"),
    ]
)
