"""Signals to a bot, raised in this process: what whole programs make of them stands in `test_finish`."""

import asyncio
import signal
from collections.abc import Iterator

import pytest

from fairdeal._run import until_stopped

STOPS = (signal.SIGINT, signal.SIGTERM)


@pytest.fixture
def unheard() -> Iterator[list[int]]:
    """Return where signals are noted that nobody else has heard."""
    noted: list[int] = []
    before = {number: signal.signal(number, lambda number, _frame: noted.append(number)) for number in STOPS}
    yield noted
    for number, handler in before.items():
        signal.signal(number, handler)


async def some_turns() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


@pytest.mark.parametrize("number", STOPS, ids=str)
def test_the_first_asks_to_finish_and_the_second_cancels(number: signal.Signals, unheard: list[int]) -> None:
    told: list[object] = []

    async def main(finish: asyncio.Event) -> None:
        told.append(finish.is_set())
        signal.raise_signal(number)
        await some_turns()
        told.append(finish.is_set())
        signal.raise_signal(number)
        # a third one does what it does by default
        told.append([signal.getsignal(each) for each in STOPS])
        await some_turns()
        told.append("it goes on")

    until_stopped(main, lambda: told.append("then"))
    assert told == [False, True, "then", [signal.default_int_handler, signal.SIG_DFL]]
    signal.raise_signal(number)
    assert unheard == [number]  # the handlers of before are back


def test_a_cancellation_from_within_is_an_error() -> None:
    async def main(_finish: asyncio.Event) -> None:
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        until_stopped(main)
