"""What the property tests share: strategies for decks, options and actions, and matches played out."""

import os
from collections.abc import Iterator, Sequence
from typing import Any, Final, TypeVar

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st

from referee.cards import ALL_CARDS, Card, Rank, Seat, Suit, rank_of, suit_of
from referee.games import actions as acts
from referee.games.actions import (
    Action,
    Choose,
    ChooseCards,
    ChooseCombinations,
    ChooseFurther,
    LegalActions,
)
from referee.games.base import Event, Game, State
from referee.games.combinations import PointCombination, SequenceCombination, SetCombination
from referee.games.events import DealScored
from referee.games.options import Option
from tests.draws import draw, pick, shuffled

LONG: Final = os.environ.get("FAIRDEAL_LONG") == "1"
COURTS: Final = (Rank.JACK, Rank.QUEEN, Rank.KING)

T = TypeVar("T")


def _as_it_is(c: Card) -> int:
    return 0


def _is_court(c: Card) -> int:
    return rank_of(c) in COURTS


ORDERS: Final = (_as_it_is, suit_of, rank_of, _is_court)
"""By which a deck may be sorted: long suits make moons and hands of spades; ranks, sets; courts, blanks."""


def decks(game: Game[Any]) -> st.SearchStrategy[list[Card]]:
    """Any order of a game's cards, some of them sorted, which makes the rarer hands."""
    return st.builds(
        lambda deck, order, reverse: sorted(deck, key=order, reverse=reverse),
        st.permutations(game.cards),
        st.sampled_from(ORDERS),
        st.booleans(),
    )


def _values(option: Option) -> st.SearchStrategy[object]:
    if option.name == "max_deals":
        return st.integers(1, 5)
    if option.kind == "flag":
        return st.booleans()
    if option.kind == "word":
        return st.sampled_from(option.choices)
    assert option.minimum is not None and option.maximum is not None
    low, high = option.minimum, option.maximum
    return st.one_of(st.just(low), st.integers(low, min(high, low + 30)), st.just(high))


def options_of(game: Game[Any]) -> st.SearchStrategy[dict[str, object]]:
    """Any options of a game within their bounds, defaults for those left out."""
    return st.fixed_dictionaries({}, optional={option.name: _values(option) for option in game.options})


def _combinations() -> st.SearchStrategy[Any]:
    return st.one_of(
        st.builds(PointCombination, st.sampled_from(Suit)),
        st.builds(SequenceCombination, st.sampled_from(Suit), st.sampled_from(Rank), st.integers(3, 8)),
        st.builds(SetCombination, st.sampled_from(Rank), st.integers(3, 4)),
    )


def any_action() -> st.SearchStrategy[Action]:
    """Any action of any game, well formed or with something chosen twice."""
    return st.one_of(
        st.builds(acts.PlayCard, st.sampled_from(ALL_CARDS)),
        st.builds(acts.Bid, st.integers(-1, 14)),
        st.builds(acts.Draft, st.sampled_from(acts.DraftChoice)),
        st.builds(acts.Moon, st.sampled_from(acts.MoonChoice)),
        st.builds(acts.Blind, st.sampled_from(acts.BlindChoice)),
        st.builds(acts.CallUpcard, st.sampled_from(acts.UpcardCall)),
        st.builds(acts.CallTrump, st.sampled_from(acts.TrumpCall)),
        st.builds(acts.Alone, st.sampled_from(acts.AloneChoice)),
        st.builds(acts.Blank, st.sampled_from(acts.BlankChoice)),
        st.builds(acts.Leftovers, st.sampled_from(acts.LeftoversChoice)),
        st.builds(acts.Declare, st.none() | _combinations()),
        st.builds(ChooseCards, st.lists(st.sampled_from(ALL_CARDS), max_size=9).map(tuple)),
        st.builds(ChooseCombinations, st.lists(_combinations(), max_size=4).map(tuple)),
    )


def choice(legal: Choose | ChooseFurther) -> st.SearchStrategy[Action]:
    """Any choice of what is offered: too few or too many, and with doubles, among them."""
    pool: Sequence[Any] = legal.cards if isinstance(legal, Choose) else legal.combinations
    made: Any = ChooseCards if isinstance(legal, Choose) else ChooseCombinations
    some = st.lists(st.sampled_from(pool), max_size=legal.maximum + 2) if pool else st.just([])
    return some.map(lambda chosen: made(tuple(chosen)))


def likely_wrong(state: State) -> st.SearchStrategy[Action]:
    """Actions that are legal for somebody, or nearly so, as well as any others."""
    near: list[st.SearchStrategy[Action]] = [any_action()]
    for seat in state.to_act():
        legal = state.legal(seat)
        near.append(st.sampled_from(legal.actions) if isinstance(legal, LegalActions) else choice(legal))
    return st.one_of(near)


def scaled(examples: int) -> int:
    """Return how many examples to try: more with FAIRDEAL_LONG set."""
    return examples * (40 if LONG else 1)


def profile(examples: int, **more: Any) -> settings:
    """Return settings under which every run tries the same; what fails is shrunk with FAIRDEAL_LONG set."""
    return settings(
        max_examples=scaled(examples),
        deadline=None,
        database=None,
        derandomize=True,
        phases=(Phase.generate, Phase.shrink) if LONG else (Phase.generate,),
        report_multiple_bugs=False,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
        **more,
    )


class PlayedDeal:
    """One deal that was played: its events, how many actions it took, and the score before it, by side."""

    def __init__(
        self, events: Sequence[Event], actions: int, totals: tuple[int, ...], bags: tuple[int, ...]
    ) -> None:
        self.events = events
        self.actions = actions
        self.totals = totals
        self.bags = bags

    def of(self, kind: type[T]) -> list[T]:
        """Return the events of a class, in order."""
        return [event for event in self.events if isinstance(event, kind)]

    def named(self, name: str) -> list[Any]:
        """Return the events of a class, by its name."""
        return [event for event in self.events if type(event).__name__ == name]

    @property
    def scored(self) -> DealScored:
        (scored,) = self.of(DealScored)
        return scored


class KeyedMatch:
    """A match that is played with choices that are a function of the key; a deal at a time.

    The last item of the key is a number, which says how decks are sorted and whether defaults are played.
    """

    def __init__(self, game: Game[Any], *key: Any, deals: int | None = None, **given: object) -> None:
        self.game = game
        self.options = game.bind(given)
        self.state: State = game.new(self.options, deals=deals, first=Seat(draw(game.seats, "first", *key)))
        self._key = key
        self._order = ORDERS[key[-1] % len(ORDERS)]
        self._by_default = key[-1] % 8 == 7

    def deals(self) -> Iterator[PlayedDeal]:
        """Play on and yield each deal once it is scored."""
        state, totals, bags = self.state, (0,) * len(self.game.sides), (0,) * len(self.game.sides)
        while state.result() is None:
            key = (*self._key, state.deal_number)
            deck = sorted(shuffled(self.game.cards, *key), key=self._order)
            events = list(state.deal(deck))
            actions = 0
            while to_act := state.to_act():
                actions += 1
                seat = to_act[draw(len(to_act), "seat", *key, actions)]
                events += state.apply(seat, self._action(seat, *key, actions))
            deal = PlayedDeal(events, actions, totals, bags)
            totals, bags = deal.scored.totals, deal.scored.bags
            yield deal

    def _action(self, seat: Seat, *key: object) -> Action:
        legal = self.state.legal(seat)
        if self._by_default:
            return self.game.default(self.game.view(self.state, seat), legal)
        return pick(legal, *key)


@pytest.fixture
def played() -> type[KeyedMatch]:
    return KeyedMatch


class Inputs:
    """What may be given to a game, as strategies, and choices that are a function of a key."""

    decks = staticmethod(decks)
    options = staticmethod(options_of)
    likely_wrong = staticmethod(likely_wrong)
    pick = staticmethod(pick)
    draw = staticmethod(draw)
    shuffled = staticmethod(shuffled)
    profile = staticmethod(profile)
    scaled = staticmethod(scaled)


@pytest.fixture
def inputs() -> type[Inputs]:
    return Inputs
