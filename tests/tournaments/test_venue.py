"""A venue with real processes; what they would say to the referee is said for them."""

import asyncio
import os
import signal
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from pathlib import Path
from typing import Final

import pytest

import tournaments.venue
from fairdeal.v1 import play_service_pb2 as pb
from referee.clock import PROFILES
from referee.effects import MatchSetup
from referee.faults import FaultPolicy, Termination
from referee.games.registry import GAMES
from referee.journal import Journal
from referee.limits import Limits
from referee.session import Session
from referee.vault import SeededKeys
from tournaments.hosting import HostedBot, HostedCommand, HostFailed
from tournaments.plan import Entry
from tournaments.venue import MAX_HOST_LOSSES, Lost, Venue, command_of, host, open_venue

PATIENCE: Final = 20.0  # seconds until a test gives up
Open = Callable[..., AbstractAsyncContextManager[Venue]]

# it says what it was given, and stays until it is ended
STAYS = 'echo "$FAIRDEAL_TOKEN $$" > "$FAIRDEAL_ENTRY.fifo"; exec sleep 600'


def entry(name: str, script: str) -> Entry:
    return Entry(name=name, command=("sh", "-c", script))


@pytest.fixture
def lost() -> list[Lost]:
    return []


@pytest.fixture
def opened(tmp_path: Path, lost: list[Lost], monkeypatch: pytest.MonkeyPatch) -> Open:
    """Return a function that opens a venue for some entries, none of which leaves by itself."""
    monkeypatch.setattr(tournaments.venue, "LEAVE_SECONDS", 0.1)

    monkeypatch.setattr(tournaments.venue, "RESTART_SECONDS", 0.0)

    @asynccontextmanager
    async def opened(*entries: Entry, patience: float = PATIENCE) -> AsyncIterator[Venue]:
        for each in entries:
            with suppress(FileExistsError):
                os.mkfifo(tmp_path / f"{each.name}.fifo")
        async with (
            asyncio.timeout(PATIENCE),
            open_venue(
                entries=entries,
                folder=tmp_path,
                keys=SeededKeys("spring"),
                limits=Limits(tables_per_session=3),
                durable=False,
                on_lost=lost.append,
            ) as venue,
            host(
                venue,
                entries=entries,
                folder=tmp_path,
                base=tmp_path,
                bot_seeds={each.name: f"seed of {each.name}" for each in entries},
                patience=patience,
            ),
        ):
            yield venue

    return opened


async def started(folder: Path, name: str) -> tuple[str, int]:
    """Return the token and the process id of a bot that stays."""
    token, process = (await asyncio.to_thread((folder / f"{name}.fifo").read_text)).split()
    return token, int(process)


def enter(venue: Venue, name: str, token: str) -> Session:
    """Open a session for a bot."""
    session = venue.referee.connect(token, lambda: None)
    hello = pb.PlayRequest(hello=pb.Hello(versions=[1], entry=name, tables=4))
    venue.referee.receive(session, hello.SerializeToString())
    return session


def match(*entries: str) -> MatchSetup:
    return MatchSetup(
        match_id="m-1",
        game="two_handed_spades",
        options=GAMES["two_handed_spades"].bind({}),
        deals=1,
        entries=entries,
        clock=PROFILES["debug"],
        faults=FaultPolicy(),
    )


async def until(venue: Venue, condition: Callable[[], object]) -> None:
    while not condition():
        venue.changed.clear()
        await venue.changed.wait()


async def until_lost(venue: Venue, *names: str) -> None:
    await until(venue, lambda: set(names) <= venue.lost.keys())


def supervisor_of(process: int) -> int:
    """Return the process that started another one."""
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])


def is_alive(process: int) -> bool:
    return Path(f"/proc/{process}").exists()


@pytest.mark.asyncio
async def test_bots_are_given_what_they_need_and_end_with_the_venue(
    opened: Open, tmp_path: Path, lost: list[Lost]
) -> None:
    asks = 'env | grep -E "^FAIRDEAL_" | sort; echo "$FAIRDEAL_TOKEN $$" > two.fifo; exec sleep 600'
    async with opened(entry("one", STAYS), entry("two", asks)) as venue:
        (token, one), (other, two) = await started(tmp_path, "one"), await started(tmp_path, "two")
        assert token != other
        enter(venue, "one", token)
        enter(venue, "two", token)  # not its token
        await venue.changed.wait()
        assert venue.referee.has_session("one")
        assert not venue.referee.has_session("two")
        assert is_alive(one)
    assert not is_alive(one)
    assert not is_alive(two)
    assert lost == []
    address, given, instance, seed, secret = (tmp_path / "logs" / "two.log").read_text().splitlines()[1:6]
    assert address.startswith("FAIRDEAL_ADDRESS=127.0.0.1:")
    assert (given, instance, seed) == (
        "FAIRDEAL_ENTRY=two",
        "FAIRDEAL_INSTANCE=",
        "FAIRDEAL_SEED=seed of two",
    )
    assert secret == f"FAIRDEAL_TOKEN={other}"


@pytest.mark.asyncio
async def test_at_the_end_bots_are_told_to_leave(opened: Open, tmp_path: Path) -> None:
    async with opened(entry("one", STAYS)) as venue:
        token, _process = await started(tmp_path, "one")
        session = enter(venue, "one", token)
        await venue.changed.wait()
    updates = [
        update
        for frame in iter(session.next_frame, None)
        for update in pb.PlayResponse.FromString(frame).updates
    ]
    assert pb.NOTICE_KIND_DRAINING in [update.notice.kind for update in updates]


@pytest.mark.asyncio
async def test_the_end_by_an_error_ends_the_bots_too(opened: Open, tmp_path: Path) -> None:
    with pytest.raises(KeyError):
        async with opened(entry("one", STAYS)):
            _token, process = await started(tmp_path, "one")
            raise KeyError
    assert not is_alive(process)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("script", "patience", "text", "output"),
    [
        ("echo no engine found; exit 3", PATIENCE, "exited with status 3", ("no engine found",)),
        ("echo oh; kill -SEGV $$", PATIENCE, "killed by signal 11 (SIGSEGV)", ("oh",)),
        ("echo thinking; exec sleep 600", 0.2, "did not connect within 0.2 s", ("thinking",)),
    ],
)
async def test_a_bot_that_never_comes_is_lost(
    opened: Open, lost: list[Lost], script: str, patience: float, text: str, output: tuple[str, ...]
) -> None:
    async with opened(entry("one", script), patience=patience) as venue:
        await until_lost(venue, "one")
        assert lost == [venue.lost["one"]] == [Lost("one", text, output)]


@pytest.mark.asyncio
async def test_a_command_that_cannot_be_executed(opened: Open, tmp_path: Path) -> None:
    program = tmp_path / "bot"
    program.write_bytes(b"\0")
    program.chmod(0o755)
    async with opened(Entry(name="one", command=("./bot",))) as venue:
        await until_lost(venue, "one")
        assert venue.lost["one"].text.startswith("one: cannot execute './bot': it is neither a program")


@pytest.mark.asyncio
async def test_a_bot_that_leaves_and_lives_on_is_ended(
    opened: Open, tmp_path: Path, lost: list[Lost]
) -> None:
    stays, leaves = entry("stays", STAYS), entry("leaves", STAYS)
    async with opened(stays, leaves, patience=1.5) as venue:
        token, staying = await started(tmp_path, "stays")
        enter(venue, "stays", token)
        token, leaving = await started(tmp_path, "leaves")
        venue.referee.disconnect(enter(venue, "leaves", token))
        await until_lost(venue, "leaves")
        assert not is_alive(leaving)
        assert is_alive(staying)
    assert lost == [Lost("leaves", "left and did not come back within 1.5 s", ())]


@pytest.mark.asyncio
async def test_what_a_lost_bot_plays_it_forfeits(opened: Open, tmp_path: Path) -> None:
    async with opened(entry("one", "read gate < one.fifo; exit 3"), entry("two", STAYS)) as venue:
        token, _process = await started(tmp_path, "two")
        enter(venue, "two", token)
        playing = venue.referee.play(match("one", "two"))
        await asyncio.to_thread((tmp_path / "one.fifo").write_text, "go\n")
        assert (await playing).outcome.forfeited == (0,)


@pytest.mark.asyncio
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM], ids=str)
async def test_a_bot_that_is_lost_with_its_supervisor_comes_back_and_what_it_played_is_void(
    opened: Open, tmp_path: Path, lost: list[Lost], number: signal.Signals
) -> None:
    async with opened(entry("one", STAYS), entry("two", STAYS)) as venue:
        for name in ("one", "two"):
            token, process = await started(tmp_path, name)
            enter(venue, name, token)
        playing = venue.referee.play(match("one", "two"))
        os.kill(supervisor_of(process), number)
        over = await playing
        assert (over.outcome.termination, over.outcome.forfeited) == (Termination.VOID, ())
        again, process = await started(tmp_path, "two")
        assert again == token
        assert is_alive(process)
        assert (venue.lost, venue.failed, venue.host_losses) == ({}, None, Counter({"two": 1}))
    ((gone),) = lost
    assert (gone.entry, gone.by_host) == ("two", True)
    assert "its supervisor" in gone.text


@pytest.mark.asyncio
async def test_a_bot_that_cannot_be_started_for_lack_of_processes_is_tried_again_and_not_for_ever(
    opened: Open, tmp_path: Path, lost: list[Lost], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scarce(command: HostedCommand, _log: Path) -> HostedBot:
        raise HostFailed(f"{command.entry}: cannot start: Resource temporarily unavailable")

    monkeypatch.setattr("tournaments.hosting.start", scarce)
    async with opened(entry("one", STAYS)) as venue:
        await until(venue, lambda: venue.failed)
        text = "one: cannot start: Resource temporarily unavailable"
        assert lost == [Lost("one", text, (), by_host=True)] * MAX_HOST_LOSSES
        assert venue.failed is not None
        times = f"{MAX_HOST_LOSSES} times by no fault of its own ({text}): "
        assert venue.failed.startswith(f"the bot of one was lost {times}")
        assert str(tmp_path / "logs" / "one.log") in venue.failed
        assert venue.lost == {}


@pytest.mark.asyncio
async def test_a_bot_that_leaves_as_it_was_told_is_not_lost(
    opened: Open, tmp_path: Path, lost: list[Lost]
) -> None:
    async with opened(entry("one", "read gate < one.fifo; exit 3"), entry("two", STAYS)) as venue:
        _token, process = await started(tmp_path, "two")
        venue.leave()
        await asyncio.to_thread((tmp_path / "one.fifo").write_text, "go\n")
        assert is_alive(process)
    assert (lost, venue.deserted) == ([], False)


@pytest.mark.asyncio
async def test_a_bot_that_leaves_a_match_when_it_is_told_to_leave_forfeits_nothing(
    opened: Open, tmp_path: Path, lost: list[Lost]
) -> None:
    async with opened(entry("one", "read gate < one.fifo; exit 3"), entry("two", STAYS)) as venue:
        token, _process = await started(tmp_path, "two")
        enter(venue, "two", token)
        playing = venue.referee.play(match("one", "two"))
        venue.leave()
        await asyncio.to_thread((tmp_path / "one.fifo").write_text, "go\n")
        await until(venue, lambda: venue.deserted)
        assert not playing.done()
    assert playing.cancelled()
    assert lost == []


@pytest.mark.asyncio
async def test_what_is_played_at_the_end_goes_on_at_the_next_venue(opened: Open, tmp_path: Path) -> None:
    async with opened(entry("one", STAYS), entry("two", STAYS)) as venue:
        venue.referee.play(match("one", "two"))
    for _ in range(2):
        async with opened(entry("one", STAYS), entry("two", STAYS)) as venue:
            assert venue.recovered == ()
            assert venue.referee.matches() == (match("one", "two"),)
    async with opened(entry("one", STAYS), entry("two", STAYS)) as venue:
        playing = venue.referee.play(match("one", "two"))
        venue.referee.abandon("one")
        assert (await playing).outcome.forfeited == (0,)
    async with opened(entry("one", STAYS), entry("two", STAYS)) as venue:
        (over,) = venue.recovered
        assert (over.setup, over.outcome.forfeited) == (match("one", "two"), (0,))
        assert venue.referee.matches() == ()
        venue.referee.settle(over)
    async with opened(entry("one", STAYS), entry("two", STAYS)) as venue:
        assert venue.recovered == ()


@pytest.mark.asyncio
async def test_that_its_bots_are_ended_is_no_part_of_a_match(
    opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop = HostedBot.stop

    async def with_its_stream(bot: HostedBot) -> None:
        if session := sessions.pop(bot.entry, None):
            venue.referee.disconnect(session)
        await stop(bot)

    monkeypatch.setattr(HostedBot, "stop", with_its_stream)
    sessions: dict[str, Session] = {}
    async with opened(entry("one", STAYS), entry("two", STAYS)) as venue:
        for name in ("one", "two"):
            token, _process = await started(tmp_path, name)
            sessions[name] = enter(venue, name, token)
        venue.referee.play(match("one", "two"))
    assert len(sessions) < 2  # one that was still being started is ended in another way
    (journal,) = (tmp_path / "journal").iterdir()
    assert '"kind":"back"' in journal.read_text()
    assert '"kind":"lost"' not in journal.read_text()


@pytest.mark.asyncio
@pytest.mark.parametrize("durable", [False, True])
async def test_what_the_journal_outlives_is_as_planned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, durable: bool
) -> None:
    asked: list[bool] = []

    def journal(folder: Path, *, durable: bool) -> Journal:
        asked.append(durable)
        return Journal(folder, durable=durable)

    monkeypatch.setattr(tournaments.venue, "Journal", journal)
    async with open_venue(
        entries=(),
        folder=tmp_path,
        keys=SeededKeys("spring"),
        limits=Limits(),
        durable=durable,
        on_lost=lambda _lost: None,
    ):
        assert asked == [durable]


@pytest.mark.asyncio
async def test_the_limits_hold(opened: Open, tmp_path: Path) -> None:
    async with opened(entry("one", STAYS)) as venue:
        token, _process = await started(tmp_path, "one")
        enter(venue, "one", token)
        assert venue.referee.free_tables("one") == 3  # it asks for four


def test_a_house_bot_is_a_command_of_this_python() -> None:
    bot = Entry(name="one", bot="greedy", arguments=("--blunder", "0.1"))
    assert command_of(bot) == ("{python}", "-m", "fairdeal.bots", "greedy", "--blunder", "0.1")
    assert command_of(Entry(name="one", command=("./bot", "fast"))) == ("./bot", "fast")
