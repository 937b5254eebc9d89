"""A tournament of the runner alone, without processes: the bots are sessions in this process."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, Self

from fairdeal.v1 import play_service_pb2 as pb
from referee.core.access import Trusting
from referee.dealing.decks import MatchDeals
from referee.dealing.keys import KeySource, SeededKeys, Vault
from referee.match.clock import SECOND
from referee.match.effects import MatchSetup, Owner
from referee.server.blocked import BlockedFile
from referee.server.opening import open_referee
from referee.server.runtime import FinishedMatch, Referee
from tests.workspace import ALONE, PATIENCE
from tournaments import schedule
from tournaments.plan.plan import Plan
from tournaments.running.access import Admission
from tournaments.running.hosted import Conditions, Lost
from tournaments.running.hosted_bots import HostedBots
from tournaments.running.open_sets import epochs_to_play
from tournaments.running.pairing_source import ScheduleSource
from tournaments.running.progress import Progress
from tournaments.running.referee_host import RefereeHost
from tournaments.running.resuming import check_known
from tournaments.running.runner import Runner
from tournaments.running.store_outage import Patience
from tournaments.store import Issued, Store
from tournaments.tournament_file.reader import load

LOOKS: Final = 20  # turns of the loop, in which a runner that was woken has done what it can
TEXT = """game = "two_handed_spades"
match = { deals = 1 }
rounds = 2
concurrency = 2
clock = "debug"
"""


class HeldBot:
    """A bot that takes every seat and plays what stands first; one that is told to wait does so first."""

    def __init__(
        self,
        referee: Referee,
        name: str,
        tables: int = 8,
        matches: int = 0,
        *,
        instance: str = "",
        token: str | None = None,
        games: Sequence[str] = (),
    ) -> None:
        self.name = name
        self.open = asyncio.Event()
        self.open.set()
        self.note = b""
        """What it notes with each answer."""
        self.seats = 0
        self.now_at: set[str] = set()
        self.most_at_once = 0
        self.secrets: list[bytes] = []
        self._referee = referee
        self._received = 0
        self._session = referee.connect(token, self._hear)
        self._tasks: set[asyncio.Task[None]] = set()
        hello = pb.Hello(
            versions=[1], entry=name, instance=instance, tables=tables, matches=matches, games=games
        )
        self._say(hello=hello)

    @property
    def denied(self) -> bool:
        """Return whether the referee has ended the session."""
        return self._session.ended is not None

    def retire(self) -> None:
        """Want no more matches."""
        self._say(no_more_matches=True)

    def leave(self) -> None:
        """Go without a word."""
        self._referee.disconnect(self._session)

    def _say(self, **fields: Any) -> None:
        request = pb.PlayRequest(frames_received=self._received, **fields)
        self._referee.receive(self._session, request.SerializeToString())

    def _hear(self) -> None:
        while (frame := self._session.next_frame()) is not None:
            self._received += 1
            task = asyncio.create_task(self._answer(pb.PlayResponse.FromString(frame)))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _answer(self, frame: pb.PlayResponse) -> None:
        for update in frame.updates:
            if update.HasField("seated"):
                self.seats += 1
                self.now_at.add(update.seated.match_id)
                self.most_at_once = max(self.most_at_once, len(self.now_at))
                self._say(ready=[pb.Ready(match_id=update.seated.match_id)])
            if update.HasField("finished"):
                self.secrets.append(update.finished.secret)
                self.now_at.discard(update.finished.match_id)
            if update.HasField("decision"):
                await self.open.wait()
                asked = update.decision
                answer = pb.Answer(match_id=asked.match_id, decision_id=asked.decision_id, index=0)
                answer.note = self.note
                self._say(answers=[answer])


class BrokenDeals(MatchDeals):
    """Deals whose deck nobody finds."""

    def deck(self, deal: int) -> Any:
        raise KeyError(deal)


class AtOnce(Patience):
    """Does all in the loop's turn, so that a test can count turns."""

    async def __call__(self, work: Callable[[], Any], *, in_thread: bool = False) -> Any:
        return work()


class Cup(Progress):
    """A tournament of two or three entries, and how it got on."""

    out: frozenset[str] = frozenset()

    def __init__(
        self,
        folder: Path,
        names: str,
        deals: type[MatchDeals] = MatchDeals,
        *,
        remote: str = "",
        text: str = TEXT,
        has_secrets: bool = False,
    ) -> None:
        kinds = {name: "remote = true" if name in remote else 'bot = "random"' for name in names}
        entries = "".join(f'[[entries]]\nname = "{name}"\n{kind}\n' for name, kind in kinds.items())
        (folder / "cup.toml").write_text(text + entries)
        self.plan: Plan = load(folder / "cup.toml")
        self.store = Store.open(self.plan)
        self.store.issue(schedule.next(self.plan, self.store.issued(), {}))
        keys: KeySource = Vault(folder / "secrets") if has_secrets else SeededKeys("spring")
        referee = open_referee(
            self.plan.folder,
            keys,
            Trusting(),
            deals=lambda setup, rules: deals(setup, rules, keys),
            on_arrived=self._arrived,
            on_opened=self._note,
        )
        self.host = RefereeHost(referee, Admission(Trusting()), BlockedFile(folder / "blocked.json"), folder)
        conditions = Conditions(
            base=folder,
            logs=folder,
            seed="spring",
            patience=PATIENCE,
            hosting=self.plan.hosting,
            now=lambda: self.now,
        )
        self.bots = HostedBots(self.host, conditions, changed=self._wake, on_lost=lambda _lost: None)
        self.now = 0
        self.clock: Callable[[], int] = lambda: self.now
        self.skips: list[tuple[str, tuple[str, ...]]] = []
        self.arrivals = asyncio.Event()
        self.opened: list[MatchSetup] = []
        self._changed = asyncio.Event()
        self.most_at_once = 0
        self.begun_with: tuple[int, int | None] | None = None
        self.stopped: tuple[int, float] | None = None
        self.reports: list[FinishedMatch] = []
        self.near: list[list[tuple[Owner, ...]]] = []

    def begin(self, done: int, total: int | None) -> None:
        self.begun_with = done, total

    def skipped(self, issued: Issued, away: tuple[str, ...]) -> None:
        self.skips.append((issued.match_id, away))
        self._changed.set()

    def finished(self, report: FinishedMatch) -> None:
        self.reports.append(report)
        self._changed.set()

    def stopping(self, playing: int, seconds: float) -> None:
        self.stopped = playing, seconds

    def lose_host(self, name: str, instance: str = "") -> None:
        self.bots.host_losses[name, instance] += 1
        self.host.referee.void((name, instance))
        self._wake()

    def _wake(self) -> None:
        self.runner.wake()

    def _arrived(self, owner: Owner) -> None:
        self.runner.arrived(owner)
        self.arrivals.set()

    def _note(self, setup: MatchSetup) -> None:
        self.opened.append(setup)
        self._changed.set()
        self.most_at_once = max(self.most_at_once, len(self.host.referee.core.matches))

    def guest(self, name: str, *, instance: str = "", **wishes: int) -> HeldBot:
        return HeldBot(self.host.referee, name, instance=instance, **wishes)

    def lose(self, name: str) -> None:
        self.bots.lost[name, ""] = Lost(name, "gone", ())
        self.host.referee.abandon((name, ""))
        self._wake()

    async def has_opened(self, matches: int) -> None:
        await self.until(lambda: len(self.opened) >= matches)

    async def until(self, condition: Callable[[], object]) -> None:
        async with asyncio.timeout(ALONE):
            while not condition():
                self._changed.clear()
                await self._changed.wait()

    async def passes(self, seconds: float = 0.0) -> None:
        """Let time pass, and the runner have a look at what it can begin now."""
        self.now += round(seconds * SECOND)
        self.runner.wake()
        for _ in range(LOOKS):
            await asyncio.sleep(0)

    async def run(self) -> None:
        async with asyncio.timeout(ALONE):
            self.begin_again()
            await self.runner.run()

    def begin_again(self) -> None:
        done, total = self.store.issued_count() - len(self.store.to_do()), self.store.issued_count()
        self.begin(done, total)
        check_known(self.plan, self.store, self.host)
        self.runner.take_over()

    async def __aenter__(self) -> Self:
        self.host.recovered = await self.host.referee.recover(epochs_to_play(self.plan, self.store))
        source = ScheduleSource(self, self.store, lambda: self.runner.attendance())
        self.runner = Runner(
            self,
            self.store,
            self.host,
            self.bots,
            source,
            self,
            tend=lambda _playing, near: self.near.append([tuple(owners) for owners in near]),
            stored=AtOnce(self.plan, self),
            decided=lambda _serial: None,
            now=lambda: self.clock(),
        )
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.host.referee.close()
        self.store.close()
