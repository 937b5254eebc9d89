"""Opening the stream of a session, and what its end means."""

from typing import Final

import grpc
from grpc import aio

from fairdeal._settings import Settings
from fairdeal.errors import CannotConnect, ConnectionLost, FairdealError, Rejected, Replaced

_METHOD: Final = "/fairdeal.v1.PlayService/Play"

_CHANNEL_OPTIONS: Final = (
    # each attempt makes its own connection, whatever other connections to the referee there are
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.min_reconnect_backoff_ms", 5_000),  # how long one attempt may take
    # by default servers end connections that ping more often than every five minutes
    ("grpc.keepalive_time_ms", 310_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.max_receive_message_length", 1 << 20),
)
_LOOPBACK: Final = ("127.0.0.1", "[::1]", "localhost")

# reasons that another attempt cannot change
_FINAL_REASONS: Final = frozenset(
    {
        "MISSING_TOKEN",
        "WRONG_SEAT",
        "WRONG_ROLE",
        "ENDED_BY_ORGANISER",
        "UNSUPPORTED_VERSION",
        "PROTOCOL_VIOLATION",
        "MESSAGE_TOO_LARGE",
        "REPLACED",
    }
)

# reasons that may pass soon, even for a bot that was not welcomed yet
_BUSY_REASONS: Final = frozenset({"RATE_LIMITED", "TOO_MANY_SESSIONS"})

# the error when a host name is unknown, and not merely the name server out of reach
_SIGNS_OF_NO_HOST: Final = ("Domain name not found", "Name or service not known", "nodename nor servname")
NO_HOST: Final = "no host has this name; check the address, or start again once the name is known"

# frames stay bytes, which the session reads and makes itself
Call = aio.StreamStreamCall[bytes, bytes]


class NotThere(CannotConnect):
    """Nobody answers at the address now; ``why`` is the network's error."""

    def __init__(self, address: str, why: str) -> None:
        super().__init__(f"no referee answers at {address}: {why}")
        self.why = why


def open_channel(settings: Settings) -> aio.Channel:
    """Return a channel to the referee, without connecting yet."""
    address = settings.address
    options = list(_CHANNEL_OPTIONS)
    if address.rpartition(":")[0] in _LOOPBACK:
        options.append(("grpc.enable_http_proxy", 0))
    if settings.tls is None:
        return aio.insecure_channel(address, options)
    return aio.secure_channel(address, settings.tls.credentials(), options)


def open_stream(channel: aio.Channel, token: str) -> Call:
    """Return a stream, which fails at once if nobody answers."""
    method: aio.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream(_METHOD)
    return method(metadata=aio.Metadata(("authorization", f"Bearer {token}")) if token else None)


def meaning(error: grpc.RpcError, address: str, *, welcomed: bool) -> FairdealError:
    """Return a stream's error as the bot's; ``welcomed``: the referee had opened the session."""
    assert isinstance(error, aio.AioRpcError)
    # a tuple of pairs first: older versions return a mapping that dict() cannot copy
    trailing = dict(tuple(error.trailing_metadata() or ()))
    reason = str(trailing.get("fairdeal-reason", ""))
    incident = str(trailing.get("fairdeal-incident", ""))
    text = error.details() or error.code().name
    if reason:
        kind = Replaced if reason == "REPLACED" else Rejected
        return kind(f"the referee at {address} ended the session: {text} ({reason})", reason, incident)
    if error.code() is grpc.StatusCode.UNIMPLEMENTED:
        return CannotConnect(f"{address} answers, but it is not a referee: {text}")
    if not welcomed and is_unknown_host(text):
        return CannotConnect(f"no referee answers at {address}: {NO_HOST}")
    # a stream that a server ends while it is being opened can end as gRPC's own failure, without the reason
    if error.code() in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.INTERNAL) and not welcomed:
        return NotThere(address, text)
    return ConnectionLost(f"the session with the referee at {address} broke: {text}")


def is_unknown_host(text: str) -> bool:
    """Return whether gRPC's text of an error says that there is no host of this name."""
    return any(sign in text for sign in _SIGNS_OF_NO_HOST)


def is_final(error: FairdealError, *, is_playing: bool) -> bool:
    """Return whether an error leaves a bot no reason to dial again; ``is_playing``: it has seats."""
    if not isinstance(error, Rejected):
        return False
    return error.reason in _FINAL_REASONS or (error.reason == "SHUTTING_DOWN" and not is_playing)


def is_passing(error: FairdealError) -> bool:
    """Return whether an error may pass, for a bot that was never welcomed: the referee is down or full."""
    return isinstance(error, NotThere) or (isinstance(error, Rejected) and error.reason in _BUSY_REASONS)
