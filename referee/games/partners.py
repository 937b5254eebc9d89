"""Four seats, partners across the table: who sits where, shared by the games of partners."""

from typing import Final

from referee.cards import Seat

SEATS: Final = tuple(Seat(s) for s in range(4))
SIDES: Final = ((SEATS[0], SEATS[2]), (SEATS[1], SEATS[3]))


def partner(seat: Seat) -> Seat:
    """Return the seat across the table."""
    return SEATS[(seat + 2) % 4]


def side_of(seat: Seat) -> int:
    """Return the side of a seat, as ``SIDES`` lists them."""
    return seat % 2


def left_of(seat: Seat) -> Seat:
    """Return the seat at the left, which is next clockwise."""
    return SEATS[(seat + 1) % 4]


def clockwise_from_left(dealer: Seat) -> tuple[Seat, ...]:
    """Return all seats in the order in which they call, the dealer last."""
    return SEATS[dealer + 1 :] + SEATS[: dealer + 1]
