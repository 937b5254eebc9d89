"""Families of tables: a few tables and a ring, whose elements move them to all tables of a design."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Final

Element = tuple[int, ...]
Table = tuple[int, ...]  # numbers of players by seat

GAUSSIAN: Final = (-1, 0)  # x * x = -1


@dataclass(frozen=True)
class Ring:
    """The integers modulo ``rest``, times polynomials in x with coefficients modulo ``root``.

    ``relation`` says what the first power of x that is none of its own is: c + d * x + ... for (c, d, ...).
    An element is its coefficients, then the integer; there are root ** len(relation) * rest of them, numbered
    from 0. What the methods take and return need not be reduced.
    """

    rest: int
    root: int = 1
    relation: tuple[int, ...] = ()

    @property
    def size(self) -> int:
        """Return how many elements there are."""
        return int(self.root ** len(self.relation)) * self.rest

    @cached_property
    def elements(self) -> tuple[Element, ...]:
        """Return all elements by number, 0 first."""
        return tuple(product(*(range(self.root) for _ in self.relation), range(self.rest)))

    def number(self, element: Element) -> int:
        """Return the number of an element."""
        *coefficients, whole = element
        number = 0
        for coefficient in coefficients:
            number = number * self.root + coefficient % self.root
        return number * self.rest + whole % self.rest

    def whole(self, number: int) -> Element:
        """Return a number as an element."""
        return (number, *[0] * (len(self.relation) - 1), number) if self.relation else (number,)

    def plus(self, one: Element, other: Element) -> Element:
        """Return a sum."""
        return tuple(map(sum, zip(one, other, strict=True)))

    def minus(self, element: Element) -> Element:
        """Return the negative."""
        return tuple(-part for part in element)

    def times(self, one: Element, other: Element) -> Element:
        """Return a product."""
        degree = len(self.relation)
        powers = [0] * (2 * degree)
        for i, j in product(range(degree), repeat=2):
            powers[i + j] += one[i] * other[j]
        for high in reversed(range(degree, 2 * degree)):
            for low, coefficient in enumerate(self.relation, high - degree):
                powers[low] += powers[high] * coefficient
        return (*powers[:degree], one[-1] * other[-1])

    def halves(self) -> Iterator[Element]:
        """Yield one of each element and its negative, without zero; the number of elements is odd."""
        for number, element in enumerate(self.elements):
            if number < self.number(self.minus(element)):
                yield element


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """The tables that result from ``base`` when each element of a ring is added to every player.

    Players are numbered: element e on level l is l * ring.size + e, and those after the last level stay where
    they are; their tables are turned by a seat each time. A table of ``short`` comes to itself after a third
    of a ring of integers. ``partners`` is how often everybody has everybody as its partner, who sits
    opposite, 0 where seats mean nothing; ``together`` is how often everybody meets everybody at a table.
    """

    ring: Ring
    base: tuple[Table, ...]
    short: tuple[Table, ...] = ()
    levels: int = 1
    partners: int = 0
    together: int

    def __len__(self) -> int:
        return self.ring.size * len(self.base) + self.ring.size // 3 * len(self.short)

    def tables(self) -> Iterator[Table]:
        """Yield all tables, those of one added element together."""
        size, staying = self.ring.size, self.levels * self.ring.size
        for number, added in enumerate(self.ring.elements):
            moved = [self.ring.number(self.ring.plus(added, element)) for element in self.ring.elements]
            places = [level * size + to for level in range(self.levels) for to in moved]
            places += [staying, staying + 1]
            for table in self.base + self.short if number < size // 3 else self.base:
                turn = number % 4 if max(table) >= staying else 0
                yield tuple(places[player] for player in table[turn:] + table[:turn])
