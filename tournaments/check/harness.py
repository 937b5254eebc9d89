"""The harness: a referee on which one bot plays real matches against opponents of ours."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from fairdeal.v1 import play_service_pb2 as pb
from referee.cards import Card
from referee.core.access import Tokens, token_digest
from referee.dealing.decks import MatchDeals
from referee.dealing.keys import SeededKeys
from referee.games.base import Game
from referee.games.registry import GAMES
from referee.match.clock import SECOND, ClockSettings
from referee.match.effects import Deals, MatchSetup
from referee.match.faults import Fault, FaultPolicy
from referee.match.messages import Reason
from referee.server.listen import listening
from referee.server.opening import open_referee
from referee.server.runtime import FinishedMatch
from tournaments.check.catalogue import PLAY
from tournaments.check.connection import BotStream
from tournaments.check.decks import ArrangedDeals
from tournaments.check.faults import Faults
from tournaments.check.monitor import Monitor
from tournaments.check.opponent import Opponent, Policy, policy_of
from tournaments.check.process import CheckedBot
from tournaments.check.proxy import Proxy
from tournaments.check.results import CheckFailed, CheckResults, DoesNotApply, Finding, Gone

ENTRY: Final = "bot"
INSTANCE: Final = "1"
CONNECT: Final = 6.0
"""Times the patience that a bot has from its start to its hello."""
RETURN: Final = 3.0
"""Times the patience that it has to come back or to end by itself, and to take a seat."""
BUDGET: Final = 6.0
"""Times the patience that a match may take; then it is cut short."""
DIAL: Final = 120.0
"""Seconds to wait for a bot that its author starts."""

FOR_EVER: Final = 1e9
"""Seconds."""

_SEED: Final = "check-bot"
_GOODBYE: Final = 1.0  # seconds for a bot that is not ours to leave at the end
_STARTS: Final = 2  # in a row: a bot that came before may only be slow on a busy machine
_OPPONENTS: Final = ("north", "east", "south")
_MANY_FAULTS: Final = 1_000  # a match goes on, so that everything wrong is seen


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A match to play; the bot sits at ``seat``, ``decks`` are arranged, by deal from 0."""

    match_id: str
    game: str
    seat: int = 0
    deals: int | None = 1
    options: Mapping[str, object] = field(default_factory=dict)
    clock: ClockSettings | None = None
    attempt: int = 1
    decks: Mapping[int, tuple[Card, ...]] = field(default_factory=dict)


class Harness:
    """A referee with a bot under check; ``bot`` is set before anything is played.

    ``patience`` is how many seconds a bot has for what the protocol sets no time for, and for a decision
    where a check is not about time. ``games`` are those that the bot is checked in.
    """

    bot: CheckedBot

    def __init__(self, patience: float, results: CheckResults, folder: Path) -> None:
        self.patience = patience
        self.results = results
        self.token = secrets.token_hex(16)
        self.games: tuple[str, ...] = ()
        self.address = ""
        self.is_drained = False
        self.monitor = Monitor(ENTRY, INSTANCE, results)
        self._tokens = {name: secrets.token_hex(16) for name in _OPPONENTS} | {ENTRY: self.token}
        self._policies: dict[str, Policy] = {}
        self._decks: dict[str, Mapping[int, tuple[Card, ...]]] = {}
        self._keys = SeededKeys(_SEED)
        self._fetching = asyncio.Lock()  # several matches may miss the bot at once
        access = Tokens({name: token_digest(token) for name, token in self._tokens.items()})
        self.referee = open_referee(
            folder, self._keys, access, deals=self._deals, observer=Faults(self.monitor)
        )
        self.proxy = Proxy(self.referee, self.monitor)
        self.monitor.on_fault = self._give_up

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
        """Return the game for checks of no game: one that went well, for few seats and with few decisions."""
        faulty = {game for game, _kind in self.monitor.faulty}
        return min(self.games, key=lambda name: (name in faulty, GAMES[name].seats, len(GAMES[name].phases)))

    # The bot

    @property
    def owner(self) -> tuple[str, str]:
        """Return entry and instance as the bot gave them."""
        hello = self.monitor.connection.hello if self.monitor.connection else None
        return (hello.entry, hello.instance) if hello else (ENTRY, INSTANCE)

    @property
    def connection(self) -> BotStream:
        """Return the stream over which the bot plays, or played last."""
        assert self.monitor.connection is not None
        return self.monitor.connection

    @property
    def is_here(self) -> bool:
        """Return whether the bot has a session."""
        return self.monitor.connection is not None and self.monitor.connection.is_open

    @property
    def is_dismissed(self) -> bool:
        """Return whether a remote bot has left in accordance with the protocol or its hello."""
        connection = self.monitor.connection
        if self.bot.is_ours or connection is None or connection.hello is None:
            return False
        ended = connection.session.ended
        is_replaced = ended is not None and ended.reason is Reason.REPLACED
        return is_replaced or (connection.has_left and (self.is_drained or connection.hello.matches > 0))

    async def until(self, is_so: Callable[[], bool], seconds: float | None = None) -> bool:
        """Wait until a condition holds, by default for the patience, and return whether it does."""
        return await self.monitor.until(is_so, self.patience if seconds is None else seconds)

    async def present(self) -> None:
        """Make sure that the bot has a session: wait for it, and restart it where that helps.

        Raises:
            Gone: it does not come.
            CannotStart: its command cannot be executed any more.
            HostFailed: this machine cannot start it now.
        """
        async with self._fetching:
            if self.is_here:
                return
            if self.bot.is_ours and not await self.until(self._is_settled, self.return_seconds):
                await self.bot.stop()  # it goes on running without a session
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
        """Record how a process ended that is started again, unless it was sent away."""
        ended = self.monitor.connection.session.ended if self.monitor.connection else None
        exited = self.bot.exited
        if exited and exited.code and not (ended and ended.reason is Reason.REPLACED):
            self.results.note(self.monitor.current, f"{exited.text}; it was started again")

    @property
    def connect_seconds(self) -> float:
        """Return how long to wait for a bot that was started, or asked for."""
        return CONNECT * self.patience if self.bot.is_ours else DIAL

    @property
    def return_seconds(self) -> float:
        """Return how long to wait for a bot to come back, or to end, by itself."""
        return RETURN * self.patience

    def absence(self, what: str) -> Finding:
        """Return the text for a bot without a session."""
        connection = self.monitor.connection
        reason = connection.session.ended if connection else None
        came = self.bot.exited.text if self.bot.exited else "its process runs on without a session"
        if not self.bot.is_ours:
            came = f"no session within {DIAL:g} s"
        if connection and connection.hello and connection.hello.matches:
            came = f"hello.matches was {connection.hello.matches}; {came}"
        if reason:
            came = f"the referee ended its session: {reason.text} ({reason.reason.name}); {came}"
        place = f"{PLAY}: Reason.REASON_{reason.reason.name}" if reason else f"{PLAY}: PlayService.Play"
        return Finding(what=what, place=place, came=came, expected="a stream on which it plays")

    # Matches

    def clock(self, move: float | None = None, bank: float = 0.0, lag: float = 0.0) -> ClockSettings:
        """Return a clock from seconds, by default with the patience for each decision."""
        return ClockSettings(
            move=round((self.patience if move is None else move) * SECOND),
            bank=round(bank * SECOND),
            lag=round(lag * SECOND),
            start=round(self.return_seconds * SECOND),
        )

    async def play(self, wanted: Wanted, *, budget: float = 0.0) -> FinishedMatch:
        """Play a match as soon as the bot has a free table, and return how it went.

        After ``budget`` seconds, by default those of BUDGET, it is cancelled. A bot whose process ends
        because we broke its stream is restarted.

        Raises:
            DoesNotApply: as `room`.
            SceneFailed: the bot is gone, before it or in the middle of it.
        """
        playing = await self.begin(wanted)
        staying = asyncio.create_task(self._gone(wanted))
        seconds = budget or BUDGET * self.patience
        either: set[asyncio.Future[Any]] = {playing, staying}
        try:
            await asyncio.wait(either, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            is_gone = staying.done()  # later it may leave, since its match is over
            was_cut = self.referee.cancel(wanted.match_id)
            report = await playing
        finally:
            staying.cancel()
            await asyncio.wait({staying})  # a start of the bot that was in progress is over then
        if was_cut and is_gone:
            raise self.departed(wanted, staying.result())
        if was_cut:
            self.note_cut(wanted, seconds)
        return report

    def note_cut(self, wanted: Wanted, seconds: float) -> None:
        """Record that a match is cancelled after ``seconds``, before all of it was seen."""
        text = f"a match of {wanted.game} was cut short after {seconds:.0f} s"
        self.results.note(self.monitor.current, text)

    def departed(self, wanted: Wanted, finding: Finding) -> CheckFailed:
        """Return the error for a bot that is gone for good during a match."""
        is_seated = (wanted.match_id, wanted.attempt) in self.monitor.ready
        return CheckFailed(finding, wanted.game if is_seated else "")

    async def begin(self, wanted: Wanted) -> asyncio.Future[FinishedMatch]:
        """Open a match as soon as the bot has a free table; the future holds how it went.

        Raises:
            DoesNotApply, SceneFailed: as `room`.
        """
        await self.room()
        setup = self._setup(wanted)
        owners = tuple(self.owner if entry == ENTRY else (entry, "") for entry in setup.entries)
        return self.referee.play(setup, owners)

    async def play_all(self, wanted: Sequence[Wanted]) -> list[FinishedMatch]:
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
        """Cancel a match in which the bot is silent: it would show nothing more."""
        if fault in (Fault.LATE, Fault.DISCONNECTED):
            asyncio.get_running_loop().call_soon(self.referee.cancel, setup.match_id)

    async def room(self) -> None:
        """Wait until the bot has a free table; a bot of ours that wants no more matches is restarted.

        Raises:
            DoesNotApply: a remote bot wants no more, and stays.
            SceneFailed: the bot is gone.
        """

        def is_free() -> bool:
            return self.is_here and self.referee.core.sessions.free_tables(self.owner) > 0

        while not is_free():
            await self.present()
            connection = self.connection
            # what is being played ends, or is cut short
            await self.until(lambda: is_free() or not (self.is_here and self.referee.core.matches), FOR_EVER)
            if not await self.until(lambda: is_free() or not self.is_here, self.return_seconds):
                await self._send_away(connection)

    async def _send_away(self, connection: BotStream) -> None:
        """End a bot that stays on a stream although it wants no more matches, which is allowed."""
        async with self._fetching:
            if connection is not self.connection or not connection.is_open or self.referee.core.matches:
                return
            assert connection.hello
            stays = f"it stays, though its hello asks for no more than {connection.hello.matches} matches"
            if not self.bot.is_ours:
                raise DoesNotApply(stays)
            self.results.note(self.monitor.current, f"{stays}; it was ended and started again")
            await self.bot.stop()

    async def _gone(self, wanted: Wanted) -> Finding:
        """Wait until the bot is gone for good during a match, and return the text about that."""
        while True:
            await self.monitor.until(lambda: not self.is_here, FOR_EVER)
            if await self.until(self._is_settled, self.return_seconds) and self.is_here:
                self.results.note(
                    self.monitor.current, "the stream broke; it came back by itself over a new one"
                )
                continue
            if not ((self.connection.is_cut or self._was_leaving(wanted)) and self.bot.may_start):
                if self.bot.exited:
                    return self.absence("the bot's process ends in the middle of a match")
                return self.absence("the bot has no session any more and does not come back")
            try:
                await self.present()
            except CheckFailed as gone:
                return gone.finding
            self.results.note(
                self.monitor.current, "the stream broke; it came back when it was started again"
            )

    def _was_leaving(self, wanted: Wanted) -> bool:
        """Return whether the bot was leaving when it got a seat; then it gets the seat again."""
        return self.connection.has_left and (wanted.match_id, wanted.attempt) not in self.monitor.ready

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
        """Open a newer session of the bot's entry and instance, which takes over its seats."""
        entry, instance = self.owner
        return Opponent(self.referee, entry, self.token, self._policies, instance=instance)

    def say(self, connection: BotStream, answer: pb.Answer) -> None:
        """Give the referee a delayed answer of the bot."""
        frame = pb.PlayRequest(answers=[answer])
        self.referee.receive(connection.session, frame.SerializeToString())

    def cut(self, connection: BotStream) -> None:
        """Break a stream."""
        connection.is_cut = True
        self.proxy.wake(connection)

    def drain(self) -> None:
        """Tell the bot that the referee is shutting down; from then on it admits nobody."""
        self.is_drained = True
        self.referee.drain()

    async def close(self) -> None:
        """End running matches and the bot; a remote bot is told to leave."""
        self.cancel_all()
        if self.is_here and not self.bot.is_ours:
            self.drain()
            await self.until(lambda: not self.is_here, _GOODBYE)
        await self.bot.stop()

    def cancel_all(self) -> None:
        """End what is still being played."""
        for setup in self.referee.core.matches.setups:
            self.referee.cancel(setup.match_id)


@asynccontextmanager
async def open_harness(
    address: str, patience: float, results: CheckResults, folder: Path
) -> AsyncIterator[Harness]:
    """Set up a harness that listens on an address while the context lasts; its files go into a folder.

    Raises:
        CannotListen: the text is not an address, or the address is taken or not available.
    """
    harness = Harness(patience, results, folder)
    try:
        async with listening(harness.referee, address, services=[harness.proxy]) as at:
            harness.address = at.address
            with harness.opponents():
                yield harness
    finally:
        await harness.referee.close()
