"""OpenSpiel as a second opinion: one deal held in both, its seats and cards called by our numbers."""

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import pyspiel
import pytest

from referee.cards import Card, Seat
from referee.games.actions import (
    Action,
    Alone,
    AloneChoice,
    Bid,
    CallTrump,
    CallUpcard,
    ChooseCards,
    LegalActions,
    PlayCard,
    TrumpCall,
    UpcardCall,
)
from referee.games.base import Event, State, check_action, check_deck
from referee.games.hearts.rules import PassDirection
from referee.games.registry import GAMES
from tests.draws import draw, shuffled


class Twin(ABC):
    """A deal in both programs.

    ``ours`` may be a match in progress that needs a deck. Every input is given to both, checked on our side.
    """

    name: ClassVar[str]
    by_rank: ClassVar[bool]
    """Whether OpenSpiel numbers the cards by rank first, not by suit."""

    def __init__(self, ours: State, deck: Sequence[Card], **parameters: bool) -> None:
        check_deck(GAMES[self.name], deck)
        self.ours = ours
        self.theirs: Any = pyspiel.load_game(self.name, parameters).new_initial_state()
        self.shift = 0  # their player of our seat 0
        self.events: list[Event] = ours.deal(deck)
        self.deal(deck)

    @classmethod
    def match(cls, *, deals: int | None = None, first: int = 0, **options: object) -> State:
        """Return the state of a match before its first deal."""
        game = GAMES[cls.name]
        state: State = game.new(game.bind(options), deals=deals, first=Seat(first))
        return state

    @abstractmethod
    def deal(self, deck: Sequence[Card]) -> None:
        """Let them have the same deal: their chance actions in their order."""

    def hand_out(self, hands: Sequence[Sequence[Card]]) -> None:
        """Deal them one card a seat in turn, their player 0 first."""
        for round_of_cards in zip(*hands, strict=True):
            for c in round_of_cards:
                self.theirs.apply_action(self.to_theirs(c))

    def to_theirs(self, c: Card) -> int:
        lowest = min(GAMES[self.name].cards) % 13
        return (c % 13 - lowest) * 4 + c // 13 if self.by_rank else c

    @property
    def their_seat(self) -> int:
        """Return our number of the seat that they say is to act; negative when none is."""
        player: int = self.theirs.current_player()
        return (player - self.shift) % 4 if player >= 0 else player

    def legal_cards(self) -> tuple[set[Card], set[Card]]:
        """Return what the seat in turn may play, by us and by them."""
        (seat,) = self.ours.to_act()
        legal = self.ours.legal(seat)
        assert isinstance(legal, LegalActions)
        theirs = set(self.theirs.legal_actions())
        ours = {action.card for action in legal.actions if isinstance(action, PlayCard)}
        return ours, {c for c in GAMES[self.name].cards if self.to_theirs(c) in theirs}

    def act(self, action: Action) -> None:
        """Give the action of the seat in turn to both."""
        seat = self.ours.to_act()[0]
        check_action(self.ours, seat, action)
        self.events += self.ours.apply(seat, action)
        for given in self.actions_of(action):
            assert given in self.theirs.legal_actions()
            self.theirs.apply_action(given)

    def actions_of(self, action: Action) -> list[int]:
        """Return what an action is in their numbers."""
        match action:
            case PlayCard(c):
                return [self.to_theirs(c)]
            case ChooseCards(some):
                return [self.to_theirs(c) for c in some]
        raise TypeError(f"{self.name} has no number for {action}")

    def play(self, some: Sequence[Card]) -> None:
        """Play cards, each by the seat in turn."""
        for c in some:
            self.act(PlayCard(c))

    def play_lowest(self) -> None:
        """Play to the end of the deal, always the first card that both allow."""
        while not self.theirs.is_terminal():
            ours, theirs = self.legal_cards()
            self.act(PlayCard(min(ours & theirs)))


class HeartsTwin(Twin):
    name = "hearts"
    by_rank = True

    def __init__(self, ours: State, deck: Sequence[Card], **parameters: bool) -> None:
        super().__init__(ours, deck, **{"can_lead_hearts_instead_of_qs": True, **parameters})

    def deal(self, deck: Sequence[Card]) -> None:
        directions = [PassDirection.NONE, PassDirection.LEFT, PassDirection.ACROSS, PassDirection.RIGHT]
        self.theirs.apply_action(directions.index(self.events[0].direction))
        self.hand_out([deck[13 * seat : 13 * seat + 13] for seat in range(4)])


class SpadesTwin(Twin):
    """Their player 0 is our dealer, who bids and leads first."""

    name = "spades"
    by_rank = False

    def deal(self, deck: Sequence[Card]) -> None:
        dealer = self.events[0].dealer
        self.shift = -dealer
        self.hand_out([deck[13 * seat : 13 * seat + 13] for seat in ((dealer + i) % 4 for i in range(4))])

    def actions_of(self, action: Action) -> list[int]:
        return [52 + action.tricks] if isinstance(action, Bid) else super().actions_of(action)


class EuchreTwin(Twin):
    name = "euchre"
    by_rank = True

    PASS, FIRST_SUIT, ALONE, TOGETHER = 24, 25, 29, 30

    def __init__(self, ours: State, deck: Sequence[Card], **parameters: bool) -> None:
        super().__init__(ours, deck, **{"allow_lone_defender": True, **parameters})

    def deal(self, deck: Sequence[Card]) -> None:
        dealer = self.events[0].dealer
        self.theirs.apply_action(dealer)
        self.hand_out([deck[5 * seat : 5 * seat + 5] for seat in ((dealer + i) % 4 for i in range(4))])
        self.theirs.apply_action(self.to_theirs(deck[20]))
        self.upcard_suit = deck[20] // 13

    def actions_of(self, action: Action) -> list[int]:
        match action:
            case CallUpcard(call):
                return [self.PASS if call == UpcardCall.PASS else self.FIRST_SUIT + self.upcard_suit]
            case CallTrump(call):
                return [self.PASS if call == TrumpCall.PASS else self.FIRST_SUIT + call - 1]
            case Alone(choice):
                return [self.ALONE if choice == AloneChoice.ALONE else self.TOGETHER]
        return super().actions_of(action)


@pytest.fixture(name="draw")
def draw_fixture() -> Callable[..., int]:
    return draw


@pytest.fixture(name="shuffled")
def shuffled_fixture() -> Callable[..., tuple[Any, ...]]:
    return shuffled


@pytest.fixture
def hearts() -> type[HeartsTwin]:
    return HeartsTwin


@pytest.fixture
def spades() -> type[SpadesTwin]:
    return SpadesTwin


@pytest.fixture
def euchre() -> type[EuchreTwin]:
    return EuchreTwin


@pytest.fixture
def deals() -> int:
    """Return how many deals of a kind are compared."""
    return 4000 if os.environ.get("FAIRDEAL_LONG") == "1" else 200
