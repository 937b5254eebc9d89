"""Whole matches by bots of the SDK through a real socket: records, commitments, the journal."""

import asyncio
import gzip
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import fairdeal
from fairdeal.testing import Arena
from referee.cards import Card, Seat, cards
from referee.core.core import OpenTable
from referee.dealing import binding
from referee.dealing.keys import SeededKeys, Vault
from referee.dealing.scheme import Epoch, Manifest, verify
from referee.games.registry import GAMES
from referee.match.clock import PROFILES
from referee.match.faults import FaultPolicy, Termination
from referee.storage import record, record_files
from tests.server.conftest import Chancer, Serve, Setup
from tests.workspace import PATIENCE

pytestmark = pytest.mark.asyncio
every_game = pytest.mark.parametrize("game", GAMES)


async def played(served: Any, chancer: Any, *setups: Any) -> list[Any]:
    """Have bots of the SDK play matches, and return the bots by entry."""
    bots = {entry: chancer() for setup in setups for entry in setup.entries}
    matches = [served.referee.play(setup) for setup in setups]
    async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as group:
        for entry, bot in bots.items():
            wanted = sum(entry in setup.entries for setup in setups)
            group.create_task(
                fairdeal.run_async(bot, served.address, entry=entry, seed=f"bot {entry}", matches=wanted)
            )
        await asyncio.gather(*matches)
    return list(bots.values())


def dealt(lines: Any) -> list[Any]:
    """Return the lines that tell how cards were dealt."""
    return [line for line in lines if line["type"] == "dealt"]


@every_game
async def test_a_match_is_played_and_recorded(
    serve: Serve, setup: Setup, chancer: type[Chancer], game: str
) -> None:
    async with serve() as served:
        bots = await played(served, chancer, setup(game, deals=2))
        (report,) = served.reports
    assert report.outcome.termination is Termination.COMPLETED
    found = record.read(report.path)
    assert (found.header["match_id"], found.header["entries"]) == ("m-1", list("abcd"[: len(bots)]))
    assert [line["deal"] for line in dealt(found.lines)] == [1, 2]
    assert found.lines[-2]["scores"] == list(report.outcome.scores)
    for bot in bots:
        finished = bot.finished["m-1"]
        assert finished.scores == report.outcome.scores
        assert finished.secret.hex() == found.lines[-1]["secret"]


def shown(deal: Any) -> list[list[Card]]:
    """Return the cards of a deal as the record shows them: the hands, and what is left in its order."""
    rest = [*deal.get("stock", ()), *deal.get("talon", ()), *deal.get("unseen", ())]
    if "upcard" in deal:
        rest.insert(0, deal["upcard"])
    return [list(cards(" ".join(names))) for names in (*deal.get("hands", ()), rest)]


def in_blocks(deck: Sequence[Card], deal: Any) -> list[list[Card]]:
    """Return a deck as its deal should show it: a sorted block for each hand, then the rest."""
    hands = deal.get("hands", ())
    size = len(hands[0]) if hands else 0
    blocks = [sorted(deck[size * seat : size * seat + size]) for seat in range(len(hands))]
    return [*blocks, list(deck[size * len(hands) :])]


def first_of(deal: Any, epoch: Epoch, seats: int) -> Seat:
    """Return the seat that was drawn to begin, as the first deal tells it."""
    if "elder" in deal:
        return Seat(1 - deal["elder"])  # the other one deals
    # in hearts nobody is told: the two of clubs leads
    return Seat(deal.get("dealer", deal.get("first", epoch.first(seats))))


@every_game
@pytest.mark.parametrize("repeatable", [True, False])
async def test_what_was_told_binds_the_deals(
    serve: Serve, setup: Setup, chancer: type[Chancer], tmp_path: Path, game: str, repeatable: bool
) -> None:
    keys = SeededKeys("spring") if repeatable else Vault(tmp_path / "secrets", durable=False)
    match = setup(game, deals=2)
    async with serve(keys=keys) as served:
        bot = (await played(served, chancer, match))[1]
        (report,) = served.reports
    told, secret = bot.seated["m-1"].commitment, bot.finished["m-1"].secret
    assert told.repeatable is repeatable
    deals = dealt(record.read(report.path).lines)
    options = GAMES[game].listed(match.options)
    epoch = Epoch.of_match(
        secret, epoch_id="m-1.1", game=game, options=options, deals=2, cards=GAMES[game].cards
    )
    decks = [epoch.deck(0), epoch.deck(1)]
    assert [shown(deal) for deal in deals] == [
        in_blocks(deck, deal) for deck, deal in zip(decks, deals, strict=True)
    ]
    manifest = Manifest(epoch_id=told.epoch_id, game=game, options=options, deals=2, commitment=told.commit)
    bound = binding.fields(
        match,
        rules_version=GAMES[game].rules_version,
        repeatable=repeatable,
        epoch_digest=manifest.digest(),
    )
    assert told.manifest == binding.digest(secret, bound)
    verify(
        secret,
        manifest,
        commitment=told.commit.hex(),
        manifest_digest=manifest.digest().hex(),
        cards=GAMES[game].cards,
        decks=decks,
        seats=GAMES[game].seats,
        first=first_of(deals[0], epoch, GAMES[game].seats),
    )


async def events_of(serve: Any, setup: Any, chancer: Any, **options: Any) -> list[Any]:
    """Play a match of hearts and return what happened in it, without what was said and when."""
    async with serve(**options) as served:
        await played(served, chancer, setup("hearts"))
        (report,) = served.reports
    return [
        timeless(line) for line in record.read(report.path).lines if line["type"] not in ("input", "reveal")
    ]


def timeless(line: dict[str, Any]) -> dict[str, Any]:
    """Return a line of a record without the time that the bots took."""
    return {name: value for name, value in line.items() if name != "times"}


async def test_a_seed_repeats_the_match(serve: Serve, setup: Setup, chancer: type[Chancer]) -> None:
    once = await events_of(serve, setup, chancer, keys=SeededKeys("spring"))
    again = await events_of(serve, setup, chancer, keys=SeededKeys("spring"))
    other = await events_of(serve, setup, chancer, keys=SeededKeys("summer"))
    assert once == again
    assert dealt(once) != dealt(other)


@every_game
async def test_the_arena_plays_the_same_match(
    serve: Serve, setup: Setup, chancer: type[Chancer], game: str
) -> None:
    async with serve(keys=SeededKeys("spring")) as served:
        match = served.referee.play(setup(game, deals=2))
        async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as group:
            for entry in "abcd"[: GAMES[game].seats]:
                group.create_task(
                    fairdeal.run_async(chancer(), served.address, entry=entry, seed="spring", matches=1)
                )
            path = (await match).path
    arena = Arena(SeededKeys("spring"))
    bots = [chancer() for _ in range(GAMES[game].seats)]
    log = arena.play(game, bots, match_id="m-1", deals=2, bot_seed="spring").log
    in_process = gzip.decompress(record.encode({"type": "header"}, log, b"")).splitlines()[1:-1]
    told = [timeless(line) for line in map(json.loads, in_process) if line["type"] != "input"]
    lines = record.read(path).lines
    assert [timeless(line) for line in lines if line["type"] not in ("input", "reveal")] == told


async def test_without_a_seed_no_match_is_like_another(
    serve: Serve, setup: Setup, chancer: type[Chancer], tmp_path: Path
) -> None:
    keys = [Vault(tmp_path / name, durable=False) for name in ("one", "two")]
    once, again = [await events_of(serve, setup, chancer, keys=key) for key in keys]
    assert dealt(once) != dealt(again)


async def test_many_matches_at_once_leave_records_and_no_journal(
    serve: Serve, setup: Setup, chancer: type[Chancer], tmp_path: Path
) -> None:
    pairs = [("a", "b"), ("a", "c"), ("b", "c"), ("c", "a")]
    setups = [setup(match_id=f"m-{number}", entries=pair) for number, pair in enumerate(pairs)]
    async with serve(address=f"unix:{tmp_path}/s") as served:
        await played(served, chancer, *setups)
        assert len(served.referee.core.matches) == 0
        assert b'"outcome"' not in served.journal and b'"m-3"' in served.journal
        for report in served.reports:
            served.referee.settle(report)
    assert list((served.folder / "journal").iterdir()) == []
    names = [path.name for path in record_files.in_folder(served.folder / "records")]
    assert names == [f"m-{number}.1.jsonl.gz" for number in range(4)]
    for report in served.reports:
        found = record.read(report.path)
        assert found.header["entries"] == list(report.setup.entries)
        assert found.header["started"] == report.started
        assert hashlib.sha256(report.path.read_bytes()).hexdigest() == report.sha256
        assert report.duration > 0
        assert [faults.total for faults in report.outcome.faults] == [0, 0]


async def test_the_open_table_seats_whoever_comes(serve: Serve, chancer: type[Chancer]) -> None:
    table = OpenTable(
        game="two_handed_spades",
        options=GAMES["two_handed_spades"].bind({}),
        deals=1,
        clock=PROFILES["debug"],
        faults=FaultPolicy(),
    )
    async with serve(open_tables=[table]) as served:
        async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as group:
            for entry in "abcd":
                group.create_task(fairdeal.run_async(chancer(), served.address, entry=entry, matches=1))
        await served.referee.gone(4)
    assert sorted(report.setup.match_id for report in served.reports) == [
        "two_handed_spades-0",
        "two_handed_spades-1",
    ]
    assert sorted(entry for report in served.reports for entry in report.setup.entries) == list("abcd")


async def test_a_bot_that_fails_forfeits_once_it_is_given_up(
    serve: Serve, setup: Setup, chancer: type[Chancer]
) -> None:
    def clueless(_decision: fairdeal.Decision) -> fairdeal.Answer:
        raise RuntimeError("no idea")

    async with serve() as served:
        match = served.referee.play(setup())
        async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as group:
            group.create_task(fairdeal.run_async(chancer(), served.address, entry="a", matches=1))
            with pytest.raises(RuntimeError, match="no idea"):
                await fairdeal.run_async(clueless, served.address, entry="b", on_error="stop")
            await served.referee.gone()
            served.referee.abandon(("b", ""))
            outcome = (await match).outcome
    assert (outcome.termination, outcome.ranks) == (Termination.FORFEIT, (1, 2))
    assert outcome.faults[1].sessions_lost == 1
    assert outcome.faults[1].disconnected == 1
