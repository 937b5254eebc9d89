"""A venue with real processes; what they would say to the referee is said for them."""

import asyncio
import os
import signal
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Final

import grpc
import pytest

import tournaments.hosted_bots
import tournaments.venue
from fairdeal.v1 import play_service_pb2 as pb
from referee.access import Tokens, Trusting
from referee.clock import PROFILES
from referee.effects import MatchSetup
from referee.faults import FaultPolicy, Termination
from referee.games.registry import GAMES
from referee.journal import Journal
from referee.limits import Limits
from referee.server.matches import MatchService
from referee.server.play import PlayService
from referee.session import Session
from referee.vault import SeededKeys
from tournaments.hosted_bots import MAX_HOST_LOSSES, Conditions, HostedBots, Lost, bot_seed, command_of
from tournaments.hosting import HostedBot, HostedCommand, HostFailed
from tournaments.plan import Entry, Hosting, Server
from tournaments.venue import Venue, open_venue

PATIENCE: Final = 20.0  # seconds until a test gives up
Open = Callable[..., AbstractAsyncContextManager[Any]]

# it says what it was given, and stays until it is ended
STAYS = 'echo "$FAIRDEAL_TOKEN $$" > "$FAIRDEAL_ENTRY.fifo"; exec sleep 600'


def entry(name: str, script: str) -> Entry:
    return Entry(name=name, command=("sh", "-c", script))


@pytest.fixture
def lost() -> list[Lost]:
    return []


class Place:
    """A venue, the bots that it hosts, and what is told of them."""

    def __init__(self, venue: Venue, folder: Path, lost: list[Lost], patience: float, restarts: int) -> None:
        self.venue = venue
        self.referee = venue.referee
        self.changed = asyncio.Event()
        venue.on_arrival(lambda _owner: self.changed.set())
        conditions = Conditions(
            base=folder,
            logs=folder / "logs",
            seed="spring",
            patience=patience,
            hosting=Hosting(restarts=restarts),
            now=lambda: 0,
        )
        self.bots = HostedBots(venue, conditions, changed=self.changed.set, on_lost=lost.append)

    @property
    def lost(self) -> dict[str, Lost]:
        return {entry: lost for (entry, _instance), lost in self.bots.lost.items()}


@pytest.fixture
def opened(tmp_path: Path, lost: list[Lost], monkeypatch: pytest.MonkeyPatch) -> Open:
    """Return a function that opens a venue for some entries, none of which leaves by itself."""
    monkeypatch.setattr(tournaments.hosted_bots, "LEAVE_SECONDS", 0.1)
    monkeypatch.setattr(tournaments.hosted_bots, "RESTART_SECONDS", 0.0)
    (tmp_path / "logs").mkdir()

    @asynccontextmanager
    async def opened(*entries: Entry, patience: float = PATIENCE, restarts: int = 0) -> AsyncIterator[Place]:
        for each in entries:
            with suppress(FileExistsError):
                os.mkfifo(tmp_path / f"{each.name}.fifo")
        async with (
            asyncio.timeout(PATIENCE),
            open_venue(
                folder=tmp_path,
                keys=SeededKeys("spring"),
                limits=Limits(tables_per_session=3),
                durable=False,
                others=Tokens({}),
            ) as venue,
        ):
            place = Place(venue, tmp_path, lost, patience, restarts)
            services = [PlayService(venue.referee)]
            async with venue.listening(Server(), services, hosts=True, sandboxes=False):
                try:
                    for each in entries:
                        place.bots.start(each, (each.name, ""))
                    yield place
                    if not venue.referee.running:
                        await place.bots.dismiss()
                finally:
                    await venue.referee.close()
                    await place.bots.close()

    return opened


async def started(folder: Path, name: str) -> tuple[str, int]:
    """Return the token and the process id of a bot that stays."""
    token, process = (await asyncio.to_thread((folder / f"{name}.fifo").read_text)).split()
    return token, int(process)


def enter(venue: Place, name: str, token: str) -> Session:
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


async def until(venue: Place, condition: Callable[[], object]) -> None:
    while not condition():
        venue.changed.clear()
        await venue.changed.wait()


async def until_lost(venue: Place, *names: str) -> None:
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
    names = "ADDRESS|ENTRY|INSTANCE|SEED|TOKEN"
    asks = (
        f'env | grep -E "^FAIRDEAL_({names})=" | sort; echo "$FAIRDEAL_TOKEN $$" > two.fifo; exec sleep 600'
    )
    async with opened(entry("one", STAYS), entry("two", asks)) as venue:
        (token, one), (other, two) = await started(tmp_path, "one"), await started(tmp_path, "two")
        assert token != other
        enter(venue, "one", token)
        enter(venue, "two", token)  # not its token
        await venue.changed.wait()
        assert venue.referee.has_session(("one", ""))
        assert not venue.referee.has_session(("two", ""))
        assert is_alive(one)
    assert not is_alive(one)
    assert not is_alive(two)
    assert lost == []
    address, given, instance, seed, secret = (tmp_path / "logs" / "two.log").read_text().splitlines()[1:6]
    assert address.startswith("FAIRDEAL_ADDRESS=127.0.0.1:")
    assert (given, instance, seed) == (
        "FAIRDEAL_ENTRY=two",
        "FAIRDEAL_INSTANCE=",
        f"FAIRDEAL_SEED={bot_seed('spring', 'two')}",
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
    opened: Open,
    tmp_path: Path,
    lost: list[Lost],
    script: str,
    patience: float,
    text: str,
    output: tuple[str, ...],
) -> None:
    async with opened(entry("one", script), patience=patience, restarts=3) as venue:
        await until_lost(venue, "one")
        assert lost == [venue.lost["one"]] == [Lost("one", text, output, log=tmp_path / "logs" / "one.log")]


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
    log = tmp_path / "logs" / "leaves.log"
    assert lost == [Lost("leaves", "left and did not come back within 1.5 s", (), log=log)]


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
        bots = venue.bots
        assert (venue.lost, bots.failed, bots.host_losses) == ({}, None, Counter({("two", ""): 1}))
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
        await until(venue, lambda: venue.bots.failed)
        text = "one: cannot start: Resource temporarily unavailable"
        log = tmp_path / "logs" / "one.log"
        assert lost == [Lost("one", text, (), by_host=True, log=log)] * MAX_HOST_LOSSES
        assert venue.bots.failed is not None
        times = f"{MAX_HOST_LOSSES} times by no fault of its own ({text}): "
        assert venue.bots.failed.startswith(f"the bot of one was lost {times}")
        assert str(tmp_path / "logs" / "one.log") in venue.bots.failed
        assert venue.lost == {}


@pytest.mark.asyncio
async def test_a_bot_that_leaves_as_it_was_told_is_not_lost(
    opened: Open, tmp_path: Path, lost: list[Lost]
) -> None:
    async with opened(entry("one", "read gate < one.fifo; exit 3"), entry("two", STAYS)) as venue:
        _token, process = await started(tmp_path, "two")
        venue.bots.leave()
        await asyncio.to_thread((tmp_path / "one.fifo").write_text, "go\n")
        assert is_alive(process)
    assert (lost, venue.bots.deserted) == ([], False)


@pytest.mark.asyncio
async def test_a_bot_that_leaves_a_match_when_it_is_told_to_leave_forfeits_nothing(
    opened: Open, tmp_path: Path, lost: list[Lost]
) -> None:
    async with opened(entry("one", "read gate < one.fifo; exit 3"), entry("two", STAYS)) as venue:
        token, _process = await started(tmp_path, "two")
        enter(venue, "two", token)
        playing = venue.referee.play(match("one", "two"))
        venue.bots.leave()
        await asyncio.to_thread((tmp_path / "one.fifo").write_text, "go\n")
        await until(venue, lambda: venue.bots.deserted)
        assert not playing.done()
    assert playing.cancelled()
    assert lost == []


@pytest.mark.asyncio
async def test_what_is_played_at_the_end_goes_on_at_the_next_venue(opened: Open, tmp_path: Path) -> None:
    async with opened(entry("one", STAYS), entry("two", STAYS)) as venue:
        venue.referee.play(match("one", "two"))
    for _ in range(2):
        async with opened(entry("one", STAYS), entry("two", STAYS)) as venue:
            assert venue.venue.recovered == ()
            assert venue.referee.matches() == (match("one", "two"),)
    async with opened(entry("one", STAYS), entry("two", STAYS)) as venue:
        playing = venue.referee.play(match("one", "two"))
        venue.referee.abandon(("one", ""))
        assert (await playing).outcome.forfeited == (0,)
    async with opened(entry("one", STAYS), entry("two", STAYS)) as venue:
        (over,) = venue.venue.recovered
        assert (over.setup, over.outcome.forfeited) == (match("one", "two"), (0,))
        assert venue.referee.matches() == ()
        venue.referee.settle(over)
    async with opened(entry("one", STAYS), entry("two", STAYS)) as venue:
        assert venue.venue.recovered == ()


@pytest.mark.asyncio
async def test_that_its_bots_are_ended_is_no_part_of_a_match(
    opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop = HostedBot.stop

    async def with_its_stream(bot: HostedBot) -> None:
        if session := sessions.pop(bot.name, None):
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
        folder=tmp_path, keys=SeededKeys("spring"), limits=Limits(), durable=durable, others=Tokens({})
    ):
        assert asked == [durable]


@pytest.mark.asyncio
async def test_the_limits_hold(opened: Open, tmp_path: Path) -> None:
    async with opened(entry("one", STAYS)) as venue:
        token, _process = await started(tmp_path, "one")
        enter(venue, "one", token)
        assert venue.referee.free_tables(("one", "")) == 3  # it asks for four


def test_a_house_bot_is_a_command_of_this_python() -> None:
    bot = Entry(name="one", bot="greedy", arguments=("--blunder", "0.1"))
    assert command_of(bot) == ("{python}", "-m", "fairdeal.bots", "greedy", "--blunder", "0.1")
    assert command_of(Entry(name="one", command=("./bot", "fast"))) == ("./bot", "fast")


# Started again


@pytest.fixture
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tournaments.restarts.FIRST_PAUSE", 1000)  # microseconds


async def killed(folder: Path, venue: Place, name: str) -> Session:
    """Have a bot that was started come, and kill it; return its session, whose stream is gone."""
    token, process = await started(folder, name)
    session = enter(venue, name, token)
    await until(venue, lambda: venue.referee.has_session((name, "")))
    os.kill(process, signal.SIGKILL)
    venue.referee.disconnect(session)
    return session


@pytest.mark.asyncio
@pytest.mark.usefixtures("short_pauses")
async def test_a_bot_that_ends_is_started_again_after_growing_pauses_and_lost_in_the_end(
    opened: Open, tmp_path: Path, lost: list[Lost]
) -> None:
    async with opened(entry("one", STAYS), restarts=3) as venue:
        for _ in range(4):
            await killed(tmp_path, venue, "one")
        await until_lost(venue, "one")
    assert [gone.restarts_in for gone in lost] == [1000, 2000, 4000, None]
    assert {gone.text for gone in lost} == {"killed by signal 9 (SIGKILL)"}
    assert not any(gone.by_host for gone in lost)


@pytest.mark.asyncio
@pytest.mark.usefixtures("short_pauses")
async def test_a_bot_that_is_started_again_goes_on_with_its_matches_under_the_same_token(
    opened: Open, tmp_path: Path
) -> None:
    async with opened(entry("one", STAYS), entry("two", STAYS), restarts=1) as venue:
        token, _process = await started(tmp_path, "two")
        enter(venue, "two", token)
        playing = venue.referee.play(match("one", "two"))
        await killed(tmp_path, venue, "one")
        await until(venue, lambda: not venue.referee.has_session(("one", "")))
        token, _process = await started(tmp_path, "one")
        again = enter(venue, "one", token)
        await until(venue, lambda: venue.referee.has_session(("one", "")))
        assert "m-1" in again.seats
        assert not playing.done()
        assert venue.lost == {}


@pytest.mark.asyncio
@pytest.mark.usefixtures("short_pauses")
async def test_a_bot_that_has_used_up_its_restarts_forfeits(opened: Open, tmp_path: Path) -> None:
    async with opened(entry("one", STAYS), entry("two", STAYS), restarts=1) as venue:
        token, _process = await started(tmp_path, "two")
        enter(venue, "two", token)
        playing = venue.referee.play(match("one", "two"))
        for _ in range(2):
            assert not playing.done()
            await killed(tmp_path, venue, "one")
        assert (await playing).outcome.forfeited == (0,)


@pytest.mark.asyncio
async def test_another_version_that_never_comes_is_not_started_again_for_the_one_before(
    opened: Open, tmp_path: Path, lost: list[Lost]
) -> None:
    async with opened(entry("one", STAYS), restarts=3) as venue:
        token, _process = await started(tmp_path, "one")
        enter(venue, "one", token)
        await until(venue, lambda: venue.referee.has_session(("one", "")))
        await venue.bots.end([("one", "")])
        assert venue.bots.running == {}
        venue.bots.start(entry("one", "exit 3"), ("one", ""))
        assert venue.bots.awaits(("one", ""))
        await until_lost(venue, "one")
    assert [(gone.text, gone.restarts_in) for gone in lost] == [("exited with status 3", None)]


@pytest.mark.asyncio
async def test_of_those_who_come_only_its_own_bots_are_remembered(opened: Open, tmp_path: Path) -> None:
    async with opened(entry("one", STAYS)) as venue:
        assert venue.bots.awaits(("one", ""))
        token, _process = await started(tmp_path, "one")
        for instance in range(50):
            venue.venue.arrived(("stranger", str(instance)))
        assert venue.bots.awaits(("one", ""))
        enter(venue, "one", token)
        await until(venue, lambda: not venue.bots.awaits(("one", "")))
        assert len(venue.bots._arrived) == 1


@pytest.mark.asyncio
async def test_after_a_failure_what_could_not_be_kept_is_started_again(
    opened: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scarce(command: HostedCommand, _log: Path) -> HostedBot:
        raise HostFailed(f"{command.entry}: cannot start: Resource temporarily unavailable")

    async with opened() as venue:
        os.mkfifo(tmp_path / "one.fifo")
        with monkeypatch.context() as patch:
            patch.setattr("tournaments.hosting.start", scarce)
            venue.bots.start(entry("one", STAYS), ("one", ""))
            await until(venue, lambda: venue.bots.failed)
            await asyncio.wait(venue.bots._attending.values())
        venue.bots.recover()
        assert (venue.bots.failed, venue.bots.running, venue.bots.host_losses) == (None, {}, Counter())
        venue.bots.start(entry("one", STAYS), ("one", ""))
        _token, process = await started(tmp_path, "one")
        assert is_alive(process)


@pytest.mark.asyncio
async def test_one_that_is_about_to_be_started_again_when_all_leave_forfeits_nothing(
    opened: Open, tmp_path: Path, lost: list[Lost]
) -> None:
    async with opened(entry("one", STAYS), entry("two", STAYS), restarts=1) as venue:
        token, _process = await started(tmp_path, "two")
        enter(venue, "two", token)
        playing = venue.referee.play(match("one", "two"))
        await killed(tmp_path, venue, "one")
        await until(venue, lambda: lost)
        assert lost[0].restarts_in == 500_000  # microseconds, which nobody waits for now
        venue.bots.leave()
        await until(venue, lambda: venue.bots.deserted)
        assert not playing.done()


def test_the_seed_of_a_bot_tells_nothing_of_those_of_others() -> None:
    seeds = {bot_seed("spring", name) for name in ("one", "two")} | {bot_seed("autumn", "one")}
    assert len(seeds) == 3
    assert not any(part in seed for seed in seeds for part in ("spring", "one", "two", ":"))


@pytest.mark.asyncio
async def test_where_hosted_bots_dial_in_they_can_play_and_nothing_else(tmp_path: Path) -> None:
    async with open_venue(
        folder=tmp_path,
        keys=SeededKeys("spring"),
        limits=Limits(),
        durable=False,
        others=Trusting(),
    ) as venue:
        services = [PlayService(venue.referee), MatchService(venue.referee)]
        async with venue.listening(Server(), services, hosts=True, sandboxes=True) as at:
            found = {}
            for address in (at.address, venue.address, venue.socket):
                async with grpc.aio.insecure_channel(address) as channel:
                    call = channel.unary_unary("/fairdeal.v1.MatchService/ListMatches")
                    try:
                        found[address] = await call(b"")
                    except grpc.aio.AioRpcError as error:
                        found[address] = error.code()
            refused = grpc.StatusCode.UNIMPLEMENTED
            assert found == {at.address: b"", venue.address: refused, venue.socket: refused}
