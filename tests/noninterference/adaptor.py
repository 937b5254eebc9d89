"""What the harness must know of a game: how to come to its positions, and who knows what by the rules pages.

An adaptor is written from the "who sees what" tables of the rules pages and from the true events alone. It
never asks the game's own ``view.py``, which is what the harness tests.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from referee.cards import Card, Seat
from referee.games.actions import Action, ChooseCards, ChooseCombinations, Legal
from referee.games.base import Event, Game, State
from referee.games.options import Options
from tests.choices import Choices

Observer = Seat | None  # None is the public
Fact = tuple[Any, ...]


@dataclass(frozen=True)
class Swap:
    """Cards that change places in the ``deck``, and in what seats other than the observer have ``chosen``.

    With ``backwards`` they have chosen in the opposite order. With ``faultless`` they have given at once what
    was played for them after a wrong answer, and nothing stale; nobody is told before the match is over.
    """

    deck: Mapping[Card, Card]
    chosen: Mapping[Card, Card]
    backwards: bool = False
    faultless: bool = False


class Adaptor(ABC):
    """One game as the harness sees it."""

    game: ClassVar[Game[Any]]

    @property
    def observers(self) -> tuple[Observer, ...]:
        """Return the public and all seats."""
        return (None, *(Seat(seat) for seat in range(self.game.seats)))

    # How to come to positions of a phase

    together: ClassVar[frozenset[str]] = frozenset()  # phases that take turns

    def order(self, phase: str) -> int:
        """Return the place of a phase in a deal; what comes after all phases is last."""
        return list(self.game.phases).index(phase)

    def until(self, phase: str) -> int:
        """Return the place of the last phase in which positions of a phase can still come up."""
        phases = [p for p in self.game.phases if p == phase or {p, phase} <= self.together]
        return max(map(self.order, phases), default=len(self.game.phases))

    def options(self, phase: str, chance: Choices) -> Mapping[str, object]:
        """Return options for a match that is led to a phase, defaults where they do not matter."""
        return {}

    def before(self, phase: str, chance: Choices) -> int:
        """Return how many deals are played before."""
        return chance.below(4)

    def deck(self, phase: str, state: State, chance: Choices) -> Sequence[Card]:
        """Return the deck of the deal that is led to a phase; ``state`` is the one before it."""
        return chance.shuffled(self.game.cards)

    def opens_rightly(self, event: Event, state: State, options: Options) -> bool:
        """Return whether what ``facts`` takes as given in the first event of a deal is as it should be."""
        return True

    def choose(self, phase: str, state: State, seat: Seat, legal: Legal, chance: Choices) -> Action:
        """Return a legal action of a seat in a deal that is led to a phase."""
        return chance.action(legal)

    # What the rules pages say

    @abstractmethod
    def facts(self, event: Event, observer: Observer, past: Sequence[Event]) -> tuple[Fact, ...]:
        """Return what an observer learns by the rules from a true event; ``past`` are those before it.

        What follows by the rules from other facts (who took a trick, scores) is none of its own: so a score
        that tells more than it may is a difference, and no reason to reject a variant.
        """

    @abstractmethod
    def groups(self, past: Sequence[Event], observer: Observer) -> Sequence[Sequence[Card]]:
        """Return groups of cards of the deal that may change places without the observer's knowledge.

        It is enough that some exchanges in a group are possible: the others are found out and rejected.
        """

    def turn_is_hidden(self, past: Sequence[Event]) -> bool:
        """Return whether by the rules not all know who is to act."""
        return False

    # Variants

    def swap(self, past: Sequence[Event], observer: Observer, chance: Choices) -> Swap | None:
        """Return one to three exchanges of cards whose places the observer does not know, None if none do.

        Choices go along with the cards: another hand was dealt, and hidden choices led to the same. Some
        exchanges are of the choices alone: something else was chosen from the same hand.
        """
        groups = [group for group in self.groups(past, observer) if len(group) > 1]
        if not groups:
            return None
        deck: dict[Card, Card] = {}
        chosen: dict[Card, Card] = {}
        for _ in range(1 + chance.below(3)):
            a, b = chance.some(chance.one(groups), 2)
            if a not in chosen and b not in chosen:
                chosen |= {a: b, b: a}
                if chance.below(4):
                    deck |= {a: b, b: a}
        return Swap(deck, chosen, backwards=not chance.below(3), faultless=not chance.below(4))

    def mapped(self, action: Action, state: State, seat: Seat, swap: Swap) -> Action:
        """Return what a seat chooses in a variant where it chose ``action``; cards go along with the swap."""
        step = -1 if swap.backwards else 1
        if isinstance(action, ChooseCards):
            return ChooseCards(tuple(swap.chosen.get(c, c) for c in action.cards)[::step])
        if isinstance(action, ChooseCombinations):
            return ChooseCombinations(action.combinations[::step])
        return action
