"""What of a store may be told: nothing of decks that are still to be played, as in duplicate sets."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby

from referee.match.faults import Termination
from tournaments.plan.plan import Plan
from tournaments.schedule.duplicates import epoch_of, together
from tournaments.store.store import Store
from tournaments.store.values import Attempted, Issued, MatchResult


def as_told(plan: Plan, attempts: Iterable[Attempted]) -> Iterator[Attempted]:
    """Yield attempts, by serial, as they may be told: nothing of a deck that is still to be played.

    That holds for the turns of a duplicate set, and where a round shares its decks, for all of the round.
    What is not told yet looks open.
    """
    for each, _is_open in with_open_decks(plan, attempts):
        yield each


def with_open_decks(plan: Plan, attempts: Iterable[Attempted]) -> Iterator[tuple[Attempted, bool]]:
    """Do the same as `as_told`, each with whether anything is still to be played with its decks."""
    if not plan.duplicate:
        yield from ((each, each.result is None) for each in attempts)
        return
    number = together(plan) or 1
    for _, group in groupby(attempts, lambda each: (each.issued.serial - 1) // number):
        found = list(group)
        to_play = {_epoch(plan, each) for each in found if not (each.result or each.is_skipped)}
        if len({each.issued.serial for each in found}) < number:  # the rest is not drawn up yet
            to_play |= {_epoch(plan, each) for each in found if each.issued.attempt == 1}
        for each in found:
            is_open = _epoch(plan, each) in to_play
            yield (_untold(each) if is_open else each), is_open


def withheld(plan: Plan, store: Store) -> Counter[Termination]:
    """Return how many results of each kind may not be told yet, since their decks are still to be played.

    Raises:
        StoreError: the store cannot be read.
    """
    if not plan.duplicate:
        return Counter()
    number = together(plan) or 1
    whole = store.prefix() // number * number  # up to there everything is over
    found = list(store.attempts(after=whole))
    return Counter(
        each.result.outcome.termination
        for each, shown in zip(found, as_told(plan, found), strict=True)
        if each.stands and each.result and not shown.result
    )


def played_count(plan: Plan, store: Store) -> int:
    """Return how many matches have a result that may be told.

    Raises:
        StoreError: the store cannot be read.
    """
    return store.played_count() - store.skipped_count() - withheld(plan, store).total()


def records_digest(plan: Plan, store: Store) -> str | None:
    """Return the digest over all records, None while a result may not be told: each would change it.

    Raises:
        StoreError: the store cannot be read.
    """
    digest = store.records_digest()  # first: a result that is stored between the two is withheld
    return None if withheld(plan, store) else digest


def matches_as_told(plan: Plan, store: Store) -> Iterator[tuple[Issued, MatchResult | None]]:
    """Yield each match that was issued, by serial, with its result if it has one that may be told.

    Raises:
        StoreError: the store cannot be read.
    """
    if not plan.duplicate:
        yield from store.matches()
        return
    for _, group in groupby(as_told(plan, store.attempts()), lambda each: each.issued.serial):
        found = list(group)
        standing = [each for each in found if each.stands and each.result and each.result.outcome.ranks]
        last = (standing or found)[-1]
        yield last.issued, last.result if standing else None


def _epoch(plan: Plan, attempted: Attempted) -> str:
    return epoch_of(plan, attempted.issued.match_id, attempted.issued.attempt)


def _untold(attempted: Attempted) -> Attempted:
    has_result = attempted.result and attempted.result.outcome.ranks
    return replace(attempted, result=None) if has_result else attempted
