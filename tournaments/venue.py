"""A venue: a referee on a loopback port, and the hosted bots of some entries."""

import asyncio
import secrets
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from referee.access import Tokens, token_digest
from referee.deals import MatchDeals
from referee.hall import Hall
from referee.journal import Journal
from referee.limits import Limits
from referee.server.driver import SOFTWARE, Referee, Report
from referee.server.listen import listening
from referee.vault import KeySource
from tournaments import hosting
from tournaments.plan import Entry

LEAVE_SECONDS = 2.0  # for bots to leave by themselves when they are told that the referee is about to
RESTART_SECONDS = 1.0  # until a bot is started again: what this machine lacks may come back
MAX_HOST_LOSSES: Final = 3  # of one entry: starting it again has not helped


@dataclass(frozen=True, slots=True)
class Lost:
    """A bot that is gone; ``text`` says what became of it, ``output`` ends what it printed.

    With ``by_host`` it is no fault of the bot: it is started again, and what it played is void. Otherwise it
    will not come back.
    """

    entry: str
    text: str
    output: tuple[str, ...]
    by_host: bool = False


class Venue:
    """A referee and the bots that it hosts.

    ``changed`` is set whenever a bot arrives or is lost; ``lost`` holds the bots that will not come back.
    ``host_losses`` counts how often a bot was lost by no fault of its own; ``failed`` says what is to be done
    once that was too often. ``deserted`` says that a bot which was told to leave is gone in the midst of a
    match, which goes on in the next run. ``recovered`` are the matches that were over, and not settled, when
    an earlier referee was ended.
    """

    def __init__(self, on_lost: Callable[[Lost], None], tokens: Mapping[str, str]) -> None:
        self.changed = asyncio.Event()
        self.lost: dict[str, Lost] = {}
        self.host_losses: Counter[str] = Counter()
        self.failed: str | None = None
        self.deserted = False
        self.referee: Referee
        self.recovered: tuple[Report, ...] = ()
        self.tokens = tokens
        self._on_lost = on_lost
        self._arrived: set[str] = set()
        self._leaving = False

    def arrived(self, entry: str) -> None:
        """Take note that an entry's bot has opened a session."""
        self._arrived.add(entry)
        self.changed.set()

    async def attend(self, command: hosting.HostedCommand, log: Path, patience: float) -> None:
        """Start a bot and watch it until it has ended; start it again when that was no fault of its own.

        A bot that has no session for ``patience`` seconds, at its start or later, is ended.
        """
        while not self._leaving:
            lost = await self._host(command, log, patience)
            if self._leaving:
                self._see_off(command.entry)
                return
            if not lost.by_host:
                self._lose(lost)
                return
            self._void(lost, log)
            if self.failed:
                return
            await asyncio.sleep(RESTART_SECONDS)

    async def _host(self, command: hosting.HostedCommand, log: Path, patience: float) -> Lost:
        """Start a bot, watch it until it has ended, and return what became of it."""
        try:
            bot = await hosting.start(command, log)
            try:
                why = await self._watch(bot, patience)
                await bot.stop()
                exited = await bot.wait()
            finally:
                await bot.stop()
        except hosting.HostingError as error:
            return Lost(command.entry, str(error), (), isinstance(error, hosting.HostFailed))
        return Lost(command.entry, why or exited.status, exited.last_output, exited.host_failed)

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

    def leave(self) -> None:
        """Tell the bots to leave when they have played what they play, and take it that they do."""
        if not self._leaving:
            self._leaving = True
            self.referee.drain()

    def _lose(self, lost: Lost) -> None:
        self.lost[lost.entry] = lost
        self.referee.abandon(lost.entry)
        self.changed.set()
        self._on_lost(lost)

    def _see_off(self, entry: str) -> None:
        """Take note that a bot has left as it was told, or in the midst of what it plays."""
        if any(entry in setup.entries for setup in self.referee.matches()):
            self.deserted = True
            self.changed.set()

    def _void(self, lost: Lost, log: Path) -> None:
        """Let what a bot plays count for nobody."""
        self.host_losses[lost.entry] += 1
        self.referee.void(lost.entry)
        self._on_lost(lost)
        if self.host_losses[lost.entry] >= MAX_HOST_LOSSES:
            self.failed = (
                f"the bot of {lost.entry} was lost {MAX_HOST_LOSSES} times by no fault of its own"
                f" ({lost.text}): see what this machine lacks, or who ends its processes, and run it"
                f" again; its output: {log}"
            )
        self.changed.set()


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
    keys: KeySource,
    limits: Limits,
    durable: bool,
    on_lost: Callable[[Lost], None],
) -> AsyncIterator[Venue]:
    """Open a referee that goes on with what an earlier one left; `host` lets the bots in.

    ``folder`` takes journal, records and logs.

    Raises:
        JournalError: what the earlier one left cannot be read.
        VaultError, OSError: the folder cannot be read or written to.
    """
    tokens = {entry.name: secrets.token_urlsafe(24) for entry in entries}
    (folder / "records").mkdir(exist_ok=True)
    (folder / "logs").mkdir(exist_ok=True)
    venue = Venue(on_lost, tokens)
    hall = Hall(
        deals=lambda setup, game: MatchDeals(setup, game, keys),
        access=Tokens({name: token_digest(token) for name, token in tokens.items()}),
        server=SOFTWARE,
        limits=limits,
    )
    venue.referee = Referee(
        hall,
        keys=keys,
        journal=Journal(folder / "journal", durable=durable),
        records=folder / "records",
        on_arrived=venue.arrived,
    )
    try:
        venue.recovered = await venue.referee.recover()
        yield venue
    finally:
        await venue.referee.close()


@asynccontextmanager
async def host(
    venue: Venue,
    *,
    entries: Sequence[Entry],
    folder: Path,
    base: Path,
    bot_seeds: Mapping[str, str],
    patience: float,
) -> AsyncIterator[None]:
    """Let the referee listen on a free loopback port and start the bots; at the end all of them are gone.

    The commands run in ``base``. What is still being played at the end goes on in the next run.

    Raises:
        CannotListen: there is no port to be had.
    """
    async with listening(venue.referee, "127.0.0.1:0") as at:
        attending = [
            asyncio.create_task(
                venue.attend(
                    hosting.HostedCommand(
                        entry.name,
                        command_of(entry),
                        base,
                        _environment(entry.name, at.address, venue.tokens[entry.name], bot_seeds[entry.name]),
                    ),
                    folder / "logs" / f"{entry.name}.log",
                    patience,
                )
            )
            for entry in entries
        ]
        try:
            yield
            venue.leave()
            if not venue.referee.running:
                await asyncio.wait(attending, timeout=LEAVE_SECONDS)
        finally:
            venue.leave()
            try:
                # before the bots are ended: what they do not answer from now on is not their fault
                await venue.referee.close()
            finally:
                for attended in attending:
                    attended.cancel()
                await asyncio.wait(attending)


def _environment(entry: str, address: str, token: str, seed: str) -> dict[str, str]:
    return {
        "FAIRDEAL_ADDRESS": address,
        "FAIRDEAL_TOKEN": token,
        "FAIRDEAL_ENTRY": entry,
        "FAIRDEAL_INSTANCE": "",
        "FAIRDEAL_SEED": seed,
        "PYTHONUNBUFFERED": "1",  # what a Python bot prints reaches its log even when it is killed
    }
