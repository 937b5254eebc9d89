"""Counts the streams of one referee: by the owner of the token, or without a token by address."""

from collections import Counter
from collections.abc import Hashable
from typing import Final, TypeVar

from referee.core.access import Bearer
from referee.core.limits import Allowances, Limits
from referee.core.session import Ended
from referee.match.messages import Reason

K = TypeVar("K", bound=Hashable)

_STREAMS_A_SESSION: Final = 2  # one that plays, and one that is about to take over from it


class StreamCounts:
    """Lets streams in while there is room; each counts until it is gone, since a stuck one cannot be ended.

    Strangers, who show no token, get at most half of the room, so that there is always room for bots with a
    token. Bots with a token are not counted by address, which others may share. Times are microseconds.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._most_strangers = (limits.sessions + 1) // 2
        self._most_of_a_token = _STREAMS_A_SESSION * limits.sessions_per_entry
        self._opened_by_bearer = Allowances(limits.hellos_per_second)
        self._opened_by_peer = Allowances(limits.strangers_per_second)
        self._streams = self._strangers = 0
        self._by_bearer: Counter[Bearer] = Counter()
        self._by_peer: Counter[str] = Counter()  # strangers
        self._awaited: Counter[str] = Counter()  # those of them that have not said hello

    def check_pace(self, bearer: Bearer | None, peer: str, now: int) -> None:
        """Check that streams are not opened too fast, before anything else is done for one.

        Raises:
            Ended: RATE_LIMITED.
        """
        if bearer and not self._opened_by_bearer.take(bearer, now):
            raise Ended(Reason.RATE_LIMITED, "sessions with this token are opened too fast; wait a second")
        if not bearer and not self._opened_by_peer.take(peer, now):
            text = "sessions without a token are opened too fast from this address; wait a second"
            raise Ended(Reason.RATE_LIMITED, text)

    def enter(self, bearer: Bearer | None, peer: str) -> None:
        """Count a stream.

        Raises:
            Ended: TOO_MANY_SESSIONS, there is no room for it.
        """
        limits = self._limits
        if self._streams >= limits.sessions:
            raise Ended(Reason.TOO_MANY_SESSIONS, "the referee has no room for another session")
        if bearer:
            _check(self._by_bearer, bearer, self._most_of_a_token, "with this token")
            self._by_bearer[bearer] += 1
        else:
            if self._strangers >= self._most_strangers:
                text = "the referee has no room for another session without a token"
                raise Ended(Reason.TOO_MANY_SESSIONS, text)
            _check(self._by_peer, peer, limits.sessions_per_peer, "from this address without a token")
            _check(self._awaited, peer, limits.hellos_awaited, "from this address that have not said hello")
            self._strangers += 1
            self._by_peer[peer] += 1
            self._awaited[peer] += 1
        self._streams += 1

    def owes_nothing(self, bearer: Bearer | None, peer: str) -> None:
        """Record that no hello is awaited any more: it has come, or the session is over without one."""
        if not bearer:
            count_down(self._awaited, peer)

    def leave(self, bearer: Bearer | None, peer: str) -> None:
        """Record that a stream is gone."""
        self._streams -= 1
        if bearer:
            count_down(self._by_bearer, bearer)
        else:
            self._strangers -= 1
            count_down(self._by_peer, peer)


def _check(counts: Counter[K], key: K, most: int, which: str) -> None:
    if counts[key] >= most:
        text = f"there are {most} sessions {which}, which is the limit"
        raise Ended(Reason.TOO_MANY_SESSIONS, text)


def count_down(counts: Counter[K], key: K) -> None:
    """Count one less, and remove a count that reaches zero."""
    counts[key] -= 1
    if not counts[key]:
        del counts[key]
