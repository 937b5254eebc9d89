"""The facts about a game that are needed to have OpenSpiel's bots play it."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from fairdeal.actions import Answer
from fairdeal.cards import Card, Rank
from fairdeal.chance import Chance
from fairdeal.updates import OptionValue, Seated

if TYPE_CHECKING:
    from fairdeal.model._world import World

SEATS: Final = 4


class Rules(ABC):
    """One game in OpenSpiel's numbers of players, cards and actions. Views are those of this game."""

    agreed: Mapping[str, tuple[OptionValue, ...]]
    """The options that must have one of these values, with the recommended one first."""

    @abstractmethod
    def parameters(self, match: Seated) -> dict[str, Any]:
        """Return the parameters that make their game the match's."""

    def without_asking(self, view: Any) -> Answer | None:
        """Return the fixed answer to a decision that they do not have; None for all others."""
        return None

    def player(self, view: Any) -> int:
        """Return the number of the player that decides."""
        seat: int = view.seat
        return seat

    def steps(self, view: Any) -> int:
        """Return how many of their decisions make up the present one."""
        return 1

    def prepare(self, state: Any, view: Any) -> None:
        """Set the parts of a new state that parameters and actions do not give."""
        return

    @abstractmethod
    def history(self, view: Any, world: "World", chance: Chance) -> list[int]:
        """Return actions that lead from a new state to the decision, in a deal that fits the view."""

    @abstractmethod
    def answer(self, view: Any, actions: Sequence[int]) -> Answer:
        """Return the answer for the bot's actions."""


def by_suit(card: Card) -> int:
    """Return the number of a card in spades: by suit, then rank."""
    return card.number - 1


def by_rank(card: Card, lowest: Rank) -> int:
    """Return the number of a card in hearts and euchre: by rank, then suit."""
    return (card.rank - lowest) * SEATS + card.suit - 1


def numbered(numbers: Mapping[Card, int]) -> dict[int, Card]:
    """Return the cards by their numbers."""
    return {number: card for card, number in numbers.items()}


def dealt(world: "World", each: int) -> list[list[Card]]:
    """Return the hands as they were dealt, by seat."""
    return [world.deck[each * seat : each * (seat + 1)] for seat in range(SEATS)]


def in_turn(hands: Sequence[Sequence[Card]]) -> Iterator[Card]:
    """Yield the cards of hands in the order of dealing: one to each, then the next to each."""
    for some in zip(*hands, strict=True):
        yield from some
