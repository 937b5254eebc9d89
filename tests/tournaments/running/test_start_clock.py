"""The clock of a bot that starts, and what processes have had of the processors."""

import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from referee.match.clock import SECOND
from tournaments.hosting.cpu_use import CpuMeter, Use
from tournaments.running.start_clock import LONGEST, StartClock

PATIENCE: Final = 6 * SECOND
LOOK: Final = SECOND // 4


def given_up(waits: int) -> int:
    """Return when a start is given up that waits so long for a processor between two looks."""
    clock = StartClock(PATIENCE, now=100)
    now = 100
    while not clock.look(now, waits):
        now += LOOK
        assert now < 100 * LONGEST * PATIENCE, "a start has no end"
    return now - 100


def test_one_that_hangs_is_given_up_after_its_patience() -> None:
    assert given_up(waits=0) == PATIENCE


@pytest.mark.parametrize("part", [2, 5])
def test_what_it_waits_for_a_processor_does_not_count(part: int) -> None:
    assert given_up(waits=LOOK - LOOK // part) == part * PATIENCE


@pytest.mark.parametrize("waits", [LOOK, 30 * LOOK])  # also with many threads that wait at once
def test_a_start_has_an_end_however_crowded_the_machine_is(waits: int) -> None:
    assert given_up(waits) == LONGEST * PATIENCE


def test_a_wait_from_before_it_began_is_none_of_its() -> None:
    clock = StartClock(SECOND, now=0)
    assert not clock.look(0, 10 * SECOND)
    assert clock.look(SECOND, 0)


@pytest.mark.process
@pytest.mark.skipif(not Path("/proc/self/schedstat").exists(), reason="this system does not tell")
def test_what_children_use_is_told_and_only_since_it_was_asked_before() -> None:
    words = (sys.executable, "-I", "-S", "-c", BUSY)
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parent:
        assert parent.stdin
        assert parent.stdout
        assert parent.stdout.read(1) == b"1"  # its child has worked
        meter = CpuMeter(parent.pid)
        assert meter.use().ran >= SECOND // 20
        assert meter.use().ran < SECOND // 20
        parent.stdin.close()
    assert meter.use() == Use()


BUSY: Final = """
import os, sys, time
if os.fork() == 0:
    while time.process_time() < 0.05:
        pass
    os.write(1, b"1")
    os.read(0, 1)
    os._exit(0)
os.wait()
"""
