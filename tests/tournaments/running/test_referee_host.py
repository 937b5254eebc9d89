"""A referee host and its hosted bots, with real processes: what they are given, and how they end with it."""

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import grpc
import pytest

import referee.server.opening
from fairdeal.v1 import play_service_pb2 as pb
from referee.core.access import Tokens, Trusting
from referee.core.limits import Limits
from referee.core.session import Session
from referee.dealing.keys import SeededKeys
from referee.server.listen import listening
from referee.server.match_service import MatchService
from referee.server.play_service import PlayService
from referee.storage.journal import Journal
from tests.tournaments.host_under_test import STAYS, WAITS, Open, entry, is_alive, match
from tournaments.hosting import bot_process
from tournaments.hosting.bot_process import HostedBot, HostedCommand
from tournaments.plan.plan import Entry, Server
from tournaments.running.hosted import Lost
from tournaments.running.hosted_bots import bot_seed
from tournaments.running.referee_host import open_referee_host


@pytest.mark.asyncio
async def test_bots_are_given_what_they_need_and_end_with_the_venue(
    open_host: Open, tmp_path: Path, lost: list[Lost]
) -> None:
    names = "ADDRESS|ENTRY|INSTANCE|SEED|TOKEN"
    asks = (
        f'env | grep -E "^FAIRDEAL_({names})=" | sort; echo "$FAIRDEAL_TOKEN $$" > two.fifo; exec sleep 600'
    )
    async with open_host(entry("one", STAYS), entry("two", asks)) as tested:
        (token, one), (other, two) = await tested.started("one"), await tested.started("two")
        assert token != other
        tested.enter("one", token)
        tested.enter("two", token)  # not its token
        await tested.changed.wait()
        assert tested.referee.core.sessions.is_here(("one", ""))
        assert not tested.referee.core.sessions.is_here(("two", ""))
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
@pytest.mark.parametrize(("hosts", "shares"), [(False, [10]), (True, [5, 5])])
async def test_the_address_of_hosted_bots_shares_the_connections(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hosts: bool, shares: list[int]
) -> None:
    given: list[int | None] = []

    def noted(*args: Any, connections: int | None = None, **options: Any) -> Any:
        given.append(connections)
        return listening(*args, connections=connections, **options)

    monkeypatch.setattr("tournaments.running.referee_host.listening", noted)
    monkeypatch.setattr("tournaments.running.referee_host.shared", nullcontext)
    async with (
        open_referee_host(
            folder=tmp_path,
            keys=SeededKeys("spring"),
            limits=Limits(connections=10),
            durable=False,
            others=Tokens({}),
        ) as host,
        host.listening(Server(listen="127.0.0.1:0"), [], hosts=hosts),
    ):
        assert given == shares


@pytest.mark.asyncio
async def test_at_the_end_bots_are_told_to_leave(open_host: Open) -> None:
    async with open_host(entry("one", STAYS)) as tested:
        token, _process = await tested.started("one")
        session = tested.enter("one", token)
        await tested.changed.wait()
    updates = [
        update
        for frame in iter(session.next_frame, None)
        for update in pb.PlayResponse.FromString(frame).updates
    ]
    assert pb.NOTICE_KIND_DRAINING in [update.notice.kind for update in updates]


@pytest.mark.asyncio
async def test_the_end_by_an_error_ends_the_bots_too(open_host: Open) -> None:
    with pytest.raises(KeyError):
        async with open_host(entry("one", STAYS)) as tested:
            _token, process = await tested.started("one")
            raise KeyError
    assert not is_alive(process)


@pytest.mark.asyncio
async def test_a_bot_that_leaves_as_it_was_told_is_not_lost(open_host: Open, lost: list[Lost]) -> None:
    async with open_host(entry("one", WAITS), entry("two", STAYS)) as tested:
        _token, process = await tested.started("two")
        tested.bots.leave()
        tested.release("one")
        assert is_alive(process)
    assert (lost, tested.bots.deserted) == ([], False)


@pytest.mark.asyncio
async def test_a_bot_that_leaves_a_match_when_it_is_told_to_leave_forfeits_nothing(
    open_host: Open, lost: list[Lost]
) -> None:
    async with open_host(entry("one", WAITS), entry("two", STAYS)) as tested:
        token, _process = await tested.started("two")
        tested.enter("two", token)
        playing = tested.referee.play(match("one", "two"))
        tested.bots.leave()
        tested.release("one")
        await tested.until(lambda: tested.bots.deserted)
        assert not playing.done()
    assert playing.cancelled()
    assert lost == []


@pytest.mark.asyncio
async def test_running_matches_at_the_end_resume_at_the_next_start(open_host: Open) -> None:
    async with open_host(entry("one", STAYS), entry("two", STAYS)) as tested:
        tested.referee.play(match("one", "two"))
    for _ in range(2):
        async with open_host(entry("one", STAYS), entry("two", STAYS)) as tested:
            assert tested.host.recovered == ()
            assert tested.referee.core.matches.setups == (match("one", "two"),)
    async with open_host(entry("one", STAYS), entry("two", STAYS)) as tested:
        playing = tested.referee.play(match("one", "two"))
        tested.referee.abandon(("one", ""))
        assert (await playing).outcome.forfeited == (0,)
    async with open_host(entry("one", STAYS), entry("two", STAYS)) as tested:
        (over,) = tested.host.recovered
        assert (over.setup, over.outcome.forfeited) == (match("one", "two"), (0,))
        assert tested.referee.core.matches.setups == ()
        tested.referee.settle(over)
    async with open_host(entry("one", STAYS), entry("two", STAYS)) as tested:
        assert tested.host.recovered == ()


@pytest.mark.asyncio
async def test_that_its_bots_are_ended_is_no_part_of_a_match(
    open_host: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start, stop = bot_process.start, HostedBot.stop
    watched: set[str] = set()

    async def start_and_tell(command: HostedCommand, logs: Path) -> HostedBot:
        bot = await start(command, logs)
        watched.add(bot.name)
        tested.changed.set()
        return bot

    async def with_its_stream(bot: HostedBot) -> None:
        if session := sessions.pop(bot.name, None):
            tested.referee.disconnect(session)
        await stop(bot)

    monkeypatch.setattr(bot_process, "start", start_and_tell)
    monkeypatch.setattr(HostedBot, "stop", with_its_stream)
    sessions: dict[str, Session] = {}
    async with open_host(entry("one", STAYS), entry("two", STAYS)) as tested:
        for name in ("one", "two"):
            token, _process = await tested.started(name)
            sessions[name] = tested.enter(name, token)
        tested.referee.play(match("one", "two"))
        await tested.until(lambda: len(watched) == 2)  # one that is still being started ends in another way
    assert sessions == {}
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

    monkeypatch.setattr(referee.server.opening, "Journal", journal)
    async with open_referee_host(
        folder=tmp_path, keys=SeededKeys("spring"), limits=Limits(), durable=durable, others=Tokens({})
    ):
        assert asked == [durable]


@pytest.mark.asyncio
async def test_the_limits_hold(open_host: Open) -> None:
    async with open_host(entry("one", STAYS)) as tested:
        token, _process = await tested.started("one")
        tested.enter("one", token)
        assert tested.referee.core.sessions.free_tables(("one", "")) == 3  # it asks for four


def test_a_house_bot_is_a_command_of_this_python() -> None:
    bot = Entry(name="one", bot="greedy", arguments=("--blunder", "0.1"))
    assert bot.command_line == ("{python}", "-m", "fairdeal.bots", "greedy", "--blunder", "0.1")
    assert Entry(name="one", command=("./bot", "fast")).command_line == ("./bot", "fast")


@pytest.mark.asyncio
async def test_of_those_who_come_only_its_own_bots_are_remembered(open_host: Open) -> None:
    async with open_host(entry("one", STAYS)) as tested:
        assert tested.bots.awaits(("one", ""))
        token, _process = await tested.started("one")
        for instance in range(50):
            tested.host.arrived(("stranger", str(instance)))
        assert tested.bots.awaits(("one", ""))
        tested.enter("one", token)
        await tested.until(lambda: not tested.bots.awaits(("one", "")))
        assert len(tested.bots._arrived) == 1


def test_the_seed_of_a_bot_tells_nothing_of_those_of_others() -> None:
    seeds = {bot_seed("spring", name) for name in ("one", "two")} | {bot_seed("autumn", "one")}
    assert len(seeds) == 3
    assert not any(part in seed for seed in seeds for part in ("spring", "one", "two", ":"))


@pytest.mark.asyncio
async def test_where_hosted_bots_dial_in_they_can_play_and_nothing_else(tmp_path: Path) -> None:
    async with open_referee_host(
        folder=tmp_path,
        keys=SeededKeys("spring"),
        limits=Limits(),
        durable=False,
        others=Trusting(),
    ) as host:
        services = [PlayService(host.referee), MatchService(host.referee)]
        async with host.listening(Server(), services, hosts=True) as at, host.socket(("one", "")) as own:
            found = {}
            for address in (at.address, host.address, own):
                async with grpc.aio.insecure_channel(address) as channel:
                    call = channel.unary_unary("/fairdeal.v1.MatchService/ListMatches")
                    try:
                        found[address] = await call(b"")
                    except grpc.aio.AioRpcError as error:
                        found[address] = error.code()
            refused = grpc.StatusCode.UNIMPLEMENTED
            assert found == {at.address: b"", host.address: refused, own: refused}
