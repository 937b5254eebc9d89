"""One deal of a match, driven at random: the base that variants are compared with.

The deals before it are played on the pure state; the match then begins with the window's deal. After it the
match ends or goes on to one more deal, of which the opening is kept.
"""

import pickle
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from referee.cards import Card, Seat
from referee.codec.proto import GrowingViews
from referee.games.actions import Action, PlayCard
from referee.games.base import Event, Game, State
from referee.games.events import CardPlayed
from referee.games.options import Options
from referee.match.effects import Append, Effect, Input, MatchSetup
from referee.match.match import Match
from referee.match.messages import Commitment, Given
from referee.match.replay import apply
from tests.noninterference.adaptor import Adaptor, Fact, Observer

MATCH_ID: Final = "m-1"
END: Final = "end"
"""The name of the positions at which the window's deal is over."""


class Leak(AssertionError):
    """An observer was told of something that it may not know."""


@dataclass(frozen=True, slots=True)
class Op:
    """What an input did to the game: a seat's ``action``, its own or a ``default``; none if it was wrong."""

    seat: Seat
    action: Action | None
    default: bool = False


@dataclass(frozen=True, slots=True)
class Move:
    """One input of the match, and what it did to the game.

    A seat comes back with what it has of its events, those up to number ``after``; after a restart clocks
    stand for at most ``grace``.
    """

    kind: str
    now: int
    seat: Seat | None = None
    decision_id: int = 0
    given: Given | None = None
    ops: tuple[Op, ...] = ()
    after: int = 0
    grace: int = 0


class WindowDecks:
    """The decks of a window, with a fixed commitment and secret."""

    commitment: Final = Commitment(
        scheme="fairdeal/1", epoch_id="m-1.1", commit=bytes(32), manifest=bytes(32), repeatable=True
    )
    secret: Final = bytes(range(32))

    def __init__(self, decks: Mapping[int, Sequence[Card]]) -> None:
        self.decks = decks

    def deck(self, deal: int) -> tuple[Card, ...]:
        return tuple(self.decks[deal])

    def first(self, seats: int) -> Seat:
        return Seat(0)


class Resumed:
    """A game whose matches begin in the middle of a match."""

    def __init__(self, game: Game[Any], prepared: bytes) -> None:
        self._game = game
        self._prepared = prepared

    def __getattr__(self, name: str) -> Any:
        return getattr(self._game, name)

    def new(self, options: Options, *, deals: int | None, first: Seat) -> Any:
        return pickle.loads(self._prepared)


class Truth:
    """The pure game of a window: the state, the true events of the deal, and what observers learnt last."""

    def __init__(
        self, window: "Window", decks: Mapping[int, Sequence[Card]], observers: Iterable[Observer]
    ) -> None:
        self.state: State = pickle.loads(window.prepared)
        self.past: list[Event] = []  # of the deal in play
        self.deals: list[list[Event]] = []
        self._adaptor = window.adaptor
        self._options = window.setup.options
        self.decks = decks
        self._learnt: dict[Observer, list[Fact]] = {observer: [] for observer in observers}

        self._deal_if_due()

    def _deal_if_due(self) -> None:
        while self.state.needs_deck and self.state.deal_number in self.decks:
            deck = self.decks[self.state.deal_number]
            self.past = []
            self.deals.append(self.past)
            events = self.state.deal(deck)
            assert self._adaptor.opens_rightly(events[0], self.state, self._options)
            self._happened(events)

    def apply(self, seat: Seat, action: Action) -> None:
        """Carry out an action, and deal if a deck is wanted then and there is one.

        Raises:
            Leak: another card is played than the action says: that nobody was asked for it tells of a hand.
        """
        events = self.state.apply(seat, action)
        if sum(isinstance(event, CardPlayed) for event in events) > isinstance(action, PlayCard):
            raise Leak(f"{self._adaptor.game.name}: after {action} of seat {seat} a card is played unasked")
        self._happened(events)
        self._deal_if_due()

    def _happened(self, events: Sequence[Event]) -> None:
        for event in events:
            for observer, facts in self._learnt.items():
                facts += self._adaptor.facts(event, observer, self.past)
            self.past.append(event)

    def learning(self, observer: Observer) -> tuple[Fact, ...]:
        """Return what an observer has learnt so far that `learnt` will tell of."""
        return tuple(self._learnt[observer])

    def learnt(self) -> dict[Observer, tuple[Fact, ...]]:
        """Return what each observer learnt since this was last asked."""
        learnt = {observer: tuple(facts) for observer, facts in self._learnt.items()}
        for facts in self._learnt.values():
            facts.clear()
        return learnt


@dataclass
class Window:
    """A driven deal; the last lists have an item for the opening, and one more for each move.

    ``decks`` are by the number of deals played before; ``deal`` is the number of the window's own.
    """

    key: tuple[object, ...]
    adaptor: Adaptor
    setup: MatchSetup
    prepared: bytes
    deal: int
    decks: Mapping[int, Sequence[Card]]
    moves: list[Move] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    happened: list[int] = field(default_factory=list)  # how many of the events
    learnt: list[Mapping[Observer, tuple[Fact, ...]]] = field(default_factory=list)
    to_act: list[tuple[Seat, ...]] = field(default_factory=list)
    phases: list[str] = field(default_factory=list)
    over: list[bool] = field(default_factory=list)  # whether the match has ended

    def past(self, at: int) -> Sequence[Event]:
        """Return the true events of the window's deal after so many moves."""
        return self.events[: self.happened[at]]

    def hides_faults(self, at: int) -> bool:
        """Return whether after this many moves no seat may know of another's faults: no forfeit, not over."""
        at_fault = Counter(
            seat
            for move in self.moves[:at]
            for seat in {op.seat for op in move.ops if op.default or op.action is None}
        )
        return not self.over[at] and max(at_fault.values(), default=0) < self.setup.faults.limit

    def match(self, decks: Mapping[int, Sequence[Card]]) -> Match:
        """Return the match before its start, with some decks."""
        game: Any = Resumed(self.adaptor.game, self.prepared)
        return Match(self.setup, game, WindowDecks(decks), GrowingViews(game))  # as the core plays it

    def opening(self) -> list[Move]:
        """Return the inputs that lead to the first decision."""
        seats = [Seat(seat) for seat in range(self.adaptor.game.seats)]
        return [
            Move("start", 0),
            *(Move("back", 1 + seat, seat) for seat in seats),
            *(Move("ready", 11 + seat, seat) for seat in seats),
        ]


class WindowMatch:
    """The match of a window with some decks; at a restart it is folded again from what it took in."""

    def __init__(self, window: Window, decks: Mapping[int, Sequence[Card]]) -> None:
        self._window = window
        self._decks = decks
        self._match = window.match(decks)
        self._inputs: list[Input] = []

    @property
    def is_over(self) -> bool:
        return self._match.outcome is not None

    def give(self, move: Move, given: Given | None) -> list[Effect]:
        """Give a move to the match, with an answer that may be another than its own, or none at all."""
        if move.kind == "restarted":
            self._match = self._window.match(self._decks)
            for kept in self._inputs:
                apply(self._match, kept)
        effects = self._step(move, given)
        entries = [effect.entry for effect in effects if isinstance(effect, Append)]
        self._inputs += [entry for entry in entries if isinstance(entry, Input)]
        return effects

    def _step(self, move: Move, given: Given | None) -> list[Effect]:
        match, now = self._match, move.now
        if move.kind == "start":
            return match.start(now)
        if move.kind == "tick":
            return match.tick(now)
        if move.kind == "restarted":
            return match.restarted(now, move.grace)
        assert move.seat is not None
        if move.kind == "back":
            return match.back(move.seat, now, move.after)
        if move.kind == "lost":
            return match.lost(move.seat, now)
        if move.kind == "ready":
            return match.ready(move.seat, now)
        return [] if given is None else match.answer(move.seat, move.decision_id, given, now)
