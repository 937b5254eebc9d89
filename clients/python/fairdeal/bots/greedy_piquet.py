"""Piquet by rules of thumb: keep the long suit, sets and high cards, declare all, cash winners."""

from typing import Final

from fairdeal import (
    ALL_CARDS,
    Answer,
    Blank,
    Card,
    Cards,
    Combination,
    Decision,
    Declare,
    Leftovers,
    LegalActions,
    LegalChoice,
    LegalCombinations,
    PiquetPhase,
    PiquetView,
    PointCombination,
    Rank,
    SequenceCombination,
    Suit,
    Trick,
)
from fairdeal.bots.tricks import playable, strength, unseen

PACK: Final = Cards(card for card in ALL_CARDS if card.rank >= Rank.SEVEN)

# The value of keeping a card: the tricks it takes, and by the cards held of its rank the sets it makes.
HIGH_WORTH: Final = {Rank.ACE: 5.0, Rank.KING: 3.0, Rank.QUEEN: 1.5, Rank.JACK: 0.5}
SET_WORTH: Final = {1: 0.0, 2: 1.0, 3: 3.5, 4: 9.0}
LONG_WORTH: Final = 0.5  # for each card of its suit
LONGEST_WORTH: Final = 2.5  # for a card of the suit that makes the point
NEIGHBOUR_WORTH: Final = 0.5  # for each card of the suit at most two ranks away
KEPT: Final = 6.0  # the value from which a card is kept


def answer(view: PiquetView, decision: Decision) -> Answer:
    """Return the answer to a decision: a blank is claimed, what is left over stays hidden."""
    legal = decision.legal
    match legal:
        case LegalChoice():
            return exchange(legal)
        case LegalCombinations():
            return legal.combinations[: legal.maximum]
    match view.phase:
        case PiquetPhase.BLANK:
            return Blank.CLAIM if Blank.CLAIM in legal.actions else Blank.DECLINE
        case PiquetPhase.LEFTOVERS:
            return Leftovers.LEAVE
        case PiquetPhase.DECLARE:
            return declare(view.hand, legal)
    cards = playable(legal)
    return lead(view, cards) if view.trick is None else follow(view, view.trick, cards)


def exchange(choice: LegalChoice) -> Cards:
    """Discard the least valuable cards, as many as are worth little."""
    hand = choice.cards
    point = max(Suit, key=lambda suit: point_value(hand.of(suit)))
    order = sorted(hand, key=lambda card: keeping(card, hand, point))
    poor = sum(keeping(card, hand, point) < KEPT for card in hand)
    return Cards(order[: max(choice.minimum, min(choice.maximum, poor))])


def keeping(card: Card, hand: Cards, point: Suit) -> float:
    """Return the value of keeping a card."""
    suit = hand.of(card.suit)
    alike = sum(other.rank is card.rank for other in hand)
    near = sum(0 < abs(other.rank - card.rank) <= 2 for other in suit)
    value = HIGH_WORTH.get(card.rank, 0.0) + LONG_WORTH * len(suit) + NEIGHBOUR_WORTH * near
    if card.rank >= Rank.TEN:
        value += SET_WORTH[alike]
    return value + (LONGEST_WORTH if card.suit is point else 0.0)


def point_value(suit: Cards) -> tuple[int, int]:
    """Return the order of suits as points: more cards, then the higher value."""
    return len(suit), sum(11 if card.rank is Rank.ACE else min(card.rank, 10) for card in suit)


def declare(hand: Cards, legal: LegalActions) -> Declare:
    """Declare the best combination that can be declared."""
    declared = [action.combination for action in legal.actions if isinstance(action, Declare)]
    held = [combination for combination in declared if combination]
    return Declare(max(held, key=lambda combination: rating(combination, hand), default=None))


def rating(combination: Combination, hand: Cards) -> tuple[int, int]:
    """Return the order of combinations of a kind: more cards, then higher ones."""
    match combination:
        case PointCombination(suit):
            return point_value(hand.of(suit))
        case SequenceCombination(_, top, length):
            return length, top
    return combination.count, combination.rank


def lead(view: PiquetView, cards: Cards) -> Card:
    """Cash the suit with the most unbeatable cards, else lead low from the longest."""
    out = hidden(view)

    def promise(suit: Suit) -> tuple[int, int]:
        held = cards.of(suit)
        return sum(stands(card, out) for card in held), len(held)

    best = cards.of(max(Suit, key=promise))
    return max(best) if stands(max(best), out) else min(best)


def follow(view: PiquetView, trick: Trick, cards: Cards) -> Card:
    """Win as cheaply as possible, else throw away the card least likely to take a trick."""
    led = trick.cards[0]
    winning = [card for card in cards if strength(card, led.suit, None) > led.rank]
    if winning:
        return min(winning)
    out = hidden(view)

    def use(card: Card) -> tuple[bool, bool, int]:
        return stands(card, out), guards(card, cards, out), card.rank

    return min(cards, key=use)


def stands(card: Card, out: Cards) -> bool:
    """Return whether no unseen card beats one that is led."""
    return not any(other > card for other in out.of(card.suit))


def guards(card: Card, hand: Cards, out: Cards) -> bool:
    """Return whether the hand's highest card of the suit needs this one as a guard to take a trick."""
    suit = hand.of(card.suit)
    above = sum(other > max(suit) for other in out.of(card.suit))
    return card is not max(suit) and len(suit) == above + 1


def hidden(view: PiquetView) -> Cards:
    """Return the cards that the other player may hold."""
    # younger draws from the top: the cards that elder looked at and left go to it first
    drawn = sum(made.count for made in view.exchanges if made.seat != view.elder)
    known = [*view.discarded, *view.looked[drawn:], *view.leftovers]
    return unseen(view.hand, view.tricks, view.trick, known=known, pack=PACK)
