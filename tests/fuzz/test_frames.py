"""Wrong frames against decoder, sessions and matches: nothing escapes, nothing stays, nobody else notices."""

import gc
import os
import tracemalloc
from pathlib import Path
from typing import Final

import pytest

from referee.games.registry import GAMES
from tests.choices import Choices
from tests.fuzz.attack import FRAMES, Attack, AttackTally, record
from tests.fuzz.core_with_bots import ATTACKER, Beside, CoreWithBots
from tests.fuzz.mutate import mutate

LONG: Final = os.environ.get("FAIRDEAL_LONG") == "1"

SHARDS: Final = 8 if LONG else 1
ATTACKS: Final = 50 if LONG else 4
"""Of every game in every shard; so a million frames in the long run, and 10,000 in every other."""

REFUSED: Final = tuple(
    f"REASON_{kind}"
    for kind in ("MALFORMED_ACTION", "ILLEGAL_ACTION", "NOT_YOUR_DECISION", "MATCH_NOT_FOUND")
)

MOST_KEPT: Final = 16 * 1024 * 1024
"""Bytes by which a shard's process may grow after its first attacks."""


def resident() -> int:
    """Return the size of this process, in bytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.parametrize("shard", range(SHARDS))
@pytest.mark.parametrize("game", GAMES)
def test_wrong_frames_do_not_affect_other_bots(game: str, shard: int) -> None:
    recorded = record(game)
    tally, warm = AttackTally(), 0
    for number in range(shard * ATTACKS, (shard + 1) * ATTACKS):
        tally += Attack(game, number, recorded, FRAMES).run()
        if number - shard * ATTACKS == ATTACKS // 4:
            warm = resident()
    assert resident() - warm < MOST_KEPT
    # and they are wrong in more than one way
    assert tally.frames == ATTACKS * FRAMES
    assert tally.matches >= ATTACKS
    assert min(tally.fine, tally.taken, tally.ends["PROTOCOL_VIOLATION"]) > tally.frames // 10
    assert min(tally.refusals[kind] for kind in REFUSED) > tally.frames // 200


def test_sessions_that_end_leave_nothing_behind() -> None:
    sessions, second = 400, 1_000_000
    driven, recorded = CoreWithBots("behind"), record("euchre")
    beside = Beside(driven, "euchre")
    beside.sit_down()

    def crowd(first: int) -> None:
        for number in range(first, first + sessions):
            chance = Choices("behind", number)
            guest = driven.arrive(ATTACKER, instance=f"{number}-{chance.junk(40).hex()}")
            for frame in (guest.says(), mutate(chance.one(recorded), chance.one(recorded), chance)):
                driven.core.receive(guest.session, frame, driven.now)
                driven.turn()
            driven.leave(guest)
            driven.now += second
            driven.core.tick(driven.now)
            driven.turn()
            for other in beside.guests:
                driven.core.receive(other.session, other.acknowledges(), driven.now)
                other.told.clear()
        driven.turn()
        driven.refusals.clear()
        gc.collect()

    crowd(0)
    tracemalloc.start()
    try:
        crowd(sessions)
        before, _ = tracemalloc.get_traced_memory()
        crowd(2 * sessions)
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < 50 * sessions, f"{(after - before) // sessions} bytes a session"
