"""The hosted bots of one tournament: they are started, watched, restarted by the rule, and ended."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import Final

from referee.dealing.scheme import sha
from referee.match.clock import SECOND
from referee.match.effects import Owner
from referee.server.addresses import CannotListen
from tournaments.hosting import bot_process, cpu_use
from tournaments.plan.plan import Entry, Hosting
from tournaments.running import hosted_models
from tournaments.running.hosted import Conditions, Lost
from tournaments.running.referee_host import RefereeHost
from tournaments.running.restarts import Restarts
from tournaments.running.start_clock import LONGEST, StartClock
from tournaments.running.start_turn import Turn

LEAVE_SECONDS = 2.0  # for bots to leave by themselves when they are told that the referee is shutting down
RESTART_SECONDS = 1.0  # before a bot that its host lost is started again: what was lacking may come back
MAX_FAILED_STARTS: Final = 3  # of one bot in a row, caused by the machine; more are useless
_LOOKS: Final = 16  # between looks at a bot without a session, before its patience is over
_LONGEST_LOOK: Final = 1.0  # seconds between two looks


class HostedBots:
    """The hosted bots of one tournament at a referee host.

    ``changed`` is called whenever a bot is lost or has ended. ``lost`` holds those that will not come back;
    ``host_losses`` counts how often what a bot played was void since its host lost it, and ``failed`` says
    what is to be done when this machine cannot start one. ``deserted`` says that a bot which was told to
    leave is gone in the middle of a match, which goes on in the next run.
    """

    def __init__(
        self,
        host: RefereeHost,
        conditions: Conditions,
        *,
        changed: Callable[[], None],
        on_lost: Callable[[Lost], None],
    ) -> None:
        self.lost: dict[Owner, Lost] = {}
        self.host_losses: Counter[Owner] = Counter()
        self.failed: str | None = None
        self.deserted = False
        self._host = host
        self._conditions = conditions
        self._changed = changed
        self._on_lost = on_lost
        self._arrived: set[Owner] = set()  # since they were started
        self._entries: dict[Owner, Entry] = {}
        self._attending: dict[Owner, asyncio.Task[None]] = {}
        self._ending: dict[Owner, asyncio.Task[None]] = {}
        self._restarts: dict[Owner, tuple[Entry, Restarts]] = {}
        self._room = asyncio.Semaphore(conditions.starting)
        self._turns: dict[Owner, Turn] = {}
        self._unlogged: set[Owner] = set()
        self._leaving = asyncio.Event()
        self._unlisten = host.on_arrival(self._note_arrival)

    @property
    def running(self) -> Mapping[Owner, Entry]:
        """Return the bots that were started and not ended since, including lost ones, each with its entry."""
        return self._entries

    @property
    def live(self) -> Collection[Owner]:
        """Return the bots that have a process, or are about to be started again."""
        return [owner for owner, task in self._attending.items() if not task.done()]

    @property
    def ending(self) -> Collection[Owner]:
        """Return the bots that were told to end and may still have a process."""
        return self._ending.keys()

    def awaits(self, owner: Owner) -> bool:
        """Return whether a bot is hosted and has not come since it was started, or was not started."""
        is_hosted = owner in self._entries or self._host.admission.hosts(owner)
        return is_hosted and owner not in self._arrived

    def longest_start(self, number: int) -> int:
        """Return how long it may take until so many bots have come, in microseconds.

        Each waits for its turn, which others keep for their patience at most, and then has its start clock.
        """
        turns = -(-number // self._conditions.starting) + LONGEST
        return round(turns * self._conditions.patience * SECOND)

    def start(self, entry: Entry, owner: Owner) -> None:
        """Start a bot that plays an owner's seats when it is its turn, and watch it."""
        if owner not in self._restarts or self._restarts[owner][0] != entry:
            self._restarts[owner] = entry, Restarts(entry.hosting or self._conditions.hosting)
        self._entries[owner] = entry
        task = self._attending[owner] = asyncio.create_task(self._attend(entry, owner))
        task.add_done_callback(lambda over: self._attended(owner, over))

    def retire(self, owner: Owner) -> asyncio.Task[None]:
        """End a bot that is not needed now, with all its processes; it may be started again."""
        task = self._attending.pop(owner)
        del self._entries[owner]
        self._arrived.discard(owner)
        if not task.done():
            self._ending[owner] = task
            task.add_done_callback(lambda over: self._has_ended(owner, over))
            task.cancel()
        return task

    def forget(self, owner: Owner) -> asyncio.Task[None]:
        """End a bot for good, even a lost one: what its owner starts next is another bot."""
        self.lost.pop(owner, None)
        self._restarts.pop(owner, None)
        return self.retire(owner)

    async def end(self, owners: Iterable[Owner]) -> None:
        """End bots with all their processes, and forget those that were lost."""
        for owner in owners:
            self.forget(owner)
        if self._ending:
            await asyncio.wait(self._ending.values())

    def recover(self) -> None:
        """Forget failures and lost bots, so that those bots can be started again."""
        self.failed = None
        self.deserted = False
        for owner in [owner for owner, task in self._attending.items() if task.done()]:
            self.forget(owner)
            self.host_losses.pop(owner, None)

    def leave(self) -> None:
        """Treat every bot that ends from now on as one that was told to leave."""
        self._leaving.set()

    async def dismiss(self) -> None:
        """Ask all bots to leave, and end those that have not left after a while."""
        self._leaving.set()
        for owner in self._attending:
            self._host.referee.dismiss(owner)
        if self._attending:
            await asyncio.wait(self._attending.values(), timeout=LEAVE_SECONDS)
        await self.end(tuple(self._attending))
        self._leaving.clear()

    async def close(self) -> None:
        """End all bots for good."""
        self._leaving.set()
        await self.end(tuple(self._attending))
        self._unlisten()

    def _note_arrival(self, owner: Owner) -> None:
        if owner in self._entries:
            self._arrived.add(owner)
            if turn := self._turns.get(owner):
                turn.end()

    async def _attend(self, entry: Entry, owner: Owner) -> None:
        """Start a bot and watch it until it has ended; start it again as long as the rule allows."""
        _entry, restarts = self._restarts[owner]
        rule = entry.hosting or self._conditions.hosting
        if hosted_models.is_model(entry):
            rule = replace(rule, sandbox="none")  # it is ours, and needs the network
        command = self._command(entry, owner, rule)
        failed_starts = outages = 0
        while not self._leaving.is_set():
            lost, with_supervisor = await self._take_turn(command, owner)
            if self._leaving.is_set():
                break
            failed_starts = failed_starts + 1 if lost.by_host and not lost.by_provider else 0
            if with_supervisor:
                lost = await self._count_loss(lost, command.hosting)
            if lost.refused:
                self._stop_run(lost, "put that right")
                return
            if lost.by_provider:
                outages += 1
                if outages >= hosted_models.MAX_OUTAGES:
                    self._stop_run(lost, f"its provider has failed {outages} times: wait until it answers")
            if lost.by_host:
                self._void(owner, lost, 0 if lost.by_provider else failed_starts)
                if self.failed:
                    return
                await self._rest(RESTART_SECONDS)
                continue
            if lost.forfeits:
                self._host.referee.abandon(owner)
            # even a bot that never came: on a crowded machine many things can end it before
            pause = restarts.ended(self._conditions.now())
            if pause is None:
                self._lose(owner, lost)
                return
            self._on_lost(replace(lost, restarts_in=pause))
            self._changed()
            await self._rest(pause / SECOND)
        self._see_off(owner)

    async def _rest(self, seconds: float) -> None:
        """Wait until a bot is due to be started again, or all are asked to leave."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._leaving.wait()

    def _attended(self, owner: Owner, over: asyncio.Task[None]) -> None:
        """Release everybody who waits for a bot that is no longer watched because of an error of ours."""
        if not over.cancelled() and (error := over.exception()):
            self.failed = f"the bot of {owner[0]} cannot be supervised ({error!r}): please report it"
            self._changed()

    def _has_ended(self, owner: Owner, over: asyncio.Task[None]) -> None:
        if self._ending.get(owner) is over:
            del self._ending[owner]
        self._changed()  # there is room for another one

    async def _take_turn(self, command: bot_process.HostedCommand, owner: Owner) -> tuple[Lost, bool]:
        """Start a bot when it is its turn, watch it until it has ended, and return what happened to it.

        A bot whose clock runs does not wait for a turn. Also returns whether it was lost with its supervisor.
        """
        if self._host.referee.core.matches.plays(owner) and owner in self._arrived:
            return await self._host_bot(command, owner)
        async with Turn(self._room) as turn:
            self._turns[owner] = turn
            # a slow bot keeps others from starting no longer than this
            over = asyncio.get_running_loop().call_later(self._conditions.patience, turn.end)
            try:
                return await self._host_bot(command, owner)
            finally:
                over.cancel()
                del self._turns[owner]

    async def _host_bot(self, command: bot_process.HostedCommand, owner: Owner) -> tuple[Lost, bool]:
        log = self._conditions.logs / command.log
        try:
            async with self._address(command, owner) as address:
                entry = self._entries[owner]
                bot = await bot_process.start(command.at(address), self._conditions.logs)
                self._note_unlogged(bot, owner)
                try:
                    why = await self._watch(bot, owner)
                    await bot.stop()
                    exited = await bot.wait()
                finally:
                    await bot.stop()
        except CannotListen as error:
            return Lost(owner[0], str(error), (), by_host=True, log=log), False
        except bot_process.HostingError as error:
            with_supervisor = isinstance(error, bot_process.SupervisorLost)
            by_host = isinstance(error, bot_process.HostFailed) and not with_supervisor
            return Lost(owner[0], str(error), (), by_host=by_host, log=log), with_supervisor
        status = exited.status
        if exited.code == 0 and owner not in self._arrived:
            status += f" before it had a session ({bot_process.NO_MAIN})"
        lost = Lost(owner[0], why or status, exited.last_output, log=log)
        if why is None and hosted_models.is_refused(entry, exited):
            return replace(lost, refused=True), False
        if why is None and hosted_models.is_outage(entry, exited):
            text = "its provider did not answer, and what it played is void"
            return replace(lost, text=text, by_host=True, by_provider=True), False
        return lost, exited.host_failed

    def _note_unlogged(self, bot: bot_process.HostedBot, owner: Owner) -> None:
        if bot.unlogged and owner not in self._unlogged:
            self._unlogged.add(owner)
            self._conditions.warn(
                f"the output of the bot of {owner[0]} is not kept ({bot.unlogged}): look at what is in its"
                " place, and move it away; its output is kept again from its next start"
            )

    @asynccontextmanager
    async def _address(self, command: bot_process.HostedCommand, owner: Owner) -> AsyncIterator[str]:
        """Return the address to which a bot connects: in a sandbox a socket of its own."""
        if command.hosting.sandbox == "none":
            yield self._host.address
            return
        async with self._host.socket(owner) as address:
            yield address

    async def _watch(self, bot: bot_process.HostedBot, owner: Owner) -> str | None:
        """Wait until a bot has ended, or return why it must be ended."""
        patience = self._conditions.patience
        meter = cpu_use.CpuMeter(bot.supervisor)
        ended = asyncio.create_task(bot.wait())
        clock: StartClock | None = None  # while the bot has no session
        looked = self._conditions.now()
        while True:
            looked, passed = (now := self._conditions.now()), now - looked
            if self._host.referee.core.sessions.is_here(owner):
                clock = None
            else:
                ran, waited = meter.use()
                clock = clock or StartClock(round(patience * SECOND), now)
                if clock.look(now, waited):
                    did = "left and did not come back" if owner in self._arrived else "did not connect"
                    return f"{did} within {patience:g} s"
                is_asleep = (ran + waited) * 2 < passed
                if is_asleep and (turn := self._turns.get(owner)):
                    turn.end()  # it leaves processors to others
            if (await asyncio.wait({ended}, timeout=min(_LONGEST_LOOK, patience / _LOOKS)))[0]:
                return None

    async def _count_loss(self, lost: Lost, rule: Hosting) -> Lost:
        """Count a bot that is lost with its supervisor, which a bot without a sandbox can end at will.

        The first time in a tournament it counts as nobody's fault, from the second time on as the bot's. A
        bot in a sandbox cannot do that.
        """
        if rule.sandbox != "none":
            return replace(lost, by_host=True)
        times = await self._conditions.lost_with_supervisor(lost.entry)
        if times == 1:
            return replace(lost, by_host=True)
        return replace(lost, text=f"{lost.text} (time {times} in this tournament)", forfeits=True)

    def _lose(self, owner: Owner, lost: Lost) -> None:
        self.lost[owner] = lost
        if not self._conditions.holds():
            self._host.referee.abandon(owner)
        self._changed()
        self._on_lost(lost)

    def _see_off(self, owner: Owner) -> None:
        """Record a bot that left; one that left in mid-match stops the run."""
        if self._host.referee.core.matches.plays(owner):
            self.deserted = True
            self._changed()

    def _stop_run(self, lost: Lost, remedy: str) -> None:
        """End the run because of a model's provider: nothing is played on with default actions."""
        said = hosted_models.last_of(lost.output)
        self.failed = f"{lost.entry}: {said}: {remedy}, and run it again; nothing is lost"
        self._changed()

    def _void(self, owner: Owner, lost: Lost, failed_starts: int) -> None:
        """Make the matches that a bot plays void."""
        self.host_losses[owner] += 1
        self._host.referee.void(owner)
        self._on_lost(lost)
        if failed_starts >= MAX_FAILED_STARTS:
            self.failed = (
                f"the bot of {lost.entry} could not be started {MAX_FAILED_STARTS} times"
                f" ({lost.text}): see what this machine lacks, and run it again; its output: {lost.log}"
            )
        self._changed()

    def _command(self, entry: Entry, owner: Owner, rule: Hosting) -> bot_process.HostedCommand:
        name, instance = owner
        conditions = self._conditions
        return bot_process.HostedCommand(
            entry=name,
            instance=instance,
            command=hosted_models.command_of(entry, owner, conditions.models, conditions.models_folder),
            withheld=hosted_models.withheld(entry, conditions.models),
            cwd=conditions.base,
            environment={
                "FAIRDEAL_TOKEN": self._host.admission.token_for(owner),
                "FAIRDEAL_ENTRY": name,
                "FAIRDEAL_INSTANCE": instance,
                "FAIRDEAL_SEED": bot_seed(conditions.seed, name),
                "PYTHONUNBUFFERED": "1",  # the log gets a Python bot's output even if it is killed
            },
            hosting=rule,
            hidden=conditions.hidden(name) if rule.sandbox == "bubblewrap" else (),
            share=self._host.share,
        )


def bot_seed(seed: str, name: str) -> str:
    """Return the seed of an entry's own draws, which reveals nothing about the seeds of others."""
    return sha("fairdeal/1/hosted-bot", seed, name).hex()[:32]
