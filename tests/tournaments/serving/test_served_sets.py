"""Duplicate sets in tournaments of a server, left in the midst of a set; hosted bots are sessions here."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from referee.core.access import Trusting
from referee.core.limits import Limits
from referee.dealing.keys import Vault
from referee.match.effects import Owner
from referee.storage.record import read
from tests.tournaments.cup import HeldBot
from tests.tournaments.served import Lines, nowhere, serving
from tests.workspace import ALONE
from tournaments.plan.instances import owners
from tournaments.plan.plan import Entry
from tournaments.plan.states import Chosen, RulingKind, TournamentState
from tournaments.running import entry_rulings, hosted_bots
from tournaments.running.errors import WrongState
from tournaments.running.hosted_bots import HostedBots
from tournaments.running.referee_host import RefereeHost, open_referee_host
from tournaments.running.rulings import rule
from tournaments.running.tournament import Tournament
from tournaments.running.watch import MatchBegun, MatchFinished
from tournaments.schedule.duplicates import set_of, turn_of
from tournaments.serving.many_tournaments import _TournamentServer

pytestmark = pytest.mark.asyncio

CUP = """game = "two_handed_spades"
format = "FORMAT"
match = { deals = 1, duplicate = true }
clock = "debug"
concurrency = 1
[[entries]]
name = "a"
bot = "greedy"
[[entries]]
name = "b"
bot = "random"
"""
LAPS = 50  # turns of the loop in which all is done that can be
WHY = ("olga", "it was not well")


class HostedHere:
    """Hosted bots without processes; for second turns they come once ``second_turns`` is set."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.second_turns = asyncio.Event()
        self.are_held = False  # those that come then answer nothing
        hosted_here = self

        async def attend(self: HostedBots, entry: Entry, owner: Owner) -> None:
            if owner[1].endswith("turn2"):
                await hosted_here.second_turns.wait()
            token = self._host.admission.token_for(owner)
            bot = HeldBot(self._host.referee, entry.name, instance=owner[1], token=token)
            if hosted_here.are_held:
                bot.open.clear()
            try:
                await asyncio.Event().wait()
            finally:
                bot.leave()

        monkeypatch.setattr(HostedBots, "_attend", attend)
        monkeypatch.setattr(hosted_bots, "LEAVE_SECONDS", 0)  # they do not leave by themselves
        monkeypatch.setattr(RefereeHost, "listening", nowhere)


@pytest.fixture
def bots(monkeypatch: pytest.MonkeyPatch) -> HostedHere:
    return HostedHere(monkeypatch)


class Served:
    """A server of tournaments in a folder, and what it says."""

    def __init__(self, host: RefereeHost, folder: Path) -> None:
        self.said = Lines()
        self.host = host
        self.stopping = asyncio.Event()
        self.server = _TournamentServer(serving(folder, self.said.say), host)
        self.task = asyncio.create_task(self.server.run(self.stopping))

    def tournament(self, name: str) -> Tournament:
        return self.server._manager.tournament(name)

    async def make(self, name: str, text: str) -> Tournament:
        manager = self.server._manager
        return await manager.create(text, manager.plan(text, name))

    async def until_played(self, tournament: Tournament, matches: int) -> None:
        """Wait until so many matches have a result, and what follows from it is done."""
        async with asyncio.timeout(ALONE):
            while tournament.store.played_count() < matches:  # noqa: ASYNC110 - nothing is told of it
                await asyncio.sleep(0)
            for _ in range(LAPS):
                await asyncio.sleep(0)

    async def until_over(self, tournament: Tournament) -> None:
        assert tournament.running
        async with asyncio.timeout(ALONE):
            await tournament.running


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[Served]:
    async with open_referee_host(
        folder=folder,
        keys=Vault(folder / "secrets"),
        limits=Limits(),
        durable=False,
        others=Trusting(),
        shared=None,
    ) as host:
        served = Served(host, folder)
        try:
            await served.said.has("fairdeal listens on ")
            for _ in range(LAPS):
                await asyncio.sleep(0)
            yield served
        finally:
            served.stopping.set()
            served.task.cancel()
            await asyncio.wait({served.task})


def secrets_in(folder: Path) -> set[str]:
    return {path.stem for path in (folder / "secrets").iterdir()}


def check_decks(tournament: Tournament) -> None:
    """Check that both turns of each set had one deck, and that no bot and no set had a deck twice."""
    decks: defaultdict[str, set[str]] = defaultdict(set)
    met: defaultdict[Owner, list[str]] = defaultdict(list)
    for issued, result in tournament.store.results():
        lines = read(tournament.plan.folder / result.record).lines
        stock = str(next(line["stock"] for line in lines if line["type"] == "dealt"))
        decks[set_of(issued.match_id)].add(stock)
        for owner in owners(tournament.plan, issued.entries, turn_of(issued.match_id)):
            met[owner].append(stock)
    assert [len(of_set) for of_set in decks.values()] == [1] * len(decks)
    assert len(set.union(*decks.values())) == len(decks)
    assert all(len(set(each)) == len(each) for each in met.values())


def text(form: str = "round_robin", rounds: int = 1) -> str:
    also = f"rounds = {rounds}\n" if form != "knockout" else ""
    return CUP.replace('format = "FORMAT"\n', f'format = "{form}"\n{also}')


@pytest.mark.parametrize("form", ["round_robin", "swiss", "knockout"])
async def test_sets_left_between_their_turns_go_on_with_their_deals(
    tmp_path: Path, bots: HostedHere, form: str
) -> None:
    async with opened(tmp_path) as served:
        for name in ("cup", "other"):
            made = await served.make(name, text(form))
            made.start()
            await served.until_played(made, 1)
        left = secrets_in(tmp_path)
        assert len(left) == 2
    async with opened(tmp_path) as served:
        assert secrets_in(tmp_path) == left
        bots.second_turns.set()
        for name in ("cup", "other"):
            tournament = served.tournament(name)
            await served.until_over(tournament)
            assert tournament.state is TournamentState.FINISHED
            check_decks(tournament)
            assert {issued.attempt for issued, _result in tournament.store.results()} == {1}
        assert secrets_in(tmp_path) == set()


async def test_a_turn_that_ends_with_a_server_that_is_paused_has_its_set_dealt_anew(
    tmp_path: Path, bots: HostedHere
) -> None:
    async with opened(tmp_path) as served:
        made = await served.make("cup", text())
        made.start()
        await served.until_played(made, 1)
        bots.are_held = True
        with made.watch() as watcher:
            bots.second_turns.set()
            async with asyncio.timeout(ALONE):
                while not isinstance(await anext(watcher), MatchBegun):
                    pass
        made.pause()
    bots.are_held = False
    async with opened(tmp_path) as served:
        tournament = served.tournament("cup")
        assert tournament.state is TournamentState.PAUSED
        tournament.start()
        await served.until_over(tournament)
        assert [issued.attempt for issued, _result in tournament.store.results()] == [2, 2]
        check_decks(tournament)
        assert secrets_in(tmp_path) == set()


async def test_keys_stay_while_a_tournament_cannot_be_opened(tmp_path: Path, bots: HostedHere) -> None:
    async with opened(tmp_path) as served:
        made = await served.make("cup", text())
        made.start()
        await served.until_played(made, 1)
        await served.make("other", text())
    file = tmp_path / "tournaments" / "cup" / "cup.toml"
    before = file.read_text()
    file.write_text("game = 'chess'\n")
    async with opened(tmp_path) as served:
        assert served.said[0].startswith("tournament cup cannot be opened: ")
        assert len(secrets_in(tmp_path)) == 1
    file.write_text(before)
    async with opened(tmp_path) as served:
        bots.second_turns.set()
        await served.until_over(served.tournament("cup"))
        check_decks(served.tournament("cup"))


async def test_a_cancelled_tournament_keeps_no_keys(tmp_path: Path, bots: HostedHere) -> None:
    async with opened(tmp_path) as served:
        made = await served.make("cup", text())
        made.start()
        await served.until_played(made, 1)
        await made.cancel()
    async with opened(tmp_path):
        assert secrets_in(tmp_path) == set()


async def test_nothing_of_a_set_is_told_before_it_is_over(tmp_path: Path, bots: HostedHere) -> None:
    async with opened(tmp_path) as served:
        manager = served.server._manager
        made = await served.make("cup", text())
        with made.watch() as watcher:
            made.start()
            await served.until_played(made, 1)
            seen = await manager.look("cup")
            assert (seen.played, seen.attempts) == (0, {})
            assert [each.matches for each in (await made.standings()).standings] == [0, 0]
            async with asyncio.timeout(ALONE):
                while not isinstance(told := await anext(watcher), MatchBegun):
                    assert not isinstance(told, MatchFinished)
            bots.second_turns.set()
            await served.until_over(made)
            finished = []
            async with asyncio.timeout(ALONE):
                while len(finished) < 2:
                    if isinstance(told := await anext(watcher), MatchFinished):
                        finished.append(turn_of(told.match_id))
        assert sorted(finished) == [0, 1]
        seen = await manager.look("cup")
        assert (seen.played, seen.attempts.total()) == (2, 2)
        assert [each.matches for each in (await made.standings()).standings] == [1, 1]


async def test_a_set_is_ruled_on_while_nobody_plays(tmp_path: Path, bots: HostedHere) -> None:
    async with opened(tmp_path) as served:
        made = await served.make("cup", text())
        made.start()
        await served.until_played(made, 1)
        first = next(issued.match_id for issued, _result in made.store.results())
        with pytest.raises(WrongState, match="pause it until its matches are over, then rule"):
            await rule(made, RulingKind.REPLAY, Chosen([first]), *WHY)
        bots.second_turns.set()
        await served.until_over(made)
        await rule(made, RulingKind.REPLAY, Chosen([first]), *WHY)
        assert made.state is TournamentState.PAUSED
        made.start()
        await served.until_over(made)
        assert [issued.attempt for issued, _result in made.store.results()] == [2, 2]
        check_decks(made)


async def test_an_entry_that_plays_sets_is_ruled_on_while_nobody_plays(
    tmp_path: Path, bots: HostedHere
) -> None:
    async with opened(tmp_path) as served:
        made = await served.make("cup", text())
        made.start()
        await served.until_played(made, 1)
        with pytest.raises(WrongState, match="pause it until its matches are over, then rule"):
            await entry_rulings.rule(made, RulingKind.DISQUALIFY, "a", *WHY, is_struck=True)
        bots.second_turns.set()
        await served.until_over(made)
        await entry_rulings.rule(made, RulingKind.DISQUALIFY, "a", *WHY, is_struck=True)
        assert (made.state, list(made.store.results())) == (TournamentState.FINISHED, [])
        await entry_rulings.rule(made, RulingKind.REINSTATE, "a", *WHY)
        assert made.state is TournamentState.FINISHED
        check_decks(made)
