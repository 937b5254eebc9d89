"""What a fit allows one to say: how far a skill is known, which ranks are possible, and who is apart."""

from typing import Final

import numpy as np
from scipy.special import stdtr, stdtrit

from tournaments.standings.fit import Fit, Flags, Floats
from tournaments.standings.shapes import Skill, Skills

_OF_PRIOR: Final = 3  # matches for which the prior counts, by simulation
_LEVEL: Final = 0.05  # of intervals that miss, and of pairs told apart that stand the wrong way round


def skills(fit: Fit) -> dict[str, Skill]:
    """Return what can be said of each competitor's skill, best first.

    Two are apart by the method of Benjamini and Hochberg (1995): of all pairs that are called apart at most
    5 % are expected to stand the wrong way round. Who is not apart from another may have its rank: in
    simulated tournaments 99 % of the true ranks lay between the limits.

    After few matches a normal distribution is too narrow: in narrow fields after 7 matches each, its 95 %
    intervals of differences covered 92 %. Those of Student's, with a degree of freedom for each match of both
    competitors and some for the prior, cover 95 %, and after many matches they are the same.
    """
    size = len(fit.names)
    if not size:
        return {}
    order = sorted(range(size), key=lambda number: (-float(fit.means[number]), fit.names[number]))
    means, covariance = fit.means[order], fit.covariance[np.ix_(order, order)]
    variances = np.diagonal(covariance)
    centred = variances - 2 * covariance.mean(axis=1) + covariance.mean()
    matches = fit.matches[order]
    margins = quantiles(2 * matches) * np.sqrt(np.maximum(centred, 0))
    apart = _apart(_doubts(means, covariance, matches))
    best, worst = _rank_limits(apart)
    tiers = _tiers(apart)
    return {
        fit.names[number]: Skill(
            mu=float(means[at]),
            sigma=float(np.sqrt(variances[at])),
            ahead=float(means[at] - means.mean()),
            margin=float(margins[at]),
            best_rank=best[at],
            worst_rank=worst[at],
            tier=tiers[at],
        )
        for at, number in enumerate(order)
    }


def skills_of_both(fits: tuple[Fit, Fit]) -> Skills:
    """Return the skills by the fits of all matches and of the clean ones."""
    of_all, of_clean = fits
    found = skills(of_all)
    return Skills(found, found if of_clean is of_all else skills(of_clean))


def quantiles(matches: Floats) -> Floats:
    """Return how many standard deviations a 95 % interval reaches, given the matches of both that differ."""
    found: Floats = stdtrit(matches + 2 * _OF_PRIOR, 1 - _LEVEL / 2)
    return found


def _doubts(means: Floats, covariance: Floats, matches: Floats) -> Floats:
    """Return for each two the two-sided probability of a difference like theirs if they were level."""
    variances = np.diagonal(covariance)
    spread = np.sqrt(np.maximum(variances[:, None] + variances[None, :] - 2 * covariance, 1e-300))
    of_both = matches[:, None] + matches[None, :] + 2 * _OF_PRIOR
    doubts: Floats = 2 * stdtr(of_both, -np.abs(means[:, None] - means[None, :]) / spread)
    return doubts


def _rank_limits(apart: Flags) -> tuple[list[int], list[int]]:
    """Return the best and the worst rank that each may have; they stand in order, best first."""
    size = len(apart)
    best = [1 + int(apart[at, :at].sum()) for at in range(size)]
    worst = [size - int(apart[at, at + 1 :].sum()) for at in range(size)]
    return best, worst


def _apart(doubts: Floats) -> Flags:
    """Return for each two whether they are apart."""
    size = len(doubts)
    of_pairs = np.sort(doubts[np.triu_indices(size, 1)])
    held = np.flatnonzero(of_pairs <= _LEVEL * np.arange(1, len(of_pairs) + 1) / len(of_pairs))
    limit = of_pairs[held[-1]] if len(held) else -1.0
    apart: Flags = doubts <= limit
    return apart


def _tiers(apart: Flags) -> list[int]:
    """Return the tier of each in order: one ends where all before are apart from all behind."""
    tiers = [1]
    for first in range(1, len(apart)):
        tiers.append(tiers[-1] + bool(apart[:first, first:].all()))
    return tiers
