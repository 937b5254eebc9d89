"""What a game is.

A game is a fold over its inputs: a deck at the start of each deal, then actions. It never shuffles, reads no
clock and does no I/O, so the same decks and actions give the same match anywhere.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Generic, Self, TypeVar

from referee.cards import Card, Seat
from referee.games.actions import Action, Choose, ChooseCards, ChooseCombinations, Legal, LegalActions
from referee.games.check_plan import CheckPlan
from referee.games.errors import BadDeck, IllegalAction, MalformedAction, NotYourDecision
from referee.games.options import Option, Options, bind, complete, listed
from referee.values import copied, value_class

Event = Any  # a frozen dataclass; each game has its own
View = Any  # likewise


@value_class
class Result:
    """How a game ended: scores and ranks by side; rank 1 is best, equal sides share one.

    ``capped`` says that the cap on the number of deals ended it.
    """

    scores: tuple[int, ...]
    ranks: tuple[int, ...]
    capped: bool = False


def ranks_of(scores: Sequence[int], *, low_wins: bool) -> tuple[int, ...]:
    """Return the rank of each score: 1 plus the number of better ones."""
    best_first = sorted(scores, reverse=not low_wins)
    return tuple([1 + best_first.index(score) for score in scores])


def finish(
    totals: Sequence[int], *, low_wins: bool, played: int, decided: bool, deals: int | None, max_deals: int
) -> Result | None:
    """Return the result after a deal, or None when the match goes on.

    A match of a fixed number of ``deals`` ends after the last of them and nowhere else. A whole game ends
    when its own rules have ``decided`` it, else, capped, when ``max_deals`` deals have been played.
    """
    over = decided or played >= max_deals if deals is None else played >= deals
    if not over:
        return None
    capped = deals is None and not decided
    return Result(tuple(totals), ranks_of(totals, low_wins=low_wins), capped)


class State(ABC):
    """One match of a game in progress.

    ``apply`` and ``deal`` are unchecked and fast; `check_action` and `check_deck` check what goes into them.
    Both leave in ``_due`` who decides next, and in ``_result`` the result once the match is over.
    """

    __slots__ = ("_due", "_result")

    _due: tuple[Seat, ...]
    _result: Result | None

    @property
    @abstractmethod
    def phase(self) -> int:
        """Return the phase, a member of the game's own phase enum; between deals, the last one."""

    @property
    @abstractmethod
    def deal_number(self) -> int:
        """Return the number of the deal in play or last played, from 1; 0 before the first."""

    @property
    @abstractmethod
    def needs_deck(self) -> bool:
        """Return whether the next input is a deck."""

    @abstractmethod
    def deal(self, deck: Sequence[Card]) -> list[Event]:
        """Begin a deal with a shuffled deck."""

    def to_act(self) -> tuple[Seat, ...]:
        """Return the seats that have a decision now, ascending; several where choices are simultaneous."""
        return self._due

    @abstractmethod
    def legal(self, seat: Seat) -> Legal:
        """Return the legal actions of a seat, an empty list for one that is not to act."""

    @abstractmethod
    def apply(self, seat: Seat, action: Action) -> list[Event]:
        """Carry out a legal action and return what happened, in order."""

    def result(self) -> Result | None:
        """Return the result once the match is over."""
        return self._result

    def take_up(self, deal: int, **kept: object) -> None:
        """Before any deal, go on as a match whose next deal is ``deal``.

        ``kept`` are the attributes that go from deal to deal, such as the totals.
        """
        for name, value in {"deal_number": deal - 1, **kept}.items():
            setattr(self, name, value)

    def copy(self) -> Self:
        """Return a state of its own, which goes on from here independently of this one."""
        return copied(self)


@dataclass(frozen=True, eq=False, slots=True)
class Growing:
    """What changes of a seat's view from one decision to the next in one phase of a deal.

    ``changing`` names the fields of the view that may change, and ``now`` returns what each of them is made
    of, given the state and the seat: a value as the view has it, for ``hand`` the set of its cards, and for
    ``trick`` the `TrickPlay`, where ``tricks`` change with it. ``by_trick`` names those that change only
    when a trick is complete and are the same for all seats, and ``then`` returns their values, given the
    state. All other fields stay as they are from the first decision of a seat in this phase of a deal on, or
    until ``also`` returns another number.
    """

    changing: tuple[str, ...]
    now: Callable[[Any, Seat], tuple[Any, ...]]
    by_trick: tuple[str, ...] = ()
    then: Callable[[Any], tuple[Any, ...]] = lambda state: ()
    also: Callable[[Any], int] | None = None


S = TypeVar("S", bound=State)


class Game(ABC, Generic[S]):
    """A set of rules: its facts, its states and its views."""

    name: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]
    source: ClassVar[str]  # where these rules come from, with an address
    deck: ClassVar[str]  # who takes which cards of the deck, in its order
    seats: ClassVar[int]
    sides: ClassVar[tuple[tuple[Seat, ...], ...]]
    cards: ClassVar[tuple[Card, ...]]  # canonical order, which the dealing scheme shuffles
    options: ClassVar[tuple[Option, ...]]
    always_listed: ClassVar[frozenset[str]] = frozenset()  # options; fixed for good, see `listed`
    phases: ClassVar[Mapping[str, str]]  # decision -> what the referee plays for a seat that cannot
    answers: ClassVar[Mapping[str, str]]  # decision -> the name on the wire of the action that answers it
    low_wins: ClassVar[bool]
    simultaneous: ClassVar[bool] = False  # whether several seats may have a decision at once
    check_plan: ClassVar[CheckPlan] = CheckPlan()
    usual_draws: ClassVar[float] = 0.05  # how often neighbours in rank are equal: ratings begin with it
    public: ClassVar[frozenset[type]] = frozenset()  # events that `project` gives to everybody as they are
    growing: ClassVar[Mapping[int, Growing]] = {}  # by phase, for those who write views as they grow
    rules_version: ClassVar[int]  # raised whenever the same inputs would give another match

    @property
    def has_partners(self) -> bool:
        """Return whether several seats win and lose together."""
        return len(self.sides) < self.seats

    def bind(self, given: Mapping[str, object]) -> Options:
        """Return every option's value, given ones over defaults.

        Raises:
            BadOption: an option is unknown, of the wrong type or out of bounds.
        """
        return bind(self.options, given)

    def listed(self, options: Options) -> Options:
        """Return the options that plans, records and the manifest of the dealing scheme list, by name.

        An option is left out where it has its default, so that a new option changes no plan, record or deck
        from before. Those in ``always_listed`` are listed with any value, since the first version listed
        them.
        """
        return listed(self.options, self.always_listed, options)

    def complete(self, options: Options) -> Options:
        """Return options that were listed, unchecked, with the default for each that is not."""
        return complete(self.options, options)

    @abstractmethod
    def new(self, options: Options, *, deals: int | None, first: Seat) -> S:
        """Return the state before the first deal.

        ``deals`` fixes the number of deals (None: a whole game); ``first`` is who begins, drawn by the
        dealing scheme; games whose rules decide who begins ignore it.
        """

    @abstractmethod
    def project(self, event: Event, seat: Seat | None) -> Event | None:
        """Return what a seat (None: the public) is told of an event, or None when it is told nothing."""

    @abstractmethod
    def view(self, state: S, seat: Seat | None) -> View:
        """Return all that a seat (None: the public) knows of the deal in play."""

    def hides_turn(self, view: View) -> bool:
        """Return whether by the rules not everybody knows who is to act, given a view of the deal in play."""
        return False

    @abstractmethod
    def default(self, view: View, legal: Legal) -> Action:
        """Return what the referee plays for a seat that cannot, from that seat's own view alone."""


def check_deck(game: Game[Any], deck: Sequence[Card]) -> None:
    """Check that a deck is a permutation of the game's cards.

    Raises:
        BadDeck: it is not; the text names the first doubled, missing or foreign cards.
    """
    if sorted(deck) != list(game.cards):
        doubled = sorted({c for c in deck if list(deck).count(c) > 1})
        missing = sorted(set(game.cards) - set(deck))
        foreign = sorted(set(deck) - set(game.cards))
        raise BadDeck(f"not a deck of {game.name}: doubled {doubled}, missing {missing}, foreign {foreign}")


def check_action(state: State, seat: Seat, action: Action) -> None:
    """Check that an action may be applied now.

    Raises:
        NotYourDecision: the seat is not to act.
        MalformedAction: a choice names a card or a combination twice.
        IllegalAction: the action is not among the legal ones.
    """
    if seat not in state.to_act():
        raise NotYourDecision(f"seat {seat} has no decision now")
    check_legal(state.legal(seat), action)


def check_legal(legal: Legal, action: Action) -> None:
    """Check an action against the legal ones.

    Raises:
        MalformedAction: a choice names a card or a combination twice.
        IllegalAction: the action is not among the legal ones.
    """
    chosen = _chosen(action)
    if len(set(chosen)) != len(chosen):
        raise MalformedAction(f"a {_ITEM[type(action)]} is chosen twice")
    if isinstance(legal, LegalActions):
        if action not in legal:
            raise IllegalAction("not among the legal actions of this decision")
        return
    offered: tuple[object, ...]
    kind: type
    if isinstance(legal, Choose):
        offered, kind = legal.cards, ChooseCards
    else:
        offered, kind = legal.combinations, ChooseCombinations
    item = _ITEM[kind]
    if not isinstance(action, kind):
        raise IllegalAction(f"this decision is answered by choosing {item}s")
    if not legal.minimum <= len(chosen) <= legal.maximum:
        low, high = legal.minimum, legal.maximum
        wanted = str(low) if low == high else f"{low} to {high}"
        raise IllegalAction(f"{len(chosen)} {item}s are chosen where {wanted} are asked for")
    if not set(chosen) <= set(offered):
        raise IllegalAction(f"a {item} is chosen that cannot be chosen here")


_ITEM: Final[Mapping[type, str]] = {ChooseCards: "card", ChooseCombinations: "combination"}


def _chosen(action: Action) -> tuple[object, ...]:
    """Return the cards or combinations that an action chooses; nothing for other kinds of actions."""
    if isinstance(action, ChooseCards):
        return action.cards
    return action.combinations if isinstance(action, ChooseCombinations) else ()
