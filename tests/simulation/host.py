"""One life of the referee on a folder that outlives it, driven as the server drives it."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from referee.core.access import Trusting
from referee.core.core import Core
from referee.core.limits import Limits
from referee.core.running_match import Key, OpenTable, RunningMatch
from referee.core.session import Session
from referee.dealing.decks import MatchDeals
from referee.games.base import Game
from referee.match.clock import SECOND
from referee.match.effects import MatchSetup, Owner
from referee.server.game_clock import GameClock
from referee.storage.recorder import FinishedMatch, Recorder
from tests.simulation.disk import Doom, Keys, WatchedJournal
from tests.simulation.network import Pipe
from tests.simulation.witness import Violation

if TYPE_CHECKING:
    from tests.simulation.bots import SimulatedBot
    from tests.simulation.world import World

_PULSE: Final = 5_000
_ON_TIME: Final = 3600 * SECOND  # while the loop is on time the pulses need not be looked at one by one
_LIMITS: Final = Limits(heartbeat_seconds=2)


class Stream:
    """One call of a bot, and its session in one life of the referee."""

    def __init__(self, host: "Host", bot: "SimulatedBot", number: int) -> None:
        self.host = host
        self.bot = bot
        self.number = number
        self.session: Session | None = None
        self.is_open = True  # for the referee
        host.dialled[self] = None
        self.closes = False
        timeline = host.world.timeline
        self.to_host = Pipe(timeline, lambda frame: host.do(lambda: host.receive(self, frame)))
        self.to_bot = Pipe(timeline, lambda frame: bot.hear(self, frame))


class Host:
    """The referee from one start to its end."""

    def __init__(self, world: "World", doom: Doom) -> None:
        self.world = world
        self.doom = doom
        self.alive = True
        self.draining = False
        self.opened: set[Key] = set()
        """The matches that were opened in this life, or have been left to it."""
        self.busy: set[Key] = set()
        """The matches that are over, but whose results are not stored yet."""
        self.unsettled = 0
        self.dialled: dict[Stream, None] = {}
        self.streams: dict[Session, Stream] = {}
        self._stalled = False
        self._backlog: list[Callable[[], None]] = []
        self._turn_is_due = False
        self._tick_at: int | None = None
        keys = Keys(world.kept, world.drawn, doom, world.safe)

        def deals(setup: MatchSetup, game: Game[Any]) -> MatchDeals:
            return MatchDeals(setup, game, keys)

        self.journal = WatchedJournal(world.folder / "journal", world.safe, doom, world.plan.segment_bytes)
        open_tables = [world.plan.open_table] if world.plan.open_table else []
        self.core = Core(
            deals=deals,
            access=Trusting(),
            server="simulation",
            open_tables=open_tables,
            new_match_id=world.new_match_id,
            limits=_LIMITS,
            observer=world.observer,
        )
        self.recorder = Recorder(
            self.core, keys=keys, journal=self.journal, records=world.folder, wall=self._date
        )
        self.clock = GameClock(lambda: world.timeline.now, start=self.recorder.last_time)

    def _date(self) -> datetime:
        return datetime.fromtimestamp(self.world.timeline.now // SECOND, UTC)

    def open(self) -> None:
        """Go on with what an earlier life left, as `Referee.recover` and the runner do."""
        self.clock.pulse(_ON_TIME)
        now = self.clock.now()
        self.opened.update(self.journal.left)
        self.recorder.recover(now, self.world.plan.grace)
        self.doom.at("in recovery")
        output = self.recorder.turn(now)
        for table in output.finished:
            self._keep(table)
        self._set_tick()

    def do(self, step: Callable[[], None]) -> None:
        """Do a step now, or when the loop goes round again; nothing when the referee is gone."""
        if not self.alive:
            return
        if self._stalled:
            self._backlog.append(step)
        else:
            step()

    # Streams

    def connect(self, stream: Stream) -> None:
        stream.session = self.core.connect(None, self.clock.now(), "peer")
        self.streams[stream.session] = stream
        self._soon()

    def receive(self, stream: Stream, frame: bytes) -> None:
        session = stream.session
        if session is None or not stream.is_open or session.ended or session.leaving:
            return  # the server reads no more
        self.core.receive(session, frame, self.clock.now(), self.world.timeline.now)
        self._soon()
        self.doom.at("after a frame")

    def disconnect(self, stream: Stream) -> None:
        if stream.is_open and stream.session:
            stream.is_open = False
            del self.dialled[stream]
            del self.streams[stream.session]
            self.core.disconnect(stream.session, self.clock.now())
            self._soon()
            self.doom.at("after a stream")

    # Matches

    def create(self, setup: MatchSetup, owners: tuple[Owner, ...]) -> None:
        self.opened.add((setup.match_id, setup.attempt))
        self.core.create(setup, self.clock.now(), owners)
        self._soon()
        self.doom.at("after a table")

    def intervene(self, kind: str, owner: Owner, match_id: str) -> None:
        """Act as the host of the tournament: abandon or void an owner's seats, or cancel a match."""
        now = self.clock.now()
        if kind == "cancel":
            self.core.cancel(match_id, now)
        else:
            getattr(self.core, kind)(owner, now)
        self._soon()

    def drain(self) -> None:
        self.draining = True
        self.core.drain()
        self._soon()

    def leave(self) -> None:
        """End as a process does that was told to."""
        self.core.end_sessions(self.clock.now())
        for stream in self.streams.values():
            self._pump(stream)
        self.turn()
        self.journal.close()
        self.alive = False

    # Time

    def stall(self, time: int) -> None:
        """Let the loop stand for so long."""
        if not self._stalled:
            self.clock.pulse(_PULSE)
            self._stalled = True
            self.world.timeline.after(time, self._go_on)

    def _go_on(self) -> None:
        if not self.alive:
            return
        self._stalled = False
        backlog, self._backlog = self._backlog, []
        # what came in meanwhile may be read before the loop comes to the pulse that is late, or after it
        is_first = self.world.chance.odds(50)
        if is_first:
            self.clock.pulse(_ON_TIME)
        for step in backlog:
            self.do(step)
        if not is_first:
            self.clock.pulse(_ON_TIME)
        # what is due falls at the next pulse
        self._tick_at = None
        self._set_tick(_PULSE)

    def _set_tick(self, delay: int = 0) -> None:
        if (due := self.core.next_wake) is None:
            return
        at = self.world.timeline.now + max(delay, due - self.clock.now()) + self.world.chance.below(_PULSE)
        if self._tick_at is None or at < self._tick_at:
            self._tick_at = at
            self.world.timeline.at(at, lambda: self.do(lambda: self._tick(at)))

    def _tick(self, at: int) -> None:
        if at != self._tick_at:
            return
        self._tick_at = None
        now = self.clock.now()
        if (due := self.core.next_wake) is not None and due <= now:
            self.core.tick(now)
            self.doom.at("after a tick")
            self.turn()
        self._set_tick()

    # One turn of the loop

    def _soon(self) -> None:
        if not self._turn_is_due:
            self._turn_is_due = True
            self.world.timeline.after(self.world.chance.below(400), lambda: self.do(self.turn))

    def turn(self) -> None:
        self._turn_is_due = False
        output = self.recorder.turn(self.clock.now())
        for session in output.sessions:
            if stream := self.streams.get(session):
                self._pump(stream)
            if session.ended:
                self._soon()
        self.doom.at("after a turn")
        for table in output.finished:
            self._later(table, self._keep)
        if output.arrived or output.finished:
            self.world.create_due()
        self._set_tick()

    def _pump(self, stream: Stream) -> None:
        assert stream.session is not None
        while (frame := stream.session.next_frame()) is not None:
            stream.to_bot.put(frame, self.world.delay())
        if (stream.session.ended or stream.session.leaving) and not stream.closes:
            stream.closes = True
            ended = stream.session.ended
            reason = ended.reason if ended else None
            stream.to_bot.then(lambda: stream.bot.lost(stream, reason), self.world.delay())
            self.world.timeline.after(
                self.world.chance.below(3_000), lambda: self.do(lambda: self.disconnect(stream))
            )

    # Results

    def _later(self, table: RunningMatch, step: Callable[[RunningMatch], None]) -> None:
        self.busy.add(table.key)
        self.world.timeline.after(self.world.chance.below(4_000), lambda: self.do(lambda: step(table)))

    def _keep(self, table: RunningMatch) -> None:
        self.busy.add(table.key)
        report = self.recorder.keep(table)
        self.doom.at("after a record")
        self.world.store(report)
        self.doom.at("after a result")
        self.busy.discard(table.key)
        self.unsettled += 1
        self.world.timeline.after(
            self.world.chance.below(4_000), lambda: self.do(lambda: self._settle(report))
        )

    def _settle(self, report: FinishedMatch) -> None:
        self.recorder.settle(report)
        self.unsettled -= 1
        self.world.create_due()
        self.doom.at("after it is settled")

    # The end

    def kill(self) -> None:
        """Lose all that is in memory; what sessions were let tell may have been sent."""
        self.alive = False
        self.journal.drop()
        for stream in list(self.streams.values()):
            if stream.session:
                while (frame := stream.session.next_frame()) is not None:
                    stream.to_bot.put(frame, self.world.delay())

    def check_empty(self) -> None:
        """Check that nothing is left in the core of what was played there.

        Raises:
            Violation: something is.
        """
        core: Any = self.core
        sessions: Any = core.sessions
        stream_counts: Any = sessions._stream_counts
        left = {
            "tables": core.matches._tables,
            "waiting": core._queue._waiting,
            "sessions": sessions._sessions,
            "present": sessions._present,
            "by entry": sessions._by_entry,
            "by peer": stream_counts._by_peer,
            "by token": stream_counts._by_bearer,
            "hellos awaited": stream_counts._awaited,
            "strangers": range(stream_counts._strangers),
            "streams": range(stream_counts._streams),
        }
        if some := sorted(name for name, things in left.items() if things):
            raise Violation(f"the core is not empty at the end: {', '.join(some)}")


def open_table_of(setup: MatchSetup) -> OpenTable:
    """Return the open table at which matches like this one are played."""
    return OpenTable(
        game=setup.game, options=setup.options, deals=setup.deals, clock=setup.clock, faults=setup.faults
    )
