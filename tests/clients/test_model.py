"""The forward model: possible deals at a decision, and playing on in them by the referee's rules."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations, permutations, product
from random import Random
from typing import Any

import pytest
from scipy.stats import chi2

import fairdeal
from fairdeal import model
from fairdeal.bots import make
from fairdeal.model import _piquet, _world, _worlds
from fairdeal.testing import play
from referee.games.piquet.dialogue import declare
from referee.games.piquet.events import PiquetRound
from referee.games.piquet.holdings import combinations_of

VARIANTS: tuple[tuple[str, Mapping[str, Any], int], ...] = (
    ("hearts", {}, 4),
    ("hearts", {"any_heart_breaks": True}, 1),
    ("spades", {"blind_nil_gap": 0}, 2),
    ("euchre", {}, 3),
    ("euchre", {"dealer_may_discard_upcard": False, "stick_the_dealer": False}, 3),
    ("two_handed_spades", {}, 2),
    ("piquet", {}, 6),
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
    view = view_of(decision)
    world = _worlds._DRAWN[type(view)](view, decision.match, decision.chance, {})
    known = {card for trick in _world.tricks_of(view) for card in trick.cards} | {*view.hand}
    places = [place for place, card in enumerate(world.deck) if card not in known]
    found = set()
    for order in permutations([world.deck[place] for place in places]):
        deck = list(world.deck)
        for place, card in zip(places, order, strict=True):
            deck[place] = card
        other = replace(world, deck=deck)
        try:
            state = _worlds._state(decision, other)
        except fairdeal.BadSetting:
            continue
        found.add(_hands(state))
    return found


def test_a_copy_goes_on_by_itself() -> None:
    for game in ("hearts", "spades", "euchre", "two_handed_spades", "piquet"):
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


def _of_piquet(decision: fairdeal.Decision) -> dict[frozenset[fairdeal.Card], int]:
    """Return what the other player can hold, by the rules themselves, and in how many ways all lies then."""
    view, chance = view_of(decision), decision.chance
    table = _piquet._Known(view, {})
    deal = table.draw(chance)
    played = [card for seat, card, _, _ in _world.plays_of(view, 2) if seat != view.seat]
    unseen = [card for card in [*deal.hand, *deal.aside, *deal.talon] if card not in played]
    left, aside = 12 - len(played), len(deal.aside)
    found: dict[frozenset[fairdeal.Card], int] = {}
    for held in combinations(unseen, left):
        rest = [card for card in unseen if card not in held]
        for put in combinations(rest, aside):
            talon = [card for card in rest if card not in put]
            other = _piquet._Deal([*played, *held], [*put], talon, deal.unseen)
            if _is_piquet(decision, table, other):
                found[frozenset(held)] = found.get(frozenset(held), 0) + 1
    return found


def _is_piquet(decision: fairdeal.Decision, table: Any, deal: Any) -> bool:
    """Return whether elder can have declared something with which all is as the seat has seen it."""
    view = view_of(decision)
    other = _piquet._bits(deal.hand)
    elder, younger = (table._own, other) if view.seat == view.elder else (other, table._own)
    rounds = [
        [
            declare(in_round, each, elder=elder, younger=younger)
            for each in (None, *combinations_of(elder, in_round))
        ]
        for in_round in PiquetRound
    ]
    deck = table.deck(deal, decision.chance)
    for said in product(*rounds[: len(view.declarations)]):
        answers = table.answers(deal, [*said])
        try:
            _worlds._state(decision, _world.World(deck, answers, deal.unseen, table.kept))
        except fairdeal.BadSetting:
            continue
        return True
    return False


def test_worlds_of_piquet_are_all_that_the_rules_allow_and_equally_likely() -> None:
    kinds = 0
    for decision in decisions("piquet", deals=3, seed="e"):
        view = view_of(decision)
        if len(view.tricks) != 10 or view.trick:
            continue
        allowed = _of_piquet(decision)
        count = 40 * len(allowed)
        drawn = Counter(
            frozenset(view_of_state(state, 1 - decision.seat).hand) for state in model.worlds(decision, count)
        )
        assert set(drawn) == set(allowed)
        ways = sum(allowed.values())
        expected = {held: count * number / ways for held, number in allowed.items()}
        square = sum((drawn[held] - many) ** 2 / many for held, many in expected.items())
        assert square < chi2.ppf(1 - 1e-4, max(1, len(allowed) - 1))
        kinds += len(allowed)
    assert kinds > 10


@pytest.mark.parametrize(("game", "options", "deals"), VARIANTS)
def test_a_hypothesis_is_kept(game: str, options: Mapping[str, Any], deals: int) -> None:
    for decision in decisions(game, options, deals)[::7]:
        (state,) = model.worlds(decision, 1)
        held = {seat: view_of_state(state, seat).hand for seat in _others_of(decision)}
        (again,) = model.worlds(decision, 1, held=held)
        (partly,) = model.worlds(decision, 1, held={seat: cards[::2] for seat, cards in held.items()})
        for seat, cards in held.items():
            assert set(view_of_state(again, seat).hand) == set(cards)
            assert {*cards[::2]} <= {*view_of_state(partly, seat).hand}


def _others_of(decision: fairdeal.Decision) -> list[int]:
    return [seat for seat in range(len(decision.match.entries)) if seat != decision.seat]


def test_a_hypothesis_that_does_not_fit_is_one_error() -> None:
    decision = next(each for each in decisions("spades") if len(view_of(each).tricks) == 3)
    view, seat = view_of(decision), _others_of(decision)[0]
    gone = view.tricks[0].cards[(seat + 1 - view.tricks[0].leader) % 4]
    for held, text in (
        ({decision.seat: view.hand}, "a hypothesis is about the seats"),
        ({9: view.hand}, "not 9"),
        ({seat: view.hand[:1]}, f"deal 1: no deal fits the hypothesis: {view.hand[0]} is in two places"),
        ({seat: [gone]}, f"{gone} is in two places"),
        ({seat: [card for card in fairdeal.ALL_CARDS if card not in view.hand][:12]}, "no deal fits"),
    ):
        with pytest.raises(fairdeal.BadSetting, match=text):
            model.worlds(decision, 1, held=held)


def test_a_weight_says_how_likely_deals_are() -> None:
    decision = next(each for each in decisions("hearts") if view_of(each).tricks)
    seat = _others_of(decision)[0]
    queen = fairdeal.Card("QS")

    def holds(state: model.State) -> bool:
        return queen in view_of_state(state, seat).hand

    plain = sum(map(holds, model.worlds(decision, 100)))
    rare = sum(map(holds, model.worlds(decision, 100, weight=lambda state: 0.1 if holds(state) else 1)))
    assert 0 < 2 * rare < plain < 90
    assert all(map(holds, model.worlds(decision, 20, weight=holds)))
    for share, text in ((2.0, "must be 0 to 1, is 2.0"), (0.0, "the weight keeps none")):
        with pytest.raises(fairdeal.BadSetting, match=text):
            model.worlds(decision, 1, weight=lambda state, share=share: share)


@pytest.mark.parametrize("game", ["hearts", "spades"])  # in the others some cards are never seen
def test_it_tells_when_only_one_deal_is_left(game: str) -> None:
    found = [(each, model.is_certain(each)) for each in decisions(game, deals=2)]
    certain = [each for each, only in found if only]
    assert 0 < len(certain) < len(found)
    for decision in certain:
        drawn = {
            tuple([tuple(sorted(view_of_state(state, seat).hand)) for seat in _others_of(decision)])
            for state in model.worlds(decision, 10)
        }
        assert len(drawn) == 1
