"""Plays sets with bots as processes of their own, none of which ever meets a deck twice."""

import asyncio
import shutil
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from referee.core.access import Tokens, token_digest
from referee.core.limits import Limits
from referee.dealing.keys import KeySource
from referee.games.registry import game as rules_of
from referee.match.clock import SECOND, ClockSettings
from referee.match.effects import MatchSetup, Owner
from referee.match.faults import FaultPolicy, Termination
from referee.server.capacity import enough_files
from referee.server.play_service import PlayService
from referee.server.runtime import FinishedMatch
from tournaments.compare.contenders import Contender, names_of
from tournaments.compare.sets import TURNS, SetResult, copies, match_id, play_of, seating
from tournaments.hosting import cpu_use, sandbox
from tournaments.plan.models import Models
from tournaments.plan.plan import Hosting, Server
from tournaments.running import hosted_models
from tournaments.running.hosted import Conditions, Lost
from tournaments.running.hosted_bots import HostedBots
from tournaments.running.referee_host import RefereeHost, open_referee_host

MANY_FAULTS: Final = 1_000_000
"""No seat forfeits for its faults: the default action is played, so that every play has its points."""
MOST_LANES: Final = 4
"""How many sets are played at once at most, each by processes of its own."""
MAX_VOIDS: Final = 3
"""How often a set is played again that this machine has spoilt."""


@dataclass(frozen=True, slots=True)
class Door:
    """Where a remote bot comes in: at an address, with a token.

    ``on_open`` is called with the address, the token and the instances that are waited for.
    """

    listen: str
    token: str
    on_open: Callable[[str, str, Sequence[str]], None]


class PlayFailed(Exception):
    """A set cannot be played to its end; the text says why, and what a bot printed last."""


class Hosted:
    """Plays sets of one game at a referee host; `hosted` makes it.

    There is a lane for every two processors. In each lane a bot has a process for each of its seats in each
    of the two turns, which plays one match at a time: one that thinks for long is not late because of others.
    """

    def __init__(
        self, host: RefereeHost, game: str, deals: int, clock: ClockSettings, names: Mapping[str, str]
    ) -> None:
        self.at_once = min(MOST_LANES, max(1, cpu_use.COUNT // len(TURNS)))
        self.bots: HostedBots
        self._referee = host.referee
        self._rules = rules_of(game)
        self._options = self._rules.bind({})
        self._deals = deals
        self._clock = clock
        self._names = names
        self._changed = asyncio.Event()
        self._free = list(range(self.at_once, 0, -1))

    @property
    def all_owners(self) -> tuple[Owner, ...]:
        """Return all processes of both bots."""
        lanes = range(1, self.at_once + 1)
        return tuple(owner for lane in lanes for turn in TURNS for owner in self.owners(lane, turn))

    def owners(self, lane: int, turn: int) -> tuple[Owner, ...]:
        """Return by seat which process of which bot has it in a turn."""
        bots = seating(self._rules, turn)
        return tuple((bot, f"{lane}.{turn + 1}.{copy}") for bot, copy in zip(bots, copies(bots), strict=True))

    def wake(self) -> None:
        """Look again at who is there: something has changed."""
        self._changed.set()

    async def play(self, number: int) -> SetResult:
        """Play a set, both turns at once; one of which a turn was void is played again with another deck.

        Raises:
            PlayFailed: a bot is gone for good, or forfeits, or this machine spoils set after set.
            RefereeFailed: the referee cannot go on.
            OSError, VaultError: a key is not available.
        """
        lane = self._free.pop()
        try:
            return await self._play(lane, number)
        finally:
            self._free.append(lane)

    async def _play(self, lane: int, number: int) -> SetResult:
        for attempt in range(1, MAX_VOIDS + 1):
            epoch = f"set-{number}.{attempt}"
            await self._room(lane)
            reports = await asyncio.gather(
                *(
                    self._referee.play(self._setup(number, turn, attempt, epoch), self.owners(lane, turn))
                    for turn in TURNS
                )
            )
            for report in reports:
                self._referee.settle(report)
            self._referee.close_epoch(epoch)
            if all(report.outcome.termination is Termination.COMPLETED for report in reports):
                first, second = (
                    play_of(self._rules, turn, self._deals, report.outcome)
                    for turn, report in zip(TURNS, reports, strict=True)
                )
                return SetResult(number, (first, second))
            self._check_forfeits(number, reports)
        raise PlayFailed(f"set {number} was void {MAX_VOIDS} times: see what this machine lacks")

    def _setup(self, number: int, turn: int, attempt: int, epoch: str) -> MatchSetup:
        return MatchSetup(
            match_id=match_id(self._rules, number, turn),
            attempt=attempt,
            game=self._rules.name,
            options=self._options,
            deals=self._deals,
            entries=seating(self._rules, turn),
            clock=self._clock,
            faults=FaultPolicy(max_faults=MANY_FAULTS),
            epoch=epoch,
        )

    async def _room(self, lane: int) -> None:
        """Wait until every bot of a lane is there with a free table.

        Raises:
            PlayFailed: one of them is gone for good.
        """
        sessions = self._referee.core.sessions
        while not all(sessions.free_tables(owner) > 0 for turn in TURNS for owner in self.owners(lane, turn)):
            self._check_bots()
            self._changed.clear()
            await self._changed.wait()
        self._check_bots()

    def _check_bots(self) -> None:
        for owner, lost in self.bots.lost.items():
            output = "".join(f"\n    {line}" for line in lost.output)
            text = f"{self._names[owner[0]]} is gone for good: {lost.text}"
            raise PlayFailed(f"{text}; the end of its output ({lost.log}):{output or ' none'}")
        if self.bots.failed:
            raise PlayFailed(self.bots.failed)

    def _check_forfeits(self, number: int, reports: list[FinishedMatch]) -> None:
        self._check_bots()
        for report in reports:
            for seat in report.outcome.forfeited:
                bot = self._names[report.setup.entries[seat]]
                game = self._rules.name
                text = f"in set {number} {bot} did not take its seat: does it play {game}?"
                raise PlayFailed(f"{text} fairdeal check-bot --game {game} tells; the record: {report.path}")


@asynccontextmanager
async def hosted(
    contenders: Mapping[str, Contender],
    game: str,
    deals: int,
    *,
    folder: Path,
    base: Path,
    keys: KeySource,
    seed: str,
    clock: ClockSettings,
    rule: Hosting,
    door: Door | None = None,
    on_lost: Callable[[Lost], None],
    warn: Callable[[str], None],
) -> AsyncIterator[Hosted]:
    """Start the processes of both bots, and end them with the context.

    Those that are remote come in by the ``door``. ``folder`` takes records and logs; what an earlier run left
    of unfinished matches there is dropped.
    Commands run in ``base``.

    Raises:
        RunFailed: a language model cannot be played with.
        CannotListen, JournalError, VaultError, OSError: the referee cannot be opened.
    """
    with suppress(FileNotFoundError):  # its sets are played again, with other decks
        shutil.rmtree(folder / "journal")
    remote = {name for name, each in contenders.items() if each.entry.remote}
    commands = {name: each.entry.command_line for name, each in contenders.items() if name not in remote}

    def hidden(entry: str) -> tuple[Path, ...]:
        return (folder, *sandbox.of_others(entry, commands, base))

    uses = {name: each.model for name, each in contenders.items() if each.model}
    models = Models(uses=uses)
    await hosted_models.probe((each.entry for each in contenders.values()), models)
    others = Tokens({name: token_digest(door.token) for name in remote} if door else {})
    with enough_files(Limits()) as limits:
        async with open_referee_host(
            folder=folder, keys=keys, limits=limits, durable=False, others=others
        ) as host:
            names = dict(zip(contenders, names_of(tuple(contenders.values())), strict=True))
            player = Hosted(host, game, deals, clock, names)
            conditions = Conditions(
                base=base,
                logs=folder / "logs",
                seed=seed,
                patience=clock.start / SECOND,
                hosting=rule,
                hidden=hidden,
                now=lambda: time.monotonic_ns() // 1000,
                warn=warn,
                models=models,
                models_folder=folder / hosted_models.FOLDER,
            )
            bots = player.bots = HostedBots(host, conditions, changed=player.wake, on_lost=on_lost)
            host.on_arrival(lambda _owner: player.wake())
            host.on_finished(player.wake)
            server = Server(listen=door.listen) if door else Server()
            services = [PlayService(host.referee)] if door else []
            async with host.listening(server, services, hosts=True) as at:
                try:
                    for owner in player.all_owners:
                        if owner[0] not in remote:
                            bots.start(contenders[owner[0]].entry, owner)
                    if door:
                        instances = [instance for name, instance in player.all_owners if name in remote]
                        door.on_open(at.address, door.token, instances)
                    yield player
                finally:
                    # before the bots are ended: not answering from now on is not their fault
                    await host.referee.close()
                    await bots.close()
