"""The forward model: possible deals at a decision, and playing on in them by the referee's rules."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import permutations
from random import Random
from typing import Any

import pytest

import fairdeal
from fairdeal import model
from fairdeal.bots import make
from fairdeal.model import _worlds
from fairdeal.testing import play

VARIANTS: tuple[tuple[str, Mapping[str, Any], int], ...] = (
    ("hearts", {}, 4),
    ("hearts", {"any_heart_breaks": True}, 1),
    ("spades", {"blind_nil_gap": 0}, 2),
    ("euchre", {}, 3),
    ("euchre", {"dealer_may_discard_upcard": False, "stick_the_dealer": False}, 3),
    ("two_handed_spades", {}, 2),
)


def view_of(decision: fairdeal.Decision) -> Any:
    return decision.view


def view_of_state(state: model.State, seat: int) -> Any:
    return state.view(seat)


def decisions(
    game: str, options: Mapping[str, Any] | None = None, deals: int = 1, seed: str = "model"
) -> list[fairdeal.Decision]:
    """Return all decisions of a match of random bots."""
    random = make("random")
    met: list[fairdeal.Decision] = []

    class Noting:
        def act(self, decision: fairdeal.Decision) -> fairdeal.Answer:
            met.append(decision)
            return random.act(decision)

    play(
        game,
        [Noting() for _ in range(2 if game in ("two_handed_spades", "piquet") else 4)],
        seed=seed,
        deals=deals,
        options=options or {},
    )
    return met


@pytest.mark.parametrize(("game", "options", "deals"), VARIANTS)
def test_a_world_is_as_the_seat_has_seen_it(game: str, options: Mapping[str, Any], deals: int) -> None:
    phases = set()
    for decision in decisions(game, options, deals):
        (state,) = model.worlds(decision, 1)
        assert state.view(decision.seat) == decision.view
        assert decision.seat in state.to_act()
        assert state.legal(decision.seat) == decision.legal
        phases.add(view_of(decision).phase)
    assert len(phases) >= 2


@pytest.mark.parametrize("game", ["hearts", "spades"])
def test_the_worlds_are_all_that_the_rules_allow(game: str) -> None:
    """Whatever way the unseen cards lie, the rules themselves say whether it fits what was played."""
    number = 0
    for seed in ("a", "b"):
        met = [each for each in decisions(game, deals=4, seed=seed) if view_of(each).deal == 4]
        decision = next(each for each in met if len(view_of(each).tricks) == 11 and view_of(each).trick)
        allowed = _allowed(decision)
        assert {_hands(state) for state in model.worlds(decision, 150)} == allowed
        number += len(allowed)
    assert number > 3


def _hands(state: model.State) -> tuple[fairdeal.Cards, ...]:
    return tuple([fairdeal.Cards(sorted(view_of_state(state, seat).hand)) for seat in range(4)])


def _allowed(decision: fairdeal.Decision) -> set[tuple[fairdeal.Cards, ...]]:
    """Return the hands of all worlds in which unseen cards of one have changed places, and that fit."""
    view, match = view_of(decision), decision.match
    world = _worlds._DRAWN[type(view)](view, match, decision.chance)
    known = {card for trick in _worlds._tricks(view) for card in trick.cards} | {*view.hand}
    places = [place for place, card in enumerate(world.deck) if card not in known]
    found = set()
    for order in permutations([world.deck[place] for place in places]):
        deck = list(world.deck)
        for place, card in zip(places, order, strict=True):
            deck[place] = card
        other = replace(world, deck=deck)
        try:
            state = _worlds._state(match, view, lambda *_, other=other: other, decision.chance)
        except fairdeal.BadSetting:
            continue
        found.add(_hands(state))
    return found


def test_a_copy_goes_on_by_itself() -> None:
    for game in ("hearts", "spades", "euchre", "two_handed_spades"):
        decision = next(each for each in decisions(game) if view_of(each).tricks)
        (state,) = model.worlds(decision, 1)
        ends = [state.copy().play_out(Random(7).randrange) for _ in range(2)]
        assert ends[0] == ends[1]
        assert state.view(decision.seat) == decision.view
        assert state.points is None


def test_answers_of_the_sdk_are_played() -> None:
    decision = decisions("hearts")[0]
    assert isinstance(decision.legal, fairdeal.LegalChoice)
    (state,) = model.worlds(decision, 1)
    state.apply(decision.legal.cards[:3], decision.seat)
    assert decision.seat not in state.to_act()
    with pytest.raises(fairdeal.BadSetting, match="name the seat"):
        state.apply(decision.legal.cards[:3])
    with pytest.raises(fairdeal.BadSetting, match="cannot answer"):
        state.apply(fairdeal.Bid(3), state.to_act()[0])
    with pytest.raises(fairdeal.BadSetting, match="no answer"):
        state.apply("QS", state.to_act()[0])  # type: ignore[arg-type]
    state.play_out(Random(1).randrange)
    assert (state.to_act(), state.result() is None) == ((), False)
    with pytest.raises(fairdeal.BadSetting, match="is over"):
        state.apply(decision.legal.cards[0], 0)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"hand": fairdeal.ALL_CARDS[:13]}, "deal 1: "),
        ({"taken": (9, 9, 9, 9)}, "contradicts itself in taken"),
    ],
)
def test_a_view_that_contradicts_itself_is_one_error(changes: Mapping[str, Any], text: str) -> None:
    decision = next(each for each in decisions("spades") if view_of(each).tricks)
    decision._view = replace(view_of(decision), **changes)
    with pytest.raises(fairdeal.BadSetting, match=text):
        model.worlds(decision, 1)


def test_piquet_has_no_worlds_yet() -> None:
    with pytest.raises(fairdeal.BadSetting, match="no worlds of piquet yet"):
        model.worlds(decisions("piquet")[0], 1)
