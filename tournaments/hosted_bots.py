"""The hosted bots of one tournament: started, watched, started again by the rule, and ended."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from referee.clock import SECOND
from referee.dealing import sha
from referee.effects import Owner
from tournaments import hosting
from tournaments.plan import Entry, Hosting
from tournaments.restarts import Restarts
from tournaments.venue import Venue

LEAVE_SECONDS = 2.0  # for bots to leave by themselves when they are told that the referee is about to
RESTART_SECONDS = 1.0  # until a bot that its host lost is started again: what was lacking may come back
MAX_HOST_LOSSES: Final = 3  # of one bot: starting it again has not helped


@dataclass(frozen=True, slots=True)
class Lost:
    """A bot that is gone; ``text`` says what became of it, ``output`` ends what it printed.

    ``log`` is where all of it is. With ``by_host`` it is no fault of the bot: it is started again, and what
    it played is void. With ``restarts_in``, in microseconds, it is started again, and its clock runs
    meanwhile. Otherwise it will not come back.
    """

    entry: str
    text: str
    output: tuple[str, ...]
    by_host: bool = False
    restarts_in: int | None = None
    log: Path = Path()


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """What holds for all bots of a tournament.

    Commands run in ``base``, output goes to ``logs``; ``seed`` is what their own draws follow from, so that a
    run can be repeated. ``hidden`` tells what an entry's bot in a sandbox must not see. A bot that has no
    session for ``patience`` seconds is ended. ``now`` is a clock in microseconds.
    """

    base: Path
    logs: Path
    seed: str
    patience: float
    hosting: Hosting
    hidden: Callable[[str], tuple[Path, ...]] = lambda entry: ()
    now: Callable[[], int]


class HostedBots:
    """The hosted bots of one tournament at a venue.

    ``changed`` is called whenever a bot is lost. ``lost`` holds those that will not come back;
    ``host_losses`` counts how often a bot was lost by no fault of its own, and ``failed`` says what is to be
    done once that was too often. ``deserted`` says that a bot which was told to leave is gone in the midst of
    a match, which goes on in the next run.
    """

    def __init__(
        self,
        venue: Venue,
        conditions: Conditions,
        *,
        changed: Callable[[], None],
        on_lost: Callable[[Lost], None],
    ) -> None:
        self.lost: dict[Owner, Lost] = {}
        self.host_losses: Counter[Owner] = Counter()
        self.failed: str | None = None
        self.deserted = False
        self._venue = venue
        self._conditions = conditions
        self._changed = changed
        self._on_lost = on_lost
        self._arrived: set[Owner] = set()  # of those that run
        self._entries: dict[Owner, Entry] = {}
        self._attending: dict[Owner, asyncio.Task[None]] = {}
        self._leaving = asyncio.Event()
        venue.on_arrival(self._note_arrival)

    @property
    def running(self) -> Mapping[Owner, Entry]:
        """Return the bots that were started and not ended since, lost ones too, each with its entry."""
        return self._entries

    def awaits(self, owner: Owner) -> bool:
        """Tell whether a bot was started and has not come yet."""
        return owner in self._entries and owner not in self._arrived

    def start(self, entry: Entry, owner: Owner) -> None:
        """Start a bot that plays an owner's seats, and look after it."""
        self._entries[owner] = entry
        task = self._attending[owner] = asyncio.create_task(self._attend(entry, owner))
        task.add_done_callback(lambda over: self._attended(owner, over))

    async def end(self, owners: Iterable[Owner]) -> None:
        """End bots with all that they have started, and forget those that were lost."""
        owners = tuple(owners)
        for owner in owners:
            self._entries.pop(owner, None)
            self._arrived.discard(owner)
            self.lost.pop(owner, None)
        ending = [task for owner in owners if (task := self._attending.pop(owner, None))]
        for task in ending:
            task.cancel()
        if ending:
            await asyncio.wait(ending)

    def recover(self) -> None:
        """Forget what has failed, so that bots which are looked after no more can be started again."""
        self.failed = None
        self.deserted = False
        for owner in [owner for owner, task in self._attending.items() if task.done()]:
            if owner not in self.lost:
                del self._attending[owner], self._entries[owner]
                self._arrived.discard(owner)
                self.host_losses.pop(owner, None)

    def leave(self) -> None:
        """Take it that bots which end from now on were told to leave."""
        self._leaving.set()

    async def dismiss(self) -> None:
        """Tell all bots to leave, and end those that have not left after a while."""
        self._leaving.set()
        for owner in self._attending:
            self._venue.referee.dismiss(owner)
        if self._attending:
            await asyncio.wait(self._attending.values(), timeout=LEAVE_SECONDS)
        await self.close()
        self._leaving.clear()

    async def close(self) -> None:
        """End all bots."""
        self._leaving.set()
        await self.end(tuple(self._attending))

    def _note_arrival(self, owner: Owner) -> None:
        if owner in self._entries:
            self._arrived.add(owner)

    async def _attend(self, entry: Entry, owner: Owner) -> None:
        """Start a bot and watch it until it has ended; start it again as long as the rule allows."""
        rule = entry.hosting or self._conditions.hosting
        restarts = Restarts(rule)
        command = self._command(entry, owner, rule)
        while not self._leaving.is_set():
            lost = await self._host(command, owner)
            if self._leaving.is_set():
                break
            if lost.by_host:
                self._void(owner, lost)
                if self.failed:
                    return
                await self._rest(RESTART_SECONDS)
                continue
            # one that has never come would not come the next time either
            pause = restarts.ended(self._conditions.now()) if owner in self._arrived else None
            if pause is None:
                self._lose(owner, lost)
                return
            self._on_lost(replace(lost, restarts_in=pause))
            self._changed()
            await self._rest(pause / SECOND)
        self._see_off(owner)

    async def _rest(self, seconds: float) -> None:
        """Wait until a bot is to be started again, or all are to leave."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._leaving.wait()

    def _attended(self, owner: Owner, over: asyncio.Task[None]) -> None:
        """Let nobody wait for a bot that is looked after no more because of a fault of our own."""
        if not over.cancelled() and (error := over.exception()):
            self.failed = f"the bot of {owner[0]} cannot be looked after ({error!r}): please report it"
            self._changed()

    async def _host(self, command: hosting.HostedCommand, owner: Owner) -> Lost:
        """Start a bot, watch it until it has ended, and return what became of it."""
        log = self._conditions.logs / command.log
        try:
            bot = await hosting.start(command, self._conditions.logs)
            try:
                why = await self._watch(bot, owner)
                await bot.stop()
                exited = await bot.wait()
            finally:
                await bot.stop()
        except hosting.HostingError as error:
            is_ours = isinstance(error, hosting.HostFailed)
            return Lost(owner[0], str(error), (), by_host=is_ours, log=log)
        return Lost(owner[0], why or exited.status, exited.last_output, by_host=exited.host_failed, log=log)

    async def _watch(self, bot: hosting.HostedBot, owner: Owner) -> str | None:
        """Wait until a bot has ended, or return why it must be."""
        patience = self._conditions.patience
        ended = asyncio.create_task(bot.wait())
        is_here = False
        while not (await asyncio.wait({ended}, timeout=patience))[0]:
            was_here, is_here = is_here, self._venue.referee.has_session(owner)
            if not was_here and not is_here:
                did = "left and did not come back" if owner in self._arrived else "did not connect"
                return f"{did} within {patience:g} s"
        return None

    def _lose(self, owner: Owner, lost: Lost) -> None:
        self.lost[owner] = lost
        self._venue.referee.abandon(owner)
        self._changed()
        self._on_lost(lost)

    def _see_off(self, owner: Owner) -> None:
        """Take note that a bot has left as it was told, or in the midst of what it plays."""
        if self._venue.referee.plays(owner):
            self.deserted = True
            self._changed()

    def _void(self, owner: Owner, lost: Lost) -> None:
        """Let what a bot plays count for nobody."""
        self.host_losses[owner] += 1
        self._venue.referee.void(owner)
        self._on_lost(lost)
        if self.host_losses[owner] >= MAX_HOST_LOSSES:
            self.failed = (
                f"the bot of {lost.entry} was lost {MAX_HOST_LOSSES} times by no fault of its own"
                f" ({lost.text}): see what this machine lacks, or who ends its processes, and run it"
                f" again; its output: {lost.log}"
            )
        self._changed()

    def _command(self, entry: Entry, owner: Owner, rule: Hosting) -> hosting.HostedCommand:
        name, instance = owner
        address = self._venue.socket if rule.sandbox == "bubblewrap" else self._venue.address
        return hosting.HostedCommand(
            entry=name,
            instance=instance,
            command=command_of(entry),
            cwd=self._conditions.base,
            environment={
                "FAIRDEAL_ADDRESS": address,
                "FAIRDEAL_TOKEN": self._venue.admission.token_for(owner),
                "FAIRDEAL_ENTRY": name,
                "FAIRDEAL_INSTANCE": instance,
                "FAIRDEAL_SEED": bot_seed(self._conditions.seed, name),
                "PYTHONUNBUFFERED": "1",  # what a Python bot prints reaches its log even when it is killed
            },
            hosting=rule,
            hidden=self._conditions.hidden(name) if rule.sandbox == "bubblewrap" else (),
        )


def bot_seed(seed: str, name: str) -> str:
    """Return what an entry's own draws follow from; it tells nobody what those of the others follow from."""
    return sha("fairdeal/1/hosted-bot", seed, name).hex()[:32]


def command_of(entry: Entry) -> tuple[str, ...]:
    """Return the command line that plays for an entry."""
    if entry.command:
        return entry.command
    assert entry.bot is not None
    return ("{python}", "-m", "fairdeal.bots", entry.bot, *entry.arguments)
