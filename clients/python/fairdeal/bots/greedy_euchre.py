"""Euchre by rules of thumb: count the tricks of a hand, make trump with enough, take every trick."""

from collections.abc import Iterable
from typing import Final

from fairdeal import (
    ALL_CARDS,
    Alone,
    Answer,
    Card,
    Cards,
    Decision,
    EuchrePhase,
    EuchreView,
    Legal,
    LegalActions,
    LegalChoice,
    Rank,
    Suit,
    Trick,
    TrumpCall,
    UpcardCall,
    left_bower,
)
from fairdeal.bots.tricks import TRUMP, playable, strength, unseen

PACK: Final = Cards(card for card in ALL_CARDS if card.rank >= Rank.NINE)

# How many tricks a card takes.
RIGHT_WORTH: Final = 1.0
LEFT_WORTH: Final = 0.9
TRUMP_WORTH: Final = {Rank.ACE: 0.75, Rank.KING: 0.65, Rank.QUEEN: 0.55}
LOW_TRUMP_WORTH: Final = 0.5
SIDE_WORTH: Final = {Rank.ACE: 0.55, Rank.KING: 0.15}
VOID_WORTH: Final = 0.15  # for a suit that a trump can ruff

# What a hand must be worth for a call; the partner adds about one trick.
UPCARD_CALL: Final = 1.9
TRUMP_CALL: Final = 1.8
MAKER_ALONE: Final = 3.6
PARTNER_ALONE: Final = 4.2
DEFENDER_ALONE: Final = 4.5


def answer(view: EuchreView, decision: Decision) -> Answer:
    """Return the answer to a decision."""
    legal = decision.legal
    assert view.seat is not None
    if isinstance(legal, LegalChoice):
        return Cards([discard(legal.cards, view)])
    match view.phase:
        case EuchrePhase.UPCARD:
            return call_upcard(view, view.seat)
        case EuchrePhase.TRUMP:
            return call_trump(view, legal)
        case EuchrePhase.ALONE:
            return alone(view, view.seat)
    cards = playable(legal)
    if view.trick is None:
        return lead(view, view.seat, cards)
    return follow(view, view.seat, view.trick, cards)


def call_upcard(view: EuchreView, seat: int) -> UpcardCall:
    """Accept if the hand is worth enough, with the upcard added to the side that gets it."""
    assert view.upcard
    trump = view.upcard.suit
    if seat == view.dealer:
        hand = Cards([*view.hand, view.upcard])
        tricks = max(worth(without(hand, card), trump) for card in hand)
    else:
        gained = trump_worth(view.upcard, trump)
        tricks = worth(view.hand, trump) + (gained if (seat + 2) % 4 == view.dealer else -gained)
    return UpcardCall.ACCEPT if tricks >= UPCARD_CALL else UpcardCall.PASS


def call_trump(view: EuchreView, legal: Legal) -> TrumpCall:
    """Name the suit in which the hand is worth most, if that is enough or passing is not allowed."""
    calls = (
        [call for call in legal.actions if isinstance(call, TrumpCall)]
        if isinstance(legal, LegalActions)
        else []
    )
    worths = {call: worth(view.hand, call.suit) for call in calls if call.suit}
    best = max(worths, key=lambda call: worths[call])
    return best if worths[best] >= TRUMP_CALL or TrumpCall.PASS not in calls else TrumpCall.PASS


def alone(view: EuchreView, seat: int) -> Alone:
    """Play alone with a hand that is likely to take every trick."""
    assert view.trump and view.maker is not None
    enough = DEFENDER_ALONE
    if seat == view.maker:
        enough = MAKER_ALONE
    elif seat == (view.maker + 2) % 4:
        enough = PARTNER_ALONE
    return Alone.ALONE if worth(view.hand, view.trump) >= enough else Alone.TOGETHER


def discard(cards: Cards, view: EuchreView) -> Card:
    """Put aside the card without which the hand is worth most, the lowest of equal ones."""
    trump = view.trump
    assert trump
    return max(
        cards, key=lambda card: (worth(without(view.hand, card), trump), -power(card, card.suit, trump))
    )


def without(hand: Cards, card: Card) -> Cards:
    """Return a hand without one of its cards."""
    return Cards(each for each in hand if each is not card)


def worth(hand: Iterable[Card], trump: Suit) -> float:
    """Return roughly how many tricks a hand takes by itself."""
    trumps = [card for card in hand if suit_of(card, trump) is trump]
    side = Cards(card for card in hand if suit_of(card, trump) is not trump)
    tricks = sum(trump_worth(card, trump) for card in trumps)
    for suit in Suit:
        if suit is not trump:
            cards = side.of(suit)
            tricks += sum(SIDE_WORTH.get(card.rank, 0.0) for card in cards)
            tricks += 0.0 if cards or len(trumps) < 2 else VOID_WORTH
    return tricks


def trump_worth(card: Card, trump: Suit) -> float:
    """Return roughly how many tricks a trump takes."""
    if card.rank is Rank.JACK:
        return RIGHT_WORTH if card.suit is trump else LEFT_WORTH
    return TRUMP_WORTH.get(card.rank, LOW_TRUMP_WORTH)


def suit_of(card: Card, trump: Suit) -> Suit:
    """Return the suit that a card belongs to."""
    return trump if card is left_bower(trump) else card.suit


def power(card: Card, led: Suit, trump: Suit) -> int:
    """Return the strength of a card in a trick: the strongest wins it, one with 0 cannot."""
    if card is left_bower(trump):
        return TRUMP + Rank.ACE + 1
    if card.rank is Rank.JACK and card.suit is trump:
        return TRUMP + Rank.ACE + 2
    return strength(card, led, trump)


def lead(view: EuchreView, seat: int, cards: Cards) -> Card:
    """Draw trumps as maker, then lead an unbeatable card of a suit, else the lowest card."""
    trump = view.trump
    assert trump and view.maker is not None
    out = hidden(view)

    def stands(card: Card) -> bool:
        return is_best(card, out, trump)

    trumps = [card for card in cards if suit_of(card, trump) is trump]
    side = [card for card in cards if suit_of(card, trump) is not trump]
    making = seat % 2 == view.maker % 2
    if trumps and making:
        best = max(trumps, key=lambda card: power(card, trump, trump))
        if stands(best) or (len(trumps) > 2 and seat == view.maker):
            return best
    if sure := [card for card in side if stands(card)]:
        return max(sure, key=lambda card: (len(out.of(card.suit)), card.rank))
    if making and seat != view.maker and trumps:
        return max(trumps, key=lambda card: power(card, trump, trump))
    return min(side or trumps, key=lambda card: power(card, suit_of(card, trump), trump))


def follow(view: EuchreView, seat: int, trick: Trick, cards: Cards) -> Card:
    """Win, as cheaply as is safe, unless the partner is winning; else play the lowest card."""
    trump = view.trump
    assert trump
    led = suit_of(trick.cards[0], trump)

    def might(card: Card) -> int:
        return power(card, led, trump)

    def price(card: Card) -> int:
        return power(card, suit_of(card, trump), trump)

    out = hidden(view)
    best = max(trick.cards, key=might)
    holder = view.seats_of(trick)[trick.cards.index(best)]
    last = len(trick.cards) == 3 - len(view.sitting_out)
    lowest = min(cards, key=price)
    winning = [card for card in cards if might(card) > might(best)]
    if not winning or (holder == (seat + 2) % 4 and (last or is_best(best, out, trump))):
        return lowest
    cheapest, highest = min(winning, key=might), max(winning, key=might)
    return cheapest if last or led is not suit_of(cheapest, trump) else highest


def is_best(card: Card, out: Cards, trump: Suit) -> bool:
    """Return whether no unseen card of its suit is stronger."""
    suit = suit_of(card, trump)
    mine = power(card, suit, trump)
    return not any(suit_of(other, trump) is suit and power(other, suit, trump) > mine for other in out)


def hidden(view: EuchreView) -> Cards:
    """Return the cards that other seats may hold."""
    known = [card for card in (view.discarded, view.upcard if view.trump_calls else None) if card]
    return unseen(view.hand, view.tricks, view.trick, known=known, pack=PACK)
