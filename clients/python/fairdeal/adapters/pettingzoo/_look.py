"""Helpers to write a view as numbers, with seats and sides counted from its owner's."""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from fairdeal.adapters.pettingzoo._actions import game_of, items_of
from fairdeal.cards import ALL_CARDS, Card
from fairdeal.views import Trick


@cache
def _places(game: str) -> dict[Card, int]:
    return {ALL_CARDS[card]: place for place, card in enumerate(game_of(game).cards)}


class Look:
    """One seat's view, with what the seat has picked so far."""

    def __init__(self, game: str, view: Any, picked: Sequence[int]) -> None:
        self.view = view
        self.picked = picked
        self.seats = game_of(game).seats
        self._actions = len(items_of(game))
        self._places = _places(game)

    def plane(self, cards: Iterable[Card | None]) -> list[int]:
        """Return a 1 for each of the cards, by card of the pack."""
        row = [0] * len(self._places)
        for card in cards:
            if card is not None:
                row[self._places[card]] = 1
        return row

    def picks(self) -> list[int]:
        """Return a 1 for each action picked."""
        row = [0] * self._actions
        for number in self.picked:
            row[number] = 1
        return row

    def from_me(self, seat: int) -> int:
        """Return how many seats further than the view's a seat is."""
        away: int = (seat - self.view.seat) % self.seats
        return away

    def seat(self, seat: int | None) -> list[int]:
        """Return a 1 for a seat."""
        return [int(seat is not None and n == self.from_me(seat)) for n in range(self.seats)]

    def by_seat(self, values: Iterable[tuple[int, int]], default: int = 0) -> list[int]:
        """Return the values of seats, each given with its seat."""
        found = [default] * self.seats
        for seat, value in values:
            found[self.from_me(seat)] = value
        return found

    def of_seats(self, values: Sequence[int]) -> list[int]:
        """Return values given by seat, from seat 0 on."""
        return self.by_seat(enumerate(values))

    def of_sides(self, values: Sequence[int]) -> list[int]:
        """Return values given by side, of two."""
        own: int = self.view.seat % 2
        return [values[own], values[1 - own]]

    def planes(self, some: Iterable[tuple[int, Iterable[Card]]]) -> list[int]:
        """Return a plane for each seat, of cards given with seats."""
        held: list[list[Card]] = [[] for _ in range(self.seats)]
        for seat, cards in some:
            held[self.from_me(seat)] += cards
        return [number for cards in held for number in self.plane(cards)]

    def players(self, trick: Trick) -> list[tuple[int, tuple[Card]]]:
        """Return the cards of a trick, each with the seat that played it."""
        if hasattr(self.view, "seats_of"):  # not everybody plays to it
            seats: Sequence[int] = self.view.seats_of(trick)
        else:
            seats = [(trick.leader + n) % self.seats for n in range(len(trick.cards))]
        return [(seat, (card,)) for seat, card in zip(seats, trick.cards, strict=True)]

    def played(self) -> list[int]:
        """Return a plane for each seat, with the cards that it has played."""
        return self.planes([each for trick in self._tricks() for each in self.players(trick)])

    def table(self) -> list[int]:
        """Return a plane for each seat, with the card that it has played to the trick in play."""
        return self.planes(self.players(self.view.trick) if self.view.trick else [])

    def numbers(self) -> list[int]:
        """Return the number of the trick, from 1, to which each card was played, by card of the pack."""
        row = [0] * len(self._places)
        for number, trick in enumerate(self._tricks(), 1):
            for card in trick.cards:
                row[self._places[card]] = number
        return row

    def _tricks(self) -> list[Trick]:
        return [*self.view.tricks, *([self.view.trick] if self.view.trick else [])]
