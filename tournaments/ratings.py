"""TrueSkill ratings: a fold over the matches in schedule order.

The same matches in the same order give the same floats, bit for bit, also when the fold was dumped and loaded
in between. The package ``trueskill`` does the inference.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import pairwise
from math import erfc, exp, hypot, sqrt, tau
from statistics import NormalDist
from types import MappingProxyType
from typing import Any, Final, TypeAlias

import trueskill

from referee.games.registry import GAMES

USUAL_WEIGHT: Final = 50
"""How many observed pairs the usual rate of draws in a game (`Game.usual_draws`) counts for.

It was counted over 900 matches of each game between house bots of almost the same strength: ``greedy`` with
blunders of 0, 2, 4 and 6% on the sides in turn; 300 matches each of 4 deals (piquet 6), of 16 (piquet 12) and
of a whole game. Whole games are hardly ever drawn, but in hearts (1.7%), short matches of euchre often (18%).
"""

LEAST_DRAWS: Final = 0.0001
MOST_DRAWS: Final = 0.99
"""The bounds of a draw probability: without draws in the model a drawn match could not be rated."""

LADDER_TAU: Final = 25.0 / 3000
"""The ``tau`` of a ladder: a tenth of what TrueSkill's authors took for people, as versions stay the same."""

_DRAWS_OF_ANY_GAME: Final = 0.10  # the usual value of TrueSkill's authors

_ROUNDING: Final = 1e-6

_ROOT_2: Final = sqrt(2)
_ROOT_TAU: Final = sqrt(tau)

_Normal: TypeAlias = tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]]  # cdf, pdf, inverse
_Groups: TypeAlias = list[tuple[trueskill.Rating, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingParameters:
    """The constants of TrueSkill; the defaults are those of its authors, but that skills do not change.

    Every entry begins at ``mu`` with the uncertainty ``sigma``. ``beta`` is the difference in skill that
    gives a chance of about 76% to win. ``tau`` is the uncertainty that is added before each match: 0 for
    bots that stay as they are, since with more of it a rating never settles.
    ``draw_probability`` is above 0 and below 1; None: it is estimated for each match from those before it,
    see `Ratings`.
    """

    mu: float = 25.0
    sigma: float = 25.0 / 3
    beta: float = 25.0 / 6
    tau: float = 0.0
    draw_probability: float | None = None


@dataclass(frozen=True, slots=True)
class Rating:
    """The estimate of an entry's skill: a normal distribution."""

    mu: float
    sigma: float

    @property
    def conservative(self) -> float:
        """Return mu - 3 sigma, a careful number: it is low for an entry that played little."""
        return self.mu - 3 * self.sigma


NONE_BEFORE: Final[Mapping[str, Rating]] = MappingProxyType({})


class Ratings:
    """The ratings after the matches that were added, in schedule order.

    Where the parameters name no draw probability, it is estimated from the matches before: neighbours in the
    order of ranks (n - 1 pairs in a match of n sides) were either equal or not. What is usual in the game
    counts as `USUAL_WEIGHT` of them, so that the first matches do not decide alone.
    """

    def __init__(
        self,
        parameters: RatingParameters,
        game: str | None = None,
        before: Mapping[str, Rating] = NONE_BEFORE,
    ) -> None:
        """Begin with the ratings ``before``; without a game 10% of draws are usual."""
        self._parameters = parameters
        self._game = game
        self._ratings = dict(before)
        self._draws = 0
        self._chances = 0
        self._floats = _environment(parameters, _IN_FLOATS)

    @cached_property
    def _exact(self) -> trueskill.TrueSkill:
        return _environment(self._parameters, _in_fifty_digits())

    @property
    def all(self) -> Mapping[str, Rating]:
        """Return a view of the ratings of all that have played, or had one before, by name."""
        return MappingProxyType(self._ratings)

    @property
    def draw_probability(self) -> float:
        """Return the probability of a draw with which the next match is rated."""
        return draw_probability(self._parameters, self._game, self._draws, self._chances)

    def of(self, name: str) -> Rating:
        """Return the rating of a name; a name without one has a beginner's."""
        return self._ratings.get(name) or Rating(self._parameters.mu, self._parameters.sigma)

    def add(self, sides: Sequence[tuple[str, ...]], ranks: tuple[int, ...]) -> None:
        """Rate one more match: the names on each side, and the rank of each side, 1 best."""
        groups: _Groups = [
            tuple(trueskill.Rating(known.mu, known.sigma) for known in map(self.of, side)) for side in sides
        ]
        for side, group in zip(sides, self._rated(groups, ranks), strict=True):
            for name, new in zip(side, group, strict=True):
                self._ratings[name] = Rating(new.mu, new.sigma)
        self._draws += sum(rank == following for rank, following in pairwise(sorted(ranks)))
        self._chances += len(ranks) - 1

    def _rated(self, groups: _Groups, ranks: tuple[int, ...]) -> _Groups:
        self._floats.draw_probability = self.draw_probability
        rated: _Groups = []
        # an upset may be beyond floats: a probability of 0, or the root of a negative variance
        with suppress(ArithmeticError, ValueError):
            rated = self._floats.rate(groups, ranks)
        if not (rated and self._is_sound(groups, rated)):
            self._exact.draw_probability = self.draw_probability
            rated = self._exact.rate(groups, ranks)
        return rated

    def _is_sound(self, groups: _Groups, rated: _Groups) -> bool:
        """Return whether every result is no less certain than before; one that is no number never is."""
        return all(
            0 < new.sigma <= hypot(old.sigma, self._parameters.tau) * (1 + _ROUNDING)
            for group, new_group in zip(groups, rated, strict=True)
            for old, new in zip(group, new_group, strict=True)
        )

    def dump(self) -> dict[str, Any]:
        """Return the state for `load`, as JSON data."""
        return {
            "parameters": asdict(self._parameters),
            "game": self._game,
            "draws": self._draws,
            "chances": self._chances,
            "ratings": {name: asdict(rating) for name, rating in self._ratings.items()},
        }

    @classmethod
    def load(
        cls, data: Mapping[str, Any], parameters: RatingParameters, game: str | None = None
    ) -> "Ratings":
        """Return the ratings that were dumped: what is added from now on gives the same floats.

        Raises:
            ValueError: they were made with other parameters or of another game.
        """
        if data["parameters"] != asdict(parameters) or data["game"] != game:
            raise ValueError("the ratings were made with other parameters: rate all matches again")
        loaded = cls(parameters, game, {name: Rating(**each) for name, each in data["ratings"].items()})
        loaded._draws = data["draws"]
        loaded._chances = data["chances"]
        return loaded


def draw_probability(parameters: RatingParameters, game: str | None, draws: int, chances: int) -> float:
    """Return the probability of a draw, after so many among so many pairs of neighbours; see `Ratings`."""
    if parameters.draw_probability is not None:
        return parameters.draw_probability
    usual = _DRAWS_OF_ANY_GAME if game is None else GAMES[game].usual_draws
    estimate = (usual * USUAL_WEIGHT + draws) / (USUAL_WEIGHT + chances)
    return min(max(estimate, LEAST_DRAWS), MOST_DRAWS)


def _environment(parameters: RatingParameters, normal: _Normal) -> trueskill.TrueSkill:
    return trueskill.TrueSkill(beta=parameters.beta, tau=parameters.tau, backend=normal)


def _cdf(x: float) -> float:
    return 0.5 * erfc(-x / _ROOT_2)


def _pdf(x: float) -> float:
    return exp(-x * x / 2) / _ROOT_TAU


# The package's own has 7 digits, too few for small draw probabilities, and takes longer.
_IN_FLOATS: Final[_Normal] = (_cdf, _pdf, NormalDist().inv_cdf)


def _in_fifty_digits() -> _Normal:
    """Return the functions with a precision, and a context, of their own.

    The package's own have the 15 digits of mpmath's global context, too few where skills differ by more than
    some thousand times their uncertainty.
    """
    import mpmath  # on demand: few tournaments ever need it

    precise = mpmath.mp.clone()
    precise.dps = 50
    return precise.ncdf, precise.npdf, lambda p: precise.sqrt(2) * precise.erfinv(2 * precise.mpf(p) - 1)
