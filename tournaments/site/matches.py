"""The matches of a tournament as pages may tell of them."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from tournaments.plan.plan import Plan
from tournaments.schedule.duplicates import together
from tournaments.store import Adjudication, Attempted, Issued, MatchResult, Store
from tournaments.store.told import with_open_decks


@dataclass(frozen=True, slots=True)
class ToldMatch:
    """The attempts at a match, in order, with the rulings on it.

    ``public`` are the attempts whose records everybody may read: nothing is still to be played with their
    decks.
    """

    attempts: tuple[Attempted, ...]
    rulings: tuple[Adjudication, ...] = ()
    public: frozenset[int] = frozenset()

    @property
    def issued(self) -> Issued:
        """Return the match as it was issued, with its last attempt."""
        return self._last.issued

    @property
    def result(self) -> MatchResult | None:
        """Return the result that counts, None without one."""
        return self._last.result if self._has_result(self._last) else None

    @property
    def records(self) -> list[MatchResult]:
        """Return the attempts that have a record which everybody may read."""
        results = [each.result for each in self.attempts if each.result]
        return [each for each in results if each.record and each.attempt in self.public]

    @property
    def has_page(self) -> bool:
        """Return whether there is something to tell of it: an attempt is over."""
        return any(each.result for each in self.attempts)

    @property
    def digest(self) -> str:
        """Return a digest of all that is known here."""
        return hashlib.sha256(
            repr((self.attempts, self.rulings, sorted(self.public))).encode(errors="replace")
        ).hexdigest()[:32]

    @property
    def _last(self) -> Attempted:
        standing = [each for each in self.attempts if self._has_result(each)]
        return (standing or self.attempts)[-1]

    @staticmethod
    def _has_result(each: Attempted) -> bool:
        return bool(each.stands and each.result and each.result.outcome.ranks)


def matches(plan: Plan, store: Store, first: int = 1, last: int | None = None) -> Iterator[ToldMatch]:
    """Yield the matches from one serial to another, or to the end, in order.

    Raises:
        StoreError: the store cannot be read.
    """
    number = together(plan) or 1
    # what may be told of decks is decided by all matches that are played with them
    attempts = store.attempts(after=(first - 1) // number * number)
    rulings = by_match(store.adjudications())
    told = with_open_decks(plan, attempts)
    for serial, group in groupby(told, lambda each: each[0].issued.serial):
        if last is not None and serial > last:
            return
        if serial >= first:
            found = list(group)
            public = frozenset(each.issued.attempt for each, is_open in found if not is_open)
            match_id = found[0][0].issued.match_id
            yield ToldMatch(tuple(each for each, _ in found), tuple(rulings.get(match_id, ())), public)


def records_here(plan: Plan, match: ToldMatch) -> dict[int, Path]:
    """Return the files of the records that everybody may read, as far as they are there, by attempt."""
    files = {each.attempt: plan.folder / each.record for each in match.records}
    return {attempt: file for attempt, file in files.items() if file.exists()}


def by_match(rulings: Iterable[Adjudication]) -> Mapping[str, Sequence[Adjudication]]:
    """Return the rulings on each match."""
    found: dict[str, list[Adjudication]] = {}
    for each in rulings:
        if each.match_id is not None:
            found.setdefault(each.match_id, []).append(each)
    return found
