"""Another course of a window: some hidden cards have changed places, and observers still know the same.

Whether they do is decided on the pure game with the rules pages' own tables (`Adaptor.facts`), step by step.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from referee.cards import Seat, name_of
from referee.games.actions import Action, ChooseCards
from referee.games.base import State
from tests.noninterference.adaptor import Observer, Swap
from tests.noninterference.drive import action_of
from tests.noninterference.window import END, Leak, Move, Op, Truth, Window


@dataclass(frozen=True)
class Variant:
    """The same moves with other hidden cards; ``given`` holds the answers that differ, by number of the move.

    ``observers`` are those that know no more and no less than in the base. ``mended`` holds, where the others
    make no mistakes, what is given for their wrong answers.
    """

    swap: Swap
    truth: Truth
    observers: frozenset[Observer]
    given: Mapping[int, Action]
    mended: Mapping[int, Action] | None


class _Rejected(Exception):
    """The swap makes no such variant."""


def base(window: Window, at: int) -> Variant:
    """Return the window itself after so many moves, as the variant in which nothing is swapped."""
    return _Retelling(window, Swap({}, {}), None, window.adaptor.observers).run(at)


def variant(
    window: Window, at: int, swap: Swap, target: Observer, wanted: Collection[Observer]
) -> Variant | None:
    """Return the variant of a window after so many moves, or None when there is none for the target.

    Of the wanted observers it serves all those for whom it makes no difference by the rules.

    Raises:
        Leak: who is asked, or what is legal for an observer, differs though the observer knows the same.
    """
    try:
        found = _Retelling(window, swap, target, wanted).run(at)
    except _Rejected:
        return None
    return found if _differs(window, at, found) else None


def _differs(window: Window, at: int, found: Variant) -> bool:
    """Return whether something else happened or was chosen; another order of choosing is not enough."""
    if found.truth.deals[0] != window.past(at):
        return True
    base = {move: window.moves[move].ops[0].action for move in found.given}
    return any(_unordered(base[move]) != _unordered(action) for move, action in found.given.items())


def _unordered(action: Action | None) -> object:
    return frozenset(action.cards) if isinstance(action, ChooseCards) else action


class _Retelling:
    """Plays the moves of a window with swapped cards, keeping the observers that cannot tell."""

    def __init__(self, window: Window, swap: Swap, target: Observer, wanted: Collection[Observer]) -> None:
        self._window = window
        self._swap = swap
        self._target = target
        self._cannot_tell = set(wanted)
        first = min(window.decks)
        decks = dict(window.decks) | {first: [swap.deck.get(c, c) for c in window.decks[first]]}
        self._truth = Truth(window, decks, wanted)
        self._given: dict[int, Action] = {}
        self._mended: dict[int, Action] = {}
        self._at = 0
        self._another_default = False  # whether one was played in this move, which may show

    def run(self, at: int) -> Variant:
        self._compare()
        for move in self._window.moves[:at]:
            self._another_default = False
            for op in move.ops:
                self._carry_out(move, op)
            self._at += 1
            self._compare()
        mended = self._mended if self._swap.faultless and self._window.hides_faults(at) else None
        return Variant(self._swap, self._truth, frozenset(self._cannot_tell), self._given, mended)

    def _compare(self) -> None:
        """Drop the observers that learnt something else; the others may not see another seat asked."""
        truth, window = self._truth, self._window
        learnt, base = truth.learnt(), window.learnt[self._at]
        self._cannot_tell = {observer for observer in self._cannot_tell if learnt[observer] == base[observer]}
        if self._target not in self._cannot_tell:
            raise _Rejected
        if truth.state.to_act() != window.to_act[self._at] and window.phases[self._at] != END:
            self._other_turn("another seat is asked")

    def _other_turn(self, text: str) -> None:
        if not self._window.adaptor.turn_is_hidden(self._truth.past):
            raise self._leak(text)

    def _carry_out(self, move: Move, op: Op) -> None:
        state = self._truth.state
        if op.seat not in state.to_act():
            # after another default, as of a seat that has forfeited, the turn may well go to another
            if not self._another_default:
                self._other_turn("a seat is not asked")
            raise _Rejected
        if op.action is None:
            assert move.given is not None
            if action_of(state.legal(op.seat), move.given) is not None:
                raise self._refusal(op.seat, "what was wrong is legal")
            return
        self._truth.apply(
            op.seat, self._default(state, op) if op.default else self._act(state, op.seat, op.action)
        )

    def _default(self, state: State, op: Op) -> Action:
        """Return the default action of a seat; it is the same for a seat that knows the same."""
        game = self._window.adaptor.game
        action = game.default(game.view(state, op.seat), state.legal(op.seat))
        if action != op.action and self._knows_the_same(op.seat):
            raise self._leak("the default action differs")
        self._another_default |= action != op.action
        self._mended[self._at] = action
        return action

    def _knows_the_same(self, seat: Seat) -> bool:
        """Return whether a seat knows the same; in this move another default may have been played before."""
        if seat not in self._cannot_tell:
            return False
        learning = self._truth.learning(seat)
        return learning == self._window.learnt[self._at + 1][seat][: len(learning)]

    def _act(self, state: State, seat: Seat, base: Action) -> Action:
        """Return what a seat does in the variant: the target the same, others what goes with the swap."""
        action = base
        if seat != self._target:
            action = self._window.adaptor.mapped(base, state, seat, self._swap)
            if action != base:
                self._cannot_tell.discard(seat)
                self._given[self._at] = action
        if action_of(state.legal(seat), action) is None:
            raise self._refusal(seat, "what was legal is wrong")
        return action

    def _refusal(self, seat: Seat, text: str) -> Exception:
        return self._leak(text) if seat in self._cannot_tell else _Rejected()

    def _leak(self, text: str) -> Leak:
        return leak(self._window, self._at, self._swap, self._cannot_tell, text)


def leak(window: Window, at: int, swap: Swap, observers: Collection[Observer], text: str) -> Leak:
    """Return what says where a leak is, so that it can be found again by the window's key."""
    who = " and ".join("the public" if observer is None else f"seat {observer}" for observer in observers)
    swapped = " ".join(f"{name_of(a)}-{name_of(b)}" for a, b in swap.chosen.items() if a < b)
    place = f"{window.setup.game}, {window.phases[at]} of window {window.key} after {at} moves"
    return Leak(f"{place}: with {swapped} exchanged {text}, which {who} may not know")
