"""Which hosted bots run: those whose matches are near, and for a while those that were needed."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from referee.match.effects import Owner


@dataclass(frozen=True, slots=True)
class BotChange:
    """Which bots to start, in this order, and which to end; ``due``: when the next one is idle for too long.

    Times are in microseconds.
    """

    start: tuple[Owner, ...]
    end: tuple[Owner, ...]
    due: int | None


class LiveBots:
    """The rule by which bots are started and ended.

    A bot runs while it plays and while one of its matches is near. An idle bot is ended after ``keep``
    microseconds, and before that, the longest idle first, where there is no room for one that is needed: at
    most ``most`` run at a time. A match that is near has all its bots or waits, and the nearest goes first.
    """

    def __init__(self, keep: int, most: int) -> None:
        self._keep = keep
        self._most = most
        self._idle_since: dict[Owner, int] = {}

    def change(
        self,
        playing: Iterable[Owner],
        near: Iterable[Collection[Owner]],
        live: Collection[Owner],
        ending: int,
        now: int,
    ) -> BotChange:
        """Return which bots to start and to end.

        ``playing`` are the bots of matches in play, ``near`` those of each match that is near, the nearest
        first, ``live`` those that run, and ``ending`` is how many more were told to end and have not yet.
        """
        needed = dict.fromkeys(playing)
        for owners in near:
            more = [owner for owner in owners if owner not in needed]
            if len(needed) + len(more) > self._most:
                break
            needed.update(dict.fromkeys(more))
        idle = {owner: self._idle_since.get(owner, now) for owner in live if owner not in needed}
        self._idle_since = idle
        longest_first = sorted(idle, key=lambda owner: idle[owner])
        missing = [owner for owner in needed if owner not in live]
        room = self._most - len(live)
        idle_too_long = sum(now - since >= self._keep for since in idle.values())
        number = max(idle_too_long, len(missing) - room)
        staying = longest_first[number:]
        return BotChange(
            tuple(missing[: max(0, room - ending)]),
            tuple(longest_first[:number]),
            min((idle[owner] + self._keep for owner in staying), default=None),
        )
