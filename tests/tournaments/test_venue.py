"""A venue with real processes; what they would say to the referee is said for them."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Final

import pytest

import tournaments.venue
from fairdeal.v1 import play_service_pb2 as pb
from referee.clock import PROFILES
from referee.effects import MatchSetup
from referee.faults import FaultPolicy
from referee.games.registry import GAMES
from referee.session import Session
from referee.vault import SeededKeys
from tournaments.plan import Entry
from tournaments.venue import Lost, Venue, command_of, open_venue

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

    @asynccontextmanager
    async def opened(*entries: Entry, patience: float = PATIENCE) -> AsyncIterator[Venue]:
        for each in entries:
            os.mkfifo(tmp_path / f"{each.name}.fifo")
        async with (
            asyncio.timeout(PATIENCE),
            open_venue(
                entries=entries,
                folder=tmp_path,
                base=tmp_path,
                keys=SeededKeys("spring"),
                bot_seeds={each.name: f"seed of {each.name}" for each in entries},
                patience=patience,
                on_lost=lost.append,
            ) as venue,
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


async def until_lost(venue: Venue, *names: str) -> None:
    while not set(names) <= venue.lost.keys():
        venue.changed.clear()
        await venue.changed.wait()


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
        playing = venue.referee.play(
            MatchSetup(
                match_id="m-1",
                game="two_handed_spades",
                options=GAMES["two_handed_spades"].bind({}),
                deals=1,
                entries=("one", "two"),
                clock=PROFILES["debug"],
                faults=FaultPolicy(),
            )
        )
        await asyncio.to_thread((tmp_path / "one.fifo").write_text, "go\n")
        assert (await playing).outcome.forfeited == (0,)


def test_a_house_bot_is_a_command_of_this_python() -> None:
    bot = Entry(name="one", bot="greedy", arguments=("--blunder", "0.1"))
    assert command_of(bot) == ("{python}", "-m", "fairdeal.bots", "greedy", "--blunder", "0.1")
    assert command_of(Entry(name="one", command=("./bot", "fast"))) == ("./bot", "fast")
