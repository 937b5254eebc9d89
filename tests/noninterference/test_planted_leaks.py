"""Leaks of every kind are planted, and the harness must find each: it could not fail without that."""

from collections.abc import Sequence
from typing import Any, Final

import pytest

from referee.cards import Card, Rank, Seat, cards, rank_of
from referee.games.actions import Action, Choose, ChooseCards, ChooseCombinations, ChooseFurther, Legal
from referee.games.piquet.events import Phase, Round
from referee.games.registry import GAMES
from tests.noninterference import leaks
from tests.noninterference.adaptors import ADAPTORS
from tests.noninterference.chance import Chance
from tests.noninterference.check import check_phase
from tests.noninterference.piquet import PiquetAdaptor, dealt_for_sure
from tests.noninterference.window import END, Leak

ENOUGH: Final = 300
"""At so many positions a leak must have been found, mostly at the first few."""

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
SOMEWHERE: Final = (
    (leaks.discards_after_the_deal, "euchre", END),
    (leaks.discards_after_the_deal, "piquet", END),
    (leaks.discards_after_the_deal, "two_handed_spades", END),
    (leaks.order_of_passing, "hearts", "play"),
    (leaks.only_holders_are_asked, "piquet", "blank"),
    (leaks.top_of_a_sequence, "piquet", "declare"),
    (leaks.told_too_early, "hearts", "pass"),
    (leaks.told_too_early, "spades", "blind"),
)
CASES: Final = [*((plant, name, "play") for plant in EVERYWHERE for name in GAMES), *SOMEWHERE]


class LedAdaptor(PiquetAdaptor):
    """Elder holds certain cards, exchanges only the seven among them, and declares all but what it sinks."""

    def __init__(self, hand: str, sinks: Round | None = None) -> None:
        self._hand = cards(hand)
        self._sinks = sinks

    def deck(self, phase: str, state: Any, chance: Chance) -> Sequence[Card]:
        elder = 1 - state.elder if state.deal_number else state.elder
        return dealt_for_sure(chance.shuffled(self.game.cards), elder, self._hand)

    def choose(self, phase: str, state: Any, seat: Seat, legal: Legal, chance: Chance) -> Action:
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
        check_phase(ADAPTORS[name], phase, ENOUGH, "planted")


def test_a_repique_told_before_elder_leads_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    # two quatorzes and a point, which are a repique unless younger has a sequence
    adaptor = LedAdaptor("AS KS AH KH AD KD AC KC QS JS 9S 7D", Round.SEQUENCE)
    leaks.told_too_early(monkeypatch, "piquet")
    with pytest.raises(Leak, match="piquet"):
        check_phase(adaptor, "play", ENOUGH, "planted")


def test_the_order_of_further_combinations_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    adaptor = LedAdaptor("AS KS QS JS AH KH QH JH AD KD QD 7D")
    leaks.order_of_further(monkeypatch, "piquet")
    with pytest.raises(Leak, match="piquet"):
        check_phase(adaptor, "play", ENOUGH, "planted")
