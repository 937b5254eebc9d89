"""Whole matches by bots of the SDK through a real socket: records, commitments, the journal."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

import fairdeal
from referee import record
from referee.cards import Seat, cards
from referee.dealing import Epoch, Manifest, verify
from referee.faults import Termination
from referee.games.registry import GAMES
from referee.vault import SeededKeys, Vault

pytestmark = pytest.mark.asyncio
every_game = pytest.mark.parametrize("game", GAMES)


async def played(house: Any, chancer: Any, *setups: Any) -> list[Any]:
    """Have bots of the SDK play matches, and return the bots by entry."""
    bots = {entry: chancer() for setup in setups for entry in setup.entries}
    matches = [house.referee.play(setup) for setup in setups]
    async with asyncio.timeout(10), asyncio.TaskGroup() as group:
        for entry, bot in bots.items():
            wanted = sum(entry in setup.entries for setup in setups)
            group.create_task(
                fairdeal.run_async(bot, house.address, entry=entry, seed=f"bot {entry}", matches=wanted)
            )
        await asyncio.gather(*matches)
    return list(bots.values())


def dealt(lines: Any) -> list[Any]:
    """Return the lines that tell how cards were dealt."""
    return [line for line in lines if line["type"] == "dealt"]


@every_game
async def test_a_match_is_played_and_recorded(serve: Any, setup: Any, chancer: Any, game: str) -> None:
    async with serve() as house:
        bots = await played(house, chancer, setup(game, deals=2))
        (report,) = house.reports
    assert report.outcome.termination is Termination.COMPLETED
    found = record.read(report.path)
    assert (found.header["match_id"], found.header["entries"]) == ("m-1", list("abcd"[: len(bots)]))
    assert [line["deal"] for line in dealt(found.lines)] == [1, 2]
    assert found.lines[-2]["scores"] == list(report.outcome.scores)
    for bot in bots:
        finished = bot.finished["m-1"]
        assert finished.scores == report.outcome.scores
        assert finished.secret.hex() == found.lines[-1]["secret"]


@every_game
@pytest.mark.parametrize("repeatable", [True, False])
async def test_what_was_told_binds_the_deals(
    serve: Any, setup: Any, chancer: Any, tmp_path: Path, game: str, repeatable: bool
) -> None:
    keys = SeededKeys("spring") if repeatable else Vault(tmp_path / "secrets", durable=False)
    match = setup(game, deals=2)
    async with serve(keys=keys) as house:
        bot = (await played(house, chancer, match))[1]
        (report,) = house.reports
    told, secret = bot.seated["m-1"].commitment, bot.finished["m-1"].secret
    assert told.repeatable is repeatable
    deals = dealt(record.read(report.path).lines)
    epoch = Epoch.of_match(
        secret, epoch_id="m-1.1", game=game, options=match.options, deals=2, cards=GAMES[game].cards
    )
    decks = [epoch.deck(0), epoch.deck(1)]
    if game == "hearts":
        hands = [[sorted(deck[at : at + 13]) for at in range(0, 52, 13)] for deck in decks]
        assert [[list(cards(" ".join(hand))) for hand in deal["hands"]] for deal in deals] == hands
        first = epoch.first(4)  # in hearts nobody is told: the two of clubs leads
    else:
        decks = [cards(" ".join(deal["stock"])) for deal in deals]
        first = Seat(deals[0]["first"])
    verify(
        secret,
        Manifest(
            epoch_id=told.epoch_id, game=game, options=match.options, deals=2, commitment=told.commit
        ),
        commitment=told.commit.hex(),
        manifest_digest=told.manifest.hex(),
        cards=GAMES[game].cards,
        decks=decks,
        seats=GAMES[game].seats,
        first=first,
    )
