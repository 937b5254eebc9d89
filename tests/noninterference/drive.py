"""Driving the match of a window at random: mostly legal answers, and now and then whatever else can come.

Wrong answers, late ones, stale ones, repetitions, lost sessions and restarts of the referee are all in it, at
times drawn once. A bot that comes back has all of its events, none, or some.
"""

import pickle
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from referee.cards import Card, Seat
from referee.games.actions import Action, Bid, ChooseCards, Draft, DraftChoice, Legal, LegalActions, PlayCard
from referee.games.base import Game, State, check_legal
from referee.games.errors import BadAction
from referee.games.options import Options
from referee.match.clock import ClockSettings
from referee.match.effects import Append, Effect, Input, MatchSetup, Substituted, Tell, Wake
from referee.match.faults import FaultPolicy
from referee.match.messages import Closed, Decision, Given, Happened, Index, Malformed
from tests.choices import Choices
from tests.noninterference.adaptor import Adaptor
from tests.noninterference.window import END, MATCH_ID, Move, Op, Truth, Window, WindowMatch

_CLOCK: Final = ClockSettings(move=1_000, bank=2_000, increment=7, lag=10, lag_cap=25, start=100_000)
RESTARTS: Final = 1
"""Of a hundred moves so many are restarts of the referee."""
_WRONG: Final[tuple[Given, ...]] = (
    Malformed("the answer holds neither an action nor an index"),
    Index(99),
    Bid(99),
    Draft(DraftChoice.KEEP),
    ChooseCards(()),
    ChooseCards((Card(50), Card(50), Card(50))),
    ChooseCards((Card(24), Card(37), Card(50))),
)


def drive(adaptor: Adaptor, phase: str, *key: object) -> Window:
    """Return a window with a match that was led to a phase; everything is a function of the key."""
    chance = Choices(adaptor.game.name, phase, *key)
    game = adaptor.game
    assert phase in (*game.phases, END), f"{game.name} has no phase {phase}"
    given = dict(adaptor.options(phase, chance))
    before = adaptor.before(phase, chance)
    first = Seat(chance.below(game.seats))
    # of some matches the length is not fixed, and of some of these the first deal is most often the last
    deals = None if chance.below(3) == 0 else before + 1 + chance.below(2)
    if deals is None and chance.below(2):
        soon = {option.name: option for option in game.options if option.name in ("target", "floor")}
        given |= {
            name: option.minimum if name == "target" else option.maximum for name, option in soon.items()
        }
        before = 0 if soon else before
    options = game.bind(given)
    state = _prepared(game, options, before, deals, first, chance)
    if state.result() is not None:
        deals = before + 1
        state = _prepared(game, options, before, deals, first, chance)
    window = Window(
        key=key,
        adaptor=adaptor,
        setup=MatchSetup(
            match_id=MATCH_ID,
            game=game.name,
            options=options,
            deals=deals,
            entries=tuple("abcd"[: game.seats]),
            clock=_CLOCK,
            faults=FaultPolicy(max_faults=3 if chance.below(8) else 1),
        ),
        prepared=pickle.dumps(state),
        deal=before + 1,
        decks={before: adaptor.deck(phase, state, chance), before + 1: chance.shuffled(game.cards)},
    )
    _Driver(window, phase, chance).drive()
    return window


def _prepared(
    game: Game[Any], options: Options, before: int, deals: int | None, first: Seat, chance: Choices
) -> State:
    """Return a match after some deals played at random, fewer if it is over before."""
    state: State = game.new(options, deals=deals, first=first)
    for _ in range(before):
        if state.result() is None:
            state.deal(chance.shuffled(game.cards))
        while state.to_act():
            seat = state.to_act()[0]
            state.apply(seat, chance.action(state.legal(seat)))
    return state


class _Driver:
    """Drives the match of a window and keeps what it was given."""

    def __init__(self, window: Window, phase: str, chance: Choices) -> None:
        self._window = window
        self._phase = phase
        self._chance = chance
        self._match = WindowMatch(window, window.decks)
        self._truth = Truth(window, window.decks, window.adaptor.observers)
        self._now = 20
        self._wake = 0
        self._open: dict[Seat, Decision] = {}
        self._seats = [Seat(seat) for seat in range(window.adaptor.game.seats)]
        self._away: set[Seat] = set()
        self._had = dict.fromkeys(self._seats, 0)  # the last event that each seat was told of
        self._answered: list[tuple[Seat, int, Given]] = []

    def drive(self) -> None:
        """Play until the deal is over, or the phase that is wanted has passed."""
        window = self._window
        for move in window.opening():
            self._note(self._match.give(move, move.given))
        self._keep()
        last = window.adaptor.until(self._phase)
        while window.phases[-1] != END and window.adaptor.order(window.phases[-1]) <= last:
            self._step()
            self._keep()
        window.events = self._truth.deals[0]

    def _keep(self) -> None:
        """Keep what is so after a move."""
        window, truth = self._window, self._truth
        state: Any = truth.state
        over = self._match.is_over
        window.happened.append(len(truth.deals[0]))
        window.learnt.append(truth.learnt())
        window.to_act.append(state.to_act())
        window.phases.append(END if over or state.deal_number != window.deal else state.phase.name.lower())
        window.over.append(over)

    def _step(self) -> None:
        """Make one move."""
        chance = self._chance
        self._now += 1 + chance.below(60)
        chosen = chance.below(100)
        if chosen < 2 or self._now >= self._wake:
            self._now = self._wake
            self._make(Move("tick", self._now))
        elif chosen < 5 and self._answered:
            self._make(Move("answer", self._now, *self._stale()))
        elif chosen < 7:
            self._come_or_go(chance.one(self._seats))
        elif chosen < 7 + RESTARTS:
            self._away.update(self._seats)
            self._make(Move("restarted", self._now, grace=chance.below(4_000)))
        elif (seat := chance.one(sorted(self._open))) in self._away or (self._away and chance.below(2)):
            self._wait_for(chance.one(sorted(self._away)))
        else:
            decision = self._open[seat]
            right = chance.below(30) > 0
            given = self._right(seat, decision.legal) if right else self._wrong(decision.legal)
            self._answered.append((seat, decision.decision_id, given))
            self._make(Move("answer", self._now, *self._answered[-1]))

    def _stale(self) -> tuple[Seat, int, Given]:
        """Return an answer that was given before, or another one to the same or a foreign decision."""
        chance = self._chance
        seat, decision_id, given = chance.one(self._answered)
        match chance.below(3):
            case 0:
                return seat, decision_id, given
            case 1:
                return seat, decision_id, Index(chance.below(13))
        return seat, 1_000, given

    def _come_or_go(self, seat: Seat) -> None:
        if seat in self._away:
            self._away.remove(seat)
            had = self._had[seat]
            after = self._chance.one((0, had, self._chance.below(had + 1)))
            self._make(Move("back", self._now, seat, after=after))
        else:
            self._away.add(seat)
            self._make(Move("lost", self._now, seat))

    def _wait_for(self, seat: Seat) -> None:
        """Let a seat come back, unless a decision runs out before."""
        self._now += self._chance.below(60) * self._chance.one((1, 1, 100))
        if self._now < self._wake:
            self._come_or_go(seat)
        else:
            self._now = self._wake
            self._make(Move("tick", self._now))

    def _wrong(self, legal: Legal) -> Given:
        """Return an answer that is wrong."""
        cards = self._chance.shuffled(self._window.adaptor.game.cards)
        for given in self._chance.shuffled([*_WRONG, *map(PlayCard, cards[:8])]):
            if action_of(legal, given) is None:
                return given
        raise AssertionError("everything is legal")

    def _right(self, seat: Seat, legal: Legal) -> Given:
        """Return a legal answer, by itself or by its place in the list."""
        window, chance = self._window, self._chance
        action = window.adaptor.choose(self._phase, self._truth.state, seat, legal, chance)
        if isinstance(legal, LegalActions) and chance.below(2):
            return Index(legal.actions.index(action))
        return action

    def _make(self, move: Move) -> None:
        """Give a move to the match and to the truth, and keep it with what it did."""
        legal = self._open[move.seat].legal if move.seat in self._open and move.kind == "answer" else None
        effects = self._match.give(move, move.given)
        ops = self._ops(move, legal, effects)
        self._note(effects)
        self._window.moves.append(replace(move, ops=ops))

    def _ops(self, move: Move, legal: Legal | None, effects: Sequence[Effect]) -> tuple[Op, ...]:
        """Return what a move did to the game, and do the same to the truth."""
        ops: list[Op] = []
        for effect in effects:
            if isinstance(effect, Append) and isinstance(effect.entry, Input):
                if move.kind == "answer":
                    assert move.seat is not None and move.given is not None and legal is not None
                    ops.append(Op(move.seat, action_of(legal, move.given)))
            elif isinstance(effect, Append) and isinstance(effect.entry, Substituted):
                ops.append(Op(effect.entry.seat, effect.entry.action, default=True))
        for op in ops:
            if op.action is not None:
                self._truth.apply(op.seat, op.action)
        return tuple(ops)

    def _note(self, effects: Sequence[Effect]) -> None:
        """Follow which decisions are open, and when the match wants to be woken."""
        for effect in effects:
            if isinstance(effect, Wake):
                self._wake = effect.at
            elif isinstance(effect, Tell) and isinstance(effect.update, Decision):
                self._open[effect.seat] = effect.update
            elif isinstance(effect, Tell) and isinstance(effect.update, Closed):
                self._open.pop(effect.seat, None)
            elif isinstance(effect, Tell) and isinstance(effect.update, Happened):
                self._told(effect.seat, effect.update.sequence)

    def _told(self, seat: Seat, sequence: int) -> None:
        """Follow which events bots have."""
        if seat not in self._away:
            self._had[seat] = sequence


def action_of(legal: Legal, given: Given) -> Action | None:
    """Return the legal action that an answer gives, None when it gives none."""
    if isinstance(given, Malformed):
        return None
    if isinstance(given, Index):
        actions = legal.actions if isinstance(legal, LegalActions) else ()
        return actions[given.index] if given.index < len(actions) else None
    try:
        check_legal(legal, given)
    except BadAction:
        return None
    return given
