"""The settings of a bot: as given to `run`, else from the environment, else the default."""

import logging
import os
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Final, Self, TypedDict, Unpack

from fairdeal import _tls
from fairdeal._keeper import Keeper, KeptFile, KeptFolder, usual_folder
from fairdeal._session import VERSION
from fairdeal.errors import BadSetting
from fairdeal.v1 import play_service_pb2 as play

log = logging.getLogger("fairdeal")

PIPE: Final = "/dev/fd/"  # where a hosted bot finds a pipe
DEFAULT_ADDRESS: Final = "127.0.0.1:7447"  # where `fairdeal serve` listens
DEFAULT_TABLES: Final = 64
DEFAULT_CONNECT_TIMEOUT: Final = 30.0
DEFAULT_RECONNECT_TIMEOUT: Final = 60.0


class Options(TypedDict, total=False):
    """The keyword arguments of `fairdeal.run` that are settings."""

    token: str | None
    entry: str | None
    instance: str | None
    games: Iterable[str]
    tables: int | None
    matches: int | None
    seed: str | None
    ca: str | None
    cert: str | None
    key: str | None
    keep: str | None
    connect_timeout: float
    reconnect_timeout: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of a bot, see `fairdeal.run`; ``matches`` is 0 for no limit.

    Raises:
        BadSetting: one of them is wrong; the text names it.
    """

    address: str
    token: str
    entry: str
    instance: str
    games: tuple[str, ...]
    tables: int
    matches: int
    seed: str
    tls: _tls.Tls | None
    keep: str
    connect_timeout: float
    reconnect_timeout: float

    def __post_init__(self) -> None:
        if problem := _problem(self):
            raise BadSetting(problem)

    @classmethod
    def from_environment(cls, name: str, address: str | None = None, **given: Unpack[Options]) -> Self:
        """Return the given settings, and the rest from the environment or else the default.

        ``name`` is the bot's own, in case no entry is given.

        Raises:
            BadSetting: one of the settings is wrong; the text names it.
        """

        def found(given: str | None, variable: str, default: str = "") -> str:
            return os.environ.get(variable, default) if given is None else given

        games, tables = given.get("games", ()), given.get("tables")
        entry = found(given.get("entry"), "FAIRDEAL_ENTRY", name)
        return cls(
            address=found(address, "FAIRDEAL_ADDRESS", DEFAULT_ADDRESS),
            token=found(given.get("token"), "FAIRDEAL_TOKEN"),
            entry=entry,
            instance=found(given.get("instance"), "FAIRDEAL_INSTANCE"),
            games=(games,) if isinstance(games, str) else tuple(games),
            tables=DEFAULT_TABLES if tables is None else tables,
            matches=given.get("matches") or 0,
            seed=found(given.get("seed"), "FAIRDEAL_SEED"),
            tls=_tls.load(
                found(given.get("ca"), "FAIRDEAL_CA"),
                found(given.get("cert"), "FAIRDEAL_CERT"),
                found(given.get("key"), "FAIRDEAL_KEY"),
            ),
            keep=found(given.get("keep"), "FAIRDEAL_KEEP", usual_folder(entry, os.environ)),
            connect_timeout=given.get("connect_timeout", DEFAULT_CONNECT_TIMEOUT),
            reconnect_timeout=given.get("reconnect_timeout", DEFAULT_RECONNECT_TIMEOUT),
        )

    def keeper(self) -> Keeper:
        """Return what keeps what the bot is told and says.

        A pipe of the host that did not reach this process is told of once, and does without.

        Raises:
            BadSetting: the file cannot be written.
        """
        if not self.keep:
            return Keeper()
        path = Path(self.keep)
        if self.keep.endswith("/"):
            return Keeper(KeptFolder(path).write)
        try:
            if self.keep.startswith(PIPE) and not path.is_fifo():
                log.warning("%s (FAIRDEAL_KEEP) is not there: what the bot is told is not kept", path)
                return Keeper()
            file = KeptFile(path)
            return Keeper(file.write, file.epochs)
        except OSError as error:
            raise BadSetting(f"keep {self.keep!r} (FAIRDEAL_KEEP): {error.strerror}") from None

    def hello(self, *, events: bool) -> play.Hello:
        """Return the message that opens a session."""
        return play.Hello(
            versions=[VERSION],
            entry=self.entry,
            instance=self.instance,
            games=self.games,
            tables=self.tables,
            matches=self.matches,
            events=events,
            agent=f"fairdeal-python/{version('fairdeal')}",
            redirects=True,
        )


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


def place_of(sent_to: str, address: str) -> str:
    """Return the address that a bot is sent to by a referee which it dialled at ``address``."""
    if sent_to.startswith(":"):
        return address.rpartition(":")[0] + sent_to
    return sent_to or address


def _problem_of_address(address: str) -> str | None:
    if address.startswith("unix:") and address != "unix:":
        return None
    host, colon, port = address.rpartition(":")
    if not (host and colon and port.isascii() and port.isdigit()):
        return "must be HOST:PORT or unix:/PATH"
    return None if 0 < int(port) < 65536 else "the port must be 1 to 65535"
