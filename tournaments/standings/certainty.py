"""What a fit allows one to say: how far a skill is known, which ranks are possible, and who is apart."""

from array import array
from collections.abc import Callable
from dataclasses import replace
from math import inf
from typing import Final

from tournaments.arrays import np, one_thread
from tournaments.standings.fit import Fit, Flags, Floats
from tournaments.standings.shapes import Margins, Skill, Skills

with one_thread():
    from scipy.special import stdtr, stdtrit

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
    fit = _best_first(fit)
    means, variances = fit.means, np.diagonal(fit.covariance)
    margins = _reaches(fit, _of_centred, 2 * fit.matches)
    apart = _apart(_doubts(fit))
    best, worst = _rank_limits(apart)
    tiers = _tiers(apart)
    return {
        name: Skill(
            mu=float(means[at]),
            sigma=float(np.sqrt(variances[at])),
            ahead=float(means[at] - means.mean()),
            margin=float(margins[at]),
            best_rank=best[at],
            worst_rank=worst[at],
            tier=tiers[at],
        )
        for at, name in enumerate(fit.names)
    }


def skills_of_both(fits: tuple[Fit, Fit]) -> Skills:
    """Return the skills by the fits of all matches and of the clean ones, and the margins of differences."""
    of_all, of_clean = fits
    found = skills(of_all)
    places = {name: at for at, name in enumerate(of_all.names)}
    margins = Margins(places, array("d", differences(of_all).tobytes()))
    return Skills(found, found if of_clean is of_all else skills(of_clean), margins)


def _best_first(fit: Fit) -> Fit:
    order = sorted(range(len(fit.names)), key=lambda at: (-float(fit.means[at]), fit.names[at]))
    both = np.ix_(order, order)
    by_deck = fit.by_deck and replace(fit.by_deck, covariance=fit.by_deck.covariance[both])
    names = tuple(fit.names[at] for at in order)
    return Fit(names, fit.means[order], fit.covariance[both], fit.matches[order], by_deck)


def differences(fit: Fit) -> Floats:
    """Return for each two half of the 95 % interval of the difference between their skills."""
    return _reaches(fit, _of_differences, _of_both(fit))


def _reaches(fit: Fit, variances: Callable[[Floats], Floats], matches: Floats) -> Floats:
    """Return half of 95 % intervals; ``variances`` are those of what is asked, given a covariance."""
    by_model = np.sqrt(variances(fit.covariance))
    wide = _quantiles(matches + 2 * _OF_PRIOR)
    reaches: Floats = wide * by_model
    if fit.by_deck is not None:
        bound = reaches * np.sqrt(fit.by_deck.most)
        by_deck = np.full_like(bound, inf)
        if fit.by_deck.decks > 1:
            by_deck = _quantiles(fit.by_deck.decks - 1) * np.sqrt(variances(fit.by_deck.covariance))
        reaches = np.maximum(reaches, np.minimum(by_deck, bound))
    return reaches


def _doubts(fit: Fit) -> Floats:
    """Return for each two the two-sided probability of a difference like theirs if they were level."""
    apart = np.abs(fit.means[:, None] - fit.means[None, :])
    freedom = _of_both(fit) + 2 * _OF_PRIOR
    by_model = np.sqrt(_of_differences(fit.covariance))
    doubts: Floats = 2 * stdtr(freedom, -apart / by_model)
    if fit.by_deck is not None:
        bound = 2 * stdtr(freedom, -apart / by_model / np.sqrt(fit.by_deck.most))
        by_deck = np.ones_like(bound)
        if fit.by_deck.decks > 1:
            spread = np.sqrt(_of_differences(fit.by_deck.covariance))
            by_deck = 2 * stdtr(fit.by_deck.decks - 1, -apart / spread)
        doubts = np.maximum(doubts, np.minimum(by_deck, bound))
    return doubts


def _quantiles(freedom: Floats | float) -> Floats:
    """Return how many standard deviations a 95 % interval reaches, by Student's distribution."""
    found: Floats = stdtrit(freedom, 1 - _LEVEL / 2)
    return found


def _of_both(fit: Fit) -> Floats:
    matches: Floats = fit.matches[:, None] + fit.matches[None, :]
    return matches


def _of_centred(covariance: Floats) -> Floats:
    """Return the variance of each skill less the mean of all."""
    centred = np.diagonal(covariance) - 2 * covariance.mean(axis=1) + covariance.mean()
    variances: Floats = np.maximum(centred, 0)
    return variances


def _of_differences(covariance: Floats) -> Floats:
    """Return the variance of the difference between each two skills."""
    own = np.diagonal(covariance)
    variances: Floats = np.maximum(own[:, None] + own[None, :] - 2 * covariance, 1e-300)
    return variances


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
