"""A gRPC server that no call can end.

grpc.aio's own server (from 1.84 on, as of 1.85) decodes the path of a call in its main loop. A path that is
not UTF-8, which anybody can send, ends the loop, and the server takes no more calls. Here two such servers
share the work. The *front* owns the port, the connections and the calls, and only passes new calls on. The
*dispatcher*, which has no port, finds their handlers. When a call ends a dispatcher, another one goes on with
the next call: no connection is closed, and no other call notices.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any, Final

import grpc
from grpc._cython import cygrpc  # type: ignore[attr-defined]

_Options = Sequence[tuple[str, int]]


class LastingServer(grpc.aio.Server):
    """A server like that of `grpc.aio.server`.

    ``on_unreadable`` is called, like a handler, with the context of each call whose path is not text, and
    ends the call. ``on_failed`` is called with any other error that ends a dispatcher.
    """

    def __init__(
        self,
        options: _Options,
        interceptors: Sequence[grpc.aio.ServerInterceptor],
        *,
        on_unreadable: Callable[[Any], Any],
        on_failed: Callable[[BaseException], None],
    ) -> None:
        self._interceptors = interceptors
        self._handlers: list[grpc.GenericRpcHandler] = []
        self._calls: asyncio.Queue[Any] = asyncio.Queue()
        self._front = _make(_Front, options=options)
        self._front.calls = self._calls
        self._dispatcher: Any = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._on_unreadable = on_unreadable
        self._on_failed = on_failed

    def add_generic_rpc_handlers(self, generic_rpc_handlers: Iterable[grpc.GenericRpcHandler]) -> None:
        """Add handlers, before the start."""
        self._handlers += generic_rpc_handlers

    def add_registered_method_handlers(self, service: str, handlers: object) -> None:
        """Do nothing: generated code passes the same handlers to `add_generic_rpc_handlers`."""

    def add_insecure_port(self, address: str) -> int:
        """Listen on an address, before the start, and return the port.

        Raises:
            RuntimeError: the address is taken or not available.
        """
        return _had(self._front.add_insecure_port(address.encode()), address)

    def add_secure_port(self, address: str, server_credentials: grpc.ServerCredentials) -> int:
        """Listen on an address with TLS, before the start, and return the port.

        Raises:
            RuntimeError: the address is taken or not available.
        """
        return _had(self._front.add_secure_port(address.encode(), server_credentials), address)

    async def start(self) -> None:
        """Begin to take calls."""
        await self._dispatch()
        await self._front.start()

    async def stop(self, grace: float | None) -> None:
        """Take no more calls, and cut off those that are not over after ``grace`` seconds."""
        await self._front.shutdown(grace)
        while self._tasks:
            await asyncio.wait(self._tasks)
        self._calls.put_nowait(None)
        await self._dispatcher.shutdown(None)

    async def wait_for_termination(self, timeout: float | None = None) -> bool:  # noqa: ASYNC109 - its name
        """Wait until it has stopped, at most ``timeout`` seconds, and return whether the time ran out."""
        return bool(await self._front.wait_for_termination(timeout))

    async def _dispatch(self) -> None:
        dispatcher = _make(_Dispatcher, self._handlers, self._interceptors)
        dispatcher.calls = self._calls
        dispatcher.on_fallen = self._fallen
        self._dispatcher = dispatcher
        await dispatcher.start()

    def _fallen(self, dispatcher: Any, error: BaseException) -> None:
        task = asyncio.get_running_loop().create_task(self._replace(dispatcher, error))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _replace(self, dispatcher: Any, error: BaseException) -> None:
        await self._dispatch()
        if isinstance(error, UnicodeDecodeError):
            context = cygrpc._ServicerContext(dispatcher.taken, None, None, asyncio.get_running_loop())
            # a call that the caller has given up is over already
            with suppress(grpc.aio.BaseError):
                await self._on_unreadable(context)
        else:
            self._on_failed(error)
        # the first time its loop, which is over, raises the error that ended it; the second time frees all
        for _ in range(2):
            with suppress(type(error)):
                await dispatcher.shutdown(None)


class _Front(cygrpc.AioServer):  # type: ignore[misc]
    """Passes all calls on, and handles none."""

    calls: asyncio.Queue[Any]

    async def _request_call(self) -> Any:
        while True:  # this raises when the dispatcher ends
            self.calls.put_nowait(await super()._request_call())


class _Dispatcher(cygrpc.AioServer):  # type: ignore[misc]
    """Handles calls that the front has taken; ``taken`` is the last of them."""

    calls: asyncio.Queue[Any]
    on_fallen: Callable[[Any, BaseException], None]
    taken: Any = None

    async def _request_call(self) -> Any:
        self.taken = await self.calls.get()
        if self.taken is None:
            raise _OVER
        return self.taken

    def _serving_task_crash_handler(self, task: asyncio.Task[None]) -> None:
        error = None if task.cancelled() else task.exception()
        if error and not isinstance(error, cygrpc._RequestCallError):
            self.on_fallen(self, error)


_OVER: Final = cygrpc._RequestCallError()  # this is how gRPC's core reports that there are no more calls


def _make(
    kind: type,
    handlers: Sequence[grpc.GenericRpcHandler] = (),
    interceptors: Sequence[grpc.aio.ServerInterceptor] = (),
    options: _Options = (),
) -> Any:
    made = (asyncio.get_running_loop(), None, handlers, interceptors, options, None)
    try:
        return kind(*made)
    except TypeError:
        return kind(*made, False)  # versions after 1.85 also ask whether it is for xDS


def _had(port: int, address: str) -> int:
    if not port:
        raise RuntimeError(f"cannot listen on {address}")
    return port
