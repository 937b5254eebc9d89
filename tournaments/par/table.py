"""The table of a tournament with the luck of the deal taken out, from its store and its records."""

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

from referee.dealing.scheme import epoch_id
from referee.games.base import Result
from referee.games.registry import GAMES
from tournaments.par.estimate import Estimates, Luck
from tournaments.par.kept import KeptPars, Scores
from tournaments.plan.plan import ParBot, Plan
from tournaments.standings.names import RatedNames
from tournaments.store import Store

OnProgress = Callable[[int, int], None]
"""Called with how many pars were computed, and how many are to be."""

_KEEP_EVERY: Final = 64  # pars


@dataclass(frozen=True, slots=True)
class ParTable:
    """Differences of points a deal, or a match of a whole game, with the luck of the deal taken out.

    ``is_named_before``: the bot was named before the first match was issued. ``left_out`` counts matches that
    somebody forfeited, ``without_par`` those whose par cannot be known; ``problem`` says why for the first.
    ``missing`` are those whose par is not computed yet.
    """

    par: ParBot
    is_named_before: bool
    per: str
    estimates: Estimates
    left_out: int = 0
    without_par: int = 0
    problem: str | None = None
    missing: int = 0


class _PlayedMatch(NamedTuple):
    match_id: str
    names: list[tuple[str, int]]  # by place, with the side
    scores: Scores
    record: str
    record_sha256: str


def par_table(
    plan: Plan,
    store: Store,
    on_progress: OnProgress | None = None,
    *,
    workers: int = 1,
    most: int | None = None,
) -> ParTable | None:
    """Return the table of all that is stored; None where the plan names no par, or has duplicate sets.

    Pars that are not known yet are computed and kept, at most ``workers`` at a time and ``most`` in all, so
    that the next call goes on from there. Matches that somebody forfeited are left out.

    Raises:
        StoreError: the store cannot be read.
        ParError: a process that computes pars was ended.
    """
    if plan.par is None or plan.duplicate:  # sets are told as a whole, and have no luck left to take out
        return None
    named = store.named_par()
    par = named or plan.par
    played, left_out = _played(plan, store)
    kept = KeptPars(plan.folder, par, {epoch: match.record_sha256 for epoch, match in played.items()})
    pars = kept.read()
    left = {epoch: plan.folder / match.record for epoch, match in played.items() if epoch not in pars}
    missing = 0
    problem: str | None = None
    if par.signature == plan.par.signature:
        now = dict(islice(left.items(), most))
        missing = len(left) - len(now)
        fresh, problem = _compute(now, par, kept, on_progress, workers)
        pars |= fresh
    elif left:
        problem = f"this version's {par.bot} plays otherwise: use the version that began the tournament"
    luck = Luck(GAMES[plan.game].low_wins, plan.deals or 1)
    without = -missing
    for epoch, match in played.items():
        if len(pars.get(epoch, ())) == len(match.scores):
            luck.add(match.match_id, match.names, match.scores, pars[epoch])
        else:
            without += 1
    per = "match" if plan.deals is None else "deal"
    return ParTable(par, named is not None, per, luck.estimates(), left_out, without, problem, missing)


def _played(plan: Plan, store: Store) -> tuple[dict[str, _PlayedMatch], int]:
    """Return the matches that were played to their end, by the id of their epoch, and how many were not."""
    names = RatedNames(plan)

    @cache  # the same entries meet again and again
    def by_place(entries: tuple[str, ...], versions: tuple[str | None, ...]) -> list[tuple[str, int]]:
        rated = names.by_place(entries, versions)
        return [(name, place.side) for name, place in zip(rated, names.places, strict=True)]

    played: dict[str, _PlayedMatch] = {}
    left_out = 0
    for each in store.scores():
        if each.scores is None:
            left_out += 1
            continue
        sides = by_place(each.entries, each.versions)
        epoch = epoch_id(each.match_id, each.attempt)
        played[epoch] = _PlayedMatch(each.match_id, sides, each.scores, each.record, each.record_sha256)
    return played, left_out


def _compute(
    records: Mapping[str, Path], par: ParBot, kept: KeptPars, on_progress: OnProgress | None, workers: int
) -> tuple[dict[str, Scores], str | None]:
    """Return the pars of records, which are kept on the way, and why the first one without a par has none."""
    found: dict[str, Scores] = {}
    fresh: dict[str, Result] = {}
    problem: str | None = None
    from tournaments.par.compute import computed  # only now: the house bots take a while to load

    with closing(computed(records, par.bot, workers=workers)) as results:
        try:
            for number, (epoch, result) in enumerate(results, 1):
                if isinstance(result, str):
                    problem = problem or result
                else:
                    fresh[epoch], found[epoch] = result, result.scores
                if len(fresh) >= _KEEP_EVERY:
                    kept.add(fresh)
                    fresh.clear()
                if on_progress:
                    on_progress(number, len(records))
        finally:
            if fresh:
                kept.add(fresh)
    return found, problem
