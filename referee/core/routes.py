"""Which bots a referee sends to another process: how tables are shared out among several.

One process, the front, has the address that bots know, and no tables. It gathers bots until there are enough
for a table, and sends them together to one of the workers, each of which is a referee with open tables of its
own. A worker seats its bots again and again. It sends those home to the front that its other bots cannot make
a table for, and those that the front asks for, since others wait there.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from referee.core.session import Ended, Session
from referee.games.registry import game
from referee.match.clock import SECOND
from referee.match.effects import Owner
from referee.match.messages import Hello, Reason

HOME: Final = ""
"""The address that a bot is sent to where it is to begin at its own again."""

PATIENCE: Final = 2 * SECOND
"""How long a bot waits for others where it is, before it is sent on, or others are asked for."""

ASKING_AGAIN: Final = 10 * SECOND
"""How long bots that a worker was asked for have to come, before it is asked for others."""

_ON_THEIR_WAY: Final = 3 * SECOND  # bots that were sent count for so long until the worker tells of them


class Routes(Protocol):
    """Says who plays elsewhere, each by the address to go to; None: here."""

    def of(self, hello: Hello) -> str | None:
        """Return where a bot that says hello belongs.

        Raises:
            Ended: it does not follow when it is sent there.
        """

    def for_table(self, party: Sequence[Session], now: int) -> str | None:
        """Return where a table that has enough bots is to be played."""

    def review(self, sessions: Collection[Session], now: int) -> Iterable[tuple[Session, str]]:
        """Return those of the bots here that are to go elsewhere now."""


class AllHere:
    """The routes of a referee of one process."""

    def of(self, hello: Hello) -> None:
        """Return None: whoever comes stays."""

    def for_table(self, party: Sequence[Session], now: int) -> None:
        """Return None: all tables are played here."""

    def review(self, sessions: Collection[Session], now: int) -> tuple[()]:
        """Return none."""
        return ()


ALL_HERE: Final = AllHere()


@dataclass(frozen=True, slots=True)
class WorkerReport:
    """What a worker tells of itself: who plays there, and how many bots each game has at its tables."""

    sessions: int = 0
    players: Mapping[str, int] = field(default_factory=dict)
    playing: frozenset[Owner] = frozenset()


def players_of(sessions: Iterable[Session], games: Iterable[str]) -> Counter[str]:
    """Count by game the bots that will take another table: those that play at one now, too."""
    staying = [each for each in sessions if each.hello and not each.retired and each.matches_left != 0]
    return Counter({name: sum(each.plays(name) for each in staying) for name in games})


class Homeward:
    """The routes of a worker: bots that cannot be seated here, or that the front asks for, go home.

    ``games`` are those of its open tables.
    """

    def __init__(self, games: Collection[str]) -> None:
        self._games = games
        self._asked_for: set[Session] = set()
        self._waiting: dict[Session, int] = {}  # since when

    def of(self, hello: Hello) -> None:
        """Return None: the front has sent it here."""

    def for_table(self, party: Sequence[Session], now: int) -> None:
        """Return None."""

    def call(self, sessions: Iterable[Session], name: str, count: int) -> None:
        """Send so many bots home that play a game, once they have no seat; who has fewest goes first."""
        fit = [each for each in sessions if _follows(each) and not each.retired and each.plays(name)]
        for session in sorted(fit, key=lambda each: len(each.seats))[:count]:
            session.retired = True  # which gives it no more tables
            self._asked_for.add(session)

    def review(self, sessions: Collection[Session], now: int) -> Iterable[tuple[Session, str]]:
        """Return the bots that go home."""
        self._asked_for &= set(sessions)
        idle = [each for each in sessions if _follows(each) and not each.seats]
        self._waiting = {each: self._waiting.get(each, now) for each in idle}
        players = players_of(sessions, self._games)
        here = {name for name in self._games if players[name] >= game(name).seats}
        for session in idle:
            is_over_here = not any(map(session.plays, here)) and now - self._waiting[session] >= PATIENCE
            if session in self._asked_for or (is_over_here and not session.retired):
                yield session, HOME


def _follows(session: Session) -> bool:
    return session.hello is not None and session.hello.redirects


@dataclass(slots=True)
class _WorkerSeen:
    address: str
    is_there: bool = True
    report: WorkerReport = field(default_factory=WorkerReport)
    sent: list[int] = field(default_factory=list)  # when a bot was sent there

    def load(self, now: int) -> int:
        self.sent = [at for at in self.sent if now - at < _ON_THEIR_WAY]
        return self.report.sessions + len(self.sent)


class Outward:
    """The routes of the front: whole tables go to the worker that has the fewest bots.

    ``games`` are those of the open tables; ``worker_of`` returns the number of the worker that a match was
    named by, None where it was none; ``call`` asks a worker, by its number, to send bots home.
    """

    def __init__(
        self,
        games: Collection[str],
        worker_of: Callable[[str], int | None],
        call: Callable[[int, str, int], None],
    ) -> None:
        self._games = games
        self._worker_of = worker_of
        self._call = call
        self._workers: dict[int, _WorkerSeen] = {}
        self._waiting: dict[Session, int] = {}  # since when
        self._called: dict[str, int] = {}  # when bots were last asked for, by game

    def set_worker(self, number: int, address: str) -> None:
        """Take up a worker that listens; one that was there before goes on at this address."""
        known = self._workers.setdefault(number, _WorkerSeen(address))
        known.address, known.is_there = address, True

    def lose_worker(self, number: int) -> None:
        """Send no tables to a worker until it is back; those that have a seat there are told to ask there."""
        if known := self._workers.get(number):
            known.is_there = False

    def report(self, number: int, report: WorkerReport) -> None:
        """Record what a worker tells of itself."""
        self._workers[number].report = report

    def of(self, hello: Hello) -> str | None:
        """Return the worker where a bot has a seat, or where a match was played that it asks for.

        Raises:
            Ended: it does not follow.
        """
        if not hello.redirects:
            text = (
                "this referee has several processes, and the bot does not follow `redirect`: use a newer kit"
            )
            raise Ended(Reason.UNSUPPORTED_VERSION, text)
        if (address := self._seat_of((hello.entry, hello.instance))) is not None:
            return address
        numbers = {self._worker_of(match_id) for match_id in hello.resume}
        return next((worker.address for number, worker in self._workers.items() if number in numbers), None)

    def for_table(self, party: Sequence[Session], now: int) -> str | None:
        """Return the worker with the fewest bots; None where there is none, and the front plays itself."""
        there = [number for number, each in self._workers.items() if each.is_there]
        if not there:
            return None
        worker = self._workers[min(there, key=lambda number: (self._workers[number].load(now), number))]
        worker.sent.extend([now] * len(party))
        return worker.address

    def review(self, sessions: Collection[Session], now: int) -> Iterable[tuple[Session, str]]:
        """Return those that have a seat at a worker after all; ask for others where bots wait for some.

        Who has a seat here, from when no worker was there, stays until that match is over.
        """
        left: list[Session] = []
        for session in sessions:
            if session.seats:
                continue
            if (address := self._seat_of(session.identity)) is not None:
                yield session, address
            else:
                left.append(session)
        self._waiting = {each: self._waiting.get(each, now) for each in left}
        waiting = players_of(
            (each for each, at in self._waiting.items() if now - at >= PATIENCE), self._games
        )
        for name in self._games:
            if waiting[name]:
                self._ask_for(name, game(name).seats - waiting[name], now)

    def _ask_for(self, name: str, missing: int, now: int) -> None:
        if missing <= 0 or now - self._called.get(name, -ASKING_AGAIN) < ASKING_AGAIN:
            return
        able = [
            (worker.load(now), -number)
            for number, worker in self._workers.items()
            if worker.is_there and worker.report.players.get(name, 0) >= missing
        ]
        if able:
            self._called[name] = now
            self._call(-max(able)[1], name, missing)

    def _seat_of(self, owner: Owner) -> str | None:
        playing = (each.address for each in self._workers.values() if owner in each.report.playing)
        return next(playing, None)
