"""A referee without a server, whose clock and frames are given to it by hand."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

from fairdeal.v1 import play_service_pb2 as pb
from referee.cards import Seat
from referee.core.access import Trusting
from referee.core.core import Core
from referee.core.limits import DEFAULT, Limits
from referee.core.observer import Observer
from referee.core.session import Session
from referee.dealing.decks import MatchDeals
from referee.dealing.keys import SeededKeys
from referee.match.effects import MatchSetup
from referee.match.faults import Fault
from referee.server.runtime import Referee
from referee.storage.journal import Journal


class Watch(Observer):
    """Keeps what is booked and for how long the clock stood; ``on_stall`` is called at the first stall."""

    def __init__(self, on_stall: Callable[[], object] = lambda: None) -> None:
        self.stood = 0
        self.causes: list[tuple[str, int]] = []
        self.booked: list[int] = []
        self.faults: list[Fault] = []
        self.decided = asyncio.Event()
        self._on_stall = on_stall

    def stalled(self, late: int, entry: str, cost: int) -> None:
        if not self.stood:
            self._on_stall()
        self.stood += late
        self.causes.append((entry, cost))

    def answered(self, setup: MatchSetup, seat: Seat, elapsed: int) -> None:
        self.booked.append(elapsed)
        self.decided.set()

    def fault(self, setup: MatchSetup, seat: Seat, fault: Fault) -> None:
        self.faults.append(fault)
        self.decided.set()


class Direct:
    """A referee without a server, closed at the end of its context; bots' frames are given to it by hand."""

    def __init__(
        self,
        folder: Path,
        now: Callable[[], int],
        watch: Watch,
        work: Callable[[], int] = lambda: 0,
        limits: Limits = DEFAULT,
    ) -> None:
        keys = SeededKeys("spring")
        (folder / "records").mkdir(parents=True, exist_ok=True)
        self.referee = Referee(
            Core(
                deals=lambda setup, rules: MatchDeals(setup, rules, keys),
                access=Trusting(),
                server="referee/test",
                limits=limits,
                observer=watch,
            ),
            keys=keys,
            journal=Journal(folder / "journal", durable=False),
            records=folder / "records",
            now=now,
            work=work,
        )
        self._woken = asyncio.Event()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.referee.close()

    async def goes(self, seconds: float) -> None:
        """Wait until the referee's own clock has gone on by so much, however late its loop is."""
        clock = self.referee._clock
        end = clock.now() + seconds * 1e6
        while (left := end - clock.now()) > 0:
            await asyncio.sleep(left / 1e6)
            assert self.referee.core.matches

    def seat(self, entry: str, match_id: str = "m-1") -> Session:
        """Make a bot take its seat."""
        session = self.referee.connect(None, self._woken.set)
        hello = pb.Hello(versions=[1], entry=entry, tables=1)
        self.say(session, hello=hello, ready=[pb.Ready(match_id=match_id)])
        return session

    def say(self, session: Session, **fields: Any) -> None:
        self.referee.receive(session, pb.PlayRequest(**fields).SerializeToString())

    def answer(self, asked: tuple[Session, pb.Decision]) -> None:
        session, decision = asked
        answer = pb.Answer(match_id=decision.match_id, decision_id=decision.decision_id, index=0)
        self.say(session, answers=[answer])

    async def asked(self, sessions: list[Session]) -> tuple[Session, pb.Decision]:
        """Wait for a decision."""
        while True:
            for session in sessions:
                while (frame := session.next_frame()) is not None:
                    for update in pb.PlayResponse.FromString(frame).updates:
                        if update.HasField("decision"):
                            return session, update.decision
            self._woken.clear()
            await self._woken.wait()
