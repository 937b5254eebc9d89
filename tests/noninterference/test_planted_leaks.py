"""Leaks of every kind are planted, and the harness must find each: it could not fail without that."""

import os
from collections.abc import Sequence
from typing import Any, Final

import pytest

from referee.cards import Card, Rank, Seat, Suit, cards, rank_of, suit_of
from referee.games.actions import Action, Choose, ChooseCards, ChooseCombinations, ChooseFurther, Legal
from referee.games.piquet.events import Phase, PiquetRound
from referee.games.registry import GAMES
from tests.choices import Choices
from tests.noninterference import drive, leaks, leaks_on_return
from tests.noninterference.adaptor import Observer
from tests.noninterference.adaptors import ADAPTORS
from tests.noninterference.check import POSITIONS_A_PHASE, check_phase
from tests.noninterference.piquet import PiquetAdaptor, dealt_for_sure
from tests.noninterference.window import END, Leak

LONG: Final = os.environ.get("FAIRDEAL_LONG") == "1"

EVERYWHERE: Final = (
    leaks.card_in_the_view,
    leaks.card_in_an_event,
    leaks.card_in_a_legal_list,
    leaks.card_in_an_error_text,
    leaks.count_in_the_view,
    leaks.fault_of_another,
    leaks.global_decision_ids,
    leaks.global_sequence,
    leaks.size_of_a_frame,
    leaks.time_of_release,
    leaks.forced_cards_are_not_asked,
)
ON_RETURN: Final = (
    leaks_on_return.card_in_the_view_told_again,
    leaks_on_return.clock_that_stands_by_a_hand,
    leaks_on_return.decision_of_another_told_again,
    leaks_on_return.events_of_all_again,
    leaks_on_return.events_of_another_from_the_resume_point,
    leaks_on_return.faults_of_all_told_again,
    leaks_on_return.numbers_anew_after_a_restart,
    leaks_on_return.resume_point_moved_by_a_hand,
)
SOMEWHERE: Final = (
    (leaks.discards_after_the_deal, "euchre", END),
    (leaks.discards_after_the_deal, "piquet", END),
    (leaks.discards_after_the_deal, "two_handed_spades", END),
    (leaks.order_of_passing, "hearts", "play"),
    (leaks.only_holders_are_asked, "piquet", "blank"),
    (leaks.told_too_early, "hearts", "pass"),
    (leaks.told_too_early, "spades", "blind"),
)
CASES: Final = [*((plant, name, "play") for plant in EVERYWHERE for name in GAMES), *SOMEWHERE]


class LedAdaptor(PiquetAdaptor):
    """Elder holds certain cards, exchanges only the seven among them, and declares all but what it sinks."""

    def __init__(self, hand: str, sinks: PiquetRound | None = None, younger: str = "") -> None:
        self._hand = cards(hand)
        self._sinks = sinks
        self._younger = cards(younger)

    def deck(self, phase: str, state: Any, chance: Choices) -> Sequence[Card]:
        elder = 1 - state.elder if state.deal_number else state.elder
        return dealt_for_sure(chance.shuffled(self.game.cards), elder, self._hand, self._younger)

    def choose(self, phase: str, state: Any, seat: Seat, legal: Legal, chance: Choices) -> Action:
        if seat != state.elder or state.phase == Phase.PLAY:
            return chance.action(legal)
        if isinstance(legal, Choose):
            return ChooseCards(tuple(c for c in self._hand if rank_of(c) == Rank.SEVEN))
        if isinstance(legal, ChooseFurther):
            return ChooseCombinations(legal.combinations)
        sinks = state.phase == Phase.DECLARE and state.round == self._sinks
        return legal.actions[0 if sinks else -1]


@pytest.mark.parametrize(
    ("plant", "name", "phase"), CASES, ids=[f"{plant.__name__}-{name}" for plant, name, _ in CASES]
)
def test_a_planted_leak_is_found(
    plant: leaks.Plant, name: str, phase: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch, name)
    with pytest.raises(Leak, match=name):
        check_phase(ADAPTORS[name], phase, POSITIONS_A_PHASE, "planted")


@pytest.mark.parametrize("name", GAMES if LONG else ["two_handed_spades"])
@pytest.mark.parametrize("plant", ON_RETURN, ids=lambda plant: plant.__name__)
def test_a_leak_to_a_bot_that_is_back_is_found(
    plant: leaks.Plant, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drive, "RESTARTS", 15)  # so that few windows must be driven
    plant(monkeypatch, name)
    with pytest.raises(Leak, match=name):
        check_phase(ADAPTORS[name], "play", POSITIONS_A_PHASE, "planted")


def test_a_repique_told_before_elder_leads_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    # two quatorzes and a point, which are a repique unless younger has a sequence
    adaptor = LedAdaptor("AS KS AH KH AD KD AC KC QS JS 9S 7D", PiquetRound.SEQUENCE)
    leaks.told_too_early(monkeypatch, "piquet")
    with pytest.raises(Leak, match="piquet"):
        check_phase(adaptor, "play", POSITIONS_A_PHASE, "planted")


def test_the_top_of_a_sequence_told_unasked_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    # younger has a longer sequence and need not ask; of other cards of its suit elder's is as long and higher
    adaptor = LedAdaptor("AS AH QD JD TD 7D", younger="AC KC QC JC TC")
    groups = adaptor.groups

    def of_elders_suit(past: Sequence[Any], observer: Observer) -> list[list[Card]]:
        return [[c for c in group if suit_of(c) == Suit.DIAMONDS] for group in groups(past, observer)]

    monkeypatch.setattr(adaptor, "groups", of_elders_suit)
    leaks.top_of_a_sequence(monkeypatch, "piquet")
    with pytest.raises(Leak, match="piquet"):
        check_phase(adaptor, "declare", POSITIONS_A_PHASE, "sequence")


def test_the_order_of_further_combinations_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    adaptor = LedAdaptor("AS KS QS JS AH KH QH JH AD KD QD 7D")
    leaks.order_of_further(monkeypatch, "piquet")
    with pytest.raises(Leak, match="piquet"):
        check_phase(adaptor, "play", POSITIONS_A_PHASE, "planted")
