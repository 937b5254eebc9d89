"""Where and how a bot plays: what `run` was given, else what the environment says, else the default."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import version
from typing import Final

from fairdeal import _tls
from fairdeal._session import VERSION
from fairdeal.errors import BadSetting
from fairdeal.v1 import play_service_pb2 as play

DEFAULT_ADDRESS: Final = "127.0.0.1:7447"  # where `fairdeal serve` listens


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Where and how a bot plays; the parameters are those of `fairdeal.run`."""

    address: str
    token: str
    entry: str
    instance: str
    games: tuple[str, ...]
    tables: int
    matches: int
    seed: str
    tls: _tls.Tls | None
    connect_timeout: float
    reconnect_timeout: float


def hello(
    *, entry: str, instance: str, games: Iterable[str], tables: int, matches: int, events: bool
) -> play.Hello:
    """Return the message that opens a session."""
    return play.Hello(
        versions=[VERSION],
        entry=entry,
        instance=instance,
        games=games,
        tables=tables,
        matches=matches,
        events=events,
        agent=f"fairdeal-python/{version('fairdeal')}",
    )


def settle(
    *,
    name: str,
    address: str | None,
    token: str | None,
    entry: str | None,
    instance: str | None,
    games: Iterable[str],
    tables: int,
    matches: int | None,
    seed: str | None,
    ca: str | None,
    cert: str | None,
    key: str | None,
    connect_timeout: float,
    reconnect_timeout: float,
) -> Settings:
    """Return the settings; ``name`` is the bot's own, for want of an entry's.

    Raises:
        BadSetting: one of them cannot be; the text names it.
    """

    def found(given: str | None, variable: str, default: str = "") -> str:
        return os.environ.get(variable, default) if given is None else given

    settings = Settings(
        address=found(address, "FAIRDEAL_ADDRESS", DEFAULT_ADDRESS),
        token=found(token, "FAIRDEAL_TOKEN"),
        entry=found(entry, "FAIRDEAL_ENTRY", name),
        instance=found(instance, "FAIRDEAL_INSTANCE"),
        games=(games,) if isinstance(games, str) else tuple(games),
        tables=tables,
        matches=matches or 0,
        seed=found(seed, "FAIRDEAL_SEED"),
        tls=_tls.load(found(ca, "FAIRDEAL_CA"), found(cert, "FAIRDEAL_CERT"), found(key, "FAIRDEAL_KEY")),
        connect_timeout=connect_timeout,
        reconnect_timeout=reconnect_timeout,
    )
    if problem := _problem(settings):
        raise BadSetting(problem)
    return settings


def _problem(settings: Settings) -> str | None:
    if not settings.address:
        return f"the address is empty: give one, such as {DEFAULT_ADDRESS} or unix:/path"
    if problem := _problem_of_address(settings.address):
        return f"address {settings.address!r}: {problem}"
    if settings.tables < 1:
        return f"tables {settings.tables}: must be 1 or more"
    if settings.matches < 0:
        return f"matches {settings.matches}: must be 0, for no limit, or more"
    if not settings.connect_timeout >= 0:
        return f"connect_timeout {settings.connect_timeout:g}: must be 0, to try once, or more"
    if not settings.reconnect_timeout >= 0:
        return f"reconnect_timeout {settings.reconnect_timeout:g}: must be 0, for never, or more"
    if not settings.token.isascii() or not settings.token.isprintable():
        return "token: must be printable ASCII"
    if not settings.seed.isascii():
        return f"seed {settings.seed!r}: must be ASCII"
    return None


def _problem_of_address(address: str) -> str | None:
    if address.startswith("unix:") and address != "unix:":
        return None
    host, colon, port = address.rpartition(":")
    if not (host and colon and port.isascii() and port.isdigit()):
        return "must be HOST:PORT or unix:/PATH"
    return None if 0 < int(port) < 65536 else "the port must be 1 to 65535"
