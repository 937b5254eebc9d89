"""The bot whose decisions an agent makes by calling tools, and the waiting on both sides."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final

from fairdeal.actions import Answer, Noted
from fairdeal.mcp._seat import BadCall, HeldSeat
from fairdeal.updates import Closed, Decision, Finished, Seated

LONGEST_WAIT: Final = 20.0
"""Seconds that a call waits for a turn: clients give calls up, some of them after 30 s."""
STEP: Final = 5.0
"""Seconds after which a call that waits tells its progress."""

Progress = Callable[[float, float], Awaitable[None]]
"""Is called with the seconds waited and those to wait at most."""

FINISHING: Final = "You take no more matches. One that is being played goes on: call wait for your turns."
LEFT: Final = "You have left the referee."


class ToolBot:
    """A bot for one table: ``act`` waits until an agent has called `answer`.

    `leave` calls ``finish``, which is to take no more matches, or ``abandon``, which is to end the session.
    """

    def __init__(
        self,
        held: HeldSeat,
        finish: Callable[[], object],
        abandon: Callable[[], object],
        *,
        longest: float = LONGEST_WAIT,
        step: float = STEP,
    ) -> None:
        self.held = held
        self.has_left = False
        """Whether the agent has asked to leave."""
        self._finish = finish
        self._abandon = abandon
        self._longest = longest
        self._step = step
        self._changed = asyncio.Event()
        self._answer: asyncio.Future[Noted] | None = None

    # As a bot

    async def act(self, decision: Decision) -> Answer:
        """Return the agent's answer.

        Raises:
            NoWords: there are no words for the game, or its version of the rules.
        """
        self.held.ask(decision)
        answer: asyncio.Future[Noted] = asyncio.get_running_loop().create_future()
        self._answer = answer
        self._wake()
        try:
            return await answer
        finally:
            if self._answer is answer:  # it was closed without one
                self._answer = None
                self.held.close()

    def on_seated(self, seated: Seated) -> None:
        """Tell that a match begins."""
        self.held.tell_begun()

    def on_closed(self, closed: Closed) -> None:
        """Tell of a fault."""
        self.held.tell_closed(closed)

    def on_finished(self, finished: Finished) -> None:
        """Tell the result."""
        self.held.tell_finished(finished)

    def end(self, why: str) -> None:
        """Tell that the session is over, and why."""
        self.held.end(why)
        self._wake()

    # For the agent

    async def wait(self, progress: Progress) -> str:
        """Wait until it is the agent's turn, but not too long, and return what is to be told."""
        now = asyncio.get_running_loop().time
        began = now()
        while not self.held.is_ready and (waited := now() - began) < self._longest:
            changed = self._changed
            with suppress(TimeoutError):
                async with asyncio.timeout(min(self._step, self._longest - waited)):
                    await changed.wait()
            if not self.held.is_ready:
                await progress(min(now() - began, self._longest), self._longest)
        return self.held.told()

    def answer(self, turn: object, action: object, note: object = "") -> None:
        """Answer a turn.

        Raises:
            BadCall: the turn is not open, or the action cannot be read or is not legal.
        """
        noted = self.held.read(turn, action, note)
        answer, self._answer = self._answer, None
        if answer is None or answer.done():
            raise BadCall("The turn has just been closed. Call wait.")
        answer.set_result(noted)
        self.held.close()

    def leave(self, *, now: bool) -> str:
        """Take no more matches, or leave ``now``, and return what is to be told."""
        if self.held.over:
            return self.held.over
        self.has_left = True
        if now:
            self.end(LEFT)
            self._abandon()
            return LEFT
        self._finish()
        return FINISHING

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()
