"""What an observation for training holds of hearts."""

from typing import Final

from referee.games.features import Features, bits, by_seat, cards, flag, one_hot, tricks
from referee.games.hearts import GAME
from referee.games.hearts.rules import PassDirection

_PASSES: Final = len(PassDirection)

FEATURES: Final = Features(
    [
        bits("direction", _PASSES, lambda look: one_hot(look.view.direction.value, _PASSES)),
        cards("passed", GAME),
        cards("received", GAME),
        *tricks(GAME, 13),
        by_seat("points", GAME),
        by_seat("totals", GAME),
        flag("hearts_broken"),
    ],
    picks=True,
)
