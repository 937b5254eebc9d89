"""Intervals of a mean that may be looked at after every value, for values with heavy tails.

For values whose distribution around their mean is symmetric, exp(lS - l^2 V / 2) is a supermartingale for
every l, where S is the sum of the deviations from the mean and V the sum of their squares, however heavy the
tails are. Two bots that play alike have such values: to exchange them turns the sign of every difference. If
l were mixed by one normal distribution, chosen before the first value, Ville's inequality would bound how
often the mixture ever exceeds a level. But the unit of the values is not known then, so the scale of the
distribution here moves with V / n. With a scale that moves, the mixture is no single supermartingale, and the
inequality proves nothing of it: the intervals are an approximation of those that it gives. Simulations
support that they are wrong no more often than stated, for alike bots and for unlike ones, whose values are
skewed.
"""

import math
from dataclasses import dataclass
from typing import Final

from tournaments.arrays import ArrayLike, NDArray, np

PRIOR_COUNT: Final = 20.0
"""The weight of the prior in values: with it intervals are about the shortest after 100 to 1,000 of them."""


def radius(count: ArrayLike, variance: ArrayLike, floor: ArrayLike, error: float) -> NDArray[np.float64]:
    """Return half the width of the interval of a mean after so many values, infinite after few.

    In simulations the mean is in all of the intervals, after every number of values, with a probability of
    1 - ``error`` or more. ``variance`` is the mean squared deviation so far. ``floor`` is added to the sum of
    the squared deviations, as if there had been more of them, so that values which were all equal so far are
    not believed to stay so for ever.
    """
    n, spread = np.asarray(count, float), np.asarray(variance, float) + np.asarray(floor, float) / count
    level = -math.log(error) + 0.5 * np.log((n + PRIOR_COUNT) / PRIOR_COUNT)
    bound = 2 * level * (n + PRIOR_COUNT) / n**2
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(bound < 1, np.sqrt(spread * bound / (1 - bound)), math.inf)


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean and where the true one is, from ``low`` to ``high``; they are infinite after few values."""

    mean: float
    low: float
    high: float


@dataclass(slots=True)
class Moments:
    """The mean and the variance of values that come one by one."""

    count: int = 0
    mean: float = 0.0
    _squares: float = 0.0

    def add(self, value: float) -> None:
        """Add a value."""
        self.count += 1
        before = value - self.mean
        self.mean += before / self.count
        self._squares += before * (value - self.mean)

    @property
    def variance(self) -> float:
        """Return the mean squared deviation, 0 without values."""
        return self._squares / self.count if self.count else 0.0

    def interval(self, floor: float, error: float) -> Interval:
        """Return the interval of the mean, as `radius` gives it."""
        if not self.count:
            return Interval(0.0, -math.inf, math.inf)
        half = float(radius(self.count, self.variance, floor, error))
        return Interval(self.mean, self.mean - half, self.mean + half)
