"""What the tests of spades share: decks made to order, bids by words, deals with set numbers of tricks."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from referee.cards import ALL_CARDS, RANKS, Card, card, cards
from referee.games.actions import Bid, Blind, BlindChoice, PlayCard
from referee.games.events import DealScored
from referee.games.spades import GAME
from referee.games.spades.rules import Phase
from tests.games.conftest import GameTable

Lines = list[list[Card]]
"""By seat, the cards it plays in order."""


def deck_of(*hands: str) -> list[Card]:
    """Return a deck that deals hands; what is not named is filled up in canonical order."""
    named = [list(cards(hand)) for hand in [*hands, "", "", "", ""][:4]]
    rest = [c for c in ALL_CARDS if not any(c in hand for hand in named)]
    return [c for hand in named for c in hand + [rest.pop(0) for _ in range(13 - len(hand))]]


def bid(match: GameTable, words: str) -> list[Any]:
    """Bid for all four, seat 0 first in the words though the dealer bids first; return what happened.

    A number is a bid, made after looking where the seat may bid blind; N is nil, B blind nil.
    """
    by_seat = words.split()
    events = []
    while match.state.phase != Phase.PLAY:
        seat, word = match.turn, by_seat[match.turn]
        if match.state.phase == Phase.BLIND:
            choice = BlindChoice.NIL if word == "B" else BlindChoice.LOOK
            events += match.act(seat, Blind(choice))
        else:
            events += match.act(seat, Bid(0 if word == "N" else int(word)))
    return events


def lines_taking(taken: Sequence[int]) -> Lines:
    """Return hands, in the order of play, with which the seats take set numbers of tricks, whoever deals.

    Three rounds each of clubs, diamonds and hearts are played, then a trick of the four twos, which a spade
    takes and breaks spades, then three rounds of spades. The winner of a round has its highest card. One
    seat cannot take all thirteen like that: it is given all spades.
    """
    if 13 in taken:
        suits = [
            "S" if tricks == 13 else "CDH"[len([t for t in taken[:s] if t != 13])]
            for s, tricks in enumerate(taken)
        ]
        return [[card(rank + suit) for rank in RANKS] for suit in suits]
    winners = sorted(seat for seat, tricks in enumerate(taken) for _ in range(tricks))
    ruffer = winners[-1]
    winners.remove(ruffer)
    ninth = winners.pop(0)  # not the ruffer, which is the last in order and does not win all
    winners[8:8] = [ninth, ruffer]
    twos = dict(zip([s for s in range(4) if s != ruffer], "CDH", strict=True)) | {ruffer: "S"}
    lines: Lines = [[], [], [], []]
    rounds = [(suit, i) for suit in "CDHS" for i in range(3)]
    for trick, winner in enumerate(winners):
        if trick == 9:
            for seat, suit in twos.items():
                lines[seat].append(card("2" + suit))
            continue
        suit, i = rounds[trick - (trick > 9)]
        ranks = list(RANKS[1 + 4 * i : 5 + 4 * i])
        for seat in range(4):
            lines[seat].append(card((ranks.pop() if seat == winner else ranks.pop(0)) + suit))
    return lines


def play_lines(match: GameTable, lines: Lines) -> None:
    """Play the deal out, each seat its cards in order."""
    for _ in range(52):
        seat = match.turn
        match.act(seat, PlayCard(lines[seat][len(match.view(None).tricks)]))


def score(match: GameTable, words: str, taken: Sequence[int]) -> DealScored:
    """Deal, bid by words and play so that the seats take set numbers of tricks; return the score."""
    lines = lines_taking(taken)
    match.deal([c for line in lines for c in line])
    bid(match, words)
    play_lines(match, lines)
    assert match.view(None).taken == tuple(taken)
    scored = match.events[-1]
    assert isinstance(scored, DealScored)
    return scored


@pytest.fixture
def spades() -> Callable[..., GameTable]:
    """Return a function that makes a match, by default with seat 0 as the first dealer."""
    return lambda *, dealer=0, **given: GameTable(GAME, first=dealer, **given)


@pytest.fixture
def dealt(spades: Callable[..., GameTable]) -> Callable[..., GameTable]:
    """Return a function that makes a match and deals it the hands."""

    def dealt(*hands: str, **given: Any) -> GameTable:
        match = spades(**given)
        match.deal(deck_of(*hands))
        return match

    return dealt


@pytest.fixture
def behind(spades: Callable[..., GameTable]) -> Callable[..., GameTable]:
    """Return a function that makes a match in which side 0 is 200 points behind after the first deal."""

    def behind(**given: Any) -> GameTable:
        match = spades(**given)
        score(match, "5 5 5 5", (2, 5, 1, 5))
        assert match.view(None).scores == (-100, 100)
        return match

    return behind


@pytest.fixture(name="deck_of")
def deck_of_fixture() -> Callable[..., list[Card]]:
    return deck_of


@pytest.fixture(name="bid")
def bid_fixture() -> Callable[..., list[Any]]:
    return bid


@pytest.fixture(name="score")
def score_fixture() -> Callable[..., DealScored]:
    return score
