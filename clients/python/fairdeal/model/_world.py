"""A deal that a seat thinks possible: who holds what, and what was answered so far."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from fairdeal.actions import Answer
from fairdeal.cards import Card
from fairdeal.chance import Chance
from fairdeal.model._deals import UnseenPile, draw_deal, number_of_deals
from fairdeal.views import Trick

Held = Mapping[int, Sequence[Card]]
"""What some seats hold in a hypothesis, all or a part of it."""


@dataclass(slots=True)
class World:
    """A deck in the order of the game, all answers of the deal in order, and what was before the deal.

    ``kept`` is what the state of the rules has before the deal. ``unseen`` are the cards that were drawn, and
    the piles to which they were.
    """

    deck: list[Card]
    answers: list[tuple[int, Answer]]
    unseen: "Unseen"
    kept: Mapping[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Unseen:
    """Cards that a seat has not seen, and the piles where they may lie."""

    cards: list[Card]
    piles: list[UnseenPile]

    @property
    def ways(self) -> int:
        """Return in how many ways they may lie there."""
        return number_of_deals(self.cards, self.piles)


def tricks_of(view: Any) -> list[Trick]:
    """Return the tricks that were played, the one on the table included."""
    return [*view.tricks, *([view.trick] if view.trick else [])]


def plays_of(view: Any, seats: int) -> Iterator[tuple[int, Card, Trick, int]]:
    """Yield each play: who, which card, in which trick, and at which place of it."""
    for trick in tricks_of(view):
        for place, card in enumerate(trick.cards):
            yield (trick.leader + place) % seats, card, trick, place


def played_in(view: Any, seats: int) -> list[tuple[int, Answer]]:
    """Return all plays as answers."""
    return [(seat, card) for seat, card, _trick, _place in plays_of(view, seats)]


def suppose(held: list[list[Card]], piles: Sequence[UnseenPile], hypothesis: Held) -> None:
    """Add what some seats hold in a hypothesis to what they are known to hold or to have played.

    Raises:
        ValueError: one of them cannot hold a card, since it did not follow suit, or it is somewhere else.
    """
    for seat, cards in hypothesis.items():
        for card in cards:
            if card in piles[seat].banned:
                raise ValueError(f"seat {seat} cannot hold {card}, by what it has played or shown")
            if card not in held[seat]:
                held[seat].append(card)


def fill(
    held: list[list[Card]], piles: list[UnseenPile], pack: Iterable[Card], out: Iterable[Card], chance: Chance
) -> tuple[list[list[Card]], Unseen]:
    """Deal the unseen cards of a pack to the piles, behind what each holds, and return them all.

    Raises:
        ValueError: a card is in two places, or there is no such deal.
    """
    seen = [*out, *chain.from_iterable(held)]
    if len(set(seen)) < len(seen):
        twice = sorted({card for card in seen if seen.count(card) > 1})
        raise ValueError(f"{twice[0]} is in two places")
    unseen = Unseen([card for card in pack if card not in set(seen)], piles)
    drawn = draw_deal(unseen.cards, piles, chance)
    return [[*known, *more] for known, more in zip(held, drawn, strict=True)], unseen
