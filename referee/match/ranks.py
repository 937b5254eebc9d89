"""The ranks of the sides when a match is over; ``forfeited`` tells of each side whether it has forfeited."""

from collections.abc import Sequence

from referee.games.base import Result, ranks_of


def ranks_by_result(result: Result, forfeited: Sequence[bool]) -> tuple[int, ...]:
    """Return the ranks of a game that was played to its end, sides that forfeited below all others."""
    standing = [side for side, has_forfeited in enumerate(forfeited) if not has_forfeited]
    among = ranks_of([result.ranks[side] for side in standing], low_wins=True)
    ranks = [len(standing) + 1] * len(forfeited)
    for side, rank in zip(standing, among, strict=True):
        ranks[side] = rank
    return tuple(ranks)


def ranks_by_forfeit(forfeited: Sequence[bool]) -> tuple[int, ...] | None:
    """Return the ranks when forfeits end the match; None while sides are left that play on.

    Of two sides the other one wins, of more the rest play on. Where all have forfeited they share a rank.
    """
    if all(forfeited):
        return (1,) * len(forfeited)
    if len(forfeited) == 2 and any(forfeited):
        return tuple(2 if has_forfeited else 1 for has_forfeited in forfeited)
    return None
