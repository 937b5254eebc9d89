"""Bags, the tricks over a contract, shared by the spades games."""

from typing import Final

from referee.games.options import Option

BAG_LIMIT: Final = Option(
    name="bag_limit",
    default=10,
    minimum=1,
    maximum=100,
    help="How many bags cost a penalty; those beyond are carried on.",
)
BAG_PENALTY: Final = Option(
    name="bag_penalty",
    default=100,
    minimum=0,
    maximum=1000,
    help="The points that a full count of bags costs.",
)


def settle(bags: int, *, limit: int, penalty: int) -> tuple[int, int]:
    """Return the points that a bag counter costs, zero or negative, and the bags that are carried on.

    Each full ``limit`` costs ``penalty``: one deal may fill it more than once.
    """
    full, carried = divmod(bags, limit)
    return -penalty * full, carried
