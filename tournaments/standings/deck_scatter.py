"""How much what is known of skills scatters from deck to deck, where matches share decks.

Matches of one deck are not independent: a bot may play these cards well against everybody. So the decks are
the unit. What each match says beyond the fit (the slope of its likelihood there) is added up by deck, and the
squares of these sums take the place of what the model expects of single matches: the cluster-robust
("sandwich") covariance, as in Liang and Zeger, "Longitudinal data analysis using generalized linear models"
(1986), with a prior.
"""

from dataclasses import dataclass

from tournaments.arrays import NDArray, np


@dataclass(frozen=True, slots=True)
class DeckScatter:
    """The covariance of all skills by what came of each deck.

    ``decks`` are how many there are; where some have more matches than others, as many of equal size as tell
    as much. ``most`` is how many matches a deck has at most.
    """

    covariance: NDArray[np.float64]
    decks: float
    most: float


def deck_scatter(
    covariance: NDArray[np.float64],
    expected: NDArray[np.float64],
    pulls: NDArray[np.float64],
    matches: NDArray[np.float64],
    alone: float,
) -> DeckScatter:
    """Return the scatter, given the covariance by the model.

    ``pulls`` has a row for each deck: what its ``matches`` say beyond the skills. ``expected`` is the
    precision that the model finds in all of these; so many other matches, ``alone``, share no deck.
    """
    decks = float((matches.sum() + alone) ** 2 / ((matches**2).sum() + alone))
    corrected = decks / (decks - 1) if decks > 1 else 1.0
    found = covariance + covariance @ (corrected * (pulls.T @ pulls) - expected) @ covariance
    return DeckScatter((found + found.T) / 2, decks, float(matches.max()))
