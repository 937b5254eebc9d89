"""The bot that asks a model."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Final, Literal

from fairdeal._backoff import Backoff
from fairdeal.actions import Answer, Noted
from fairdeal.llm._asking import Asking, Reply, time_for
from fairdeal.llm._provider import CallFailed, CallRejected, OutOfTime, Provider, ProviderFailed
from fairdeal.llm._request import body
from fairdeal.llm._room import Room
from fairdeal.llm._transcript import CallLog
from fairdeal.updates import Decision

log = logging.getLogger("fairdeal")

OnFailure = Literal["fault", "leave"]
"""What an outage of the provider does: it costs the decision, a fault, or the bot ends without an answer."""

FIRST_PAUSE: Final = 1.0
LONGEST_PAUSE: Final = 16.0


class Model:
    """A language model as a bot: it asks at most twice a decision, within the decision's clock.

    ``seconds`` returns how long the asking for a decision may take; ``pause`` is the first one after a failed
    call, ``sleep`` waits.
    """

    def __init__(
        self,
        provider: Provider,
        room: Room,
        transcript: CallLog,
        *,
        on_failure: OnFailure = "fault",
        seconds: Callable[[Decision], float] = time_for,
        pause: float = FIRST_PAUSE,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._provider = provider
        self._room = room
        self._transcript = transcript
        self._on_failure = on_failure
        self._seconds = seconds
        self._pause = pause
        self._sleep = sleep

    async def act(self, decision: Decision) -> Answer:
        """Return the model's answer with a note, or that it has none.

        Raises:
            ModelRefused: the provider takes no calls any more.
            ProviderFailed: it did not answer in time, and the bot is to leave then.
            NoWords: there are no words for the game.
        """
        now = asyncio.get_running_loop().time
        until = now() + self._seconds(decision)
        asking = Asking(decision, self._provider.settings)
        while not asking.is_over:
            try:
                reply, seconds = await self._reply(decision, asking, until)
            except OutOfTime as over:
                asking.gave_up = "provider" if asking.transport and over.why == "time" else over.why
            except CallRejected as error:
                asking.gave_up = "rejected"
                log.error("match %s, decision %d: %s", decision.match.id, decision.id, error)
            else:
                problem = asking.take(reply, seconds)
                self._transcript.write(
                    decision,
                    asking.asks + asking.transport,
                    reply=reply.text,
                    reasoning=reply.reasoning or None,
                    finish=reply.finish,
                    tokens_in=reply.tokens_in,
                    tokens_out=reply.tokens_out,
                    seconds=round(seconds, 3),
                    problem=problem,
                )
        if asking.gave_up:
            self._tell(decision, asking)
        return Noted(asking.answer, asking.note())

    def _tell(self, decision: Decision, asking: Asking) -> None:
        """Log that there is no answer, or end the bot."""
        settings = self._provider.settings
        if asking.gave_up == "provider" and self._on_failure == "leave":
            raise ProviderFailed(
                f"{settings.base_url} did not answer in the time of a decision;"
                f" {asking.transport} calls failed, the last one so: {asking.failure}"
            )
        why = {
            "provider": f"the provider did not answer in time ({asking.failure})",
            "time": "the model was still writing when the time was over",
            "room": f"{settings.calls} calls at a time (--calls) left no room for one in time",
            "replies": f"no reply of {settings.model} could be taken",
        }.get(asking.gave_up)
        if why:
            text = "match %s, decision %d: %s; the referee plays the default action, which is a fault"
            log.warning(text, decision.match.id, decision.id, why)

    async def _reply(self, decision: Decision, asking: Asking, until: float) -> tuple[Reply, float]:
        """Return the next reply and how long it took; calls that fail are repeated.

        Raises:
            ModelRefused, CallRejected: see their docstrings.
            OutOfTime: there was none in time.
        """
        now = asyncio.get_running_loop().time
        request = body(self._provider.settings, asking.messages, decision)
        backoff = Backoff(now(), until - now(), first=self._pause, longest=LONGEST_PAUSE)
        while True:
            call = asking.asks + asking.transport + 1
            async with AsyncExitStack() as held:
                began = now()
                await self._enter(held, until)
                asking.waited += now() - began
                self._transcript.write(decision, call, model=request["model"], messages=list(asking.messages))
                began = now()
                try:
                    return await self._provider.ask(request, until), now() - began
                except CallFailed as error:
                    asking.failed(now() - began, str(error), error.begun)
                    self._transcript.write(decision, call, failure=str(error))
                    asked_for = error.retry_after
                except OutOfTime as over:
                    if over.begun:
                        asking.cut_short(over.begun, now() - began)
                    else:
                        asking.failed(now() - began, "nothing came in time")
                    self._transcript.write(decision, call, failure=str(over))
                    raise
                pause = backoff.next_delay(now())
                if pause is None or now() + asked_for >= until:
                    raise OutOfTime("provider")
                pause = max(pause, asked_for)
                asking.waited += pause
                if not asked_for:
                    await held.aclose()
                # who is asked to wait keeps its room, so that all bots of a provider make fewer calls then
                await self._sleep(pause)

    async def _enter(self, held: AsyncExitStack, until: float) -> None:
        """Wait for room for a call.

        Raises:
            OutOfTime: there was none in time.
        """
        try:
            async with asyncio.timeout_at(until):
                await held.enter_async_context(self._room.place())
        except TimeoutError:
            raise OutOfTime("room") from None
