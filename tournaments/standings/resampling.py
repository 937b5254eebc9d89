"""Intervals by resampling: how much the skills change when the matches had been others of the same kind."""

from typing import Final

from tournaments.arrays import np
from tournaments.standings.fit import fit
from tournaments.standings.fold import Standings

_REACH: Final = 1.96  # standard deviations of a 95 % interval


def resampled_margins(standings: Standings, times: int) -> dict[str, float]:
    """Return for each competitor half of the 95 % interval of its skill above the mean of the field.

    Each time every rated match, a duplicate set being one, counts as often as a Poisson variable of mean 1
    says, and all skills are fitted again. All matches of a deck that they share count equally often. The same
    matches in any order give the same margins. It takes as long as so many
    fits.
    """
    orderings = sorted(standings.rated.times.items())
    names = sorted({name for ordering, _ in orderings for side in ordering.sides for name in side})
    if not names:
        return {}
    counts = np.array([number for _, number in orderings])
    decks = [deck for _, deck in sorted(standings.rated.decks.items())]
    by_deck = np.array([[deck.get(ordering, 0) for ordering, _ in orderings] for deck in decks])
    ahead = np.zeros((times, len(names)))
    for number in range(times):
        chance = np.random.Generator(np.random.PCG64(number))
        weights = chance.poisson(1.0, len(decks)) @ by_deck if decks else chance.poisson(counts)
        drawn = {ordering: int(weight) for (ordering, _), weight in zip(orderings, weights, strict=True)}
        found = fit(
            {ordering: weight for ordering, weight in drawn.items() if weight},
            standings.plan.rating,
            standings.draw_probability,
        )
        means = np.full(len(names), standings.plan.rating.mu)  # of those who are in no match that counts
        means[np.searchsorted(names, found.names)] = found.means
        ahead[number] = means - means.mean()
    deviations = ahead.std(axis=0, ddof=min(1, times - 1))
    return {name: _REACH * float(deviation) for name, deviation in zip(names, deviations, strict=True)}
