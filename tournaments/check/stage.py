"""The stage: a referee on which one bot plays real matches against opponents of ours."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from fairdeal.v1 import play_service_pb2 as pb
from referee.access import Tokens, token_digest
from referee.cards import Card
from referee.clock import SECOND, ClockSettings
from referee.deals import MatchDeals
from referee.effects import Deals, MatchSetup
from referee.faults import Fault, FaultPolicy
from referee.games.base import Game
from referee.games.registry import GAMES
from referee.hall import Hall
from referee.journal import Journal
from referee.server.driver import SOFTWARE, Referee, Report
from referee.server.listen import listening
from referee.updates import Reason
from referee.vault import SeededKeys
from tournaments.check.catalogue import PLAY
from tournaments.check.decks import ArrangedDeals
from tournaments.check.faults import Faults
from tournaments.check.gateway import Gateway
from tournaments.check.line import Line
from tournaments.check.opponent import Opponent, Policy, policy_of
from tournaments.check.process import Bot
from tournaments.check.results import DoesNotApply, Failure, Gone, Ledger, SceneFailed
from tournaments.check.watch import Watch

ENTRY: Final = "bot"
INSTANCE: Final = "1"
CONNECT: Final = 6.0
"""So many times the patience a bot has from its start to its hello."""
RETURN: Final = 3.0
"""So many times the patience it has to come back, or to end, by itself, and to take a seat."""
BUDGET: Final = 6.0
"""So many times the patience a match is played: what is not over then is cut short."""
DIAL: Final = 120.0
"""Seconds that a bot is waited for which somebody else starts."""

FOR_EVER: Final = 1e9
"""Seconds."""

_SEED: Final = "check-bot"
_SHORT: Final = "two_handed_spades"
_GOODBYE: Final = 1.0  # seconds for a bot that is not ours to leave at the end
_STARTS: Final = 2  # in a row: a bot that has come before may have met a busy machine
_OPPONENTS: Final = ("north", "east", "south")
_MANY_FAULTS: Final = 1_000  # a match goes on, so that all is seen that is wrong


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A match to be played; the bot sits at ``seat``, ``decks`` are arranged, by deal from 0."""

    match_id: str
    game: str
    seat: int = 0
    deals: int | None = 1
    options: Mapping[str, object] = field(default_factory=dict)
    clock: ClockSettings | None = None
    attempt: int = 1
    decks: Mapping[int, tuple[Card, ...]] = field(default_factory=dict)


class Stage:
    """A referee with a bot under check; ``bot`` is set before anything is played.

    ``patience`` is how many seconds a bot has for what the protocol sets no time for, and for a decision
    where a check is not about time. ``games`` are those that the bot is checked in.
    """

    bot: Bot

    def __init__(self, patience: float, ledger: Ledger, folder: Path) -> None:
        self.patience = patience
        self.ledger = ledger
        self.token = secrets.token_hex(16)
        self.games: tuple[str, ...] = ()
        self.address = ""
        self.is_drained = False
        self.watch = Watch(ENTRY, INSTANCE, ledger)
        self._tokens = {name: secrets.token_hex(16) for name in _OPPONENTS} | {ENTRY: self.token}
        self._policies: dict[str, Policy] = {}
        self._decks: dict[str, Mapping[int, tuple[Card, ...]]] = {}
        self._keys = SeededKeys(_SEED)
        self._fetching = asyncio.Lock()  # several matches may miss the bot at once
        (folder / "records").mkdir()
        hall = Hall(
            deals=self._deals,
            access=Tokens({name: token_digest(token) for name, token in self._tokens.items()}),
            server=SOFTWARE,
            observer=Faults(self.watch),
        )
        self.referee = Referee(
            hall, keys=self._keys, journal=Journal(folder / "journal"), records=folder / "records"
        )
        self.gateway = Gateway(self.referee, self.watch)
        self.watch.on_fault = self._give_up

    @contextmanager
    def opponents(self) -> Iterator[None]:
        """Hold the sessions of the other seats open."""
        opponents = [Opponent(self.referee, name, self._tokens[name], self._policies) for name in _OPPONENTS]
        try:
            yield
        finally:
            for opponent in opponents:
                opponent.leave()

    @property
    def game(self) -> str:
        """Return the game for checks of no game: one for two where there is one, and one that went well."""
        faulty = {game for game, _kind in self.watch.faulty}
        return min(self.games, key=lambda name: (name in faulty, GAMES[name].seats, name != _SHORT))

    # The bot

    @property
    def owner(self) -> tuple[str, str]:
        """Return entry and instance as the bot gave them."""
        hello = self.watch.line.hello if self.watch.line else None
        return (hello.entry, hello.instance) if hello else (ENTRY, INSTANCE)

    @property
    def line(self) -> Line:
        """Return the stream over which the bot plays, or did last."""
        assert self.watch.line is not None
        return self.watch.line

    @property
    def is_here(self) -> bool:
        """Tell whether the bot has a session."""
        return self.watch.line is not None and self.watch.line.is_open

    @property
    def is_dismissed(self) -> bool:
        """Tell whether the bot, which is not ours, has gone as the protocol, or its hello, has it."""
        line = self.watch.line
        if self.bot.is_ours or line is None or line.hello is None:
            return False
        ended = line.session.ended
        is_replaced = ended is not None and ended.reason is Reason.REPLACED
        return is_replaced or (line.has_left and (self.is_drained or line.hello.matches > 0))

    async def until(self, is_so: Callable[[], bool], seconds: float | None = None) -> bool:
        """Wait until something is so, by default as long as the patience lasts, and tell whether it is."""
        return await self.watch.until(is_so, self.patience if seconds is None else seconds)

    async def present(self) -> None:
        """See to it that the bot has a session: wait for it, and start it again where that helps.

        Raises:
            Gone: it does not come.
            CannotStart: its command cannot be executed any more.
            HostFailed: this machine cannot start it now.
        """
        async with self._fetching:
            if self.is_here:
                return
            if self.bot.is_ours and not await self.until(self._is_settled, self.return_seconds):
                await self.bot.stop()  # it runs on without a session
            starts = _STARTS if self.bot.is_ours else 1
            while not self.is_here and self.bot.may_start and starts:
                starts -= 1
                self._note_end()
                await self.bot.start()
                if not await self.until(self._is_settled, self.connect_seconds) and starts:
                    await self.bot.stop()
            if not self.is_here:
                raise Gone(self.absence("the bot does not come back"))

    def _is_settled(self) -> bool:
        return self.is_here or self.bot.exited is not None

    def _note_end(self) -> None:
        """Note how a process ended that is started again, unless it was sent away."""
        ended = self.watch.line.session.ended if self.watch.line else None
        exited = self.bot.exited
        if exited and exited.code and not (ended and ended.reason is Reason.REPLACED):
            self.ledger.note(self.watch.scene, f"{exited.text}; it was started again")

    @property
    def connect_seconds(self) -> float:
        """Return how long a bot is waited for that was started, or asked for."""
        return CONNECT * self.patience if self.bot.is_ours else DIAL

    @property
    def return_seconds(self) -> float:
        """Return how long a bot is waited for that is to come back, or to end, by itself."""
        return RETURN * self.patience

    def absence(self, what: str) -> Failure:
        """Return what is to be said when the bot has no session."""
        line = self.watch.line
        reason = line.session.ended if line else None
        came = self.bot.exited.text if self.bot.exited else "its process runs on without a session"
        if not self.bot.is_ours:
            came = f"no session within {DIAL:g} s"
        if line and line.hello and line.hello.matches:
            came = f"hello.matches was {line.hello.matches}; {came}"
        if reason:
            came = f"the referee ended its session: {reason.text} ({reason.reason.name}); {came}"
        place = f"{PLAY}: Reason.REASON_{reason.reason.name}" if reason else f"{PLAY}: PlayService.Play"
        return Failure(what=what, place=place, came=came, expected="a stream on which it plays")

    # Matches

    def clock(self, move: float | None = None, bank: float = 0.0, lag: float = 0.0) -> ClockSettings:
        """Return a clock in seconds, by default with the patience for each decision."""
        return ClockSettings(
            move=round((self.patience if move is None else move) * SECOND),
            bank=round(bank * SECOND),
            lag=round(lag * SECOND),
            start=round(self.return_seconds * SECOND),
        )

    async def play(self, wanted: Wanted, *, budget: float = 0.0) -> Report:
        """Play a match once the bot has a table free for it, and return how it went.

        After ``budget`` seconds, by default those of BUDGET, it is cancelled. A bot whose process ends since
        we have broken its stream is started again.

        Raises:
            DoesNotApply: as `room`.
            SceneFailed: the bot is gone, before it or in the midst of it.
        """
        playing = await self.begin(wanted)
        staying = asyncio.create_task(self._gone(wanted))
        seconds = budget or BUDGET * self.patience
        either: set[asyncio.Future[Any]] = {playing, staying}
        try:
            await asyncio.wait(either, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            is_gone = staying.done()  # later it may well leave, since its match is over
            was_cut = self.referee.cancel(wanted.match_id)
            report = await playing
        finally:
            staying.cancel()
            await asyncio.wait({staying})  # a start of the bot that was under way is over then
        if was_cut and is_gone:
            raise self.departed(wanted, staying.result())
        if was_cut:
            self.ledger.note(
                self.watch.scene, f"a match of {wanted.game} was cut short after {seconds:.0f} s"
            )
        return report

    def departed(self, wanted: Wanted, failure: Failure) -> SceneFailed:
        """Return what a check ends with when the bot is gone for good in a match."""
        is_seated = (wanted.match_id, wanted.attempt) in self.watch.ready
        return SceneFailed(failure, wanted.game if is_seated else "")

    async def begin(self, wanted: Wanted) -> asyncio.Future[Report]:
        """Open a match once the bot has a table free for it; the future holds how it went.

        Raises:
            DoesNotApply, SceneFailed: as `room`.
        """
        await self.room()
        setup = self._setup(wanted)
        owners = tuple(self.owner if entry == ENTRY else (entry, "") for entry in setup.entries)
        return self.referee.play(setup, owners)

    async def play_all(self, wanted: Sequence[Wanted]) -> list[Report]:
        """Play matches, as many at once as the bot has tables, and return how they went.

        Raises:
            DoesNotApply, SceneFailed: as `play`.
        """
        tasks = [asyncio.create_task(self.play(each)) for each in wanted]
        try:
            return await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def _give_up(self, setup: MatchSetup, fault: Fault) -> None:
        """Cancel a match in which the bot is silent: nothing more is learnt from it."""
        if fault in (Fault.LATE, Fault.DISCONNECTED):
            asyncio.get_running_loop().call_soon(self.referee.cancel, setup.match_id)

    async def room(self) -> None:
        """Wait until the bot has a table free; one of ours that wants no more matches is started again.

        Raises:
            DoesNotApply: one that is not ours wants no more, and stays.
            SceneFailed: the bot is gone.
        """

        def is_free() -> bool:
            return self.is_here and self.referee.free_tables(self.owner) > 0

        while not is_free():
            await self.present()
            line = self.line
            # what is being played ends, or is cut short
            await self.until(lambda: is_free() or not (self.is_here and self.referee.running), FOR_EVER)
            if not await self.until(lambda: is_free() or not self.is_here, self.return_seconds):
                await self._send_away(line)

    async def _send_away(self, line: Line) -> None:
        """End a bot that stays over a stream though it wants no more matches, which nothing forbids."""
        async with self._fetching:
            if line is not self.line or not line.is_open or self.referee.running:
                return
            assert line.hello
            stays = f"it stays, though its hello wants no more than {line.hello.matches} matches"
            if not self.bot.is_ours:
                raise DoesNotApply(stays)
            self.ledger.note(self.watch.scene, f"{stays}; it was ended and started again")
            await self.bot.stop()

    async def _gone(self, wanted: Wanted) -> Failure:
        """Wait until the bot is gone for good in a match, and return what is to be said of that."""
        while True:
            await self.watch.until(lambda: not self.is_here, FOR_EVER)
            if await self.until(self._is_settled, self.return_seconds) and self.is_here:
                self.ledger.note(self.watch.scene, "the stream broke; it came back by itself over a new one")
                continue
            if not ((self.line.is_cut or self._was_leaving(wanted)) and self.bot.may_start):
                if self.bot.exited:
                    return self.absence("the bot's process ends in the midst of a match")
                return self.absence("the bot has no session any more and does not come back")
            try:
                await self.present()
            except SceneFailed as gone:
                return gone.failure
            self.ledger.note(self.watch.scene, "the stream broke; it came back when it was started again")

    def _was_leaving(self, wanted: Wanted) -> bool:
        """Tell whether the bot was leaving when it was given a seat: then it is given it again."""
        return self.line.has_left and (wanted.match_id, wanted.attempt) not in self.watch.ready

    def _setup(self, wanted: Wanted) -> MatchSetup:
        rules = GAMES[wanted.game]
        others = iter(_OPPONENTS)
        entries = tuple(ENTRY if seat == wanted.seat else next(others) for seat in range(rules.seats))
        self._policies[wanted.match_id] = policy_of(wanted.game, wanted.seat)
        self._decks[wanted.match_id] = wanted.decks
        return MatchSetup(
            match_id=wanted.match_id,
            attempt=wanted.attempt,
            game=wanted.game,
            options=rules.bind(wanted.options),
            deals=wanted.deals,
            entries=entries,
            clock=wanted.clock or self.clock(),
            faults=FaultPolicy(max_faults=_MANY_FAULTS),
        )

    def _deals(self, setup: MatchSetup, rules: Game[Any]) -> Deals:
        if decks := self._decks.get(setup.match_id):
            return ArrangedDeals(setup, rules, self._keys, decks)
        return MatchDeals(setup, rules, self._keys)

    def impostor(self) -> Opponent:
        """Open a newer session of the bot's own entry and instance, which takes its seats over."""
        entry, instance = self.owner
        return Opponent(self.referee, entry, self.token, self._policies, instance=instance)

    def say(self, line: Line, answer: pb.Answer) -> None:
        """Give the referee an answer of the bot that was held back."""
        frame = pb.PlayRequest(answers=[answer])
        self.referee.receive(line.session, frame.SerializeToString())

    def cut(self, line: Line) -> None:
        """Break a stream."""
        line.is_cut = True
        self.gateway.wake(line)

    def drain(self) -> None:
        """Tell the bot that the referee is about to leave; from then on it lets nobody in."""
        self.is_drained = True
        self.referee.drain()

    async def close(self) -> None:
        """End what is still being played, and the bot; one that is not ours is told to leave."""
        self.cancel_all()
        if self.is_here and not self.bot.is_ours:
            self.drain()
            await self.until(lambda: not self.is_here, _GOODBYE)
        await self.bot.stop()

    def cancel_all(self) -> None:
        """End what is still being played."""
        for setup in self.referee.matches():
            self.referee.cancel(setup.match_id)


@asynccontextmanager
async def staged(address: str, patience: float, ledger: Ledger, folder: Path) -> AsyncIterator[Stage]:
    """Set up a stage that listens at an address while the context lasts; its files go into a folder.

    Raises:
        CannotListen: the address is none, is taken, or cannot be had.
    """
    stage = Stage(patience, ledger, folder)
    try:
        async with listening(stage.referee, address, services=[stage.gateway]) as at:
            stage.address = at.address
            with stage.opponents():
                yield stage
    finally:
        await stage.referee.close()
