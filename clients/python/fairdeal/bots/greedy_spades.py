"""Spades by rules of thumb: bid the value of the hand, take what the side bid, guard and attack nils."""

from dataclasses import dataclass
from typing import Final

from fairdeal import Answer, Bid, Blind, Card, Cards, Decision, Rank, SpadesPhase, SpadesView, Suit, Trick
from fairdeal.bots.tricks import TRUMP, playable, price, strength, unseen

HAND: Final = 13

# How many tricks a card takes, and a low spade beyond the third of a hand.
SPADE_WORTH: Final = {Rank.ACE: 1.0, Rank.KING: 0.9, Rank.QUEEN: 0.7, Rank.JACK: 0.4}
LONG_SPADE_WORTH: Final = 0.6
SIDE_WORTH: Final = {Rank.ACE: 0.9, Rank.KING: 0.6, Rank.QUEEN: 0.2}
RUFF_WORTH: Final = {0: 1.0, 1: 0.5}  # by length of the suit, if there are spades to ruff with
UNDERRATED: Final = 0.4  # what a hand is worth more than the sum, found by playing against itself

NIL_RISK: Final = 3.0  # nil is bid up to this value


@dataclass(frozen=True, slots=True)
class DealProgress:
    """The position of the sides in a deal.

    ``missing`` are the tricks that the own contract still needs and this seat may take, ``missing_there``
    those of the opponents' contract; ``nils`` are the seats that bid nil and have taken no trick.
    """

    missing: int
    missing_there: int
    nils: frozenset[int]


def answer(view: SpadesView, decision: Decision) -> Answer:
    """Return the answer to a decision; nil is never bid blind."""
    legal = decision.legal
    assert view.seat is not None
    if view.phase is SpadesPhase.BLIND:
        return Blind.LOOK
    if view.phase is SpadesPhase.BID:
        return Bid(bid(view.hand))
    cards = playable(legal)
    if view.trick is None:
        return lead(view, view.seat, cards)
    return follow(view, view.seat, view.trick, cards)


def bid(hand: Cards) -> int:
    """Bid nil if no trick threatens, else the value of the hand."""
    if nil_risk(hand) <= NIL_RISK:
        return 0
    return max(1, min(HAND, round(worth(hand) + UNDERRATED)))


def worth(hand: Cards) -> float:
    """Return roughly how many tricks a hand takes."""
    spades = hand.of(Suit.SPADES)
    tricks = sum(SPADE_WORTH.get(card.rank, 0.0) for card in spades)
    low = sum(card.rank not in SPADE_WORTH for card in spades)
    tricks += LONG_SPADE_WORTH * min(low, max(0, len(spades) - 3))
    ruffs = 0.0
    for suit in (Suit.CLUBS, Suit.DIAMONDS, Suit.HEARTS):
        cards = hand.of(suit)
        tricks += sum(SIDE_WORTH.get(card.rank, 0.0) for card in cards)
        ruffs += RUFF_WORTH.get(len(cards), 0.0)
    return tricks + min(ruffs, float(min(low, 3)))


def nil_risk(hand: Cards) -> float:
    """Return how far the cards of a hand are above those that easily lose."""
    risk = 0.0
    for suit in Suit:
        step, free = (2.0, 4) if suit is Suit.SPADES else (2.5, 6)
        for below, card in enumerate(hand.of(suit)):
            risk += max(0.0, card.rank - free - step * below)
    return risk


def deal_progress(view: SpadesView, seat: int) -> DealProgress:
    """Return the position of the sides."""
    bids = {made.seat: made.tricks for made in view.bids}

    def missing(side: tuple[int, int]) -> int:
        return sum(bids[each] - view.taken[each] for each in side if bids[each])

    partner = (seat + 2) % 4
    nils = frozenset(each for each, tricks in bids.items() if not tricks and not view.taken[each])
    here = missing((seat, partner)) if bids[seat] else 0
    return DealProgress(here, missing(((seat + 1) % 4, (seat + 3) % 4)), nils)


def wants_tricks(view: SpadesView, seat: int, progress: DealProgress) -> bool:
    """Return whether taking a trick is good: for the contract, or to make the opponents' fail."""
    if seat in progress.nils:
        return False
    if progress.missing > 0 or (seat + 2) % 4 in progress.nils:
        return True
    return len(view.hand) / 2 < progress.missing_there <= len(view.hand)


def lead(view: SpadesView, seat: int, cards: Cards) -> Card:
    """Lead a card that is likely to win if tricks are wanted, else one that is not."""
    out = unseen(view.hand, view.tricks, None)
    progress = deal_progress(view, seat)
    if not wants_tricks(view, seat, progress):
        return min(cards, key=lambda card: (holds(card, out), price(card)))
    best = max(cards, key=lambda card: (holds(card, out), card.suit is not Suit.SPADES, card.rank))
    if holds(best, out) > 0.5 or (seat + 2) % 4 in progress.nils:
        return best
    return min(cards, key=price)


def holds(card: Card, out: Cards) -> float:
    """Return roughly how likely a card that is led wins the trick."""
    suit = out.of(card.suit)
    higher = sum(other > card for other in suit)
    ruffed = 0.0 if card.suit is Suit.SPADES or not out.of(Suit.SPADES) else max(0.0, 1 - len(suit) / 6)
    return float(0.5**higher) * (1 - ruffed)


def follow(view: SpadesView, seat: int, trick: Trick, cards: Cards) -> Card:
    """Win as cheaply as is safe if tricks are wanted, else lose with the highest card that loses."""

    def power(card: Card) -> int:
        return strength(card, trick.led, Suit.SPADES)

    out = unseen(view.hand, view.tricks, trick)
    progress = deal_progress(view, seat)
    partner = (seat + 2) % 4
    best = max(trick.cards, key=power)
    holder = (trick.leader + trick.cards.index(best)) % 4
    winning = [card for card in cards if power(card) > power(best)]
    losing = [card for card in cards if power(card) < power(best)]
    last = len(trick.cards) == 3

    def sure(card: Card) -> bool:
        return last or not any(power(other) > power(card) for other in out.of(card.suit))

    if not wants_tricks(view, seat, progress):
        if losing:
            return max(losing, key=price)
        return max(winning, key=price) if last else min(winning, key=price)
    if losing and holder in progress.nils and holder != partner:
        return min(losing, key=price)
    if not winning or (holder == partner and partner not in progress.nils and sure(best)):
        return min(cards, key=price)
    cheapest = min(winning, key=price)
    if last or power(cheapest) > TRUMP:
        return cheapest
    highest = max(winning, key=price)
    third = len(trick.cards) == 2
    return highest if third or sure(highest) or partner in progress.nils else min(cards, key=price)
