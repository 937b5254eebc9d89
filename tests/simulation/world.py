"""A whole tournament in virtual time: a referee that dies and comes back, its bots, and a network between."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from fairdeal.v1 import play_service_pb2 as pb
from referee.core.observer import Observer, trace_of
from referee.core.running_match import Key
from referee.match.clock import SECOND
from referee.match.faults import Termination
from referee.storage.recorder import FinishedMatch
from tests.choices import Choices
from tests.simulation.bots import RawBot, SdkBot, SimulatedBot
from tests.simulation.checks import check
from tests.simulation.conduct import Conduct, Start
from tests.simulation.disk import Doom, Killed
from tests.simulation.host import Host, Stream
from tests.simulation.plan import Intervention, Plan, Spec, plan_of
from tests.simulation.timeline import Timeline
from tests.simulation.witness import Violation

_STEPS: Final = 30_000
_TIME: Final = 400 * SECOND


class FailureWatch(Observer):
    """Takes note when the referee itself fails."""

    def __init__(self) -> None:
        self.failures: list[str] = []

    def failed(self, what: str, error: BaseException, match_id: str = "") -> None:
        self.failures.append(f"{what} {match_id} failed: {error!r} {trace_of(error)}")


class World:
    """One seed's world; ``folder`` is all that the referee leaves behind when it is killed."""

    def __init__(self, seed: int, folder: Path, tell: Callable[[str], None] | None = None) -> None:
        self.seed = seed
        self.folder = folder
        self.plan: Plan = plan_of(seed)
        self.chance = Choices(seed, "world")
        self.timeline = Timeline()
        self.observer = FailureWatch()
        self.host: Host | None = None
        self.kept: dict[str, bytes] = {}
        self.drawn: dict[str, int] = {}
        self.safe: dict[Key, list[dict[str, Any]]] = {}
        self.specs: list[Spec] = list(self.plan.specs) if not self.plan.open_table else []
        self.results: dict[Key, FinishedMatch] = {}
        self.intervened: set[str] = set()
        self.killed: Counter[str] = Counter()
        self.bots: list[SimulatedBot] = [
            (SdkBot if bot.is_sdk else RawBot)(self, bot)
            for bot in self.plan.bots
            if all(conduct.start is not Start.ABSENT for conduct in bot.conducts.values())
        ]
        self._tell = tell
        self._dooms = list(self.plan.dooms)
        self._opened = 0
        self._ending = False

    # The run

    def run(self) -> None:
        """Play everything to its end.

        Raises:
            Violation: something happened that must never happen.
        """
        self._start_host()
        for bot in self.bots:
            self.timeline.after(self.chance.below(200_000), bot.connect)
        for at in self.plan.breaks:
            self.timeline.after(at, self._break)
        for at, time in self.plan.stalls:
            self.timeline.after(at, partial(self._stall, time))
        for at in self.plan.drains:
            self.timeline.after(at, self._drain)
        for intervention in self.plan.interventions:
            self.timeline.after(intervention.at, partial(self._intervene, intervention))
        for count in range(_STEPS):
            step = self.timeline.next()
            if step is None and self._is_over():
                break
            if step is None or self.timeline.now > _TIME:
                raise Violation(f"it never ends: {self._state()}")
            self._do(step)
            if self.observer.failures:
                raise Violation(self.observer.failures[0])
            if count % 16 == 0 and self._is_over():
                break
        else:
            raise Violation(f"it never ends: {self._state()}")
        host = self.host
        assert host is not None
        host.check_empty()
        host.journal.close()
        host.alive = False
        check(self)

    def drop(self) -> None:
        """Close what is still open, wherever the run has stopped."""
        if self.host:
            self.host.journal.drop()

    def _do(self, step: Callable[[], Any]) -> None:
        host = self.host
        try:
            step()
        except Killed as killed:
            assert host is not None
            self._kill(host, str(killed))

    def _is_over(self) -> bool:
        host = self.host
        if host is None or host.core.matches or host.busy or host.unsettled:
            return False
        if not self._ending:
            if any(self._key(spec) not in self.results for spec in self.specs):
                return False
            if any(not bot.gone and (bot.waits or not bot.stream) for bot in self.bots):
                return False
            if self.plan.open_table and any(not bot.gone and not bot.ended for bot in self.bots):
                return False
            self._ending = True
            for bot in self.bots:
                if not bot.gone:
                    bot.leave()
        return not host.dialled

    def _state(self) -> str:
        host = self.host
        running = [setup.match_id for setup in host.core.matches.setups] if host else "no referee"
        waiting = [bot.name for bot in self.bots if bot.waits]
        missing = [spec.setup.match_id for spec in self.specs if self._key(spec) not in self.results]
        return f"running {running}, bots that wait {waiting}, without a result {missing}"

    @property
    def is_disturbed(self) -> bool:
        """Return whether anything went wrong that is no fault of a bot."""
        return bool(self.killed or self.plan.breaks or self.plan.stalls or self.plan.drains)

    # The referee's lives

    def _start_host(self) -> None:
        doom = self._dooms.pop(0) if self._dooms else Doom()
        try:
            self.host = Host(self, doom)
            self.host.open()
            self.note("the referee is here")
            self.create_due()
        except Killed as killed:
            self._kill(self.host, str(killed))

    def _kill(self, host: Host | None, where: str) -> None:
        """Kill the referee; there is none yet when it is killed while it reads its journal."""
        self.note(f"the referee is killed {where}")
        self.killed[where] += 1
        if host:
            streams = list(host.dialled)
            host.kill()
            for stream in streams:
                self._drop_bots_end(stream)
        self._come_back()

    def _come_back(self) -> None:
        self.host = None
        self.timeline.after(self.chance.one([20_000, 400_000, 9 * SECOND]), self._start_host)

    def _drain(self) -> None:
        if (host := self.host) and host.alive:
            self.note("the referee drains")
            host.do(host.drain)
            self.timeline.after(self.plan.drain_time, lambda: host.do(lambda: self._leave(host)))

    def _leave(self, host: Host) -> None:
        self.note("the referee leaves")
        streams = list(host.dialled)
        host.leave()
        for stream in streams:
            self._drop_bots_end(stream)
        self._come_back()

    def _stall(self, time: int) -> None:
        if self.host and self.host.alive:
            self.note(f"the referee stands for {time} µs")
            self.host.stall(time)

    def _intervene(self, step: Intervention) -> None:
        spec = self.plan.specs[step.match]
        host = self.host
        if host and host.alive and self._key(spec) not in self.results:
            self.note(f"the host steps in: {step.kind}")
            owner, match_id = spec.owners[step.seat], spec.setup.match_id
            # what a kill takes back has happened in the eyes of nobody, but it may also stay
            concerned = [s.setup.match_id for s in self.specs if owner in s.owners]
            self.intervened.update([match_id] if step.kind == "cancel" else concerned)
            host.do(lambda: host.intervene(step.kind, owner, match_id))

    # The network

    def delay(self) -> int:
        """Return how long a frame is under way."""
        usual = 50 + self.chance.below(self.plan.slowness)
        return usual + 100_000 if self.chance.odds(1) else usual

    def cut(self, stream: Stream) -> None:
        """Break a stream both ways at once."""
        # a hello that came after the one of a newer stream would take the seats from the bot's live session
        keep = stream.to_host.under_way + 1 if stream.bot.is_welcome(stream) else 1
        stream.to_host.cut(self.chance.below(keep))
        host = stream.host
        stream.to_host.then(lambda: host.do(lambda: host.disconnect(stream)), self._late())
        self._drop_bots_end(stream)

    def _drop_bots_end(self, stream: Stream) -> None:
        stream.to_bot.cut(self.chance.below(stream.to_bot.under_way + 1))
        stream.to_bot.then(lambda: stream.bot.lost(stream, None), self._late())

    def _late(self) -> int:
        """Return how long one side of a broken stream does not know that it is."""
        return self.chance.below(self.chance.one([2_000, 50_000, 700_000]))

    def _break(self) -> None:
        streams = [bot.stream for bot in self.bots if bot.stream and not bot.plan.is_frail]
        if not streams:
            return
        stream = self.chance.one(streams)
        if self.chance.odds(50) or not stream.bot.is_welcome(stream):
            self.note(f"stream {stream.number} of {stream.bot.name} breaks")
            self.cut(stream)
            return
        # half: the bot gives it up, but what it sends over it still arrives, for a while
        self.note(f"stream {stream.number} of {stream.bot.name} is given up by the bot")
        host, bot = stream.host, stream.bot
        bot.lost(stream, None)
        for _ in range(3):
            self.timeline.after(self.chance.below(600_000), lambda: self._poison(bot, stream))
        self.timeline.after(600_000, lambda: self.cut(stream) if host.alive else None)

    def _poison(self, bot: SimulatedBot, stream: Stream) -> None:
        newer = bot.stream
        if newer and newer is not stream and bot.is_welcome(newer) and stream.is_open:
            self.note(f"{bot.name} is spoken for over its older stream {stream.number}")
            bot.poison(stream)

    # The tournament

    def create_due(self) -> None:
        """Open the tables of all matches that are due."""
        host = self.host
        if host is None or not host.alive or host.draining:
            return
        for spec in self.specs:
            setup = spec.setup
            key = self._key(spec)
            if key in self.results or key in host.opened:
                continue
            is_here = all(host.core.sessions.is_here(owner) for owner in spec.owners)
            if len(self.results) >= spec.after and (is_here or not self.plan.is_hosted or self._lacks(spec)):
                self.note(f"match {key}")
                host.create(setup, spec.owners)

    def _lacks(self, spec: Spec) -> bool:
        """Return whether a match must begin without one of its bots, since it will never come."""
        return any(conduct.start is Start.ABSENT or conduct.quits for conduct in spec.conducts) or any(
            bot.gone for bot in self.bots
        )

    def new_match_id(self, game: str) -> str:
        self._opened += 1
        return f"{game}-open-{self._opened}"

    def store(self, report: FinishedMatch) -> None:
        """Take a result in, as the store does: the same one again after a restart is fine.

        Raises:
            Violation: it is another one.
        """
        setup = report.setup
        key = setup.match_id, setup.attempt
        self.note(f"result of {key}: {report.outcome.termination.name} {report.outcome.ranks}")
        if (before := self.results.get(key)) and before != report:
            raise Violation(f"{key} has two results: {before} and {report}")
        is_new = key not in self.results
        self.results[key] = report
        if is_new and report.outcome.termination is Termination.VOID:
            if setup.match_id not in self.intervened:
                raise Violation(f"{key} is void for no reason")
            (spec,) = [spec for spec in self.specs if self._key(spec) == key]
            again = replace(spec, setup=replace(setup, attempt=setup.attempt + 1))
            self.specs.append(again)

    def spec_of(self, key: Key) -> Spec | None:
        """Return what was to be played, None for a match of an open table."""
        return next((spec for spec in self.specs if self._key(spec) == key), None)

    def conducts_of(self, key: Key, seats: int) -> tuple[Conduct, ...]:
        """Return how each seat of a match is played."""
        spec = self.spec_of(key)
        return spec.conducts if spec else (Conduct(),) * seats

    def _key(self, spec: Spec) -> Key:
        return spec.setup.match_id, spec.setup.attempt

    # The trace

    def note(self, text: str) -> None:
        """Add a line about what happens to the trace, if one is printed."""
        if self._tell:
            self._tell(f"{self.timeline.now / SECOND:10.6f} {text}")

    def trace_request(self, bot: SimulatedBot, stream: Stream, request: pb.PlayRequest) -> None:
        if self._tell:
            self.note(f"{bot.name}, stream {stream.number} says " + " ".join(str(request).split()))

    def trace_update(self, bot: SimulatedBot, stream: Stream, update: pb.Update) -> None:
        if self._tell:
            short = " ".join(str(update).split())[:160]
            self.note(f"{bot.name}, stream {stream.number} hears {short}")
