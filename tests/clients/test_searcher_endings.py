"""How searcher-1 plays the end of a deal: as trying every play with all cards known would have it."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from importlib import import_module
from typing import Any

import pytest

from fairdeal import Answer, Decision, LegalActions, PlayCard, bots
from fairdeal.bots.searcher_1.bits import each
from fairdeal.bots.searcher_1.endings import FEW, _distinct, cards_left
from fairdeal.bots.searcher_1.euchre import _JACKS
from fairdeal.bots.searcher_1.search import GameSearch, _gain
from fairdeal.model import State
from fairdeal.model._state import action_of
from fairdeal.testing import play
from referee.games.events import DealScored
from referee.games.registry import GAMES
from referee.games.registry import game as rules_of

TWO_SIDED = [game for game in GAMES if len(rules_of(game).sides) == 2]
SMALL = 8  # cards in all hands, so few that every play can be tried
DEALS = 10


def search_of(game: str) -> GameSearch:
    found: GameSearch = import_module(f"fairdeal.bots.searcher_1.{game}").SEARCH
    return found


@cache
def plays(game: str) -> list[tuple[Decision, State]]:
    """Return the plays of some deals to decide, each with a deal that fits it."""
    asked: list[Decision] = []
    greedy = bots.make("greedy", blunder=0.2)

    class Asked:
        def act(self, decision: Decision) -> Answer:
            asked.append(decision)
            return greedy.act(decision)

    play(game, [Asked()] * rules_of(game).seats, seed="endings", deals=DEALS)
    return [
        (decision, next(search_of(game).deals(decision)))
        for decision in asked
        if isinstance(decision.legal, LegalActions) and isinstance(decision.legal.actions[0], PlayCard)
    ]


def endings(game: str, most: int) -> list[Any]:
    """Return deals in which at most so many cards are left, as states of the rules."""
    return [world.rules for _, world in plays(game) if cards_left(world.rules) <= most]


def of_all_plays(state: Any) -> int:
    """Return how many points more than the other the side of seat 0 makes, found by trying every play."""
    seat = state.tricks.turn
    found = []
    for card in each(state.legal_play(seat).cards):
        after = state.copy()
        events = after.apply_play(seat, card)
        ended = isinstance(events[-1], DealScored)
        found.append(events[-1].points[0] - events[-1].points[1] if ended else of_all_plays(after))
    return min(found) if seat % 2 else max(found)


def solve(game: str, state: Any) -> int:
    solved = search_of(game).solved
    assert solved is not None
    return solved(state)


@pytest.mark.parametrize("game", TWO_SIDED)
def test_it_finds_what_trying_every_play_finds(game: str) -> None:
    states = endings(game, SMALL)
    assert len(states) >= 3 * DEALS
    for state in states:
        assert solve(game, state) == of_all_plays(state)


@pytest.mark.parametrize("game", TWO_SIDED)
def test_it_tries_few_plays_for_that(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bound for what a decision costs: the deepest endings are the first to leave it."""
    states = endings(game, FEW)
    tried = 0
    rules: Any = type(states[0])
    apply = rules.apply_play

    def counted(*play: Any) -> Any:
        nonlocal tried
        tried += 1
        return apply(*play)

    monkeypatch.setattr(rules, "apply_play", counted)
    for state in states:
        solve(game, state)
    assert tried / len(states) < 200


def test_a_jack_of_euchre_is_as_good_as_no_other_card() -> None:
    """The jack of trump is above all, and that of its colour is a trump."""
    beside = 0
    for _, world in plays("euchre"):
        state: Any = world.rules
        legal = set(each(state.legal_play(state.tricks.turn).cards))
        tried = _distinct(state, state.tricks.turn, _JACKS)
        for jack in legal.intersection(each(_JACKS)):
            assert jack in tried
            assert (jack - 1 in tried) == (jack - 1 in legal)
            beside += len(legal & {jack - 1, jack + 1})
    assert beside


@pytest.mark.parametrize("game", TWO_SIDED)
def test_in_an_ending_the_best_answer_brings_what_the_deal_does(game: str) -> None:
    for decision, world in plays(game):
        if cards_left(world.rules) <= SMALL:
            assert isinstance(decision.legal, LegalActions)
            answers = [action_of(answer) for answer in decision.legal.actions]
            best = max([_gain(decision, world, answer, search_of(game)) for answer in answers])
            assert best == solve(game, world.rules) * (-1 if decision.match.side else 1)


@pytest.mark.parametrize("game", GAMES)
def test_a_deal_is_played_out_until_few_cards_are_left_but_in_hearts_always(game: str) -> None:
    played: list[int] = []
    search = search_of(game)

    def play_out(state: Any) -> Sequence[int]:
        played.append(cards_left(state))
        return search.play_out(state)

    watched = replace(search, play_out=play_out)
    for decision, world in plays(game):
        assert isinstance(decision.legal, LegalActions)
        _gain(decision, world, action_of(decision.legal.actions[0]), watched)
    fewest = min(played)
    assert fewest == FEW if game in TWO_SIDED else fewest < 2
