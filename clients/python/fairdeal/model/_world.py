"""A deal that a seat thinks possible: who holds what, and what was answered so far."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from fairdeal.actions import Answer
from fairdeal.cards import Card
from fairdeal.chance import Chance
from fairdeal.model._deals import UnseenCards, UnseenPile
from fairdeal.views import Trick

Held = Mapping[int, Sequence[Card]]
"""What some seats hold in a hypothesis, all or a part of it."""


@dataclass(slots=True)
class World:
    """A deck in the order of the game, all answers of the deal in order, and what was before the deal.

    ``kept`` is what the state of the rules has before the deal.
    """

    deck: list[Card]
    answers: list[tuple[int, Answer]]
    kept: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Hidden:
    """What a seat does not know: ``draw`` makes a world of the ``unseen`` cards, by chance.

    ``held`` is the hypothesis that it was made with. To draw raises a ValueError if no world fits.
    """

    unseen: UnseenCards
    draw: Callable[[Chance], World]
    held: Held


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


def unseen_of(
    held: Sequence[Sequence[Card]],
    piles: Sequence[UnseenPile],
    pack: Iterable[Card],
    out: Iterable[Card] = (),
) -> UnseenCards:
    """Return the cards of a pack that lie in the piles beside those that are ``held`` there or ``out``.

    Raises:
        ValueError: a card is in two places or not in the pack, or there is no such deal.
    """
    seen = [*out, *chain.from_iterable(held)]
    once = set(seen)
    if len(once) < len(seen):
        twice = sorted({card for card in seen if seen.count(card) > 1})
        raise ValueError(f"{twice[0]} is in two places")
    pack = list(pack)
    if foreign := once.difference(pack):
        raise ValueError(f"{min(foreign)} is not in the pack of this game")
    return UnseenCards([card for card in pack if card not in once], piles)


def dealt(held: Sequence[Sequence[Card]], unseen: UnseenCards, chance: Chance) -> list[list[Card]]:
    """Return the cards of each pile: what is held there, and behind it unseen ones by chance."""
    return [[*known, *more] for known, more in zip(held, unseen.draw(chance), strict=True)]
