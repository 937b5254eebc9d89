"""Series: two competitors play until one of them cannot be caught, or a given number of matches."""

_WIN = 2  # halves of a point by which a win is ahead of a loss


def needed(best_of: int, played: int, lead: int) -> int:
    """Return how many matches of a series are surely played, after ``played`` of them.

    ``lead`` is by how many halves of a point one side is ahead, 2 for each win. A series is over as soon as
    the other side cannot catch up; so it takes those that are over, and as many wins as the leader lacks.
    """
    left = best_of - played
    if lead > _WIN * left:
        return played
    return played + min(left, (_WIN * left - lead) // (2 * _WIN) + 1)
