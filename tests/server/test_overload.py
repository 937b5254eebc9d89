"""With three times the work that it can do, the referee slows evenly and charges bots their own time alone.

Time is given: each frame takes the referee a while, and each bot answers as soon as it has thought.
"""

import asyncio
from collections import Counter
from pathlib import Path
from typing import Final

import pytest

from fairdeal.testing import VirtualClock
from fairdeal.v1 import play_service_pb2 as pb
from referee.core.session import Session
from referee.match.clock import ClockSettings
from referee.server.game_clock import LATE
from tests.server.conftest import Setup
from tests.server.direct import Direct, Watch

MILLI: Final = 1_000
PULSE: Final = 5 * MILLI
COST: Final = 10 * MILLI  # of a frame
THINK: Final = 40 * MILLI
TABLES: Final = 3 * THINK // COST  # one bot thinks at each: a frame each 40 / 12 ms
TURNS: Final = 120

# all that a bot may be charged beyond its own time is what the clock may run ahead
CLOCK: Final = ClockSettings(move=THINK + PULSE + LATE, bank=0, lag=0)


def questions(session: Session) -> list[pb.Decision]:
    """Return what a bot is asked now."""
    asked = []
    while (frame := session.next_frame()) is not None:
        updates = pb.PlayResponse.FromString(frame).updates
        asked += [update.decision for update in updates if update.HasField("decision")]
    return asked


@pytest.mark.asyncio
async def test_a_referee_with_too_much_to_do_slows_evenly_and_nobody_pays_for_it(
    tmp_path: Path, setup: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, watch, hear = VirtualClock(), Watch(), Session.hear

    def slowly(session: Session, frame: bytes, now: int) -> None:
        real.advance(COST)
        hear(session, frame, now)

    waits: list[int] = []
    answered: Counter[str] = Counter()
    async with Direct(tmp_path, real.now, watch) as direct:
        names = [f"m-{number}" for number in range(TABLES)]
        for name in names:
            entries = (f"{name}-a", f"{name}-b")
            direct.referee.play(setup(match_id=name, entries=entries, clock=CLOCK, deals=9))
        sessions = [direct.seat(f"{name}-{seat}", name) for name in names for seat in "ab"]
        monkeypatch.setattr(Session, "hear", slowly)
        thinking: list[tuple[int, int, Session, pb.Decision]] = []  # from when until when
        for _ in range(TURNS):
            direct.referee._flush()
            direct.referee._take_pulse()
            now = real.now()
            thinking += [(now, now + THINK, each, asked) for each in sessions for asked in questions(each)]
            if min(done for _, done, _, _ in thinking) > now:
                real.advance(PULSE)  # the loop has nothing to do
            came = [each for each in thinking if each[1] <= real.now()]
            thinking = [each for each in thinking if each[1] > real.now()]
            for began, _, session, decision in came:  # all that one turn of the loop finds
                direct.answer((session, decision))
                waits.append(real.now() - began)
                answered[decision.match_id] += 1
            await asyncio.sleep(0)
    assert len(watch.booked) == len(waits) > 10 * TABLES
    assert sorted(waits)[len(waits) // 2] > CLOCK.move  # in real time most would be late
    assert watch.faults == []
    assert max(watch.booked) <= CLOCK.move
    assert max(answered.values()) - min(answered.values()) <= 1
