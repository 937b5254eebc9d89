"""Matches that a core reopens after its referee went down in the middle of them."""

import pytest

from referee.cards import ALL_CARDS
from referee.match.faults import Termination
from referee.match.replay import Header
from tests.referee.driven import KeyedDecks
from tests.referee.driven_core import DrivenCore


@pytest.mark.parametrize("fails", [True, False])
def test_a_match_that_failed_just_before_its_referee_went_down_is_void(
    driven_core: type[DrivenCore], fails: bool
) -> None:
    before = driven_core()
    before.seat("hearts")
    (table,) = before.opened
    inputs = [given for _key, given in before.inputs]  # the last of them has the first deck dealt
    header = Header(table.setup, table.owners, table.game.rules_version, table.deals.commitment)
    no_deck = ALL_CARDS[1:]
    after = driven_core(deals=lambda setup, rules: KeyedDecks(decks=[no_deck if fails else ALL_CARDS]))
    restored = after.core.matches.restore(header, inputs, before.now, grace=0)
    outcome = restored.match.outcome
    assert (outcome and outcome.termination) == (Termination.VOID if fails else None)
