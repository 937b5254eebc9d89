"""SessionService: lists who is connected, and lets organisers end sessions and block entries.

Its rules say who may call what; they are checked before any of this.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

import grpc

from fairdeal.v1 import session_service_pb2 as pb
from referee.codec.proto.fields import fill_duration
from referee.core.access import Denied
from referee.match.messages import Reason
from referee.server.blocked import BlockedError, BlockedFile
from referee.server.match_service import page
from referee.server.permissions import Caller, Rule
from referee.server.runtime import Referee

_DIGITS: Final = 20  # the width of a number of 64 bits, so that texts sort like numbers


class SessionService:
    """Lists sessions, ends them, and blocks entries."""

    NAME: Final = "fairdeal.v1.SessionService"
    RULES: Final[Mapping[str, Rule]] = {
        "ListSessions": Rule(Caller.ORGANISER),
        "EndSession": Rule(Caller.ORGANISER),
        "BlockEntry": Rule(Caller.ORGANISER),
        "UnblockEntry": Rule(Caller.ORGANISER),
        "ListBlockedEntries": Rule(Caller.ORGANISER),
    }

    def __init__(self, referee: Referee, blocked: BlockedFile) -> None:
        self._referee = referee
        self._blocked = blocked

    def handler(self) -> grpc.GenericRpcHandler:
        """Return the handlers that a server registers."""
        methods: dict[str, Any] = {
            "ListSessions": self.list_sessions,
            "EndSession": self.end_session,
            "BlockEntry": self.block_entry,
            "UnblockEntry": self.unblock_entry,
            "ListBlockedEntries": self.list_blocked,
        }
        handlers: dict[str, Any] = {
            name: grpc.unary_unary_rpc_method_handler(
                behaviour,
                request_deserializer=getattr(pb, f"{name}Request").FromString,
                response_serializer=getattr(pb, f"{name}Response").SerializeToString,
            )
            for name, behaviour in methods.items()
        }
        return grpc.method_handlers_generic_handler(self.NAME, handlers)

    async def list_sessions(self, request: pb.ListSessionsRequest, _context: Any) -> pb.ListSessionsResponse:
        """Return the sessions by number; a page token is the last number of the page before."""
        sessions = {
            f"{session.number:0{_DIGITS}}": session for session in self._referee.core.sessions.present
        }
        numbers, token = page(sessions, request.page_size, request.page_token)
        response = pb.ListSessionsResponse(next_page_token=token)
        for number in numbers:
            session = sessions[number]
            told = response.sessions.add(
                number=session.number,
                entry=session.entry,
                instance=session.hello.instance if session.hello else "",
                peer=session.peer,
                agent=session.hello.agent if session.hello else "",
                has_token=session.bearer is not None,
                welcomed=session.hello is not None,
                matches=len(session.seats),
            )
            fill_duration(told.age, self._referee.age(session))
        return response

    async def end_session(self, request: pb.EndSessionRequest, _context: Any) -> pb.EndSessionResponse:
        """End a session; one that is not open is refused."""
        if not self._referee.end_session(request.number):
            raise Denied(Reason.SESSION_NOT_FOUND, f"no session {request.number} is open")
        return pb.EndSessionResponse()

    async def block_entry(self, request: pb.BlockEntryRequest, _context: Any) -> pb.BlockEntryResponse:
        """Block an entry, and end its sessions."""
        with _told():
            self._blocked.add(request.entry)
        ended = sum(session.entry == request.entry for session in self._referee.core.sessions.present)
        self._referee.review()
        return pb.BlockEntryResponse(ended=ended)

    async def unblock_entry(self, request: pb.UnblockEntryRequest, _context: Any) -> pb.UnblockEntryResponse:
        """Unblock an entry; one that is not blocked is refused."""
        with _told():
            was_blocked = self._blocked.remove(request.entry)
        if not was_blocked:
            raise Denied(Reason.ENTRY_NOT_FOUND, "no entry of this name is blocked")
        return pb.UnblockEntryResponse()

    async def list_blocked(
        self, request: pb.ListBlockedEntriesRequest, _context: Any
    ) -> pb.ListBlockedEntriesResponse:
        """Return the blocked entries by name; a page token is the last name of the page before."""
        names, token = page(self._blocked.names(), request.page_size, request.page_token)
        return pb.ListBlockedEntriesResponse(entries=names, next_page_token=token)


@contextmanager
def _told() -> Iterator[None]:
    """Turn an error of a name or of the file into a refusal with its text."""
    try:
        yield
    except ValueError as error:
        raise Denied(Reason.BAD_REQUEST, f"entry: {error}") from None
    except BlockedError as error:
        raise Denied(Reason.INTERNAL, str(error)) from None
