"""The deals of one match: from the key of its epoch, and checkable with what is told."""

from typing import Any

import pytest

from referee.dealing.decks import MatchDeals
from referee.dealing.keys import SeededKeys
from referee.dealing.scheme import Epoch, Manifest, commit, seeded_secret, verify
from referee.games.registry import GAMES
from tests.referee.driven_core import DrivenCore


def deals_of(driven_core: Any, game: str, *, seed: str = "s", **setup: Any) -> tuple[Any, MatchDeals]:
    table = driven_core().create(game, **setup)
    return table.setup, MatchDeals(table.setup, GAMES[game], SeededKeys(seed))


def test_a_seed_that_people_choose_can_be_guessed_from_what_every_bot_is_told(
    driven_core: type[DrivenCore],
) -> None:
    setup, deals = deals_of(driven_core, "hearts", seed="spring", deals=1)
    told = deals.commitment
    (seed,) = (
        word
        for word in ("winter", "spring", "summer", "autumn")
        if commit(told.epoch_id, seeded_secret(word, told.epoch_id)) == told.commit
    )
    foreseen = Epoch.of_match(
        seeded_secret(seed, told.epoch_id),
        epoch_id=told.epoch_id,
        game="hearts",
        options=setup.options,
        deals=1,
        cards=GAMES["hearts"].cards,
    )
    assert foreseen.deck(0) == deals.deck(0)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("number", [None, 3])
def test_the_announced_commitment_binds_every_deal(
    driven_core: type[DrivenCore], game: str, number: int | None
) -> None:
    setup, deals = deals_of(driven_core, game, deals=number)
    told = deals.commitment
    assert (told.scheme, told.epoch_id, told.repeatable) == ("fairdeal/2", "m-1.1", True)
    options = GAMES[game].listed(setup.options)
    manifest = Manifest(epoch_id="m-1.1", game=game, options=options, deals=number, commitment=told.commit)
    verify(
        deals.secret,
        manifest,
        commitment=told.commit.hex(),
        manifest_digest=manifest.digest().hex(),
        cards=GAMES[game].cards,
        decks=[deals.deck(deal) for deal in range(5)],
        seats=GAMES[game].seats,
        first=deals.first(GAMES[game].seats),
    )


def test_each_match_attempt_and_seed_has_deals_of_its_own(driven_core: type[DrivenCore]) -> None:
    others: list[dict[str, Any]] = [{}, {"match_id": "m-2"}, {"attempt": 2}, {"seed": "t"}]
    made = [deals_of(driven_core, "hearts", **other)[1] for other in others]
    assert len({deals.deck(0) for deals in made}) == len({deals.secret for deals in made}) == 4
    assert deals_of(driven_core, "hearts")[1].deck(0) == made[0].deck(0)


def test_an_id_that_cannot_be_a_file_name_is_refused(driven_core: type[DrivenCore]) -> None:
    with pytest.raises(ValueError, match="cannot be a file name"):
        deals_of(driven_core, "hearts", match_id="../m")
