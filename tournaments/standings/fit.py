"""TrueSkill's model fitted to all matches at once, so that their order does not matter.

The model is that of the running ratings (Herbrich, Minka and Graepel, "TrueSkill: A Bayesian Skill Rating
System", 2007), with skills that do not change: each has a normal prior, a side performs as the sum of its
members' skills and a noise of ``beta`` for each member, and neighbours in the order of a match are level when
their performances differ by less than the draw margin. Running ratings look at each match once; here
expectation propagation repeats until nothing changes, and what it gives depends on the set of results alone,
bit for bit.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import inf
from types import MappingProxyType
from typing import Final, TypeAlias

from tournaments.arrays import NDArray, np, one_thread
from tournaments.ratings import RatingParameters
from tournaments.standings.deck_scatter import DeckScatter, deck_scatter
from tournaments.standings.orderings import Decks, Ordering, Rated

with one_thread():
    from scipy.linalg import cho_factor, cho_solve
    from scipy.special import log_ndtr, ndtri

Floats: TypeAlias = NDArray[np.float64]
Whole: TypeAlias = NDArray[np.intp]
Flags: TypeAlias = NDArray[np.bool_]

_NO_DECKS: Final[Decks] = MappingProxyType({})
_TOLERANCE: Final = 1e-7  # in units of the prior's sigma, by which means and sigmas still change
_ROUNDS: Final = 500  # after which what still changes is too small to see
_LEAST_WEIGHT: Final = 1 / 16  # of a new message against the one before it
_MOST_CERTAIN: Final = 1 - 1e-12  # how much of a variance an observation takes away at most


@dataclass(frozen=True, slots=True)
class Fit:
    """The skills of all names together: a normal distribution of many dimensions.

    ``covariance`` has a row and a column for each of ``names``, which are sorted; ``matches`` are how many
    each of them played. ``by_deck`` is what is known where matches share decks.
    """

    names: tuple[str, ...]
    means: Floats
    covariance: Floats
    matches: Floats
    by_deck: DeckScatter | None = None


def fit(
    orderings: Mapping[Ordering, int],
    parameters: RatingParameters,
    draws: float,
    before: Fit | None = None,
    decks: Decks = _NO_DECKS,
) -> Fit:
    """Return the skills of everybody in the orderings; each ordering holds how often it came.

    ``draws`` is the probability that two sides of equal strength are level; `RatingParameters.tau` has no
    part in it. It takes 10 to 20 rounds where results are mixed, and some hundred where one won thousands
    of matches in a row. ``decks`` are those of the orderings that are of shared decks.

    With ``before`` it goes on from a fit of other matches and takes what that says as it is. It then takes as
    long as these orderings need, and is close to a fit of all, but depends on which matches came first.
    """
    met = {name for ordering in orderings for side in ordering.sides for name in side}
    known = tuple(sorted(met.union(before.names if before else ())))
    size = len(known)
    if not size:
        return Fit((), np.empty(0), np.empty((0, 0)), np.empty(0))
    groups = _groups(orderings, known, parameters, draws)
    means, covariance = np.full(size, parameters.mu), np.eye(size) * parameters.sigma**2
    matches = sum((group.matches(size) for group in groups), np.zeros(size))
    if before:
        at = np.searchsorted(known, before.names)
        means[at], covariance[np.ix_(at, at)] = before.means, before.covariance
        matches[at] += before.matches
    prior = cho_solve(cho_factor(covariance, lower=True), np.eye(size))
    prior_shift = prior @ (means - parameters.mu)
    weight, change = 1.0, inf
    for _ in range(_ROUNDS):
        precision, shift = prior.copy(), prior_shift.copy()
        for group in groups:
            group.send(means - parameters.mu, covariance, weight)
            group.add_to(precision, shift)
        old_means, old_sigmas = means, np.sqrt(np.diagonal(covariance))
        covariance = cho_solve(cho_factor(precision, lower=True), np.eye(size))
        means = parameters.mu + covariance @ shift
        changed = np.append(means - old_means, np.sqrt(np.diagonal(covariance)) - old_sigmas)
        last_change, change = change, float(np.abs(changed).max(initial=0.0))
        if change < _TOLERANCE * parameters.sigma:
            break
        if change > last_change:  # the messages swing: let them change less at a time
            weight = max(weight / 2, _LEAST_WEIGHT)
    covariance = (covariance + covariance.T) / 2  # equal on both sides to the last digit
    by_deck = _scatter(groups, decks, means - parameters.mu, covariance) if decks else None
    return Fit(known, means, covariance, matches, by_deck)


def fit_both(
    rated: Rated, parameters: RatingParameters, draws: float, before: tuple[Fit, Fit] | None = None
) -> tuple[Fit, Fit]:
    """Return the fits of all matches and of the clean ones; see `fit`."""
    all_before, clean_before = before or (None, None)
    of_all = fit(rated.times, parameters, draws, all_before, rated.decks)
    if not rated.unclean and clean_before is all_before:
        return of_all, of_all
    return of_all, fit(rated.clean, parameters, draws, clean_before, rated.clean_decks)


def _scatter(groups: "Sequence[_Group]", decks: Decks, means: Floats, covariance: Floats) -> DeckScatter:
    """Return how the skills scatter from deck to deck, in whatever order decks and matches are given."""
    size, names = len(means), sorted(decks)
    expected, pulls = np.zeros_like(covariance), np.zeros((len(names), size))
    of_decks = np.array([sum(decks[name].values()) for name in names], dtype=np.float64)
    alone = -of_decks.sum()
    for group in groups:
        rows = group.rows
        found = sorted(
            (deck, rows[ordering], times)
            for deck, name in enumerate(names)
            for ordering, times in decks[name].items()
            if ordering in rows
        )
        deck, row, times = np.array(found, dtype=np.intp).reshape(-1, 3).T
        group.pull(means, deck, row, times.astype(np.float64), pulls)
        counts = np.bincount(row, times, len(rows)).astype(np.float64)
        group.add_to(expected, np.zeros(size), counts)
        alone += group.counts.sum()
    return deck_scatter(covariance, expected, pulls, of_decks, float(alone))


def _groups(
    orderings: Mapping[Ordering, int], names: tuple[str, ...], parameters: RatingParameters, draws: float
) -> "list[_Group]":
    """Return the orderings by how many sides they have, sorted: in which order they came does not matter."""
    index = {name: number for number, name in enumerate(names)}
    by_sides: defaultdict[int, list[Ordering]] = defaultdict(list)
    for ordering in _in_order(orderings):
        by_sides[len(ordering.sides)].append(ordering)
    margin = float(ndtri((draws + 1) / 2)) * parameters.beta
    groups = []
    for _, same in sorted(by_sides.items()):
        members = max(len(side) for ordering in same for side in ordering.sides)
        rows = (
            [[index[name] for name in side] + [len(names)] * (members - len(side)) for side in ordering.sides]
            for ordering in same
        )
        sizes = _array([len(side) for side in ordering.sides] for ordering in same).astype(float)
        groups.append(
            _Group(
                orderings=same,
                members=_array(rows),
                counts=_array(orderings[ordering] for ordering in same).astype(float),
                noise=sizes * parameters.beta**2,
                margins=margin * np.sqrt(sizes[:, :-1] + sizes[:, 1:]),
                is_level=_array(ordering.is_level for ordering in same).astype(bool),
            )
        )
    return groups


def _in_order(orderings: Iterable[Ordering]) -> Iterator[Ordering]:
    """Yield orderings sorted; a few at a time, since a sort of many keeps all other threads from running."""
    by_first: defaultdict[tuple[str, ...], list[Ordering]] = defaultdict(list)
    for ordering in orderings:
        by_first[ordering.sides[0]].append(ordering)
    for first in sorted(by_first):
        yield from sorted(by_first[first])


def _array(rows: Iterable[object]) -> Whole:
    """Return rows of whole numbers as an array, made a few at a time, as in `_in_order`."""
    left = iter(rows)
    parts = iter(lambda: list(islice(left, 1000)), [])
    return np.concatenate([np.array(part, dtype=np.intp) for part in parts])


class _Group:
    """Orderings with the same number of sides, and the messages of each to the skills.

    All arrays begin with the dimension of the orderings. Inference takes place in the differences between
    neighbours, one fewer than there are sides: a message to a difference of performances is its
    precision and its shift (precision times mean).
    """

    def __init__(
        self,
        *,
        orderings: Sequence[Ordering],
        members: Whole,
        counts: Floats,
        noise: Floats,
        margins: Floats,
        is_level: Flags,
    ) -> None:
        """Begin with messages that say nothing.

        ``members`` are the numbers of the names by side, filled up with the number after the last name;
        ``noise`` is the variance of each side's performance, ``margins`` the draw margin of each difference.
        """
        self._orderings = orderings
        self._members = members
        self.counts = counts
        self._margins = margins
        self._is_level = is_level
        differences = margins.shape[1]
        self._eye = np.eye(differences)
        between = np.eye(differences, differences + 1) - np.eye(differences, differences + 1, 1)
        self._between = between
        self._noise = np.einsum("ds,ms,es->mde", between, noise, between)
        self._precisions = np.zeros_like(margins)
        self._shifts = np.zeros_like(margins)

    @property
    def rows(self) -> dict[Ordering, int]:
        """Return where each ordering stands."""
        return {ordering: row for row, ordering in enumerate(self._orderings)}

    def matches(self, size: int) -> Floats:
        """Return how many matches each name played; ``size`` is the number of names."""
        flat = self._members.reshape(len(self._members), -1)
        found = np.bincount(flat.ravel(), np.repeat(self.counts, flat.shape[1]), size + 1)[:-1]
        return found.astype(np.float64)

    def _message(self) -> tuple[Floats, Floats]:
        """Return the precision and the shift of each message to the differences of the sides' skills."""
        inverse = np.linalg.inv(self._eye + self._precisions[:, :, None] * self._noise)
        return inverse * self._precisions[:, None, :], _product(inverse, self._shifts)

    def send(self, means: Floats, covariance: Floats, weight: float) -> None:
        """Renew the messages, given the skills by all messages; ``weight`` is that of the new ones."""
        skills, spread = self._differences(means, covariance)
        precision, shift = self._message()
        # what all other messages say: take away the own one, and then add the noise of the performances
        others = np.linalg.inv(self._eye - spread @ precision).astype(np.float64, copy=False)
        noisy = others @ spread + self._noise
        mean = _product(others, skills - _product(spread, shift))
        variances, alone = np.empty_like(mean), np.empty_like(mean)
        for at in range(mean.shape[1]):
            # of each difference alone: without what its own observation says
            beside, shifts_beside = self._precisions.copy(), self._shifts.copy()
            beside[:, at], shifts_beside[:, at] = 0, 0
            both = np.linalg.inv(self._eye + noisy * beside[:, None, :])
            variances[:, at] = np.einsum("me,me->m", both[:, at], noisy[:, :, at])
            known = mean + _product(noisy, shifts_beside)
            alone[:, at] = np.einsum("me,me->m", both[:, at], known)
        precisions, shifts = _observed(alone, variances, self._margins, self._is_level)
        self._precisions += weight * (precisions - self._precisions)
        self._shifts += weight * (shifts - self._shifts)

    def _differences(self, means: Floats, covariance: Floats) -> tuple[Floats, Floats]:
        """Return the mean and the covariance of the differences between the skills of neighbouring sides."""
        members, matches = self._members, len(self._members)
        padded = np.pad(covariance, (0, 1))
        flat = members.reshape(matches, -1)
        of_sides = padded[flat[:, :, None], flat[:, None, :]]
        shape = (matches, *members.shape[1:], *members.shape[1:])
        of_sides = of_sides.reshape(shape).sum(axis=(2, 4))
        between = self._between
        return self._mean_differences(means), between @ of_sides @ between.T

    def _mean_differences(self, means: Floats) -> Floats:
        sides: Floats = np.append(means, 0.0)[self._members].sum(axis=2)
        return sides @ self._between.T

    def pull(self, means: Floats, deck: Whole, row: Whole, times: Floats, pulls: Floats) -> None:
        """Add to the ``pulls`` of each deck what its orderings say beyond the means, each so many times.

        ``deck`` and ``row`` hold the deck and the place of each ordering.
        """
        of_differences, to_differences = self._message()
        beyond = to_differences - _product(of_differences, self._mean_differences(means))
        to_members = np.repeat(beyond @ self._between, self._members.shape[2], axis=1)[row] * times[:, None]
        size = pulls.shape[1] + 1
        cells = deck[:, None] * size + self._members.reshape(len(self._members), -1)[row]
        summed = np.bincount(cells.ravel(), to_members.ravel(), len(pulls) * size)
        pulls += summed.reshape(-1, size)[:, :-1]

    def add_to(self, precision: Floats, shift: Floats, counts: Floats | None = None) -> None:
        """Add what the messages say to the precision and the shift of all skills.

        With ``counts`` each ordering counts so many times, and not as often as it came.
        """
        counts = self.counts if counts is None else counts
        size = len(shift)
        of_differences, to_differences = self._message()
        of_sides = self._between.T @ of_differences @ self._between * counts[:, None, None]
        to_sides = to_differences @ self._between * counts[:, None]
        members = self._members.shape[2]
        flat = self._members.reshape(len(self._members), -1)
        cells = flat[:, :, None] * (size + 1) + flat[:, None, :]
        weights = np.repeat(np.repeat(of_sides, members, axis=1), members, axis=2)
        summed = np.bincount(cells.ravel(), weights.ravel(), minlength=(size + 1) ** 2)
        precision += summed.reshape(size + 1, size + 1)[:-1, :-1]
        shift += np.bincount(flat.ravel(), np.repeat(to_sides, members, axis=1).ravel(), size + 1)[:-1]


def _product(matrices: Floats, vectors: Floats) -> Floats:
    """Return the product of each matrix with its vector."""
    product: Floats = np.einsum("mde,me->md", matrices, vectors)
    return product


def _observed(means: Floats, variances: Floats, margins: Floats, is_level: Flags) -> tuple[Floats, Floats]:
    """Return the message (precision, shift) of each difference's observation: above its margin, or within.

    It has the first two moments of the normal distribution cut off there.
    """
    deviations = np.sqrt(variances)
    scaled, margin = means / deviations, margins / deviations
    slope, bend = _above(scaled - margin)
    if is_level.any():
        level_slope, level_bend = _within(scaled[is_level], margin[is_level])
        slope[is_level], bend[is_level] = level_slope, level_bend
    # moments: mean + deviation * slope, variance * (1 - bend)
    precisions = bend / (1 - bend) / variances
    shifts = (scaled * bend + slope) / (1 - bend) / deviations
    return precisions, shifts


def _above(t: Floats) -> tuple[Floats, Floats]:
    """Return V and W of TrueSkill for a difference above its margin, ``t`` in standard deviations."""
    slope = np.exp(-t * t / 2 - log_ndtr(t)) / np.sqrt(2 * np.pi)
    bend = slope * (slope + t)
    far = t < -1e3  # where the difference of two large numbers has no digits left
    bend[far] = 1 - t[far] ** -2.0
    return slope, np.minimum(bend, _MOST_CERTAIN)


def _within(t: Floats, margin: Floats) -> tuple[Floats, Floats]:
    """Return V and W of TrueSkill for a difference within its margin, in standard deviations."""
    sign = np.where(t < 0, -1.0, 1.0)
    off = np.abs(t)
    near, far = off - margin, off + margin  # the difference lies between -far and -near of a normal one
    log_near = log_ndtr(-near)
    log_mass = log_near + np.log1p(-np.exp(log_ndtr(-far) - log_near))
    at_near = np.exp(-near * near / 2 - log_mass) / np.sqrt(2 * np.pi)
    at_far = np.exp(-far * far / 2 - log_mass) / np.sqrt(2 * np.pi)
    slope = at_far - at_near
    bend = slope * slope + far * at_far - near * at_near
    return sign * slope, np.minimum(bend, _MOST_CERTAIN)
