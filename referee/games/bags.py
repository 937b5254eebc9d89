"""Bags, the tricks over a contract, shared by the spades games."""


def settle(bags: int, *, limit: int, penalty: int) -> tuple[int, int]:
    """Return the points that a bag counter costs, zero or negative, and the bags that are carried on.

    Each full ``limit`` costs ``penalty``: one deal may fill it more than once.
    """
    full, carried = divmod(bags, limit)
    return -penalty * full, carried
