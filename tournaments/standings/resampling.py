"""Intervals by resampling: how much the skills change when the matches had been others of the same kind."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Final, TypeAlias

import numpy as np

from tournaments.plan.plan import Plan
from tournaments.schedule.duplicates import epoch_of
from tournaments.standings.fit import fit
from tournaments.standings.fold import Standings
from tournaments.standings.orderings import Ordering
from tournaments.standings.sets import Sets
from tournaments.store import Store

Decks: TypeAlias = Sequence[Counter[Ordering]]
"""How often which outcomes came, by deck."""

_REACH: Final = 1.96  # standard deviations of a 95 % interval
_BATCH: Final = 1000  # matches that are in memory at a time


def resampled_margins(standings: Standings, times: int, decks: Decks = ()) -> dict[str, float]:
    """Return for each competitor half of the 95 % interval of its skill above the mean of the field.

    Each time every rated match, a duplicate set being one, counts as often as a Poisson variable of mean 1
    says, and all skills are fitted again. With ``decks``, which hold all matches by deck, all matches of a
    deck count equally often. The same matches in any order give the same margins. It takes as long as so many
    fits.
    """
    orderings = sorted(standings.rated.times.items())
    names = sorted({name for ordering, _ in orderings for side in ordering.sides for name in side})
    if not names:
        return {}
    counts = np.array([number for _, number in orderings])
    by_deck = np.array([[deck[ordering] for ordering, _ in orderings] for deck in decks])
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


def shared_decks(plan: Plan, store: Store) -> Decks:
    """Return the rated outcomes of a store by the decks that sets share; none where they share none.

    Raises:
        StoreError: the store cannot be read.
    """
    if not plan.shared_decks:
        return ()
    found: defaultdict[str, Standings] = defaultdict(lambda: Standings(plan))
    sets = Sets(plan, store.skipped())
    total = store.issued_count()
    for first in range(1, total + 1, _BATCH):
        for issued, result in sets.whole(store.over(first, min(first + _BATCH - 1, total))):
            if result is not None:
                found[epoch_of(plan, issued.match_id, issued.attempt)].add(issued, result)
    return [Counter(found[name].rated.times) for name in sorted(found)]
