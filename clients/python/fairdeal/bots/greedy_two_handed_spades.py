"""Two-handed spades by rules of thumb: draft high cards, bid their value, take exactly that."""

from typing import Final

from fairdeal import (
    Answer,
    Bid,
    Card,
    Cards,
    Decision,
    Draft,
    Rank,
    Suit,
    Trick,
    TwoHandedSpadesPhase,
    TwoHandedSpadesView,
)
from fairdeal.bots import tricks
from fairdeal.bots.tricks import playable, price, strength

HAND: Final = 13

# How many tricks a card takes, fitted to the tricks that hands took when this bot played itself.
SPADE_WORTH: Final = {Rank.ACE: 1.7, Rank.KING: 1.6, Rank.QUEEN: 1.4, Rank.JACK: 1.1, Rank.TEN: 0.95}
LOW_SPADE_WORTH: Final = 0.75
SIDE_WORTH: Final = {Rank.ACE: 0.87, Rank.KING: 0.56, Rank.QUEEN: 0.2}
OVERRATED: Final = 0.6  # what all cards together are worth less than the sum
CAUTION: Final = 1.1  # a failed bid costs more than a bag


def answer(view: TwoHandedSpadesView, decision: Decision) -> Answer:
    """Return the answer to a decision."""
    legal = decision.legal
    if view.phase is TwoHandedSpadesPhase.DRAFT:
        return draft(view)
    if view.phase is TwoHandedSpadesPhase.BID:
        return bid(view)
    cards = playable(legal)
    if view.trick is None:
        return lead(view, cards)
    return follow(view, view.trick, cards)


def draft(view: TwoHandedSpadesView) -> Draft:
    """Keep a card that is worth at least as much as the unseen ones on average."""
    assert view.offered
    out = unseen(view)
    average = sum(map(worth, out)) / len(out)
    return Draft.KEEP if worth(view.offered) >= average else Draft.REFUSE


def worth(card: Card) -> float:
    """Return roughly how many tricks a card takes."""
    if card.suit is Suit.SPADES:
        return SPADE_WORTH.get(card.rank, LOW_SPADE_WORTH)
    return SIDE_WORTH.get(card.rank, 0.0)


def bid(view: TwoHandedSpadesView) -> Bid:
    """Bid the value of the hand, less a little for safety."""
    tricks = sum(map(worth, view.hand)) - OVERRATED
    return Bid(max(1, min(HAND, round(tricks - CAUTION))))


def lead(view: TwoHandedSpadesView, cards: Cards) -> Card:
    """Lead the card most likely to win if tricks are wanted, else the one least likely to."""
    out = unseen(view)
    if not wants_tricks(view):
        return min(cards, key=lambda card: (holds(card, out), price(card)))
    best = max(cards, key=lambda card: (holds(card, out), card.suit is not Suit.SPADES, card.rank))
    if holds(best, out) > 0.6:
        return best
    return min(cards, key=price)


def holds(card: Card, out: Cards) -> float:
    """Return how likely a card that is led wins: the other player holds about half of what is unseen."""
    higher = sum(other.suit is card.suit and other > card for other in out)
    return float(0.5**higher)


def follow(view: TwoHandedSpadesView, trick: Trick, cards: Cards) -> Card:
    """Win as cheaply as possible if tricks are wanted, else lose with the highest card that loses."""
    led = trick.cards[0]
    mark = strength(led, led.suit, Suit.SPADES)
    winning = [card for card in cards if strength(card, led.suit, Suit.SPADES) > mark]
    losing = [card for card in cards if card not in winning]
    if wants_tricks(view):
        return min(winning, key=price) if winning else min(losing, key=price)
    return max(losing, key=price) if losing else max(winning, key=price)


def wants_tricks(view: TwoHandedSpadesView) -> bool:
    """Return whether one more trick is good: for one's own bid, or to make the other's bid fail."""
    assert view.seat is not None
    bids = {made.seat: made.tricks for made in view.bids}
    mine, other = view.seat, 1 - view.seat
    if not bids[mine] and not view.taken[mine]:
        return False
    if view.taken[mine] < bids[mine]:
        return True
    missing = bids[other] - view.taken[other]
    return len(view.hand) / 2 < missing <= len(view.hand)


def unseen(view: TwoHandedSpadesView) -> Cards:
    """Return the cards that the other player holds or discarded, or that are still in the stock."""
    known = [*view.kept, *view.discarded, *([view.offered] if view.offered else [])]
    return tricks.unseen(view.hand, view.tricks, view.trick, known=known)
