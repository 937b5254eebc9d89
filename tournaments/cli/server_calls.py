"""Calls to the services of a server: address, TLS, token, and what its refusals mean to people.

The token is read from FAIRDEAL_TOKEN, and certificates for TLS from FAIRDEAL_CA, FAIRDEAL_CERT and
FAIRDEAL_KEY, as bots do.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import grpc
from google.protobuf.message_factory import GetMessageClass

from fairdeal import BadSetting
from fairdeal._settings import Settings
from fairdeal._stream import NO_HOST, is_unknown_host
from tournaments.cli.failure import Failure
from tournaments.service import codec
from tournaments.service.codec import UnknownMessage
from tournaments.text import one_line

SECONDS: Final = 10.0  # for an answer
_LOOPBACK: Final = ("127.0.0.1", "[::1]", "localhost")
_OPTIONS: Final = (
    ("grpc.enable_retries", 0),
    ("grpc.keepalive_time_ms", 20_000),  # to notice a server that is gone while waiting for its updates
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.http2.max_pings_without_data", 0),
)
_GIVE_CA: Final = "; if it speaks TLS, give FAIRDEAL_CA"
_BAD_INPUT: Final = ("BAD_TOURNAMENT", "BAD_REQUEST")


class NotOffered(Failure):
    """The server does not know a call."""


class Calls:
    """Calls to one server."""

    def __init__(self, settings: Settings, channel: grpc.Channel) -> None:
        self._settings = settings
        self._channel = channel
        token = settings.token
        self._metadata = (("authorization", f"Bearer {token}"),) if token else ()

    def __call__(
        self, rpc: str, request: Any, file: Path | None = None, *, seconds: float | None = None
    ) -> Any:
        """Return the answer; a call whose connection breaks is repeated once, since repeating is harmless.

        ``file`` is the file from which the request was read, and ``seconds`` how long it may take.

        Raises:
            NotOffered: the server does not know the call.
            Failure: the server cannot be reached or refuses.
        """
        method: Any = self._channel.unary_unary(*_method(rpc, request))
        for is_last in (False, True):
            try:
                return method(request, timeout=seconds or SECONDS, metadata=self._metadata)
            except grpc.RpcError as error:
                if is_last or not _is_broken(error):
                    raise self._failure(error, file, seconds) from None
        raise AssertionError("the last call has failed")

    def stream(self, rpc: str, request: Any) -> Iterator[Any]:
        """Yield the answers; the call ends with them, or with the channel.

        Raises:
            Failure: the call fails.
        """
        method: Any = self._channel.unary_stream(*_method(rpc, request))
        try:
            yield from method(request, metadata=self._metadata)
        except grpc.RpcError as error:
            raise self._failure(error) from None

    def _failure(self, error: Any, file: Path | None = None, seconds: float | None = None) -> Failure:
        server = self._settings.address
        trailing = dict(tuple(error.trailing_metadata() or ()))
        reason, text = trailing.get("fairdeal-reason", ""), one_line(error.details() or error.code().name)
        if file and codec.PROBLEMS in trailing:
            return Failure(_problems(trailing[codec.PROBLEMS], file), 2)
        if reason:
            is_unknown = reason == "MISSING_TOKEN" and self._settings.token
            hint = "; give one that it knows in FAIRDEAL_TOKEN" if is_unknown else ""
            status = 2 if reason in _BAD_INPUT else 1
            return Failure(f"fairdeal: {server} refuses: {text}{hint} ({reason})", status)
        if error.code() is grpc.StatusCode.UNIMPLEMENTED:
            return NotOffered(f"fairdeal: {server} answers, but does not offer this: {text}")
        if error.code() is grpc.StatusCode.DEADLINE_EXCEEDED:
            return Failure(f"fairdeal: {server} does not answer within {seconds or SECONDS:g} s")
        if error.code() is grpc.StatusCode.UNAVAILABLE:
            if is_unknown_host(text):
                text = NO_HOST
            return Failure(f"fairdeal: no server answers at {server}: {text}{self._hint(text)}")
        return Failure(f"fairdeal: the call to {server} failed: {text}")

    def _hint(self, text: str) -> str:
        """Return a hint for a server that hangs up without a reason, as one that requires TLS does."""
        tls = self._settings.tls
        if "Socket closed" not in text or (tls and tls.cert):
            return ""
        return "; if it wants a certificate, give FAIRDEAL_CERT and FAIRDEAL_KEY" if tls else _GIVE_CA


def _method(rpc: str, request: Any) -> tuple[str, Any, Any]:
    """Return the path of the RPC of a request, its encoder, and the decoder of the answer."""
    (service,) = request.DESCRIPTOR.file.services_by_name.values()
    answer = GetMessageClass(service.methods_by_name[rpc].output_type)
    return f"/{service.full_name}/{rpc}", type(request).SerializeToString, answer.FromString


def _is_broken(error: Any) -> bool:
    trailing = dict(tuple(error.trailing_metadata() or ()))
    return error.code() is grpc.StatusCode.UNAVAILABLE and "fairdeal-reason" not in trailing


def _problems(data: bytes, file: Path) -> str:
    with understood("the server"):
        problems, omitted = codec.problems_of(data)
    # the server knows the file by its stem
    found = [one_line(f"{file}{each.place.removeprefix(file.stem)}: {each.text}") for each in problems]
    return "\n".join([*found, *([f"{file}: {omitted} more are wrong"] if omitted else [])])


@contextmanager
def understood(server: str) -> Iterator[None]:
    """Turn a message that only a newer version knows into a failure."""
    try:
        yield
    except UnknownMessage as error:
        text = f"{server} speaks a newer version of the protocol: {error}; update this fairdeal"
        raise Failure(f"fairdeal: {text}") from None


@contextmanager
def dialled(server: str) -> Iterator[Calls]:
    """Yield calls to a server.

    Raises:
        Failure: the text is not an address.
    """
    try:
        settings = Settings.from_environment("", server)
    except BadSetting as error:
        raise Failure(f"fairdeal: --server: {error}", 2) from None
    options = list(_OPTIONS)
    if server.rpartition(":")[0] in _LOOPBACK:
        options.append(("grpc.enable_http_proxy", 0))
    if settings.tls is None:
        channel = grpc.insecure_channel(server, options)
    else:
        channel = grpc.secure_channel(server, settings.tls.credentials(), options)
    with channel:
        yield Calls(settings, channel)
