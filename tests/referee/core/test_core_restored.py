"""Matches that a core reopens after its referee went down in the middle of them."""

from dataclasses import replace

import pytest

from referee.cards import ALL_CARDS
from referee.core import restoring
from referee.core.running_match import RunningMatch
from referee.match.effects import Effect, Input, Tell
from referee.match.faults import Termination
from referee.match.match import Match
from referee.match.messages import Happened
from referee.match.replay import Header, apply
from tests.referee.driven import KeyedDecks
from tests.referee.driven_core import DrivenCore


def header_of(table: RunningMatch) -> Header:
    return Header(table.setup, table.owners, table.game.rules_version, table.deals.commitment)


@pytest.mark.parametrize("fails", [True, False])
def test_a_match_that_failed_just_before_its_referee_went_down_is_void(
    driven_core: type[DrivenCore], fails: bool
) -> None:
    before = driven_core()
    before.seat("hearts")
    (table,) = before.opened
    inputs = [given for _key, given in before.inputs]  # the last of them has the first deck dealt
    no_deck = ALL_CARDS[1:]
    after = driven_core(deals=lambda setup, rules: KeyedDecks(decks=[no_deck if fails else ALL_CARDS]))
    restored = after.core.matches.restore(header_of(table), inputs, before.now, grace=0)
    outcome = restored.match.outcome
    assert (outcome and outcome.termination) == (Termination.VOID if fails else None)


def test_a_match_that_was_void_already_does_not_fail_again(
    driven_core: type[DrivenCore], caplog: pytest.LogCaptureFixture
) -> None:
    no_deck = KeyedDecks(decks=[ALL_CARDS[1:]])
    before = driven_core(deals=lambda setup, rules: no_deck)
    before.seat("hearts")
    (table,) = before.opened
    caplog.clear()
    after = driven_core(deals=lambda setup, rules: no_deck)
    inputs = [given for _key, given in before.inputs]
    restored = after.core.matches.restore(header_of(table), inputs, before.now, grace=0)
    assert restored.match.outcome == table.match.outcome
    assert not caplog.records


def test_a_match_wakes_when_it_would_have(driven_core: type[DrivenCore]) -> None:
    before = driven_core()
    guests = before.seat("hearts")
    before.now = 20
    guests[0].answer()
    (table,) = before.opened
    after = driven_core()
    inputs = [given for _key, given in before.inputs]
    after.core.matches.restore(header_of(table), inputs, before.now, grace=0)
    assert after.core.matches.next_wake == before.core.matches.next_wake


def test_no_events_are_made_for_seats_while_a_match_is_restored(
    driven_core: type[DrivenCore], monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Effect] = []

    def noted(match: Match, given: Input) -> list[Effect]:
        effects = apply(match, given)
        made.extend(effects)
        return effects

    before = driven_core()
    before.seat("hearts")
    (table,) = before.opened
    inputs = [given for _key, given in before.inputs]
    monkeypatch.setattr(restoring, "apply", noted)
    driven_core().core.matches.restore(header_of(table), inputs, before.now, grace=0)
    assert made
    assert not [each for each in made if isinstance(each, Tell) and isinstance(each.update, Happened)]


def test_a_match_that_cannot_go_on_ends_once(driven_core: type[DrivenCore]) -> None:
    before = driven_core()
    before.seat("hearts")
    (table,) = before.opened
    header = replace(header_of(table), rules_version=table.game.rules_version + 1)
    inputs = [given for _key, given in before.inputs]
    first = driven_core().core.matches.restore(header, inputs, 20, grace=0)
    assert first.match.outcome and first.match.outcome.termination is Termination.VOID
    inputs = [entry for entry in first.log if isinstance(entry, Input)]
    assert driven_core().core.matches.restore(header, inputs, 30, grace=0).log == first.log
