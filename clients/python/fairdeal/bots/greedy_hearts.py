"""Hearts by rules of thumb: pass dangerous cards, duck, and throw points on others."""

from typing import Final

from fairdeal import (
    Answer,
    Card,
    Cards,
    Decision,
    HeartsPhase,
    HeartsView,
    LegalChoice,
    Moon,
    Seated,
    Suit,
    Trick,
)
from fairdeal.bots import tricks
from fairdeal.bots.tricks import playable

QUEEN: Final = Card("QS")
POINTS: Final = 26  # points of a moon in a deal
GUARDS: Final = 4  # with this many spades below the queen, the high ones can stay
SAFE_SUIT: Final = 8  # everybody can follow a suit with this many unseen cards


def answer(view: HeartsView, decision: Decision) -> Answer:
    """Return the answer to a decision."""
    legal = decision.legal
    if isinstance(legal, LegalChoice):
        return pass_on(legal.cards, legal.minimum)
    if view.phase is HeartsPhase.MOON:
        return moon(view, decision.match)
    cards = playable(legal)
    if view.trick is None:
        return lead(view, cards)
    if view.trick.led is cards[0].suit:
        return follow(view, view.trick, cards)
    return throw(view, cards)


def pass_on(hand: Cards, count: int) -> Cards:
    """Return the cards that are worst to keep: high spades without guards, high hearts, short suits."""
    guarded = sum(card < QUEEN for card in hand.of(Suit.SPADES)) >= GUARDS

    def danger(card: Card) -> float:
        suit = hand.of(card.suit)
        if card.suit is Suit.SPADES:
            if guarded or card < QUEEN:
                return 0
            return 40 if card is QUEEN else 30
        lower = sum(other < card for other in suit)
        danger = card.rank - 2 * lower
        if card.suit is Suit.HEARTS:
            return danger + 4
        # without a suit, points can be thrown on others
        return danger + (6 if len(suit) <= count else 0)

    return Cards(sorted(hand, key=danger)[-count:])


def moon(view: HeartsView, match: Seated) -> Moon:
    """Add to the others if that wins the match at once; else both choices have the same effect."""
    target = match.options.get("target")
    after = [total + points for total, points in zip(view.totals, view.points, strict=True)]
    mine = after.pop(match.seat) - POINTS
    others = [total + POINTS for total in after]
    wins = isinstance(target, int) and max(others) >= target and mine < min(others)
    return Moon.ADD if wins and match.deals is None else Moon.SUBTRACT


def lead(view: HeartsView, cards: Cards) -> Card:
    """Lead the card likely to take the fewest points, preferably from a short suit, and high."""
    out = unseen(view)

    def cost(card: Card) -> tuple[float, int, int]:
        return risk(card, view.hand, out), len(view.hand.of(card.suit)), -card.rank

    return min(cards, key=cost)


def risk(card: Card, hand: Cards, out: Cards) -> float:
    """Return roughly how many points a lead takes; below zero where it helps."""
    suit = out.of(card.suit)
    higher = sum(other > card for other in suit)
    # players go under if they can: the lead wins if the others have only lower cards, or none of the suit
    wins = ((len(suit) - higher) / len(suit)) ** min(3, len(suit)) if suit else 1.0
    points = 0.0
    if QUEEN in out or out.of(Suit.HEARTS):
        without_suit = 3 * max(0.0, 1 - len(suit) / SAFE_SUIT)
        points = without_suit * (4 if QUEEN in out else 1)
    if card.suit is Suit.HEARTS:
        points += 1 + min(3, len(suit))
    elif card is QUEEN:
        points += 13
    elif card.suit is Suit.SPADES and QUEEN in out:
        if card > QUEEN:
            points += 6
        elif not any(other.suit is Suit.SPADES and other > QUEEN for other in hand):
            return wins * points - 1  # it may force the queen out
    return wins * points


def follow(view: HeartsView, trick: Trick, cards: Cards) -> Card:
    """Duck as high as possible; win with the highest card if there are no points or no lower card."""
    highest = max(card for card in trick.cards if card.suit is trick.led)
    under = [card for card in cards if card < highest]
    over = [card for card in cards if card > highest and card is not QUEEN]
    last = len(trick.cards) == 3
    if QUEEN in under:
        return QUEEN
    if over and (last or safe(trick.led, unseen(view))) and not any(map(has_points, trick.cards)):
        return max(over)
    if under:
        return max(under)
    if not over:
        return QUEEN
    return max(over) if last else min(over)


def safe(led: Suit, out: Cards) -> bool:
    """Return whether no seat still to play is likely to bring points to a trick."""
    return led is not Suit.HEARTS and len(out.of(led)) >= SAFE_SUIT and QUEEN not in out.of(led)


def has_points(card: Card) -> bool:
    """Return whether a card costs its taker points."""
    return card.suit is Suit.HEARTS or card is QUEEN


def throw(view: HeartsView, cards: Cards) -> Card:
    """Throw the queen of spades away, else a card that may take her, else the likeliest to win a trick."""
    out = unseen(view)

    def burden(card: Card) -> float:
        if card is QUEEN:
            return 10
        if card.suit is Suit.SPADES and card > QUEEN and QUEEN in out:
            return 5
        suit = out.of(card.suit)
        lower = sum(other < card for other in suit)
        return (lower / len(suit) if suit else 0) + (0.5 if card.suit is Suit.HEARTS else 0)

    return max(cards, key=burden)


def unseen(view: HeartsView) -> Cards:
    """Return the cards that the others hold."""
    return tricks.unseen(view.hand, view.tricks, view.trick)
