"""The interceptor of every RPC except a session: it enforces the rules and hides exceptions."""

import asyncio
import inspect
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

import grpc
from google.protobuf.message import DecodeError

from referee.core.access import Access, Denied
from referee.core.limits import Allowances, Limits
from referee.core.observer import Observer
from referee.match.messages import Reason
from referee.server.caller import address_of, token_of
from referee.server.permissions import Caller, Rule
from referee.server.status import refuse


def interceptors(
    rules: Mapping[str, Rule], access: Access, limits: Limits, observer: Observer
) -> tuple[grpc.aio.ServerInterceptor, ...]:
    """Return the interceptor that enforces the rules, one for each RPC by its full name."""
    return (_Guard(rules, access, limits, observer),)


class _Guard(grpc.aio.ServerInterceptor):
    def __init__(self, rules: Mapping[str, Rule], access: Access, limits: Limits, observer: Observer) -> None:
        self._rules = rules
        self._access = access
        self._observer = observer
        self._calls = {
            rule.limit: Allowances(getattr(limits, rule.limit))
            for rule in rules.values()
            if rule.caller is not Caller.SESSION
        }
        self._most_open = limits.calls_per_peer
        self._open: Counter[str] = Counter()  # by address

    async def intercept_service(
        self, continuation: Callable[[Any], Awaitable[Any]], handler_call_details: Any
    ) -> Any:
        """Return the handler of a call, guarded; an RPC without a handler stays without one."""
        handler = await continuation(handler_call_details)
        rule = self._rules.get(handler_call_details.method)
        if handler is None or (rule and rule.caller is Caller.SESSION):
            return handler
        return _Guarded(self, handler, handler_call_details.method, rule).handler()

    async def admit(self, rule: Rule | None, context: Any) -> Rule:
        """Refuse a request that breaks the rule, and return the rule.

        Raises:
            Denied: the caller may not call this.
        """
        if rule is None:
            await refuse(context, Reason.INTERNAL, "no rule says who may call this")
        if not self._calls[rule.limit].take(address_of(context), time.monotonic_ns() // 1000):
            text = "there were too many calls from this address; wait a second"
            await refuse(context, Reason.RATE_LIMITED, text)
        if rule.caller is Caller.ORGANISER:
            self._access.check_organiser(token_of(context))
        return rule

    def check_entry(self, rule: Rule, request: Any, context: Any) -> None:
        """Check that the caller may act for the entry that a request names, where the rule requires it.

        A request that names none is one for organisers.

        Raises:
            Denied: the caller is neither an organiser nor the bot of that entry.
        """
        if rule.caller is not Caller.ENTRY:
            return
        token = token_of(context)
        try:
            self._access.check_organiser(token)
        except Denied:
            if not request.entry:
                raise
            self._access.check(token, request.entry)

    @asynccontextmanager
    async def guarding(self, method: str, context: Any) -> AsyncIterator[None]:
        """Turn any error in a handler into a refusal that does not reveal it."""
        address = address_of(context)
        self._open[address] += 1
        try:
            if self._open[address] > self._most_open:
                text = f"there are {self._most_open} calls from this address already, which is the limit"
                await refuse(context, Reason.RATE_LIMITED, text)
            yield
        except grpc.aio.AbortError:
            raise
        except grpc.aio.BaseError:
            pass  # it cannot be written: the caller is gone
        except Denied as denied:
            await refuse(context, denied.reason, denied.text)
        except asyncio.CancelledError as error:
            # the client's own cancellation must go on, or the call would leak; another would leave the client
            # hanging
            if _is_cancelled():
                raise
            await self._fail(method, error, context)
        except Exception as error:  # noqa: BLE001 - the guard around everything that a call may do
            await self._fail(method, error, context)
        finally:
            self._open[address] -= 1
            if not self._open[address]:
                del self._open[address]

    async def _fail(self, method: str, error: BaseException, context: Any) -> None:
        # the caller may not see the error's text: it can hold cards
        self._observer.failed(method, error)
        await refuse(context, Reason.INTERNAL, "the referee failed; the call ends")


class _Guarded:
    """A guarded handler.

    Requests come in as bytes: if gRPC decoded them, it would show the caller the decoder's error.
    """

    def __init__(self, guard: _Guard, handler: Any, method: str, rule: Rule | None) -> None:
        self._guard = guard
        self._handler = handler
        self._method = method
        self._rule = rule
        ways = ("unary", "stream")
        self._kind = f"{ways[handler.request_streaming]}_{ways[handler.response_streaming]}"

    def handler(self) -> Any:
        """Return a handler of the same kind, since gRPC takes no other."""
        behaviour = self._answers if self._handler.response_streaming else self._answer
        make = getattr(grpc, f"{self._kind}_rpc_method_handler")
        return make(behaviour, response_serializer=self._handler.response_serializer)

    async def _answer(self, data: Any, context: Any) -> Any:
        async with self._guard.guarding(self._method, context):
            return await (await self._begin(data, context))

    async def _answers(self, data: Any, context: Any) -> None:
        async with self._guard.guarding(self._method, context):
            begun = await self._begin(data, context)
            if inspect.isawaitable(begun):
                await begun  # the handler writes by itself
            else:
                async for answer in begun:
                    await context.write(answer)

    async def _begin(self, data: Any, context: Any) -> Any:
        rule = await self._guard.admit(self._rule, context)
        if self._handler.request_streaming:
            request = self._requests(data, context)
        else:
            request = await self._request(rule, data, context)
        return getattr(self._handler, self._kind)(request, context)

    async def _requests(self, stream: AsyncIterator[bytes], context: Any) -> AsyncIterator[Any]:
        async for data in stream:
            rule = await self._guard.admit(self._rule, context)  # else one call could send on without end
            yield await self._request(rule, data, context)

    async def _request(self, rule: Rule, data: bytes, context: Any) -> Any:
        try:
            request = self._handler.request_deserializer(data)
        except DecodeError:
            await refuse(context, Reason.PROTOCOL_VIOLATION, f"this is not a request to {self._method}")
        self._guard.check_entry(rule, request, context)
        return request


def _is_cancelled() -> bool:
    """Return whether the client, or the end of the server, cancels the running call."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
