"""A run of one tournament from its start to its end; bots are sessions in this process."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from referee.core.access import Denied
from referee.dealing.keys import SeededKeys
from referee.match.messages import Reason
from referee.server.runtime import Referee
from tests.tournaments.served import Visitor, nowhere
from tests.tournaments.tournament_under_test import TWO, written
from tests.workspace import ALONE
from tournaments.folder_lock import FolderError, owned
from tournaments.plan.plan import Hosting, Plan
from tournaments.plan.states import TournamentState
from tournaments.running.errors import RunFailed
from tournaments.running.progress import Progress
from tournaments.running.referee_host import RefereeHost, open_referee_host
from tournaments.running.tournament import Tournament
from tournaments.serving import one_tournament
from tournaments.serving.one_tournament import conduct
from tournaments.store import Store

pytestmark = pytest.mark.asyncio

LAPS: Final = 50  # turns of the loop in which all is done that can be


class Run(Progress):
    """A run, and how it gets on."""

    def __init__(self, plan: Plan, drain: float, **more: Any) -> None:
        self.stop = asyncio.Event()
        self.listens = asyncio.Event()
        self.begun_with: tuple[int, int | None] | None = None
        self.task = asyncio.create_task(
            conduct(
                plan,
                [self],
                on_lost=lambda lost: None,
                on_listening=self._listen,
                stopping=self.stop,
                drain=drain,
                **more,
            )
        )
        self.task.add_done_callback(lambda _over: self.listens.set())

    def _listen(self, tournament: Tournament, *_more: object) -> None:
        self.tournament = tournament
        self.host = tournament._host
        self.listens.set()

    def begin(self, done: int, total: int | None) -> None:
        self.begun_with = done, total

    def come(self) -> list[Visitor]:
        return [Visitor(self.host.referee, name, tables=1) for name in "ab"]

    async def playing(self) -> list[Visitor]:
        """Have two bots come, and return them when they play a match, which stands."""
        visitors = self.come()
        async with asyncio.timeout(ALONE):
            while not all(visitor.now_at for visitor in visitors):  # noqa: ASYNC110 - a few turns
                await asyncio.sleep(0)
        return visitors

    async def settled(self) -> None:
        for _ in range(LAPS):
            await asyncio.sleep(0)

    async def over(self) -> TournamentState:
        async with asyncio.timeout(ALONE):
            return await self.task


@asynccontextmanager
async def begun(plan: Plan, drain: float = ALONE) -> AsyncIterator[Run]:
    run = Run(plan, drain)
    try:
        async with asyncio.timeout(ALONE):
            await run.listens.wait()
        yield run
    finally:
        run.task.cancel()
        await asyncio.wait({run.task})


@pytest.fixture(autouse=True)
def without_a_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RefereeHost, "listening", nowhere)


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    """Return a tournament of two remote entries, who play one match after another."""
    return written(tmp_path, TWO.replace("concurrency = 2", "concurrency = 1"))


async def test_a_run_to_the_end_after_which_remote_bots_are_told_to_leave(plan: Plan) -> None:
    async with begun(plan) as run:
        visitors = run.come()
        for visitor in visitors:
            visitor.open.set()
        assert await run.over() is TournamentState.FINISHED
        assert run.begun_with == (0, 2)
        await run.settled()
        assert all(visitor.is_told_to_leave for visitor in visitors)


async def test_at_a_stop_what_is_played_may_end_and_no_more_begins(plan: Plan) -> None:
    async with begun(plan) as run:
        visitors = await run.playing()
        run.stop.set()
        await run.settled()
        assert not run.task.done()
        assert all(visitor.is_told_to_leave for visitor in visitors)
        for visitor in visitors:
            visitor.open.set()
        assert await run.over() is TournamentState.RUNNING
        assert [visitor.seats for visitor in visitors] == [1, 1]
    with Store.read(plan) as store:
        assert store.played_count() == 1


async def test_what_is_not_over_in_time_goes_on_in_the_next_run(plan: Plan) -> None:
    async with begun(plan, drain=0.0) as run:
        visitors = await run.playing()
        (match,) = visitors[0].now_at
        run.stop.set()
        assert await run.over() is TournamentState.RUNNING
    async with begun(plan) as run:
        assert [setup.match_id for setup in run.host.referee.core.matches.setups] == [match]


async def test_the_referee_closes_before_the_bots_are_ended(
    plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[str] = []

    def note(kind: type[Any], what: str) -> None:
        close = kind.close

        async def closing(self: Any) -> None:
            closed.append(what)
            await close(self)

        monkeypatch.setattr(kind, "close", closing)

    note(Referee, "referee")
    note(Tournament, "tournament")
    async with begun(plan, drain=0.0) as run:
        await run.playing()
        run.stop.set()
        await run.over()
    assert closed.index("referee") < closed.index("tournament")


async def test_a_folder_is_of_one_run_at_a_time(plan: Plan) -> None:
    with owned(plan.folder):
        async with begun(plan) as run:
            with pytest.raises(FolderError, match="another fairdeal process is at work here"):
                await run.over()


async def test_whoever_waits_goes_on_when_the_other_run_has_ended(
    plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(one_tournament, "_LOOK_SECONDS", 0.0)
    held = asyncio.Queue[str]()
    with owned(plan.folder):
        run = Run(plan, 0.0, on_held=held.put_nowait)
        assert "another fairdeal process is at work here (process" in await held.get()
        await run.settled()
        assert not run.task.done() and held.empty()  # who it is is told once
    async with asyncio.timeout(ALONE):
        await run.listens.wait()
    run.stop.set()
    assert await run.over() is TournamentState.RUNNING


async def test_whoever_waits_for_another_run_may_be_stopped(plan: Plan) -> None:
    held = asyncio.Queue[str]()
    with owned(plan.folder):
        run = Run(plan, 0.0, on_held=held.put_nowait)
        await held.get()
        run.stop.set()
        assert await run.over() is TournamentState.RUNNING
    assert not (plan.folder / "records").exists()


async def test_what_its_store_knows_nothing_of_is_not_gone_on_with(plan: Plan) -> None:
    async with begun(plan, drain=0.0) as run:
        await run.playing()
        run.stop.set()
        await run.over()
    for file in plan.folder.glob("store.sqlite*"):
        file.unlink()
    async with begun(plan) as run:
        with pytest.raises(RunFailed, match="the store knows nothing of it"):
            await run.over()


async def test_a_shared_store_is_not_gone_on_with_in_another_folder(
    plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_plan: Plan, _store: Store) -> None:
        raise RunFailed("begun in another folder")

    monkeypatch.setattr(one_tournament, "check_folder", refuse)
    async with begun(plan) as run:
        with pytest.raises(RunFailed, match="begun in another folder"):
            await run.over()
    assert not (plan.folder / "records").exists()


@pytest.mark.parametrize("sandbox", ["none", "bubblewrap"])
async def test_beside_a_sandbox_nobody_is_believed_a_name(plan: Plan, sandbox: str) -> None:
    hosted = replace(plan.entries[1], remote=False, bot="random", hosting=Hosting(sandbox=sandbox))
    async with begun(replace(plan, entries=(plan.entries[0], hosted))) as run:
        access = run.host.admission
        if sandbox == "none":
            access.check(None, "a", "")
        else:
            with pytest.raises(Denied) as denied:
                access.check(None, "a", "")
            assert denied.value.reason is Reason.MISSING_TOKEN


async def test_the_connections_are_those_that_the_open_files_allow(
    plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    allowed = one_tournament.enough_files(plan.limits)
    with allowed as limits:
        fitting = limits.connections
    assert fitting
    async with begun(plan) as run:
        assert run.host.referee.core.limits.connections == fitting


async def test_a_run_takes_no_other_tournaments(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []
    manager = one_tournament.Manager

    def noted(*arguments: Any) -> Any:
        made.append(arguments[0])
        return manager(*arguments)

    monkeypatch.setattr(one_tournament, "Manager", noted)
    async with begun(plan):
        with pytest.raises(one_tournament.WrongState, match="this referee plays one tournament"):
            made[0](plan)


async def test_keys_are_drawn_unless_there_is_a_seed(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Any] = []

    def noted(**options: Any) -> Any:
        given.append(options)
        return open_referee_host(**options)

    monkeypatch.setattr(one_tournament, "open_referee_host", noted)
    for seed in (None, "spring"):
        async with begun(replace(plan, name=f"cup-{seed}", folder=plan.folder / f"{seed}", seed=seed)):
            pass
    drawn, seeded = (options["keys"] for options in given)
    assert not isinstance(drawn, SeededKeys)
    assert isinstance(seeded, SeededKeys)
    assert {options["durable"] for options in given} == {False}
