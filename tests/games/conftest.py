"""What the tests of the games share: a table played through the checked doors, and decks made to order."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from referee.cards import ALL_CARDS, CARD_NAMES, Card, Seat, cards
from referee.games.actions import (
    Action,
    Bid,
    ChooseCards,
    Draft,
    DraftChoice,
    Legal,
    LegalActions,
    PlayCard,
)
from referee.games.base import Event, Game, check_action, check_deck
from referee.games.errors import BadAction
from referee.games.hearts.rules import PassDirection, pass_direction, receiver
from referee.games.registry import GAMES
from referee.games.two_handed_spades.rules import Phase
from tests.draws import draw, pick, shuffled


class GameTable:
    """A match played through the checked doors.

    ``events`` are all that happened; ``inputs`` all it was given: None and a deck, or a seat and its action.
    """

    def __init__(
        self, game: Game[Any], *, deals: int | None = None, first: int = 0, **options: object
    ) -> None:
        self.game = game
        self.given = {"deals": deals, "first": first, **options}
        self.state: Any = game.new(game.bind(options), deals=deals, first=Seat(first))
        self.events: list[Event] = []
        self.inputs: list[tuple[Seat | None, Any]] = []

    def deal(self, deck: Sequence[Card]) -> list[Event]:
        assert self.state.needs_deck
        check_deck(self.game, deck)
        return self._happened(None, deck, self.state.deal(deck))

    def act(self, seat: int, action: Action) -> list[Event]:
        check_action(self.state, Seat(seat), action)
        return self._happened(Seat(seat), action, self.state.apply(Seat(seat), action))

    def _happened(self, seat: Seat | None, given: Any, events: list[Event]) -> list[Event]:
        self.inputs.append((seat, given))
        self.events += events
        return events

    def give(self, seat: Seat | None, given: Any) -> list[Event]:
        """Give an input as ``inputs`` keeps it."""
        return self.deal(given) if seat is None else self.act(seat, given)

    def play(self, names: str) -> list[Event]:
        """Play cards, each by the seat in turn; return what happened."""
        return [event for c in cards(names) for event in self.act(self.turn, PlayCard(c))]

    @property
    def turn(self) -> Seat:
        (seat,) = self.state.to_act()
        return seat

    def legal(self, seat: int | None = None) -> Legal:
        return self.state.legal(self.turn if seat is None else Seat(seat))

    def legal_cards(self) -> str:
        """Return the names of the cards that the seat in turn may play."""
        legal = self.legal()
        assert isinstance(legal, LegalActions)
        plays = [action for action in legal.actions if isinstance(action, PlayCard)]
        assert len(plays) == len(legal.actions)
        return " ".join(CARD_NAMES[action.card] for action in plays)

    def view(self, seat: int | None) -> Any:
        return self.game.view(self.state, None if seat is None else Seat(seat))

    def told(self, seat: int | None) -> list[Event]:
        """Return what a seat, or the public, was told so far."""
        projected = (self.game.project(e, None if seat is None else Seat(seat)) for e in self.events)
        return [event for event in projected if event is not None]

    def step(self, *key: object) -> None:
        """Give the next input, a function of the key: a deck, or an action of one of the seats to act."""
        key = (*key, len(self.inputs))
        if self.state.needs_deck:
            self.deal(shuffled(self.game.cards, *key))
            return
        to_act = self.state.to_act()
        seat = to_act[draw(len(to_act), "seat", *key)]
        self.act(seat, pick(self.state.legal(seat), *key))

    def walk(self, steps: int, *key: object) -> "GameTable":
        """Give some inputs, fewer if the match ends; stop short of a deck, so that a deal is in play."""
        while self.state.result() is None and (len(self.inputs) < steps or self.state.needs_deck):
            self.step(*key)
        return self

    def replayed(self) -> "GameTable":
        """Return another table that was given the same inputs."""
        other = GameTable(self.game, **self.given)
        for seat, given in self.inputs:
            other.give(seat, given)
        return other

    def swapped(self, observer: Seat | None, a: Card, b: Card) -> "GameTable | None":
        """Return a table that differs in two cards of the deal in play, or None when there is no such match.

        The cards change places in the deck and in what seats other than the observer chose in secret; all
        else is repeated as it was.
        """
        other_one = {a: b, b: a}
        deal_began = max(i for i, (seat, _) in enumerate(self.inputs) if seat is None)
        other = GameTable(self.game, **self.given)
        for i, (seat, given) in enumerate(self.inputs):
            if i == deal_began:
                given = [other_one.get(c, c) for c in given]
            elif i > deal_began and seat != observer and isinstance(given, ChooseCards):
                given = ChooseCards(tuple(other_one.get(c, c) for c in given.cards))
            try:
                other.give(seat, given)
            except BadAction:
                return None
        return other

    def play_out(self, *key: object) -> None:
        """Play the deal to its end, every choice a function of the key."""
        while self.state.to_act():
            self.step(*key)

    def default_out(self) -> None:
        """Play the deal to its end with default actions."""
        while self.state.to_act():
            seat = self.state.to_act()[0]
            self.act(seat, self.game.default(self.view(seat), self.legal(seat)))


def filled(hands: Sequence[str]) -> list[list[Card]]:
    """Return hands of thirteen: the named cards, filled up in canonical order from the others."""
    named = [list(cards(hand)) for hand in hands]
    rest = [c for c in ALL_CARDS if not any(c in hand for hand in named)]
    for hand in named:
        while len(hand) < 13:
            hand.append(rest.pop(0))
    return named


class HeartsTable(GameTable):
    """A table of hearts that deals hands to order."""

    def __init__(self, **given: Any) -> None:
        super().__init__(GAMES["hearts"], **given)

    def hold(self, *hands: str) -> "HeartsTable":
        """Deal, and pass where cards are passed, so that the seats then hold these cards."""
        wanted = filled([*hands, "", "", "", ""][:4])
        direction = pass_direction(self.state.deal_number + 1)
        if direction == PassDirection.NONE:
            self.deal([c for hand in wanted for c in hand])
            return self
        passed = [wanted[receiver(Seat(s), direction)][:3] for s in range(4)]
        self.deal([c for s in range(4) for c in wanted[s][3:] + passed[s]])
        for s in range(4):
            self.act(s, ChooseCards(tuple(passed[s])))
        return self


class SpadesTable(GameTable):
    """A table of two-handed spades that deals hands to order."""

    def __init__(self, **given: Any) -> None:
        super().__init__(GAMES["two_handed_spades"], **given)

    def hold(self, hand_0: str = "", hand_1: str = "") -> "SpadesTable":
        """Deal and draft so that the seats hold these cards."""
        hands = filled([hand_0, hand_1])
        rest = [c for c in ALL_CARDS if c not in hands[0] + hands[1]]
        first = self.view(None).first if self.state.deal_number == 0 else 1 - self.view(None).first
        self.deal([c for i in range(13) for s in (first, 1 - first) for c in (hands[s][i], rest.pop())])
        while self.state.phase == Phase.DRAFT:
            self.act(self.turn, Draft(DraftChoice.KEEP))
        return self

    def bid(self, seat_0: int, seat_1: int) -> "SpadesTable":
        """Bid for both seats."""
        while self.state.phase == Phase.BID:
            self.act(self.turn, Bid((seat_0, seat_1)[self.turn]))
        return self


@pytest.fixture(name="shuffled")
def shuffled_fixture() -> Callable[..., tuple[Card, ...]]:
    return shuffled


@pytest.fixture
def table() -> type[GameTable]:
    return GameTable


@pytest.fixture
def hearts() -> type[HeartsTable]:
    return HeartsTable


@pytest.fixture
def spades() -> type[SpadesTable]:
    return SpadesTable
