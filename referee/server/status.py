"""Refusals of RPCs: a status code, and in the trailing metadata a reason and an incident."""

import logging
import secrets
from collections.abc import Mapping
from typing import Any, Final, NoReturn

import grpc

from referee.match.messages import Reason

_log: Final = logging.getLogger("referee.server.refusal")  # as ever in logs

_MAX_TEXT: Final = 300  # characters; a status that does not fit in the metadata loses code and reason too

_EVENT: Final = {"event": "call_refused"}  # how `logs` shows it, with its fields

_CODES: Final[Mapping[Reason, grpc.StatusCode]] = {
    Reason.MATCH_NOT_FOUND: grpc.StatusCode.NOT_FOUND,
    Reason.MISSING_TOKEN: grpc.StatusCode.UNAUTHENTICATED,
    Reason.WRONG_SEAT: grpc.StatusCode.PERMISSION_DENIED,
    Reason.WRONG_ROLE: grpc.StatusCode.PERMISSION_DENIED,
    Reason.RATE_LIMITED: grpc.StatusCode.RESOURCE_EXHAUSTED,
    Reason.TOO_MANY_SESSIONS: grpc.StatusCode.RESOURCE_EXHAUSTED,
    Reason.MESSAGE_TOO_LARGE: grpc.StatusCode.RESOURCE_EXHAUSTED,
    Reason.SLOW_READER: grpc.StatusCode.RESOURCE_EXHAUSTED,
    Reason.SHUTTING_DOWN: grpc.StatusCode.UNAVAILABLE,
    Reason.UNSUPPORTED_VERSION: grpc.StatusCode.FAILED_PRECONDITION,
    Reason.PROTOCOL_VIOLATION: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.REPLACED: grpc.StatusCode.ABORTED,
    Reason.IDLE: grpc.StatusCode.DEADLINE_EXCEEDED,
    Reason.TOURNAMENT_NOT_FOUND: grpc.StatusCode.NOT_FOUND,
    Reason.TOURNAMENT_EXISTS: grpc.StatusCode.ALREADY_EXISTS,
    Reason.BAD_TOURNAMENT: grpc.StatusCode.INVALID_ARGUMENT,
    Reason.WRONG_STATE: grpc.StatusCode.FAILED_PRECONDITION,
    Reason.ENTRY_NOT_FOUND: grpc.StatusCode.NOT_FOUND,
    Reason.ENTRY_EXISTS: grpc.StatusCode.ALREADY_EXISTS,
    Reason.SESSION_NOT_FOUND: grpc.StatusCode.NOT_FOUND,
    Reason.ENDED_BY_ORGANISER: grpc.StatusCode.PERMISSION_DENIED,
    Reason.BAD_REQUEST: grpc.StatusCode.INVALID_ARGUMENT,
}


async def refuse(
    context: Any, reason: Reason, text: str, *more: tuple[str, bytes], quiet: bool = False
) -> NoReturn:
    """End an RPC with a reason, and any ``more``, in the trailing metadata.

    With ``quiet`` it is not logged.
    """
    incident = secrets.token_hex(4)
    level = logging.ERROR if reason is Reason.INTERNAL else logging.INFO
    fields = {"reason": reason.name.lower(), "incident": incident, "text": text}
    if not quiet:
        _log.log(level, "refused %(reason)s: %(text)s (incident %(incident)s)", fields, extra=_EVENT)
    code = _CODES.get(reason, grpc.StatusCode.INTERNAL)
    metadata = (("fairdeal-reason", reason.name), ("fairdeal-incident", incident), *more)
    await context.abort(code, text[:_MAX_TEXT], metadata)
    raise AssertionError("abort does not return")
