"""Two-handed spades: what a bid and its tricks are worth. Pure functions of what happened."""

from referee.games import bidding


def deal_points(bid: int, taken: int, *, nil_points: int, failed_nil_tricks: str) -> tuple[int, int]:
    """Return the points of a bid and the bags it brings, before any bag penalty.

    A bid of 0 is nil, which counts ``nil_points``; see `referee.games.bidding` for the rest.
    """
    if bid == 0:
        return bidding.nil_points(taken, worth=nil_points, failed_nil_tricks=failed_nil_tricks)
    return bidding.contract_points(bid, taken)
