"""A venue: a referee on a loopback port, and the hosted bots of some entries."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from referee.access import Tokens, token_digest
from referee.deals import MatchDeals
from referee.hall import Hall
from referee.journal import Journal
from referee.server.driver import SOFTWARE, Referee
from referee.server.listen import listening
from referee.vault import KeySource
from tournaments import hosting
from tournaments.plan import Entry

LEAVE_SECONDS = 2.0  # for bots to leave by themselves when they are told that the referee is about to


@dataclass(frozen=True, slots=True)
class Lost:
    """A bot that will not come back; ``text`` says what became of it, ``output`` ends what it printed."""

    entry: str
    text: str
    output: tuple[str, ...]


class Venue:
    """A referee and the bots that it hosts.

    ``changed`` is set whenever a bot arrives or is lost; ``lost`` holds the bots that will not come back.
    """

    def __init__(self, on_lost: Callable[[Lost], None]) -> None:
        self.changed = asyncio.Event()
        self.lost: dict[str, Lost] = {}
        self.referee: Referee
        self._on_lost = on_lost
        self._arrived: set[str] = set()
        self._closing = False

    def arrived(self, entry: str) -> None:
        """Take note that an entry's bot has opened a session."""
        self._arrived.add(entry)
        self.changed.set()

    async def attend(self, command: hosting.HostedCommand, log: Path, patience: float) -> None:
        """Start a bot and watch it until it has ended.

        A bot that has no session for ``patience`` seconds, at its start or later, is ended.
        """
        try:
            bot = await hosting.start(command, log)
            try:
                why = await self._watch(bot, patience)
                await bot.stop()
                exited = await bot.wait()
                if not self._closing:
                    self._lose(Lost(command.entry, why or exited.status, exited.last_output))
            finally:
                await bot.stop()
        except hosting.HostingError as error:
            self._lose(Lost(command.entry, str(error), ()))

    async def _watch(self, bot: hosting.HostedBot, patience: float) -> str | None:
        """Wait until a bot has ended, or return why it must be."""
        ended = asyncio.create_task(bot.wait())
        is_here = False
        while not (await asyncio.wait({ended}, timeout=patience))[0]:
            was_here, is_here = is_here, self.referee.has_session(bot.entry)
            if not was_here and not is_here:
                did = "left and did not come back" if bot.entry in self._arrived else "did not connect"
                return f"{did} within {patience:g} s"
        return None

    def close(self) -> None:
        """Tell the bots to leave, and take it that they do from now on."""
        if not self._closing:
            self._closing = True
            self.referee.drain()

    def _lose(self, lost: Lost) -> None:
        self.lost[lost.entry] = lost
        self.referee.abandon(lost.entry)
        self.changed.set()
        self._on_lost(lost)


def command_of(entry: Entry) -> tuple[str, ...]:
    """Return the command line that plays for an entry."""
    if entry.command:
        return entry.command
    assert entry.bot is not None
    return ("{python}", "-m", "fairdeal.bots", entry.bot, *entry.arguments)


@asynccontextmanager
async def open_venue(
    *,
    entries: Sequence[Entry],
    folder: Path,
    base: Path,
    keys: KeySource,
    bot_seeds: Mapping[str, str],
    patience: float,
    on_lost: Callable[[Lost], None],
) -> AsyncIterator[Venue]:
    """Open a referee on a free loopback port and start the bots; at the end all of them are gone.

    ``folder`` takes journal, records and logs; the commands run in ``base``.

    Raises:
        CannotListen: there is no port to be had.
        OSError: the folder cannot be written to.
    """
    tokens = {entry.name: secrets.token_urlsafe(24) for entry in entries}
    (folder / "records").mkdir(exist_ok=True)
    (folder / "logs").mkdir(exist_ok=True)
    venue = Venue(on_lost)
    hall = Hall(
        deals=lambda setup, game: MatchDeals(setup, game, keys),
        access=Tokens({name: token_digest(token) for name, token in tokens.items()}),
        server=SOFTWARE,
    )
    venue.referee = Referee(
        hall,
        keys=keys,
        journal=Journal(folder / "journal"),
        records=folder / "records",
        on_arrived=venue.arrived,
    )
    try:
        async with listening(venue.referee, "127.0.0.1:0") as address:
            attending = [
                asyncio.create_task(
                    venue.attend(
                        hosting.HostedCommand(
                            entry.name,
                            command_of(entry),
                            base,
                            _environment(entry.name, address, tokens[entry.name], bot_seeds[entry.name]),
                        ),
                        folder / "logs" / f"{entry.name}.log",
                        patience,
                    )
                )
                for entry in entries
            ]
            try:
                yield venue
                venue.close()
                await asyncio.wait(attending, timeout=LEAVE_SECONDS)
            finally:
                venue.close()
                for attended in attending:
                    attended.cancel()
                await asyncio.wait(attending)
    finally:
        await venue.referee.close()


def _environment(entry: str, address: str, token: str, seed: str) -> dict[str, str]:
    return {
        "FAIRDEAL_ADDRESS": address,
        "FAIRDEAL_TOKEN": token,
        "FAIRDEAL_ENTRY": entry,
        "FAIRDEAL_INSTANCE": "",
        "FAIRDEAL_SEED": seed,
        "PYTHONUNBUFFERED": "1",  # what a Python bot prints reaches its log even when it is killed
    }
