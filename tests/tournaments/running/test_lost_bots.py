"""Hosted bots that are lost: what is told of them, who is started again, what becomes of their matches."""

import os
import signal
from collections import Counter
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Final

import pytest

from referee.match.faults import Termination
from tests.tournaments.host_under_test import STAYS, WAITS, Open, entry, is_alive, match, said, supervisor_of
from tournaments.hosting import bot_process
from tournaments.hosting.bot_process import HostedBot, HostedCommand
from tournaments.plan.plan import Entry
from tournaments.running.hosted import Lost

SHORT: Final = 0.2  # seconds that a bot without a session is left alone, where that matters


@pytest.fixture
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tournaments.running.restarts.FIRST_PAUSE", 1000)  # microseconds


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("script", "text", "output"),
    [
        ("echo no engine found; exit 3", "exited with status 3", ("no engine found",)),
        ("echo oh; kill -SEGV $$", "killed by signal 11 (SIGSEGV)", ("oh",)),
    ],
)
@pytest.mark.usefixtures("short_pauses")
async def test_a_bot_that_ends_before_it_comes_is_started_again_and_lost_in_the_end(
    open_host: Open, tmp_path: Path, lost: list[Lost], script: str, text: str, output: tuple[str, ...]
) -> None:
    async with open_host(entry("one", script), restarts=2) as tested:
        await tested.until_lost("one")
        gone = Lost("one", text, output, log=tmp_path / "logs" / "one.log")
        assert lost == [replace(gone, restarts_in=1000), replace(gone, restarts_in=2000), gone]
        assert tested.lost == {"one": gone}


@pytest.mark.asyncio
async def test_a_bot_that_lives_on_and_never_comes_is_ended(
    open_host: Open, tmp_path: Path, lost: list[Lost], monkeypatch: pytest.MonkeyPatch
) -> None:
    start = bot_process.start

    async def start_and_listen(command: HostedCommand, logs: Path) -> HostedBot:
        bot = await start(command, logs)
        assert await said(tmp_path, "one") == "thinking\n"  # before anybody loses patience with it
        return bot

    monkeypatch.setattr(bot_process, "start", start_and_listen)
    thinker = entry("one", "echo thinking | tee one.fifo; exec sleep 600")
    async with open_host(thinker, patience=SHORT) as tested:
        await tested.until_lost("one")
    text, log = f"did not connect within {SHORT} s", tmp_path / "logs" / "one.log"
    assert lost == [Lost("one", text, ("thinking",), log=log)]


@pytest.mark.asyncio
async def test_a_command_that_cannot_be_executed(open_host: Open, tmp_path: Path) -> None:
    program = tmp_path / "bot"
    program.write_bytes(b"\0")
    program.chmod(0o755)
    async with open_host(Entry(name="one", command=("./bot",))) as tested:
        await tested.until_lost("one")
        assert tested.lost["one"].text.startswith("one: cannot execute './bot': it is neither a program")


@pytest.mark.asyncio
async def test_a_bot_that_leaves_and_lives_on_is_ended(
    open_host: Open, tmp_path: Path, lost: list[Lost]
) -> None:
    stays, leaves = entry("stays", STAYS), entry("leaves", STAYS)
    async with open_host(stays, leaves, patience=SHORT) as tested:
        tested.enter("stays")  # both before anybody can miss them
        session = tested.enter("leaves")
        _token, staying = await tested.started("stays")
        _token, leaving = await tested.started("leaves")
        tested.referee.disconnect(session)
        await tested.until_lost("leaves")
        assert not is_alive(leaving)
        assert is_alive(staying)
    text, log = f"left and did not come back within {SHORT} s", tmp_path / "logs" / "leaves.log"
    assert lost == [Lost("leaves", text, (), log=log)]


@pytest.mark.asyncio
async def test_what_a_lost_bot_plays_it_forfeits(open_host: Open) -> None:
    async with open_host(entry("one", WAITS), entry("two", STAYS)) as tested:
        token, _process = await tested.started("two")
        tested.enter("two", token)
        playing = tested.referee.play(match("one", "two"))
        tested.release("one")
        assert (await playing).outcome.forfeited == (0,)


@pytest.mark.asyncio
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM], ids=str)
async def test_a_bot_that_is_lost_with_its_supervisor_comes_back_and_what_it_played_is_void(
    open_host: Open, lost: list[Lost], number: signal.Signals
) -> None:
    async with open_host(entry("one", STAYS), entry("two", STAYS)) as tested:
        for name in ("one", "two"):
            token, process = await tested.started(name)
            tested.enter(name, token)
        playing = tested.referee.play(match("one", "two"))
        os.kill(supervisor_of(process), number)
        over = await playing
        assert (over.outcome.termination, over.outcome.forfeited) == (Termination.VOID, ())
        again, process = await tested.started("two")
        assert again == token
        assert is_alive(process)
        bots = tested.bots
        assert (tested.lost, bots.failed, bots.host_losses) == ({}, None, Counter({("two", ""): 1}))
    ((gone),) = lost
    assert (gone.entry, gone.by_host) == ("two", True)
    assert "its supervisor" in gone.text


@pytest.mark.asyncio
@pytest.mark.usefixtures("short_pauses")
async def test_what_is_lost_with_a_supervisor_again_is_forfeited_and_the_bot_comes_back(
    open_host: Open, lost: list[Lost]
) -> None:
    losses = count(1)

    async def counted(_entry: str) -> int:
        return next(losses)

    async with open_host(
        entry("one", STAYS), entry("two", STAYS), restarts=3, lost_with_supervisor=counted
    ) as tested:
        token, _process = await tested.started("one")
        tested.enter("one", token)
        for number, outcome in enumerate((Termination.VOID, Termination.FORFEIT, Termination.FORFEIT), 1):
            token, process = await tested.started("two")
            session = tested.enter("two", token)
            await tested.until(lambda: tested.referee.core.sessions.is_here(("two", "")))
            playing = tested.referee.play(replace(match("one", "two"), match_id=f"m-{number}"))
            os.kill(supervisor_of(process), signal.SIGKILL)
            over = await playing
            assert over.outcome.termination is outcome
            assert over.outcome.forfeited == (() if outcome is Termination.VOID else (1,))
            tested.referee.disconnect(session)
        assert (tested.lost, tested.bots.failed) == ({}, None)
        assert tested.bots.host_losses == {("two", ""): 1}
    assert [(gone.by_host, gone.forfeits, gone.restarts_in) for gone in lost] == [
        (True, False, None),
        (False, True, 1000),
        (False, True, 2000),
    ]
    assert lost[-1].text.endswith("(time 3 in this tournament)")


@pytest.mark.asyncio
@pytest.mark.usefixtures("short_pauses")
async def test_a_bot_that_ends_is_started_again_after_growing_pauses_and_lost_in_the_end(
    open_host: Open, lost: list[Lost]
) -> None:
    async with open_host(entry("one", STAYS), restarts=3) as tested:
        for _ in range(4):
            await tested.killed("one")
        await tested.until_lost("one")
    assert [gone.restarts_in for gone in lost] == [1000, 2000, 4000, None]
    assert {gone.text for gone in lost} == {"killed by signal 9 (SIGKILL)"}
    assert not any(gone.by_host for gone in lost)


@pytest.mark.asyncio
@pytest.mark.usefixtures("short_pauses")
async def test_a_bot_that_is_started_again_goes_on_with_its_matches_under_the_same_token(
    open_host: Open,
) -> None:
    async with open_host(entry("one", STAYS), entry("two", STAYS), restarts=1) as tested:
        token, _process = await tested.started("two")
        tested.enter("two", token)
        playing = tested.referee.play(match("one", "two"))
        await tested.killed("one")
        await tested.until(lambda: not tested.referee.core.sessions.is_here(("one", "")))
        token, _process = await tested.started("one")
        again = tested.enter("one", token)
        await tested.until(lambda: tested.referee.core.sessions.is_here(("one", "")))
        assert "m-1" in again.seats
        assert not playing.done()
        assert tested.lost == {}


@pytest.mark.asyncio
@pytest.mark.usefixtures("short_pauses")
@pytest.mark.parametrize(
    "spoil", ["mkdir logs/two.log", "mkfifo logs/two.log", "rm -r logs; touch logs"], ids=lambda how: how
)
async def test_a_bot_that_spoils_its_log_voids_nothing_and_the_organiser_is_told_once(
    open_host: Open, tmp_path: Path, lost: list[Lost], spoil: str
) -> None:
    warned: list[str] = []

    def warn(text: str) -> None:
        warned.append(text)
        tested.changed.set()

    spoiler = entry("two", f"rm -rf logs/two.log; {spoil}; {STAYS}")
    async with open_host(entry("one", STAYS), spoiler, restarts=2, warn=warn) as tested:
        token, _process = await tested.started("one")
        tested.enter("one", token)
        playing = tested.referee.play(match("one", "two"))
        await tested.killed("two")
        assert warned == []  # it had its log when it was started
        await tested.until(lambda: warned or tested.bots.host_losses)
        assert tested.bots.host_losses == {}
        for _ in range(2):
            assert not playing.done()
            await tested.killed("two")
        assert (await playing).outcome.forfeited == (1,)
        assert (tested.bots.host_losses, tested.bots.failed) == ({}, None)
    assert not any(gone.by_host for gone in lost)
    (text,) = warned
    log = tmp_path / "logs" / "two.log"
    assert text.startswith(f"the output of the bot of two is not kept ({log}: ")
    assert text.endswith("move it away; its output is kept again from its next start")


@pytest.mark.asyncio
@pytest.mark.usefixtures("short_pauses")
async def test_a_bot_that_has_used_up_its_restarts_forfeits(open_host: Open) -> None:
    async with open_host(entry("one", STAYS), entry("two", STAYS), restarts=1) as tested:
        token, _process = await tested.started("two")
        tested.enter("two", token)
        playing = tested.referee.play(match("one", "two"))
        for _ in range(2):
            assert not playing.done()
            await tested.killed("one")
        assert (await playing).outcome.forfeited == (0,)


@pytest.mark.asyncio
@pytest.mark.usefixtures("short_pauses")
async def test_another_version_has_restarts_of_its_own(open_host: Open, lost: list[Lost]) -> None:
    async with open_host(entry("one", STAYS), restarts=1) as tested:
        await tested.killed("one")
        await tested.started("one")
        await tested.bots.end([("one", "")])
        assert tested.bots.running == {}
        tested.bots.start(entry("one", "exit 3"), ("one", ""))
        assert tested.bots.awaits(("one", ""))
        await tested.until_lost("one")
    killed, ended = "killed by signal 9 (SIGKILL)", "exited with status 3"
    assert [(gone.text, gone.restarts_in) for gone in lost] == [(killed, 1000), (ended, 1000), (ended, None)]


@pytest.mark.asyncio
async def test_one_that_sleeps_before_it_comes_keeps_nobody_from_starting(open_host: Open) -> None:
    async with open_host(entry("one", STAYS), entry("two", STAYS), starting=1) as tested:
        await tested.started("one")  # and it sleeps, without a word to the referee
        await tested.started("two")


@pytest.mark.asyncio
async def test_one_that_is_about_to_be_started_again_when_all_leave_forfeits_nothing(
    open_host: Open, lost: list[Lost]
) -> None:
    async with open_host(entry("one", STAYS), entry("two", STAYS), restarts=1) as tested:
        token, _process = await tested.started("two")
        tested.enter("two", token)
        playing = tested.referee.play(match("one", "two"))
        await tested.killed("one")
        await tested.until(lambda: lost)
        assert lost[0].restarts_in == 500_000  # microseconds, which nobody waits for now
        tested.bots.leave()
        await tested.until(lambda: tested.bots.deserted)
        assert not playing.done()
