"""How a program is ended and what waits for it, with pipes of the test's own in place of a process."""

import asyncio
import os
import signal
from collections.abc import Iterator
from threading import Event
from typing import Any

import pytest

from fairdeal.stdio import _child
from fairdeal.stdio._bridge import _environment
from fairdeal.stdio._child import Child
from tests.workspace import PATIENCE

pytestmark = pytest.mark.asyncio


class Program:
    """Stands for a process; it ends at the signal ``heeds``, or by itself at the first look."""

    pid = 0

    def __init__(self, heeds: signal.Signals | None) -> None:
        reading, self._writes = os.pipe()
        self.reads, writing = os.pipe()
        self.stdout = os.fdopen(reading, "rb", 0)
        self.stdin = os.fdopen(writing, "wb", 0)
        self.signals: list[signal.Signals] = []
        self._heeds = heeds
        self._over = Event()
        if heeds is None:
            self._over.set()

    def wait(self) -> int:
        assert self._over.wait(PATIENCE)
        return 0

    def take(self, number: signal.Signals) -> None:
        """Take a signal; the second one ends it, whatever it is, so that no test hangs."""
        self.signals.append(number)
        if number is self._heeds or len(self.signals) > 1:
            self._over.set()

    def close(self) -> None:
        for end in (self._writes, self.reads):
            os.close(end)
        self.stdout.close()
        self.stdin.close()


@pytest.fixture
def program(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Program]:
    made = Program(request.param)
    monkeypatch.setattr(_child, "_GRACE", 0)
    monkeypatch.setattr(_child, "_SIGTERM_GRACE", 0)
    monkeypatch.setattr(_child, "send_signal", Program.take)
    yield made
    made.close()


async def started(program: Any) -> Child:
    return await Child.connect(program, lambda line: None)


@pytest.mark.parametrize(
    ("program", "sent", "told"),
    [
        (None, [signal.SIGKILL], None),  # what it has left of its group
        (signal.SIGKILL, [signal.SIGTERM, signal.SIGKILL, signal.SIGKILL], "SIGKILL"),
    ],
    indirect=["program"],
    ids=["one that ends", "one that does not"],
)
async def test_a_program_is_ended_and_its_group_with_it(
    program: Program, monkeypatch: pytest.MonkeyPatch, sent: list[signal.Signals], told: str | None
) -> None:
    if told is None:
        monkeypatch.setattr(_child, "_GRACE", PATIENCE)
    async with asyncio.timeout(PATIENCE):
        how = await (await started(program)).end()
    assert program.signals == sent
    assert how is told or (how is not None and how.endswith(f"was sent {told}"))


@pytest.mark.parametrize("program", [signal.SIGTERM], indirect=True)
async def test_of_what_a_program_does_not_read_so_much_waits(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_child, "MAX_WAITING", 1 << 12)
    async with asyncio.timeout(PATIENCE):
        child = await started(program)
        for _ in range(1 << 8):
            child.write(bytes(1 << 10))  # 256 KiB, more than any pipe holds by default
        waits = child._input.pipe.get_write_buffer_size()
        if waits <= (1 << 12) + (1 << 10):
            assert (await child.gone).startswith("does not read: 4096 bytes wait for it")
        await child.end()
    assert waits <= (1 << 12) + (1 << 10)


async def test_a_program_finds_the_seed_and_no_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAIRDEAL_TOKEN", "secret")
    monkeypatch.setenv("FAIRDEAL_ENTRY", "me")
    environment = _environment("spring")
    assert "FAIRDEAL_TOKEN" not in environment
    assert (environment["FAIRDEAL_SEED"], environment["FAIRDEAL_ENTRY"]) == ("spring", "me")
