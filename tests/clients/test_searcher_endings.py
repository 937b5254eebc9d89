"""How searcher-1 solves the end of a deal: as trying every play with all cards known would have it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import import_module
from typing import Any, Final

import pytest

from fairdeal import Answer, Decision, LegalActions, PlayCard, bots
from fairdeal.bots.searcher_1.bits import bits_of, each
from fairdeal.bots.searcher_1.endings import FEW, _worth_trying, cards_left, solved
from fairdeal.bots.searcher_1.search import GameSearch, _gain
from fairdeal.model import State
from fairdeal.model._state import action_of
from fairdeal.testing import play
from referee.games.events import DealScored
from referee.games.registry import GAMES
from referee.games.registry import game as rules_of

TWO_SIDED: Final = [game for game in GAMES if len(rules_of(game).sides) == 2]
SMALL: Final = 8  # cards left, so few that every play can be tried
DEALS: Final = 6  # by each kind of bots
UNUSUAL: Final[Mapping[str, Mapping[str, object]]] = {
    "spades": {"bag_limit": 1, "blind_nil_gap": 0, "failed_nil_tricks": "nothing"},
    "two_handed_spades": {"bag_limit": 1},
}


def search_of(game: str) -> GameSearch:
    found: GameSearch = import_module(f"fairdeal.bots.searcher_1.{game}").SEARCH
    return found


@cache
def plays(game: str) -> list[tuple[Decision, State]]:
    """Return the plays of some deals to decide, each with a deal that fits it.

    Some are by greedy bots, some by random ones, which bid nil and go alone, with unusual options.
    """
    asked: list[Decision] = []

    class Asked:
        def __init__(self, bot: bots.HouseBot) -> None:
            self._bot = bot

        def act(self, decision: Decision) -> Answer:
            asked.append(decision)
            return self._bot.act(decision)

    seats = rules_of(game).seats
    play(game, [Asked(bots.make("greedy", blunder=0.2))] * seats, seed="endings", deals=DEALS)
    for number in range(DEALS):
        options = UNUSUAL.get(game, {})
        play(game, [Asked(bots.make("random"))] * seats, seed=f"endings {number}", options=options, deals=1)
    return [
        (decision, next(search_of(game).deals(decision)))
        for decision in asked
        if isinstance(decision.legal, LegalActions) and isinstance(decision.legal.actions[0], PlayCard)
    ]


def endings(game: str, most: int) -> list[Any]:
    """Return deals in which at most so many cards are left, as states of the rules."""
    return [world.rules for _, world in plays(game) if cards_left(world.rules) <= most]


def of_all_plays(state: Any) -> int:
    """Return by how many points the side of seat 0 is ahead, found by trying every play."""
    seat = state.tricks.turn
    found = []
    for card in each(state.legal_play(seat).cards):
        after = state.copy()
        events = after.apply_play(seat, card)
        ended = isinstance(events[-1], DealScored)
        found.append(events[-1].points[0] - events[-1].points[1] if ended else of_all_plays(after))
    return min(found) if seat % 2 else max(found)


def solve(game: str, state: Any) -> int:
    return solved(state, bits_of(search_of(game).special))


@pytest.mark.parametrize("game", TWO_SIDED)
def test_it_finds_what_trying_every_play_finds(game: str) -> None:
    states = endings(game, SMALL)
    assert len(states) >= 4 * DEALS
    for state in states:
        assert solve(game, state) == of_all_plays(state)


def test_the_endings_that_are_tried_are_of_many_kinds() -> None:
    """Else the tests here would miss what is special about them."""
    assert {len(state.tricks.seats) for state in endings("euchre", SMALL)} == {2, 3, 4}
    for game in ("spades", "two_handed_spades"):
        assert any(not bid.tricks for state in endings(game, SMALL) for bid in state.bidding.made)
    assert any(any(state.tricks.cards for state in endings(game, SMALL)) for game in TWO_SIDED)


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
    assert tried / len(states) < 300


@pytest.mark.parametrize("game", TWO_SIDED)
def test_the_cheapest_card_that_takes_the_trick_is_tried_first(game: str) -> None:
    followed = 0
    for state in endings(game, FEW):
        tricks = state.tricks
        tried = _worth_trying(state, tricks.turn, bits_of(search_of(game).special))
        if tricks.cards:
            powers = [tricks.ranking.powers[tricks.led][card] for card in tried]
            best = max([tricks.ranking.powers[tricks.led][card] for card in tricks.cards])
            over = sorted([power for power in powers if power > best])
            assert powers[: len(over)] == over
            followed += bool(over)
    assert followed


def test_a_jack_of_euchre_is_as_good_as_no_other_card() -> None:
    """The jack of trump is above all, and that of its colour is a trump."""
    jacks = bits_of(search_of("euchre").special)
    beside = 0
    for _, world in plays("euchre"):
        state: Any = world.rules
        legal = set(each(state.legal_play(state.tricks.turn).cards))
        tried = _worth_trying(state, state.tricks.turn, jacks)
        for jack in legal.intersection(each(jacks)):
            assert jack in tried
            assert (jack - 1 in tried) == (jack - 1 in legal)
            beside += len(legal & {jack - 1, jack + 1})
    assert beside


def test_the_hands_of_those_who_sit_out_in_euchre_do_not_count() -> None:
    alone: list[Any] = [world.rules for _, world in plays("euchre") if len(world.rules.tricks.seats) < 4]
    assert alone
    for state in alone:
        playing = sum(state.hands[seat].bit_count() for seat in state.active)
        assert cards_left(state) == playing < sum(hand.bit_count() for hand in state.hands)


@pytest.mark.parametrize("game", TWO_SIDED)
def test_in_an_ending_the_best_answer_brings_what_the_deal_does(game: str) -> None:
    for decision, world in plays(game):
        if cards_left(world.rules) <= SMALL:
            assert isinstance(decision.legal, LegalActions)
            answers = [action_of(answer) for answer in decision.legal.actions]
            best = max([_gain(decision, world, answer, search_of(game), True) for answer in answers])
            assert best == solve(game, world.rules) * (-1 if decision.match.side else 1)


@pytest.mark.parametrize("game", TWO_SIDED)
@pytest.mark.parametrize("solves", [False, True])
def test_a_deal_is_played_out_unless_endings_are_solved_and_few_cards_left(game: str, solves: bool) -> None:
    played: list[int] = []
    search = search_of(game)

    def play_out(state: Any) -> Sequence[int]:
        played.append(cards_left(state))
        return search.play_out(state)

    watched = replace(search, play_out=play_out)
    for decision, world in plays(game):
        assert isinstance(decision.legal, LegalActions)
        _gain(decision, world, action_of(decision.legal.actions[0]), watched, solves)
    assert min(played) == (FEW if solves else 1)
