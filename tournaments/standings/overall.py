"""One table over several games, each of which has the same weight.

Each game is fitted by itself, over all its tournaments, and the skill over all games is the mean of the
skills by game. How much more was played of one game does not matter for that; it makes that part of the mean
more certain. An entry that did not play a game counts there as a beginner, which makes the mean less
certain.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tournaments.arrays import np
from tournaments.ratings import RatingParameters, draw_probability
from tournaments.standings.certainty import skills
from tournaments.standings.deck_scatter import DeckScatter
from tournaments.standings.fit import Fit, fit
from tournaments.standings.fold import Standings
from tournaments.standings.orderings import Decks, Ordering
from tournaments.standings.shapes import Skill


@dataclass(frozen=True, slots=True, kw_only=True)
class OverallStanding:
    """One competitor's line: its skill over all games, and by game where it played rated matches."""

    rank: int
    entry: str
    matches: int
    skill: Skill
    by_game: Mapping[str, Skill]


def overall(folded: Sequence[Standings]) -> tuple[OverallStanding, ...]:
    """Return one table of tournaments whose plans have the same parameters of ratings, best first."""
    if not folded:
        return ()
    parameters = folded[0].plan.rating
    of_games: dict[str, Counter[Ordering]] = defaultdict(Counter)
    decks: dict[str, dict[str, Mapping[Ordering, int]]] = defaultdict(dict)
    for number, standings in enumerate(sorted(folded, key=lambda each: (each.plan.game, each.plan.name))):
        game = standings.plan.game
        of_games[game].update(standings.rated.times)
        decks[game] |= {f"{number} {deck}": of for deck, of in standings.rated.decks.items()}
    fits = {game: _fit(game, orderings, decks[game], parameters) for game, orderings in of_games.items()}
    mean = _mean([found for found in fits.values() if found.names], parameters)
    by_game = {game: skills(found) for game, found in fits.items()}
    matches = dict(zip(mean.names, mean.matches, strict=True))
    of_all = skills(mean)
    mus = [round(skill.mu, 6) for skill in of_all.values()]
    return tuple(
        OverallStanding(
            rank=1 + sum(other > round(skill.mu, 6) for other in mus),
            entry=name,
            matches=round(matches[name]),
            skill=skill,
            by_game={game: found[name] for game, found in by_game.items() if name in found},
        )
        for name, skill in of_all.items()
    )


def _fit(game: str, orderings: Counter[Ordering], decks: Decks, parameters: RatingParameters) -> Fit:
    draws = sum(sum(each.is_level) * times for each, times in orderings.items())
    chances = sum(len(each.is_level) * times for each, times in orderings.items())
    return fit(orderings, parameters, draw_probability(parameters, game, draws, chances), decks=decks)


def _mean(fits: Sequence[Fit], parameters: RatingParameters) -> Fit:
    """Return the means of the skills of independent fits."""
    names = tuple(sorted({name for found in fits for name in found.names}))
    size, games = len(names), max(len(fits), 1)
    means, covariance, matches = np.zeros(size), np.zeros((size, size)), np.zeros(size)
    by_deck = np.zeros_like(covariance)
    for found in fits:
        at = np.searchsorted(names, found.names)
        both = np.ix_(at, at)
        of_game = np.eye(size) * parameters.sigma**2
        of_game[both] = found.covariance
        skill = np.full(size, parameters.mu)
        skill[at] = found.means
        means += skill / games
        covariance += of_game / games**2
        if found.by_deck:
            of_game[both] = found.by_deck.covariance
        by_deck += of_game / games**2
        matches[at] += found.matches
    scatters = [found.by_deck for found in fits if found.by_deck]
    if not scatters:
        return Fit(names, means, covariance, matches)
    fewest, most = min(each.decks for each in scatters), max(each.most for each in scatters)
    return Fit(names, means, covariance, matches, DeckScatter(by_deck, fewest, most))
