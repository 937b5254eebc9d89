"""Two-handed spades: what a bid and its tricks are worth. Pure functions of what happened."""


def deal_points(bid: int, taken: int, *, nil_points: int, failed_nil_tricks: str) -> tuple[int, int]:
    """Return the points of a bid and the bags it brings, before any bag penalty.

    A bid that is made counts 10 a trick bid and 1 a trick over, a bag; one that fails, -10 a trick bid. Nil
    counts ``nil_points`` for or against; ``failed_nil_tricks`` says what the tricks of a failed one are:
    ``bags_and_points``, ``bags_only`` or ``nothing``.
    """
    if bid == 0:
        if taken == 0:
            return nil_points, 0
        points = taken if failed_nil_tricks == "bags_and_points" else 0
        bags = 0 if failed_nil_tricks == "nothing" else taken
        return points - nil_points, bags
    if taken < bid:
        return -10 * bid, 0
    over = taken - bid
    return 10 * bid + over, over
