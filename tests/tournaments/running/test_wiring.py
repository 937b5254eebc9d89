"""What a tournament hands to its runner, its hosted bots and its matches."""

import asyncio
import os
import stat
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from referee.core.access import Trusting
from referee.core.limits import Limits
from referee.dealing.keys import SeededKeys
from referee.server.listen import Listening
from tests.tournaments.cup import Cup
from tests.tournaments.tournament_under_test import (
    CUP,
    LADDER,
    TWO,
    hosted,
    opened_tournament,
    remote,
    written,
)
from tests.workspace import ALONE
from tournaments.folder_lock import owned
from tournaments.plan.plan import Server
from tournaments.plan.states import EntryState
from tournaments.running.attempts import setup_of
from tournaments.running.errors import RunFailed
from tournaments.running.progress import Saying
from tournaments.running.referee_host import open_referee_host
from tournaments.store import Issued, MatchResult, Store, StoreError


def test_an_attempt_is_played_as_the_plan_says(tmp_path: Path) -> None:
    plan = written(tmp_path, TWO.replace("match =", "event_grid = 20\nmatch ="))
    assert plan.event_grid == 20_000
    issued = Issued(serial=1, match_id="m", round=1, entries=("a", "b"), versions=(None, None), attempt=3)
    setup = setup_of(plan, issued)
    assert (setup.match_id, setup.attempt, setup.entries) == ("m", 3, ("a", "b"))
    assert (setup.game, setup.options, setup.deals) == (plan.game, plan.options, plan.deals)
    assert (setup.clock, setup.faults, setup.event_grid) == (plan.clock, plan.faults, plan.event_grid)


@pytest.mark.asyncio
async def test_a_result_is_in_the_store_before_the_referee_forgets_its_match(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_result: MatchResult) -> bool:
        raise StoreError("the disk is full")

    async with Cup(tmp_path, "ab") as cup:
        monkeypatch.setattr(cup.store, "add", full)
        for name in "ab":
            cup.guest(name)
        with pytest.raises(StoreError, match="the disk is full"):
            await cup.run()
    async with Cup(tmp_path, "ab") as cup:
        assert cup.host.recovered != ()
        assert cup.store.played_count() == 0
        await cup.run()
        assert cup.store.played_count() >= len(cup.host.recovered)


@pytest.mark.asyncio
async def test_bots_are_looked_at_again_when_one_will_have_been_idle_for_too_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[int | None] = []

    async def wait(due: int | None) -> None:
        waits.append(due)
        raise RunFailed("seen")

    async with Cup(tmp_path, "ab") as cup:
        monkeypatch.setattr(cup.runner._beginning, "_tend", lambda _playing, _near: 7)
        monkeypatch.setattr(cup.runner, "_wait", wait)
        with pytest.raises(RunFailed, match="seen"):
            await cup.run()
    assert waits == [7]


@pytest.mark.asyncio
async def test_losses_with_a_supervisor_are_counted_over_runs_and_for_each_entry(tmp_path: Path) -> None:
    plan = written(tmp_path, CUP + hosted("a") + hosted("b"))
    counts = []
    for _run in range(2):
        async with opened_tournament(tmp_path, plan) as tested:
            count = tested.tournament._conditions.lost_with_supervisor
            counts.append([await count("a"), await count("a"), await count("b")])
    assert counts == [[1, 2, 1], [3, 4, 2]]


@pytest.mark.asyncio
async def test_what_an_organiser_should_look_at_is_told_to_all_who_watch_the_run(tmp_path: Path) -> None:
    said: list[str] = []
    observers = [Saying(said.append), Saying(said.append)]
    async with opened_tournament(tmp_path, written(tmp_path, TWO), progress=observers) as tested:
        tested.tournament._conditions.warn("a log is not kept")
    assert said == ["a log is not kept"] * 2


@pytest.mark.asyncio
async def test_in_a_ladder_who_has_to_be_started_is_seated_once(tmp_path: Path) -> None:
    async with opened_tournament(
        tmp_path, written(tmp_path, LADDER + hosted("h") + hosted("i") + remote("a"))
    ) as tested:
        tested.guest("a")
        free = tested.tournament._lineup.free
        assert free(set()) == ("h", "i", "a")
        assert free({"h", "a"}) == ("i", "a")  # who is here may play at several tables


@pytest.mark.asyncio
async def test_lost_bots_forfeit_as_soon_as_the_runner_lets_them(tmp_path: Path) -> None:
    async with opened_tournament(tmp_path, written(tmp_path, CUP + hosted("a") + hosted("b"))) as tested:
        holds = tested.tournament._conditions.holds
        assert holds()
        tested.tournament._runner.lost_bots.let_forfeit()
        assert not holds()


@pytest.mark.asyncio
async def test_standings_are_folded_now_and_then_though_nobody_asks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tournaments.running.present_standings._CHECKPOINT_EVERY", 2)
    async with opened_tournament(tmp_path, written(tmp_path, CUP + remote("a", "b", "c"))) as tested:
        for name in "abc":
            tested.guest(name)
        tested.tournament.start()
        await tested.until_over()
        assert tested.tournament.standings._folding is not None
        assert len(await tested.tournament.standings._folding) == 3


@pytest.mark.asyncio
async def test_a_bot_in_a_sandbox_sees_neither_our_files_nor_those_of_other_bots(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).mkdir()
        (tmp_path / name / "bot.py").touch()
    (tmp_path / "other.fairdeal").mkdir()
    bots = "".join(
        f'[[entries]]\nname = "{name}"\ncommand = ["{{python}}", "{name}/bot.py"]\n' for name in "ab"
    )
    plan = written(tmp_path, CUP + bots)
    async with opened_tournament(tmp_path, plan) as tested:
        hidden = set(tested.tournament._hidden_from("a"))
        assert hidden >= {plan.folder, tmp_path / "other.fairdeal", plan.source, *tested.host.private}
        assert tmp_path / "b" in hidden
        assert tmp_path / "a" not in hidden


@pytest.mark.asyncio
async def test_before_its_bot_is_started_nobody_can_use_the_name_of_a_hosted_entry(tmp_path: Path) -> None:
    async with opened_tournament(tmp_path, written(tmp_path, CUP + hosted("h") + remote("a"))) as tested:
        assert tested.guest("h").denied
        assert not tested.guest("a").denied


class Threads:
    """Notes of calls whether they were made in the loop's thread."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.on_the_loop: set[str] = set()
        self.asked: set[str] = set()
        self._monkeypatch = monkeypatch
        self._loop = threading.get_ident()

    def note(self, of: object, *names: str) -> None:
        for name in names:
            self._monkeypatch.setattr(of, name, partial(self._noted, name, getattr(of, name)))

    def _noted(self, name: str, call: Callable[..., Any], *arguments: Any) -> Any:
        self.asked.add(name)
        if threading.get_ident() == self._loop:
            self.on_the_loop.add(name)
        return call(*arguments)


@pytest.mark.asyncio
async def test_a_tournament_is_looked_at_off_the_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads = Threads(monkeypatch)
    async with opened_tournament(tmp_path, written(tmp_path, TWO)) as tested:
        threads.note(tested.store, "extent", "terminations", "skipped_count", "roster")
        assert (await tested.tournament.look()).planned == 2
    assert threads.asked == {"extent", "terminations", "skipped_count", "roster"}
    assert threads.on_the_loop == set()


@pytest.mark.asyncio
async def test_rounds_are_paired_and_results_are_folded_off_the_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads = Threads(monkeypatch)
    async with opened_tournament(tmp_path, written(tmp_path, TWO)) as tested:
        for name in "ab":
            tested.guest(name)
        threads.note(tested.tournament._runner._backlog._source, "next")
        tested.tournament.start()
        await tested.until_over()
        threads.note(tested.store, "prefix", "over", "checkpoint")
        await tested.tournament.standings()
    assert threads.asked == {"next", "prefix", "over", "checkpoint"}
    assert threads.on_the_loop == set()


@pytest.mark.asyncio
@pytest.mark.usefixtures("quickly")
async def test_a_change_of_the_roster_by_another_process_is_seen_though_nobody_is_paired(
    tmp_path: Path,
) -> None:
    plan = written(tmp_path, LADDER.replace("concurrency = 2", "concurrency = 1") + remote("a", "b", "c"))
    async with opened_tournament(tmp_path, plan) as tested:
        guests = [tested.guest(name, held=True) for name in "ab"]
        tested.tournament.start()
        await tested.until(lambda: tested.begun)  # and there is room for no more
        with Store.join(plan) as elsewhere:
            elsewhere.set_standing("c", EntryState.PAUSED)
        async with asyncio.timeout(ALONE):
            while len(tested.tournament.plan.entries) == 3:  # noqa: ASYNC110 - nobody is told of it
                await asyncio.sleep(0.001)
        assert all(guest.seats == 1 for guest in guests)


# Where hosted bots connect


Asked = list[tuple[str, Sequence[Any], dict[str, Any]]]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """Return what was listened for: the address, the services, and how."""
    found: Asked = []

    @asynccontextmanager
    async def listening(_referee: object, address: str, **options: Any) -> AsyncIterator[Listening]:
        found.append((address, options.pop("services"), options))
        yield Listening(address, Any)

    monkeypatch.setattr("tournaments.running.referee_host.listening", listening)
    return found


@pytest.mark.asyncio
async def test_two_addresses_share_the_connections_and_a_bot_alone_has_few(
    tmp_path: Path, asked: Asked
) -> None:
    async with open_referee_host(
        folder=tmp_path,
        keys=SeededKeys("spring"),
        limits=Limits(connections=101),
        durable=False,
        others=Trusting(),
    ) as host:
        async with host.listening(Server(), ["all"], hosts=True), host.socket(("one", "2")):
            pass
        async with host.listening(Server(), ["all"], hosts=False):
            pass
    (_at, everything, open_to_all), (_loopback, play, for_hosted), (own, alone, of_one), (_, _, whole) = asked
    assert everything == ["all"]
    assert [open_to_all["connections"], for_hosted["connections"], whole["connections"]] == [50, 50, 101]
    assert [type(service).__name__ for service in (*play, *alone)] == ["PlayService"] * 2
    assert own.startswith("unix:/")
    assert of_one["for_one"]
    assert alone[0]._peer == "unix:one~2"  # so that what it does counts against no other address


# What others must not read


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_folder_lock_and_store_are_private_in_every_umask(tmp_path: Path, umask: int) -> None:
    plan = written(tmp_path, TWO)
    before = os.umask(umask)
    try:
        with owned(plan.folder), Store.open(plan):
            kept = {path: stat.S_IMODE(path.stat().st_mode) for path in plan.folder.iterdir()}
    finally:
        os.umask(before)
    assert stat.S_IMODE(plan.folder.stat().st_mode) == 0o700
    assert {path.name for path in kept} >= {"lock", "store.sqlite"}
    assert {path.name: oct(mode) for path, mode in kept.items() if mode != 0o600} == {}
