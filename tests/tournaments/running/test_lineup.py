"""Which hosted bots live while a tournament is played; each is a session, and no process, of its own."""

import asyncio
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from tests.tournaments.cup import HeldBot
from tests.tournaments.tournament_under_test import (
    CUP,
    HEAD,
    TournamentUnderTest,
    hosted,
    opened_tournament,
    remote,
    written,
)
from tests.workspace import ALONE
from tournaments.hosting.bot_process import Exit, HostedCommand
from tournaments.hosting.cpu_use import CpuMeter, Use
from tournaments.plan.states import EntryState, TournamentState

pytestmark = [pytest.mark.asyncio, pytest.mark.usefixtures("quickly")]

MOST: Final = 6


class InstantProcess:
    """What stands for the process of a bot: it comes when it is started, and goes when it is ended."""

    supervisor = 0
    unlogged = ""

    def __init__(self, hosts: "Hosts", command: HostedCommand) -> None:
        self._hosts = hosts
        self._ended = asyncio.get_running_loop().create_future()
        self.entry = command.entry
        assert hosts.tested
        referee, environment = hosts.tested.host.referee, command.environment
        self.guest = HeldBot(
            referee,
            command.entry,
            hosts.tables,
            instance=environment["FAIRDEAL_INSTANCE"],
            token=environment["FAIRDEAL_TOKEN"],
        )
        if hosts.are_held:
            self.guest.open.clear()

    async def wait(self) -> Exit:
        exited: Exit = await asyncio.shield(self._ended)
        return exited

    async def stop(self, grace: float = 2.0) -> None:
        if not self._ended.done():
            await asyncio.sleep(0)  # it takes a moment
            self.guest.leave()
            self._hosts.live.remove(self)
            self._ended.set_result(Exit("exited with status 0", 0, ()))


class Hosts:
    """Who starts the bots of a tournament, with all that live and how often each was started."""

    def __init__(self) -> None:
        self.tested: TournamentUnderTest | None = None
        self.live: list[InstantProcess] = []
        self.starts: Counter[str] = Counter()
        self.most = 0
        self.tables = 4
        self.are_held = False

    async def start(self, command: HostedCommand, _logs: Path) -> InstantProcess:
        await asyncio.sleep(0)
        body = InstantProcess(self, command)
        self.live.append(body)
        self.starts[command.entry] += 1
        self.most = max(self.most, len(self.live))
        return body

    def names(self) -> str:
        return "".join(sorted(body.entry for body in self.live))


async def seen(condition: Callable[[], object]) -> None:
    """Wait for something that no listener reports."""
    async with asyncio.timeout(ALONE):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.001)


@pytest.fixture
def hosts(monkeypatch: pytest.MonkeyPatch) -> Hosts:
    hosts = Hosts()
    monkeypatch.setattr("tournaments.hosting.bot_process.start", hosts.start)
    monkeypatch.setattr(CpuMeter, "use", lambda _self: Use())
    return hosts


@pytest.mark.process
@pytest.mark.parametrize(
    ("number", "form"),
    [(40, 'format = "swiss"\nrounds = 2\n'), (10, "rounds = 1\n")],
    ids=["many", "all"],
)
async def test_however_many_entries_there_are_few_bots_live_and_all_is_played(
    tmp_path: Path, hosts: Hosts, number: int, form: str
) -> None:
    entries = "".join(hosted(f"e{each}") for each in range(number))
    text = f"{HEAD}{form}hosting = {{ max_live = {MOST} }}\n{entries}"
    async with opened_tournament(tmp_path, written(tmp_path, text)) as tested:
        hosts.tested = tested
        tested.tournament.start()
        await tested.until_over()
        assert tested.tournament.state is TournamentState.FINISHED
        assert tested.store.played_count() == (40 if number == 40 else 45)
        assert len(hosts.starts) == number
        assert hosts.most == MOST
        assert all(not match.outcome.forfeited for _issued, match in tested.store.results())
        if number < 40:  # what those who live can play is played first
            assert hosts.starts.total() < tested.store.played_count()
        assert hosts.live == []


async def test_who_is_idle_is_ended_and_comes_back_when_a_match_is_near(tmp_path: Path, hosts: Hosts) -> None:
    text = CUP + hosted("h") + hosted("i") + remote("a")
    async with opened_tournament(tmp_path, written(tmp_path, text)) as tested:
        hosts.tested = tested
        tested.tournament.start()
        await tested.until(lambda: len(tested.finished) == 2)  # those of h and i
        await tested.settled()
        assert hosts.names() == "hi"  # those of a are near: they are next
        keep = tested.plan.hosting.keep
        tested.now += keep + 1
        tested.tournament._wake()
        await tested.settled()
        assert hosts.names() == "hi"
        tested.guest("a")
        await tested.until_over()
        assert tested.store.played_count() == 6
        assert hosts.starts == {"h": 1, "i": 1}


async def test_what_is_not_needed_any_more_is_kept_for_a_while(tmp_path: Path, hosts: Hosts) -> None:
    text = f'{HEAD}format = "ladder"\n' + hosted("h") + hosted("i") + remote("a")
    async with opened_tournament(tmp_path, written(tmp_path, text)) as tested:
        hosts.tested = tested
        tested.tournament.start()
        await tested.until(lambda: len(tested.finished) >= 2)
        await tested.tournament.entries.set_standing("i", EntryState.PAUSED)
        await seen(lambda: hosts.names() == "h")  # it plays no more, and has left the ladder

        def has_ended() -> bool:
            tested.now += tested.plan.hosting.keep // 2 + 1
            tested.tournament._wake()
            return hosts.names() == ""

        await seen(has_ended)
        guest = tested.guest("a")
        await seen(lambda: guest.seats)
        assert hosts.names() == "h"
        assert hosts.starts["h"] == 2


async def test_in_a_ladder_who_can_be_started_is_paired(tmp_path: Path, hosts: Hosts) -> None:
    entries = "".join(hosted(f"e{number}") for number in range(12))
    text = f'{HEAD}format = "ladder"\nhosting = {{ max_live = 4, keep = 0 }}\n{entries}'
    async with opened_tournament(tmp_path, written(tmp_path, text)) as tested:
        hosts.tested = tested
        tested.tournament.start()
        await tested.until(lambda: len({name for match in tested.finished for name in match.entries}) == 12)
        assert hosts.most <= 4


async def test_what_goes_on_from_before_a_restart_has_its_bots_first(tmp_path: Path, hosts: Hosts) -> None:
    text = CUP.replace("rounds = 2", "rounds = 1") + "".join(hosted(name) for name in "abcdef")
    plan = written(tmp_path, text)
    hosts.tables, hosts.are_held = 1, True
    async with opened_tournament(tmp_path, plan) as tested:
        hosts.tested = tested
        tested.tournament.start()
        await tested.until(lambda: len(tested.begun) == 2)
        playing = {name for match in tested.begun for name in match.entries}
    hosts.live.clear()
    hosts.starts.clear()
    hosts.are_held = False
    async with opened_tournament(tmp_path, plan) as tested:
        hosts.tested = tested
        tested.tournament.start()
        await seen(lambda: len(hosts.starts) >= len(playing) == 4)
        assert set(list(hosts.starts)[:4]) == playing
        await tested.until_over()
        assert tested.store.played_count() == 15
