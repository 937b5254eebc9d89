"""A duplicate set: the turns of one deck, who sits where in them, and what they say of two bots A and B."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from referee.games.base import Game
from referee.match.effects import Outcome

BOTS: Final = ("a", "b")
"""The entries of the two bots."""
TURNS: Final = (0, 1)
"""The turns of a set, from 0 (people see them from 1): in the second one the bots have changed sides."""


@dataclass(frozen=True, slots=True)
class Play:
    """One turn as A sees it: points a deal more than B, and the share won, 0 to 1.

    ``faults`` are the numbers of faults of A and of B.
    """

    points: float
    won: float
    faults: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class SetResult:
    """The turns of one deck; sets are numbered from 1."""

    number: int
    plays: tuple[Play, Play]

    @property
    def points(self) -> float:
        """Return how many points a deal A has more than B."""
        return sum(play.points for play in self.plays) / len(self.plays)

    @property
    def won(self) -> float:
        """Return the share that A has won, 0 to 1."""
        return sum(play.won for play in self.plays) / len(self.plays)


def seating(game: Game[Any], turn: int) -> tuple[str, ...]:
    """Return the bot of each seat: A has every second side, beginning with the first or the second."""
    seats = {seat: BOTS[(side + turn) % 2] for side, seats in enumerate(game.sides) for seat in seats}
    return tuple(seats[seat] for seat in sorted(seats))


def match_id(game: Game[Any], number: int, turn: int) -> str:
    """Return the id of the match that is a turn of a set; in it turns are shown from 1."""
    return f"{game.name}-{number}-{turn + 1}"


def copies(bots: Sequence[str]) -> tuple[int, ...]:
    """Return by seat which copy of its bot has it, from 1: a process never holds two seats of a match."""
    return tuple(list(bots[:seat]).count(bot) + 1 for seat, bot in enumerate(bots))


def play_of(game: Game[Any], turn: int, deals: int, outcome: Outcome) -> Play:
    """Return what a turn that was played to its end says; each side's scores count by their mean."""
    by_seat = seating(game, turn)
    own = [by_seat[side[0]] == "a" for side in game.sides]
    means = [
        sum(score for score, is_own in zip(outcome.scores, own, strict=True) if is_own is mine)
        / own.count(mine)
        for mine in (True, False)
    ]
    best = [is_own for is_own, rank in zip(own, outcome.ranks, strict=True) if rank == 1]
    sign = -1 if game.low_wins else 1
    faults = [
        sum(each.total for each, bot in zip(outcome.faults, by_seat, strict=True) if bot == name)
        for name in BOTS
    ]
    return Play(
        points=sign * (means[0] - means[1]) / deals,
        won=sum(best) / len(best),
        faults=(faults[0], faults[1]),
    )
