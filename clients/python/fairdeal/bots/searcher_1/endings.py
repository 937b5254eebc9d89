"""How the end of a deal goes when all cards are known and both sides play as well as they can."""

from typing import Any, Final

from referee.games.events import DealScored

FEW: Final = 12
"""With so many cards left a deal is solved, in some milliseconds, seldom up to 60."""

_ANY: Final = 10**6  # points, more than a deal brings


def cards_left(state: Any) -> int:
    """Return how many cards are still to be played."""
    return sum([state.hands[seat].bit_count() for seat in state.tricks.seats])


def solved(state: Any, special: int, low: int = -_ANY, high: int = _ANY) -> int:
    """Return by how many points the side of seat 0 is ahead in a deal if both sides play as well as they can.

    A card is to be played next, by one of two sides whose seats take turns. All plays are tried by the
    referee's rules, at about 7 us each, but of cards that are as good as each other only one; the ``special``
    ones are as good as no other. A result outside of ``low`` to ``high`` is told as that bound (alpha-beta).
    """
    seat = state.tricks.turn
    for card in _worth_trying(state, seat, special):
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


def _worth_trying(state: Any, seat: int, special: int) -> list[int]:
    """Return the cards that a seat may play, of those that are as good as each other the highest.

    Those that take the trick come first, the cheapest before the others: bounds are soon close.
    """
    legal, tricks = state.legal_play(seat).cards, state.tricks
    if not legal & (legal - 1):
        return [legal.bit_length() - 1]
    between = special | special >> 1  # a special card is apart from those above and below it
    for other in tricks.seats:
        if other != seat:
            between |= state.hands[other]
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
    if tricks.cards:
        powers = tricks.ranking.powers[tricks.led]
        best = max([powers[card] for card in tricks.cards])
        found.sort(key=lambda card: (powers[card] < best, powers[card]))
    return found
