"""What the tests of piquet share: hands by suits, combinations by their cards, a table that speaks them."""

from collections.abc import Callable
from typing import Any

import pytest

from referee.cards import RANKS, SUITS, Card, Rank, Suit, card
from referee.games.actions import (
    Blank,
    BlankChoice,
    ChooseCards,
    ChooseCombinations,
    Declare,
    Leftovers,
    LeftoversChoice,
)
from referee.games.combinations import Combination, PointCombination, SequenceCombination, SetCombination
from referee.games.piquet import GAME
from referee.games.piquet.events import Phase
from tests.games.conftest import GameTable


def held(text: str) -> list[Card]:
    """Return the cards of a hand written by suits: ``S:AKQ H:T``."""
    return [card(rank + suits[0]) for suits in text.split() for rank in suits[2:]]


def named(text: str) -> Combination:
    """Return a combination: ``S`` is a point, ``S:AKQ`` a sequence, ``AAA`` a set."""
    if text in SUITS:
        return PointCombination(Suit(SUITS.index(text)))
    if text[1] == ":":
        return SequenceCombination(Suit(SUITS.index(text[0])), Rank(RANKS.index(text[2])), len(text) - 2)
    return SetCombination(Rank(RANKS.index(text[0])), len(text))


def filled(elder: str, younger: str, talon: str = "") -> tuple[list[Card], list[Card], list[Card]]:
    """Return two hands of twelve and a talon, filled up in canonical order."""
    hands = [held(elder), held(younger)]
    named = [*hands[0], *hands[1], *held(talon)]
    assert len(named) == len(set(named)), "a card is in two places"
    rest = [c for c in GAME.cards if c not in named]
    for hand in hands:
        assert len(hand) <= 12
        hand += [rest.pop(0) for _ in range(12 - len(hand))]
    return hands[0], hands[1], [*held(talon), *rest]


class PiquetTable(GameTable):
    """A table of piquet on which, unless told, seat 0 is elder in the first deal."""

    def __init__(self, *, first: int = 1, **given: Any) -> None:
        super().__init__(GAME, first=first, **given)

    def seats(self) -> tuple[int, int]:
        """Return elder and younger of the deal that comes, or is in play."""
        elder = self.state.elder if self.state.to_act() or not self.events else 1 - self.state.elder
        return elder, 1 - elder

    def dealt(self, elder: str = "", younger: str = "", talon: str = "") -> "PiquetTable":
        """Deal these cards, filled up in canonical order, up to the question about a blank."""
        mine, theirs, rest = filled(elder, younger, talon)
        by_seat = (mine, theirs) if self.seats()[0] == 0 else (theirs, mine)
        self.deal([*by_seat[0], *by_seat[1], *rest])
        return self

    def blanks(self, elder: str = "decline", younger: str = "decline") -> "PiquetTable":
        """Answer the questions about a blank."""
        for word in (elder, younger):
            self.act(self.turn, Blank(BlankChoice[word.upper()]))
        return self

    def exchange(self, text: str) -> list[Any]:
        """Exchange cards of the seat in turn, by suits."""
        return self.act(self.turn, ChooseCards(tuple(held(text))))

    def leftovers(self, word: str = "leave") -> list[Any]:
        """Settle the cards left over."""
        return self.act(self.turn, Leftovers(LeftoversChoice[word.upper()]))

    def hold(
        self, elder: str = "", younger: str = "", *, blank: str = "decline", talon: str = ""
    ) -> "PiquetTable":
        """Deal and exchange so that the dialogue begins with these hands; elder changed one card.

        ``blank`` is what younger, who keeps its cards, says to the question; ``talon`` are up to seven
        cards that lie below the one that elder draws.
        """
        mine, theirs, rest = filled(elder, younger, talon)
        dealt = [[rest.pop(), *mine[1:]], theirs]
        by_seat = dealt if self.seats()[0] == 0 else dealt[::-1]
        self.deal([*by_seat[0], *by_seat[1], mine[0], *rest])
        self.blanks(younger=blank)
        self.act(self.turn, ChooseCards((dealt[0][0],)))
        self.exchange("")
        self.leftovers()
        return self

    def say(self, text: str) -> list[Any]:
        """Go through rounds, ``|`` between them: a declaration, ``-`` for none, ``+`` further ones."""
        events: list[Any] = []
        for words in text.split("|"):
            first, *more = (word.strip() for word in words.split("+"))
            events += self.act(self.turn, Declare(None if first == "-" else named(first)))
            if self.state.phase == Phase.FURTHER:
                events += self.act(self.turn, ChooseCombinations(tuple(map(named, more))))
            else:
                assert not more, "there is no further one here"
        return events

    def score(self) -> tuple[int, int]:
        """Return the points booked, elder's first."""
        points = self.view(None).points
        return points[self.state.elder], points[1 - self.state.elder]


@pytest.fixture(name="held")
def held_fixture() -> Callable[[str], list[Card]]:
    return held


@pytest.fixture(name="named")
def named_fixture() -> Callable[[str], Combination]:
    return named


@pytest.fixture
def piquet() -> type[PiquetTable]:
    return PiquetTable
