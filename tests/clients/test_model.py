"""The forward model: possible deals at a decision, and playing on in them by the referee's rules."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import cycle
from pathlib import Path
from random import Random
from typing import Any

import pytest

import fairdeal
from fairdeal import model
from fairdeal.bots import make
from fairdeal.testing import play

CHECKOUT = Path(__file__).parents[2]

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
        for state in model.worlds(decision, 2):  # the first one is checked while the program runs, too
            assert state.view(decision.seat) == decision.view
            assert decision.seat in state.to_act()
            assert state.legal(decision.seat) == decision.legal
        phases.add(view_of(decision).phase)
    assert len(phases) >= 2


def test_worlds_come_one_by_one_and_only_those_that_are_asked_for() -> None:
    for game in ("hearts", "spades", "euchre", "two_handed_spades", "piquet"):
        one, same = (decisions(game)[-3] for _ in range(2))
        some = model.each_world(one)
        states: list[tuple[Any, Any]] = [(next(some).rules, state.rules) for state in model.worlds(same, 3)]
        assert all(alone.hands == together.hands for alone, together in states)
        assert one.chance.draw(2**32) == same.chance.draw(2**32)


def test_a_copy_goes_on_by_itself() -> None:
    for game in ("hearts", "spades", "euchre", "two_handed_spades", "piquet"):
        decision = next(each for each in decisions(game) if view_of(each).tricks)
        (state,) = model.worlds(decision, 1)
        ends = [state.copy().play_out(Random(7).randrange) for _ in range(2)]
        assert ends[0] == ends[1]
        assert state.view(decision.seat) == decision.view
        assert state.points is None


def test_the_example_searches_and_stands_in_the_page() -> None:
    source = (CHECKOUT / "examples" / "searching_bot.py").read_text()
    assert source.count("\n") <= 40
    assert f"```python\n{source}```\n" in (CHECKOUT / "docs" / "bots.md").read_text()
    program: dict[str, Any] = {"__name__": "searching_bot"}
    exec(compile(source, "searching_bot.py", "exec"), program)
    program.update(DEALS=4, CAUTION=1)  # so few that it is quick
    greedy, better = make("greedy"), 0
    for game in ("hearts", "piquet"):
        for decision in [each for each in decisions(game) if view_of(each).tricks][::5]:
            answer = program["act"](decision)
            assert isinstance(decision.legal, fairdeal.LegalActions)
            assert fairdeal.PlayCard(answer) in decision.legal.actions
            better += answer != greedy.act(decision)
    assert better


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
        ({"seat": None}, "the view is of seat None"),
        ({"deal": 0}, "the view is of seat ., deal 0"),
        ({"dealer": 7}, "dealer is no seat: 7"),
        ({"scores": (0, 0, 0)}, "scores are 2 numbers, not 3"),
        ({"bids": ()}, "cannot have answered .*: "),
    ],
)
def test_a_view_that_contradicts_itself_is_one_error(changes: Mapping[str, Any], text: str) -> None:
    decision = next(each for each in decisions("spades") if view_of(each).tricks)
    decision._view = replace(view_of(decision), **changes)
    with pytest.raises(fairdeal.BadSetting, match=text):
        model.worlds(decision, 1)


def test_a_decision_of_another_game_is_one_error() -> None:
    decision, other = decisions("spades")[0], decisions("hearts")[0]
    for match, view, text in (
        (decision.match, None, "a decision of spades has the view NoneType"),
        (decision.match, other.view, "a decision of spades has the view HeartsView"),
        (replace(decision.match, game="spade"), decision.view, "'spade': no such model; did you mean spades"),
        (replace(decision.match, options={"target": -7}), decision.view, "target = -7: must be"),
    ):
        asked = fairdeal.Decision(match, decision.message, "")
        asked._view = view
        if view is None:
            asked.message.view.Clear()
        with pytest.raises(fairdeal.BadSetting, match=f"match {match.id}: {text}"):
            model.worlds(asked, 1)


@pytest.mark.parametrize("count", [-1, "x", 1.5])
def test_a_count_of_worlds_that_is_none_is_one_error(count: Any) -> None:
    (decision, *_) = decisions("hearts")
    assert model.worlds(decision, 0) == []
    with pytest.raises(
        fairdeal.BadSetting, match=f"match {decision.match.id}.*: count must be a whole number"
    ):
        model.worlds(decision, count)


def test_options_that_are_not_told_or_not_known_are_as_this_version_has_them() -> None:
    decision = decisions("spades")[0]
    decision.match = replace(decision.match, options={"target": 300, "of_tomorrow": True}, entries=())
    (state,) = model.worlds(decision, 1, held={_others_of(decision)[0]: []})
    assert state.view(decision.seat) == decision.view


def test_what_a_state_cannot_do_is_one_error() -> None:
    decision = decisions("euchre")[0]
    (state,) = model.worlds(decision, 1)
    for seat in (-1, 4, None):
        with pytest.raises(fairdeal.BadSetting, match="seats are 0 to 3"):
            state.view(seat)  # type: ignore[arg-type]
    with pytest.raises(fairdeal.BadSetting, match=r"draw\(2\) must give one of 0 to 1"):
        state.copy().play_out(lambda n: n)
    other = _others_of(decision)[0]
    with pytest.raises(fairdeal.BadSetting, match="2C is not in the pack of this game"):
        model.worlds(decision, 1, held={other: [fairdeal.Card("2C")]})
    with pytest.raises(fairdeal.BadSetting, match=r"cannot answer .*Bid"):
        state.apply(fairdeal.Noted(fairdeal.Bid(3), "why"))
    state.apply(fairdeal.Noted(fairdeal.UpcardCall.PASS, "why"))
    assert state.to_act() != (decision.seat,)


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
    seats = sum(map(len, decision.match.sides))
    return [seat for seat in range(seats) if seat != decision.seat]


def test_a_hypothesis_that_does_not_fit_is_one_error() -> None:
    decision = next(each for each in decisions("spades") if len(view_of(each).tricks) == 3)
    view, seat = view_of(decision), _others_of(decision)[0]
    own, gone = (view.tricks[0].cards[(each - view.tricks[0].leader) % 4] for each in (seat, seat + 1))
    for held, text in (
        ({decision.seat: view.hand}, "a hypothesis is about the seats"),
        ({9: view.hand}, "not 9"),
        ({seat: view.hand[:1]}, f"deal 1: no deal fits the hypothesis: {view.hand[0]} is in two places"),
        ({seat: [gone]}, f"{gone} has been played"),
        ({seat: [own]}, f"{own} has been played"),
        ({seat: "QS"}, f"seat {seat} holds cards, not 'QS'"),
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


def test_a_weight_may_refuse_any_number_of_deals_between_those_that_it_keeps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("fairdeal.model._worlds._WEIGHED", 3)
    shares = cycle([0, 0, 1])
    assert len(model.worlds(decisions("euchre")[-1], 5, weight=lambda state: next(shares))) == 5


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
