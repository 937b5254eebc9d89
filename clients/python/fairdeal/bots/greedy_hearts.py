"""Hearts by rules of thumb: pass on what takes points, duck, and throw points on others."""

from collections.abc import Iterable
from typing import Final

from fairdeal import (
    ALL_CARDS,
    Answer,
    Card,
    Cards,
    HeartsPhase,
    HeartsView,
    Legal,
    LegalChoice,
    Moon,
    PlayCard,
    Rank,
    Seated,
    Suit,
    Trick,
)

QUEEN: Final = Card("QS")
POINTS: Final = 26  # in a deal: what a moon is worth
GUARDS: Final = 4  # with so many spades below the queen, the high ones can stay
SAFE_SUIT: Final = 8  # a suit of which so many cards are unseen is followed by everybody


def answer(view: HeartsView, legal: Legal, match: Seated) -> Answer:
    """Return the answer to a decision."""
    if isinstance(legal, LegalChoice):
        return pass_on(legal.cards, legal.minimum)
    if view.phase is HeartsPhase.MOON:
        return moon(view, match)
    cards = Cards(action.card for action in legal.actions if isinstance(action, PlayCard))
    if view.trick is None:
        return lead(view, cards)
    if view.trick.led is cards[0].suit:
        return follow(view, view.trick, cards)
    return max(cards, key=lambda card: (card is QUEEN, burden(card, view.hand, unseen(view))))


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
        # a suit that can be got rid of altogether makes room for throwing points on others
        return danger + (6 if len(suit) <= count else 0)

    return Cards(sorted(hand, key=danger)[-count:])


def moon(view: HeartsView, match: Seated) -> Moon:
    """Add to the others where that wins the match at once; else the choices differ only in what is shown."""
    target = match.options.get("target")
    after = [total + points for total, points in zip(view.totals, view.points, strict=True)]
    mine = after.pop(match.seat) - POINTS
    others = [total + POINTS for total in after]
    wins = isinstance(target, int) and max(others) >= target and mine < min(others)
    return Moon.ADD if wins and match.deals is None else Moon.SUBTRACT


def lead(view: HeartsView, cards: Cards) -> Card:
    """Lead what is likely to take the fewest points, rather from a short suit, rather high."""
    out = unseen(view)

    def cost(card: Card) -> tuple[float, int, int]:
        return risk(card, view.hand, out), len(view.hand.of(card.suit)), -card.rank

    return min(cards, key=cost)


def risk(card: Card, hand: Cards, out: Cards) -> float:
    """Return roughly how many points leading a card takes."""
    suit = out.of(card.suit)
    higher = sum(other > card for other in suit)
    # who can go under does so: the lead stays highest if three find lower cards or none at all
    keeps = ((len(suit) - higher) / len(suit)) ** min(3, len(suit)) if suit else 1.0
    thrown = 3 * max(0.0, 1 - len(suit) / SAFE_SUIT)  # players without the suit, who throw what they like
    points_out = [other for other in out if other.suit is Suit.HEARTS or other is QUEEN]
    worth = 4.0 if QUEEN in points_out else 1.0
    taken = thrown * worth if points_out else 0.0
    if card.suit is Suit.HEARTS:
        taken += 1 + min(3, len(suit))
    if card.suit is Suit.SPADES:
        if card is QUEEN:
            taken += 13
        elif QUEEN in out:
            if card > QUEEN:
                taken += 6
            elif not any(other > card and other >= QUEEN for other in hand):
                return keeps * taken - 1  # draws the queen out, and cannot catch it
    return keeps * taken


def follow(view: HeartsView, trick: Trick, cards: Cards) -> Card:
    """Duck as high as possible; take with the highest what brings nothing or cannot be avoided."""
    highest = max(card for card in trick.cards if card.suit is trick.led)
    under = [card for card in cards if card < highest]
    over = [card for card in cards if card > highest and card is not QUEEN]
    if QUEEN in under:
        return QUEEN
    last = len(trick.cards) == 3
    harmless = not any(card.suit is Suit.HEARTS or card is QUEEN for card in trick.cards)
    out = unseen(view)
    if trick.led is Suit.SPADES and QUEEN in out and not last:
        # the queen may still fall
        harmless = harmless and highest > QUEEN
        return max(under) if under else min(over or cards)
    if harmless and over and (last or len(out.of(trick.led)) >= SAFE_SUIT and trick.led is not Suit.HEARTS):
        return max(over)
    if under:
        return max(under)
    if not over:
        return QUEEN
    return max(over) if last else min(over)


def burden(card: Card, hand: Cards, out: Cards) -> float:
    """Return how much a card is worth throwing away: high ones that others can go under, hearts, high spades."""
    suit = out.of(card.suit)
    lower = sum(other < card for other in suit)
    burden = lower / len(suit) if suit else 0.0
    if card.suit is Suit.HEARTS:
        burden += 0.5
    if card.suit is Suit.SPADES and card > QUEEN and QUEEN in out:
        burden += 1.0
    return burden


def unseen(view: HeartsView) -> Cards:
    """Return the cards that the others hold."""
    seen = {*view.hand, *(card for trick in view.tricks for card in trick.cards)}
    if view.trick:
        seen.update(view.trick.cards)
    return Cards(card for card in ALL_CARDS if card not in seen)
