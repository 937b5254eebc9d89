"""The deals that `fairdeal.model.worlds` draws: each that fits, as often as the others.

Small endings are counted out: every way the hidden cards may lie is played by the referee's rules, and those
that leave the seat's view as it is are the deals that fit. For piquet see `test_model`.
"""

import os
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache
from itertools import combinations
from math import comb
from typing import Any, Final

import pytest
from scipy.stats import chi2

import fairdeal
from fairdeal import model
from fairdeal.bots import make
from fairdeal.testing import play
from referee.cards import ALL_CARDS, Card, Seat
from referee.games.actions import ChooseCards, DraftChoice
from referee.games.base import check_action
from referee.games.errors import GameError
from referee.games.registry import GAMES
from tests.draws import pick, shuffled

_Where = tuple[tuple[Card, ...], ...]

LONG: Final = os.environ.get("FAIRDEAL_LONG") == "1"
EACH: Final = 40 if LONG else 16
"""How often each deal is expected to be drawn."""
CASES: Final = 4 if LONG else 1


@dataclass
class Position:
    """A decision of a seat, and how it came about: the state before the deal, the deck, the answers since."""

    game: str
    options: Mapping[str, Any]
    before: Any
    deck: Sequence[Card]
    answers: list[tuple[Seat, Any]]
    state: Any
    seat: Seat

    @property
    def decision(self) -> fairdeal.Decision:
        """Return the decision as a bot has it."""
        some = _some_decision(self.game, tuple(self.options.items()))
        match = replace(some.match, seat=int(self.seat), deals=None)
        decision = fairdeal.Decision(match, some.message, f"{self.deck}{len(self.answers)}")
        decision._view = model.State(GAMES[self.game], self.state).view(self.seat)
        return decision

    @property
    def hidden(self) -> list[Card]:
        """Return the cards that the seat has not seen."""
        known = {ALL_CARDS[card.number - 1] for card in _cards_in(self.decision.view)}
        return [card for card in self.deck if card not in known]


@cache
def _some_decision(game: str, options: tuple[tuple[str, Any], ...]) -> fairdeal.Decision:
    met: list[fairdeal.Decision] = []

    class Noting:
        def act(self, decision: fairdeal.Decision) -> fairdeal.Answer:
            met.append(decision)
            return make("random").act(decision)

    play(game, [Noting() for _ in range(GAMES[game].seats)], seed="some", deals=1, options=dict(options))
    return met[0]


def _cards_in(thing: Any) -> Iterator[fairdeal.Card]:
    if isinstance(thing, fairdeal.Card):
        yield thing
    elif is_dataclass(thing):
        for each in fields(thing):
            yield from _cards_in(getattr(thing, each.name))
    elif isinstance(thing, tuple | list):
        for one in thing:
            yield from _cards_in(one)


def positions(game: str, options: Mapping[str, Any], *key: object) -> Iterator[Position]:
    """Yield the decisions of a game of seats that play at random."""
    rules = GAMES[game]
    state = rules.new(rules.bind(options), deals=None, first=Seat(0))
    while state.result() is None:
        before, deck = state.copy(), shuffled(rules.cards, state.deal_number, *key)
        answers: list[tuple[Seat, Any]] = []
        state.deal(deck)
        while state.to_act():
            seat = state.to_act()[0]
            yield Position(game, options, before, deck, list(answers), state.copy(), seat)
            action = pick(state.legal(seat), len(answers), state.deal_number, *key)
            state.apply(seat, action)
            answers.append((seat, action))


def where(game: str, state: Any) -> _Where:
    """Return what each seat holds, and what it has put aside or thrown away."""
    views = [GAMES[game].view(state, Seat(seat)) for seat in range(GAMES[game].seats)]
    piles = [getattr(view, name, None) for view in views for name in ("hand", "discarded")]
    return tuple(
        tuple(sorted(pile if isinstance(pile, tuple) else () if pile is None else (pile,))) for pile in piles
    )


def fitting(at: Position) -> Counter[_Where]:
    """Return how many ways there are that the hidden cards lie, by `where`: all are tried."""
    hidden = at.hidden
    places = [place for place, card in enumerate(at.deck) if card in hidden]
    piles: dict[Hashable, list[int]] = {}
    for place in places:
        piles.setdefault(_pile(at, place), []).append(place)
    found: Counter[_Where] = Counter()
    for spread in _spreads(frozenset(hidden), [len(some) for some in piles.values()]):
        deck = list(at.deck)
        for some, cards in zip(piles.values(), spread, strict=True):
            for place, card in zip(some, sorted(cards), strict=True):
                deck[place] = card
        begun = at.before.copy()
        begun.deal(deck)
        for state in _replayed(at, begun, 0):
            if GAMES[at.game].view(state, at.seat) == GAMES[at.game].view(at.state, at.seat):
                found[where(at.game, state)] += 1
    return found


def _pile(at: Position, place: int) -> Hashable:
    """Return the hand or pile to which a place in the deck belongs; in any order it is the same deal."""
    if at.game == "two_handed_spades":
        kept = place % 2 == (at.state.choices[place // 2] is not DraftChoice.KEEP)
        return (at.state.first + place // 2) % 2, kept
    return min(place // 5, 4) if at.game == "euchre" else place // 13


def _spreads(cards: frozenset[Card], sizes: Sequence[int]) -> Iterator[list[tuple[Card, ...]]]:
    if not sizes:
        yield []
        return
    for some in combinations(sorted(cards), sizes[0]):
        for rest in _spreads(cards - {*some}, sizes[1:]):
            yield [some, *rest]


def _replayed(at: Position, state: Any, done: int) -> Iterator[Any]:
    """Yield the states that the answers lead to, with all cards that others may have put aside unseen."""
    for number, (seat, action) in enumerate(at.answers[done:], done):
        if isinstance(action, ChooseCards) and seat != at.seat:
            for cards in combinations(state.legal(seat).cards, len(action.cards)):
                twin = state.copy()
                twin.apply(seat, ChooseCards(cards))
                yield from _replayed(at, twin, number + 1)
            return
        try:
            check_action(state, seat, action)
        except GameError:
            return
        state.apply(seat, action)
    yield state


ENDINGS: Final[Sequence[tuple[str, Mapping[str, Any], int]]] = (
    ("hearts", {}, 4),  # nobody passes in the fourth deal
    ("spades", {}, 1),
    ("two_handed_spades", {}, 1),
    ("euchre", {}, 1),
    ("euchre", {"dealer_may_discard_upcard": False}, 1),
)
MOST: Final = 600 if LONG else 150
"""How many ways to spread the hidden cards a test tries."""


@pytest.mark.parametrize(("game", "options", "deal"), ENDINGS)
def test_in_an_ending_each_deal_that_fits_is_drawn_as_often(
    game: str, options: Mapping[str, Any], deal: int
) -> None:
    tried = 0
    for number in range(100):
        for at in positions(game, options, "ending", number):
            if at.state.deal_number > deal:
                break
            if at.state.deal_number < deal or not _is_small(at):
                continue
            deals = fitting(at)
            if len(deals) < 3:
                continue
            times = EACH * sum(deals.values())
            drawn = Counter(where(game, state.rules) for state in model.worlds(at.decision, times))
            assert set(drawn) <= set(deals)
            means = {each: EACH * ways for each, ways in deals.items()}
            square: float = sum((drawn[each] - mean) ** 2 / mean for each, mean in means.items())
            assert square < chi2.ppf(1 - 1e-4, len(deals) - 1)
            tried += 1
            break
        if tried == CASES:
            return
    raise AssertionError("too few endings")


def _is_small(at: Position) -> bool:
    if not GAMES[at.game].view(at.state, at.seat).tricks:
        return False
    sizes = Counter(_pile(at, place) for place, card in enumerate(at.deck) if card in at.hidden)
    ways, left = 1, sum(sizes.values())
    for size in sizes.values():
        ways, left = ways * comb(left, size), left - size
    return 3 <= ways <= MOST
