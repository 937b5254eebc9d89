"""The deals of one match: from the key of its epoch, and checkable with what is told."""

from typing import Any

import pytest

from referee.dealing import Manifest, verify
from referee.deals import MatchDeals
from referee.games.registry import GAMES
from referee.vault import SeededKeys


def deals_of(lobby: Any, game: str, *, seed: str = "s", **setup: Any) -> tuple[Any, MatchDeals]:
    table = lobby().create(game, **setup)
    return table.setup, MatchDeals(table.setup, GAMES[game], SeededKeys(seed))


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("number", [None, 3])
def test_what_is_told_binds_every_deal(lobby: Any, game: str, number: int | None) -> None:
    setup, deals = deals_of(lobby, game, deals=number)
    told = deals.commitment
    assert (told.scheme, told.epoch_id, told.repeatable) == ("fairdeal/1", "m-1.1", True)
    manifest = Manifest(
        epoch_id="m-1.1", game=game, options=setup.options, deals=number, commitment=told.commit
    )
    verify(
        deals.secret,
        manifest,
        commitment=told.commit.hex(),
        manifest_digest=told.manifest.hex(),
        cards=GAMES[game].cards,
        decks=[deals.deck(deal) for deal in range(5)],
        seats=GAMES[game].seats,
        first=deals.first(GAMES[game].seats),
    )


def test_each_match_attempt_and_seed_has_deals_of_its_own(lobby: Any) -> None:
    others: list[dict[str, Any]] = [{}, {"match_id": "m-2"}, {"attempt": 2}, {"seed": "t"}]
    made = [deals_of(lobby, "hearts", **other)[1] for other in others]
    assert len({deals.deck(0) for deals in made}) == len({deals.secret for deals in made}) == 4
    assert deals_of(lobby, "hearts")[1].deck(0) == made[0].deck(0)


def test_an_id_that_cannot_be_a_file_name_is_refused(lobby: Any) -> None:
    with pytest.raises(ValueError, match="cannot be a file name"):
        deals_of(lobby, "hearts", match_id="../m")
