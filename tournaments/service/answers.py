"""The answers to requests that were made before, so that a repeated request has no further effect."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeVar

from google.protobuf.message import Message

from referee.core.access import Denied
from referee.match.messages import Reason

MOST_REMEMBERED: Final = 1024  # answers to requests with an id
LONGEST_ID: Final = 64  # characters

A = TypeVar("A", bound=Message)


class Answers:
    """The answers to the last requests that had an id."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, str], tuple[bytes, Any]] = OrderedDict()
        self._turn = asyncio.Lock()

    def before(self, request: Any) -> Any:
        """Return the answer to a request that was made before, or None.

        Raises:
            Denied: BAD_REQUEST, its id is too long, or that of another request.
        """
        if len(request.request_id) > LONGEST_ID:
            raise Denied(Reason.BAD_REQUEST, f"request_id is longer than {LONGEST_ID} characters")
        data, answer = self._known.get(self._key(request), (None, None))
        if data is not None and data != request.SerializeToString(deterministic=True):
            raise Denied(Reason.BAD_REQUEST, "request_id is that of another request")
        return answer

    async def of(self, request: Any, answer: Callable[[], Awaitable[A]]) -> A:
        """Return the answer to a request, after those that were made before it.

        Raises:
            Denied: as for `before`.
        """
        async with self._turn:  # the same request may be under way
            if (again := self.before(request)) is not None:
                known: A = again
                return known
            made = await answer()
            if request.request_id:
                self._known[self._key(request)] = request.SerializeToString(deterministic=True), made
                if len(self._known) > MOST_REMEMBERED:
                    self._known.popitem(last=False)
            return made

    def _key(self, request: Any) -> tuple[str, str]:
        return request.DESCRIPTOR.name, request.request_id
