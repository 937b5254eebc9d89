"""Stalls that a bot's frames cause, who is charged with them, and limits by the time that never stands."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from fairdeal.testing import VirtualClock
from fairdeal.v1 import play_service_pb2 as pb
from referee.core.limits import BURST_SECONDS, Limits
from referee.core.session import Session
from referee.match.clock import SECOND, ClockSettings
from referee.match.faults import Fault, FaultPolicy
from referee.match.messages import Reason
from referee.server.blame import Blame
from referee.server.game_clock import LATE
from tests.server.conftest import Setup
from tests.server.direct import Direct, Watch
from tests.workspace import PATIENCE

INTERVAL: Final = 5_000
MILLI: Final = 1_000

HEAVY: Final = 30 * MILLI
"""What a frame takes here; the clock stands for all of it but what it may run ahead."""


class Heavy:
    """Frames that keep the loop for a while, and the processor with them or not."""

    def __init__(self, monkeypatch: Any, *, works: bool) -> None:
        self.real, self.work = VirtualClock(), VirtualClock()
        self.takes = HEAVY
        self._works = works
        hear = Session.hear

        def slowly(session: Session, frame: bytes, now: int) -> None:
            self.real.advance(self.takes)
            self.work.advance(self.takes if self._works else 0)
            hear(session, frame, now)

        monkeypatch.setattr(Session, "hear", slowly)


@pytest.mark.asyncio
@pytest.mark.parametrize("works", [True, False], ids=["its own work", "a machine that stands still"])
async def test_who_stalls_the_referee_is_named_and_in_the_end_cut_off(
    tmp_path: Path, setup: Setup, monkeypatch: pytest.MonkeyPatch, works: bool
) -> None:
    heavy, watch = Heavy(monkeypatch, works=works), Watch()
    async with Direct(tmp_path, heavy.real.now, watch, heavy.work.now) as direct:
        direct.referee.play(setup())
        sessions = [direct.seat(entry) for entry in "ab"]
        direct.referee._take_pulse()
        watch.stood, watch.causes = 0, []
        for _ in range(3):
            direct.say(sessions[0], answers=[pb.Answer(match_id="x")])
            direct.referee._take_pulse()
        if works:
            # 20 ms each; nothing is left after two of them, and the third is the end
            assert sessions[0].ended and sessions[0].ended.reason is Reason.RATE_LIMITED
        else:
            assert sessions[0].ended is None
        assert sessions[1].ended is None
        assert watch.causes == 3 * [("a", HEAVY) if works else ("", 0)]
        assert watch.stood == 3 * (HEAVY - INTERVAL - LATE)


@pytest.mark.asyncio
async def test_what_a_bot_was_asked_is_no_fault_of_its_own(
    tmp_path: Path, setup: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    heavy, watch = Heavy(monkeypatch, works=True), Watch()
    async with Direct(tmp_path, heavy.real.now, watch, heavy.work.now) as direct, asyncio.timeout(PATIENCE):
        direct.referee.play(setup())
        sessions = [direct.seat(entry) for entry in "ab"]
        for _ in range(20):
            direct.answer(await direct.asked(sessions))
            direct.referee._take_pulse()
        assert [session.ended for session in sessions] == [None, None]
        assert ("a", HEAVY) in watch.causes and ("b", HEAVY) in watch.causes


def told(session: Session) -> Reason | None:
    return session.ended.reason if session.ended else None


class Stalled:
    """A bot that is seated, and frames of its own that take as long as a test says."""

    def __init__(self, direct: Direct, heavy: Heavy, sessions: list[Session]) -> None:
        self.direct = direct
        self.heavy = heavy
        self.sessions = sessions

    def idle(self, millis: int) -> None:
        """Say something that nobody asked for."""
        self.heavy.takes = millis * MILLI
        self.direct.say(self.sessions[0], answers=[pb.Answer(match_id="x")])

    def pulse(self, millis: int = 0) -> None:
        """Take a pulse after a time in which the machine stood still."""
        self.heavy.real.advance(millis * MILLI)
        self.direct.referee._take_pulse()


@pytest.fixture
def stalled(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, setup: Setup) -> Callable[[], Stalled]:
    """Return a function that seats two bots, to be called in a loop."""

    def begin() -> Stalled:
        heavy = Heavy(monkeypatch, works=True)
        heavy.takes = 0
        direct = Direct(tmp_path, heavy.real.now, Watch(), heavy.work.now)
        direct.referee.play(setup())
        begun = Stalled(direct, heavy, [direct.seat(entry) for entry in "ab"])
        begun.pulse()
        return begun

    return begin


@pytest.mark.asyncio
async def test_a_bot_is_charged_with_its_idle_frames_and_not_with_the_machine(
    stalled: Callable[[], Stalled],
) -> None:
    begun = stalled()
    async with begun.direct:
        begun.idle(30)
        begun.pulse(25)  # of 55 ms the bot caused 30, which leaves 10
        assert told(begun.sessions[0]) is None
        begun.idle(30)
        begun.pulse(25)
        assert told(begun.sessions[0]) is Reason.RATE_LIMITED


@pytest.mark.asyncio
async def test_a_bot_whose_idle_frames_are_the_least_of_a_stall_is_not_charged(
    stalled: Callable[[], Stalled],
) -> None:
    begun = stalled()
    async with begun.direct, asyncio.timeout(PATIENCE):
        for _ in range(20):  # of both bots, who are asked in turn
            begun.heavy.takes = HEAVY
            begun.direct.answer(await begun.direct.asked(begun.sessions))
            begun.idle(9)
            begun.pulse()
            assert [told(session) for session in begun.sessions] == [None, None]


@pytest.mark.asyncio
async def test_stalls_are_paid_off_by_the_time_that_never_stands(stalled: Callable[[], Stalled]) -> None:
    begun = stalled()
    async with begun.direct:
        for _ in range(2):
            begun.idle(HEAVY // MILLI)
            begun.pulse()
        begun.pulse(1_000)  # for which the clock of the game stands
        begun.idle(HEAVY // MILLI)
        begun.pulse()
        assert told(begun.sessions[0]) is None
        begun.idle(HEAVY // MILLI)
        begun.pulse()
        assert told(begun.sessions[0]) is Reason.RATE_LIMITED


def test_the_sessions_of_an_entry_are_blamed_together() -> None:
    blame = Blame()
    sessions = [Session(bearer=None), Session(bearer=None)]
    for number, session in enumerate(sessions, 1):
        session.number = number
        blame.add(session, 3, asked=False)
    cause = blame.take(10)
    assert cause is not None
    assert (cause.session, cause.cost, cause.idle) == (2, 6, 6)
    assert blame.take(10) is None


@pytest.mark.asyncio
async def test_deadlines_fall_at_the_second_pulse_that_is_late(tmp_path: Path, setup: Setup) -> None:
    real, watch = VirtualClock(), Watch()
    clock = ClockSettings(move=0, bank=MILLI, lag=0, lag_cap=0)
    async with Direct(tmp_path, real.now, watch) as direct:
        direct.referee.play(setup(clock=clock, faults=FaultPolicy(max_faults=1000)))
        for entry in "ab":
            direct.seat(entry)
        direct.referee._take_pulse()
        faults = []
        for _ in range(2):  # a loop that is always late
            real.advance(200 * MILLI)
            direct.referee._take_pulse()
            faults.append(list(watch.faults))
    assert faults == [[], [Fault.LATE]]


@pytest.mark.asyncio
async def test_frames_and_openings_are_limited_by_the_time_that_never_stands(tmp_path: Path) -> None:
    real = VirtualClock()
    limits = Limits(frames_per_second=10, strangers_per_second=10)
    async with Direct(tmp_path, real.now, Watch(), limits=limits) as direct:
        direct.referee._take_pulse()
        session = direct.seat("a")
        for _ in range(10 * BURST_SECONDS):
            direct.say(session)
        opened = [direct.referee.connect(None, lambda: None) for _ in range(10 * BURST_SECONDS)]
        assert [told(each) for each in (session, *opened[-2:])] == [None, None, Reason.RATE_LIMITED]
        real.advance(SECOND)  # for most of which the clock of the game stands
        for _ in range(10):
            direct.say(session)
        opened = [direct.referee.connect(None, lambda: None) for _ in range(11)]
        assert [told(each) for each in (session, *opened[-2:])] == [None, None, Reason.RATE_LIMITED]
        direct.say(session)
        assert told(session) is Reason.RATE_LIMITED
