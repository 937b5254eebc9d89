"""What the rules of thumb of several games share: which cards may be held, and which of them wins a trick."""

from collections.abc import Iterable

from fairdeal import ALL_CARDS, Card, Cards, Legal, LegalActions, PlayCard, Suit, Trick

TRUMP = 100  # what makes a trump stronger than every other card


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
    """Order cards by what they do to a trick: the strongest wins it, what has 0 cannot."""
    if card.suit is trump:
        return TRUMP + card.rank
    return card.rank if card.suit is led else 0


def price(card: Card) -> tuple[bool, int]:
    """Order the cards of a game in which spades are trump by what they cost: spades last, low before high."""
    return card.suit is Suit.SPADES, card.rank
