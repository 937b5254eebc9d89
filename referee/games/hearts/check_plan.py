"""What `fairdeal check-bot` plays of hearts."""

from typing import Final

from referee.cards import Card, Seat
from referee.games.check_plan import CheckPlan, Decks


def _moon_for(bot: Seat) -> Decks:
    """Return decks in which a bot shoots the moon, whatever it plays.

    In the fourth deal nothing is passed, and it holds all clubs: it leads the two, and nobody can follow.
    """
    clubs, rest = list(range(13)), list(range(13, 52))
    at = 13 * bot
    return {3: tuple(map(Card, rest[:at] + clubs + rest[at:]))}


CHECK_PLAN: Final = CheckPlan(deals=4, decks=_moon_for, long_options={"target": 1000})
