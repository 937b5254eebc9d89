"""What the tests of euchre share: decks made to order, and a match played by words."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from referee.cards import Card, cards
from referee.games.actions import (
    Action,
    Alone,
    AloneChoice,
    CallTrump,
    CallUpcard,
    ChooseCards,
    PlayCard,
    TrumpCall,
    UpcardCall,
)
from referee.games.euchre import GAME
from referee.games.euchre.events import Phase
from tests.games.conftest import GameTable

SUIT_CALLS = dict(zip("CDHS", TrumpCall, strict=False))


def deck_of(*hands: str, upcard: str = "") -> list[Card]:
    """Return a deck that deals hands and an upcard; what is not named is filled up in canonical order."""
    named = [*cards(" ".join(hands)), *cards(upcard)]
    rest = [c for c in GAME.cards if c not in named]
    deck: list[Card] = []
    for hand in [*hands, "", "", "", ""][:4]:
        held = list(cards(hand))
        deck += held + [rest.pop(0) for _ in range(5 - len(held))]
    return [*deck, *cards(upcard), *rest]


def action(phase: Phase, word: str) -> Action:
    """Return the action that a word means in a phase: ``pass``, ``accept``, a suit, ``alone``, a card ..."""
    match phase:
        case Phase.UPCARD:
            return CallUpcard(UpcardCall[word.upper()])
        case Phase.TRUMP:
            return CallTrump(SUIT_CALLS[word] if word in SUIT_CALLS else TrumpCall[word.upper()])
        case Phase.DISCARD:
            return ChooseCards(cards(word))
        case Phase.ALONE:
            return Alone(AloneChoice[word.upper()])
        case Phase.PLAY:
            return PlayCard(cards(word)[0])


def say(match: GameTable, words: str) -> list[Any]:
    """Answer decisions in turn with words; return what happened."""
    return [
        event for word in words.split() for event in match.act(match.turn, action(match.state.phase, word))
    ]


def make(match: GameTable, maker: int, suit: str = "") -> None:
    """Make trump: name a suit, or without one accept the upcard, the dealer discarding his first card."""
    if suit:
        say(match, "pass pass pass pass")
    while match.turn != maker:
        say(match, "pass")
    say(match, suit or "accept")
    if match.state.phase == Phase.DISCARD:
        match.act(match.turn, ChooseCards(match.view(match.turn).hand[:1]))


def settle(match: GameTable, loners: Sequence[int] = ()) -> list[int]:
    """Answer whether seats play alone, those given do; return the seats that were asked, in order."""
    asked = []
    while match.state.phase == Phase.ALONE:
        asked.append(match.turn)
        say(match, "alone" if match.turn in loners else "together")
    return asked


def duel(match: GameTable, maker: int, won: int) -> list[Any]:
    """Deal and play a deal of loners 0 and 1 in which seat 0 wins a number of tricks, however it is played.

    Hearts are trump. Each card is followed by the other loner's of the suit, clubs by two.
    """
    clubs_to_0 = won > 3
    hands = [["AC", "KC"], ["TC", "9C"]] if clubs_to_0 else [["TC", "9C"], ["AC", "KC"]]
    singles = won - 2 if clubs_to_0 else won
    for i, suit in enumerate("DHS"):
        hands[0 if i < singles else 1].append("A" + suit)
        hands[1 if i < singles else 0].append("9" + suit)
    match.deal(deck_of(" ".join(hands[0]), " ".join(hands[1]), upcard="TD"))
    make(match, maker, "H")
    settle(match, (0, 1))
    events: list[Any] = []
    while match.state.to_act():
        events += match.act(match.turn, match.legal().actions[0])
    return events


@pytest.fixture
def euchre() -> Callable[..., GameTable]:
    """Return a function that begins a match with a deal to order, dealt by seat 3 unless told."""

    def dealt(*hands: str, upcard: str = "", dealer: int = 3, **given: Any) -> GameTable:
        match = GameTable(GAME, first=dealer, **given)
        match.deal(deck_of(*hands, upcard=upcard))
        return match

    return dealt


@pytest.fixture(name="deck_of")
def deck_of_fixture() -> Callable[..., list[Card]]:
    return deck_of


@pytest.fixture(name="say")
def say_fixture() -> Callable[..., list[Any]]:
    return say


@pytest.fixture(name="make")
def make_fixture() -> Callable[..., None]:
    return make


@pytest.fixture(name="settle")
def settle_fixture() -> Callable[..., list[int]]:
    return settle


@pytest.fixture(name="duel")
def duel_fixture() -> Callable[..., list[Any]]:
    return duel
