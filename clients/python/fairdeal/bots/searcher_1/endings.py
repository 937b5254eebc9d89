"""How the end of a deal goes when all cards are known and both sides play as well as they can."""

from typing import Any, Final

from referee.games.events import DealScored

FEW: Final = 12
"""With so many cards in all hands together a deal can be solved: some milliseconds, up to some hundredths."""

_ANY: Final = 10**6  # points, more than a deal brings


def cards_left(state: Any) -> int:
    """Return how many cards are in all hands together."""
    return sum([hand.bit_count() for hand in state.hands])


def solved(state: Any, special: int = 0, low: int = -_ANY, high: int = _ANY) -> int:
    """Return how many points more than the other side that of seat 0 makes in a deal of which cards are left.

    For games of two sides that sit in turn. All plays are tried by the referee's rules, at about 7 us each,
    but of cards that are as good as each other only one; the ``special`` ones are as good as no other. What
    is not between ``low`` and ``high`` need not be exact (alpha-beta).
    """
    seat = state.tricks.turn
    for card in _distinct(state, seat, special):
        after = state.copy()
        events = after.apply_play(seat, card)
        if type(events[-1]) is DealScored:
            own, others = events[-1].points
            ahead = own - others
        else:
            ahead = solved(after, special, low, high)
        if seat % 2:
            high = min(high, ahead)
        else:
            low = max(low, ahead)
        if low >= high:
            break
    return high if seat % 2 else low


def _distinct(state: Any, seat: int, special: int) -> list[int]:
    """Return the cards that a seat may play, of those that are as good as each other the highest."""
    legal = state.legal_play(seat).cards
    if not legal & (legal - 1):
        return [legal.bit_length() - 1]
    tricks = state.tricks
    between = special | special >> 1
    for other, hand in enumerate(state.hands):
        if other != seat:
            between |= hand
    for card in tricks.cards:
        between |= 1 << card
    found: list[int] = []
    last = -1
    while legal:
        card = legal.bit_length() - 1
        legal ^= 1 << card
        if card // 13 != last // 13 or between & ((1 << last) - (1 << card)):
            found.append(card)
        last = card
    if tricks.cards:  # those that take the trick first, the cheapest before the others
        powers = tricks.ranking.powers[tricks.led]
        best = max([powers[card] for card in tricks.cards])
        found.sort(key=lambda card: (powers[card] < best, powers[card]))
    return found
