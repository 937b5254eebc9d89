"""Hosted bots that are lost: what is told of them, who is started again, what becomes of their matches."""

import asyncio
import os
import signal
from collections import Counter
from pathlib import Path
from typing import Final

import pytest

from referee.faults import Termination
from tests.tournaments.place import STAYS, WAITS, Open, entry, is_alive, match, said, supervisor_of
from tournaments import hosting
from tournaments.hosted_bots import MAX_HOST_LOSSES, Lost
from tournaments.hosting import HostedBot, HostedCommand, HostFailed
from tournaments.plan import Entry

SHORT: Final = 0.2  # seconds that a bot without a session is left alone, where that matters


@pytest.fixture
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tournaments.restarts.FIRST_PAUSE", 1000)  # microseconds


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("script", "text", "output"),
    [
        ("echo no engine found; exit 3", "exited with status 3", ("no engine found",)),
        ("echo oh; kill -SEGV $$", "killed by signal 11 (SIGSEGV)", ("oh",)),
    ],
)
async def test_a_bot_that_ends_and_never_came_is_lost(
    open_place: Open, tmp_path: Path, lost: list[Lost], script: str, text: str, output: tuple[str, ...]
) -> None:
    async with open_place(entry("one", script), restarts=3) as place:
        await place.until_lost("one")
        assert lost == [place.lost["one"]] == [Lost("one", text, output, log=tmp_path / "logs" / "one.log")]


@pytest.mark.asyncio
async def test_a_bot_that_lives_on_and_never_comes_is_ended(
    open_place: Open, tmp_path: Path, lost: list[Lost], monkeypatch: pytest.MonkeyPatch
) -> None:
    start = hosting.start

    async def start_and_listen(command: HostedCommand, logs: Path) -> HostedBot:
        bot = await start(command, logs)
        assert await said(tmp_path, "one") == "thinking\n"  # before anybody loses patience with it
        return bot

    monkeypatch.setattr(hosting, "start", start_and_listen)
    thinker = entry("one", "echo thinking | tee one.fifo; exec sleep 600")
    async with open_place(thinker, patience=SHORT, restarts=3) as place:
        await place.until_lost("one")
    text, log = f"did not connect within {SHORT} s", tmp_path / "logs" / "one.log"
    assert lost == [Lost("one", text, ("thinking",), log=log)]


@pytest.mark.asyncio
async def test_a_command_that_cannot_be_executed(open_place: Open, tmp_path: Path) -> None:
    program = tmp_path / "bot"
    program.write_bytes(b"\0")
    program.chmod(0o755)
    async with open_place(Entry(name="one", command=("./bot",))) as place:
        await place.until_lost("one")
        assert place.lost["one"].text.startswith("one: cannot execute './bot': it is neither a program")


@pytest.mark.asyncio
async def test_a_bot_that_leaves_and_lives_on_is_ended(
    open_place: Open, tmp_path: Path, lost: list[Lost]
) -> None:
    stays, leaves = entry("stays", STAYS), entry("leaves", STAYS)
    async with open_place(stays, leaves, patience=SHORT) as place:
        place.enter("stays")  # both before anybody can miss them
        session = place.enter("leaves")
        _token, staying = await place.started("stays")
        _token, leaving = await place.started("leaves")
        place.referee.disconnect(session)
        await place.until_lost("leaves")
        assert not is_alive(leaving)
        assert is_alive(staying)
    text, log = f"left and did not come back within {SHORT} s", tmp_path / "logs" / "leaves.log"
    assert lost == [Lost("leaves", text, (), log=log)]


@pytest.mark.asyncio
async def test_what_a_lost_bot_plays_it_forfeits(open_place: Open) -> None:
    async with open_place(entry("one", WAITS), entry("two", STAYS)) as place:
        token, _process = await place.started("two")
        place.enter("two", token)
        playing = place.referee.play(match("one", "two"))
        place.release("one")
        assert (await playing).outcome.forfeited == (0,)


@pytest.mark.asyncio
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM], ids=str)
async def test_a_bot_that_is_lost_with_its_supervisor_comes_back_and_what_it_played_is_void(
    open_place: Open, lost: list[Lost], number: signal.Signals
) -> None:
    async with open_place(entry("one", STAYS), entry("two", STAYS)) as place:
        for name in ("one", "two"):
            token, process = await place.started(name)
            place.enter(name, token)
        playing = place.referee.play(match("one", "two"))
        os.kill(supervisor_of(process), number)
        over = await playing
        assert (over.outcome.termination, over.outcome.forfeited) == (Termination.VOID, ())
        again, process = await place.started("two")
        assert again == token
        assert is_alive(process)
        bots = place.bots
        assert (place.lost, bots.failed, bots.host_losses) == ({}, None, Counter({("two", ""): 1}))
    ((gone),) = lost
    assert (gone.entry, gone.by_host) == ("two", True)
    assert "its supervisor" in gone.text


@pytest.mark.asyncio
async def test_a_bot_that_cannot_be_started_for_lack_of_processes_is_tried_again_and_not_for_ever(
    open_place: Open, tmp_path: Path, lost: list[Lost], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scarce(command: HostedCommand, _log: Path) -> HostedBot:
        raise HostFailed(f"{command.entry}: cannot start: Resource temporarily unavailable")

    monkeypatch.setattr("tournaments.hosting.start", scarce)
    async with open_place(entry("one", STAYS)) as place:
        await place.until(lambda: place.bots.failed)
        text = "one: cannot start: Resource temporarily unavailable"
        log = tmp_path / "logs" / "one.log"
        assert lost == [Lost("one", text, (), by_host=True, log=log)] * MAX_HOST_LOSSES
        assert place.bots.failed is not None
        times = f"{MAX_HOST_LOSSES} times by no fault of its own ({text}): "
        assert place.bots.failed.startswith(f"the bot of one was lost {times}")
        assert str(tmp_path / "logs" / "one.log") in place.bots.failed
        assert place.lost == {}


@pytest.mark.asyncio
@pytest.mark.usefixtures("short_pauses")
async def test_a_bot_that_ends_is_started_again_after_growing_pauses_and_lost_in_the_end(
    open_place: Open, lost: list[Lost]
) -> None:
    async with open_place(entry("one", STAYS), restarts=3) as place:
        for _ in range(4):
            await place.killed("one")
        await place.until_lost("one")
    assert [gone.restarts_in for gone in lost] == [1000, 2000, 4000, None]
    assert {gone.text for gone in lost} == {"killed by signal 9 (SIGKILL)"}
    assert not any(gone.by_host for gone in lost)


@pytest.mark.asyncio
@pytest.mark.usefixtures("short_pauses")
async def test_a_bot_that_is_started_again_goes_on_with_its_matches_under_the_same_token(
    open_place: Open,
) -> None:
    async with open_place(entry("one", STAYS), entry("two", STAYS), restarts=1) as place:
        token, _process = await place.started("two")
        place.enter("two", token)
        playing = place.referee.play(match("one", "two"))
        await place.killed("one")
        await place.until(lambda: not place.referee.has_session(("one", "")))
        token, _process = await place.started("one")
        again = place.enter("one", token)
        await place.until(lambda: place.referee.has_session(("one", "")))
        assert "m-1" in again.seats
        assert not playing.done()
        assert place.lost == {}


@pytest.mark.asyncio
@pytest.mark.usefixtures("short_pauses")
async def test_a_bot_that_has_used_up_its_restarts_forfeits(open_place: Open) -> None:
    async with open_place(entry("one", STAYS), entry("two", STAYS), restarts=1) as place:
        token, _process = await place.started("two")
        place.enter("two", token)
        playing = place.referee.play(match("one", "two"))
        for _ in range(2):
            assert not playing.done()
            await place.killed("one")
        assert (await playing).outcome.forfeited == (0,)


@pytest.mark.asyncio
async def test_another_version_that_never_comes_is_not_started_again_for_the_one_before(
    open_place: Open, lost: list[Lost]
) -> None:
    async with open_place(entry("one", STAYS), restarts=3) as place:
        token, _process = await place.started("one")
        place.enter("one", token)
        await place.until(lambda: place.referee.has_session(("one", "")))
        await place.bots.end([("one", "")])
        assert place.bots.running == {}
        place.bots.start(entry("one", "exit 3"), ("one", ""))
        assert place.bots.awaits(("one", ""))
        await place.until_lost("one")
    assert [(gone.text, gone.restarts_in) for gone in lost] == [("exited with status 3", None)]


@pytest.mark.asyncio
async def test_after_a_failure_what_could_not_be_kept_is_started_again(
    open_place: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scarce(command: HostedCommand, _log: Path) -> HostedBot:
        raise HostFailed(f"{command.entry}: cannot start: Resource temporarily unavailable")

    async with open_place() as place:
        os.mkfifo(tmp_path / "one.fifo")
        with monkeypatch.context() as patch:
            patch.setattr("tournaments.hosting.start", scarce)
            place.bots.start(entry("one", STAYS), ("one", ""))
            await place.until(lambda: place.bots.failed)
            await asyncio.wait(place.bots._attending.values())
        place.bots.recover()
        assert (place.bots.failed, place.bots.running, place.bots.host_losses) == (None, {}, Counter())
        place.bots.start(entry("one", STAYS), ("one", ""))
        _token, process = await place.started("one")
        assert is_alive(process)


@pytest.mark.asyncio
async def test_one_that_is_about_to_be_started_again_when_all_leave_forfeits_nothing(
    open_place: Open, lost: list[Lost]
) -> None:
    async with open_place(entry("one", STAYS), entry("two", STAYS), restarts=1) as place:
        token, _process = await place.started("two")
        place.enter("two", token)
        playing = place.referee.play(match("one", "two"))
        await place.killed("one")
        await place.until(lambda: lost)
        assert lost[0].restarts_in == 500_000  # microseconds, which nobody waits for now
        place.bots.leave()
        await place.until(lambda: place.bots.deserted)
        assert not playing.done()
