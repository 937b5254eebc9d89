"""Functions for the rules of thumb of several games: which cards are unseen, and which wins a trick."""

from collections.abc import Iterable

from fairdeal import ALL_CARDS, Card, Cards, Legal, LegalActions, PlayCard, Suit, Trick

TRUMP = 100  # added to a trump, it makes it stronger than every other card


def playable(legal: Legal) -> Cards:
    """Return the cards that may be played, none where no card is asked for."""
    actions = legal.actions if isinstance(legal, LegalActions) else ()
    return Cards(action.card for action in actions if isinstance(action, PlayCard))


def unseen(
    hand: Cards,
    tricks: Iterable[Trick],
    trick: Trick | None,
    *,
    known: Iterable[Card] = (),
    pack: Iterable[Card] = ALL_CARDS,
) -> Cards:
    """Return the cards of the pack that are neither in the hand nor played nor otherwise known."""
    seen = {*hand, *known, *(card for each in tricks for card in each.cards)}
    if trick:
        seen.update(trick.cards)
    return Cards(card for card in pack if card not in seen)


def strength(card: Card, led: Suit, trump: Suit | None) -> int:
    """Return the strength of a card in a trick: the strongest wins it, one with 0 cannot."""
    if card.suit is trump:
        return TRUMP + card.rank
    return card.rank if card.suit is led else 0


def price(card: Card) -> tuple[bool, int]:
    """Return the cost of a card in a game in which spades are trump: spades last, low before high."""
    return card.suit is Suit.SPADES, card.rank
