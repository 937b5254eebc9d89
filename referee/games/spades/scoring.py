"""Spades: what the bids of a side and its tricks are worth. Pure functions of what happened."""

from collections.abc import Sequence

from referee.games import bidding
from referee.games.events import BidMade


def side_points(
    bids: Sequence[BidMade],
    taken: Sequence[int],
    *,
    nil_points: int,
    blind_nil_points: int,
    failed_nil_tricks: str,
) -> tuple[int, int]:
    """Return the points of a side's bids and the bags they bring, before any bag penalty.

    ``taken`` counts tricks by seat. The contract is the sum of the bids, and only tricks of partners who did
    not bid nil fill it. Each nil counts for itself.
    """
    contract = filling = 0
    for bid in bids:
        if bid.tricks:
            contract += bid.tricks
            filling += taken[bid.seat]
    points, bags = bidding.contract_points(contract, filling)
    for bid in bids:
        if bid.tricks == 0:
            worth = blind_nil_points if bid.blind else nil_points
            of_nil = bidding.nil_points(taken[bid.seat], worth=worth, failed_nil_tricks=failed_nil_tricks)
            points, bags = points + of_nil[0], bags + of_nil[1]
    return points, bags
