"""Leaks to plant: each makes the referee tell something that it may not, on purpose.

They are monkeypatched onto a game, the match or the wire; `test_planted_leaks` shows that none goes unseen.
"""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from referee.cards import Card, Hand, Seat, Suit, cards_of, suit_of
from referee.games.actions import Blank, BlankChoice, LegalActions, PlayCard
from referee.games.base import Event
from referee.games.combinations import Combination, SequenceCombination
from referee.games.events import DealScored
from referee.games.hearts.rules import HeartsState, Phase, giver
from referee.games.piquet import dialogue
from referee.games.piquet import rules as piquet_rules
from referee.games.piquet.dialogue import reply
from referee.games.piquet.events import Bonus, BonusScored, Declared, PiquetRound
from referee.games.piquet.events import Phase as PiquetPhase
from referee.games.piquet.holdings import cards_in, is_blank
from referee.games.piquet.rules import PiquetState
from referee.games.piquet.scoring import combination_points, repique
from referee.games.registry import GAMES
from referee.games.spades.rules import SpadesState
from referee.match.effects import Effect, Tell
from referee.match.faults import Fault
from referee.match.match import Match
from referee.match.messages import Decision, Happened, Notice, NoticeKind, Refused, Update
from tests.noninterference import drive

Plant = Callable[[pytest.MonkeyPatch, str], None]
Change = Callable[[Any, Seat, Update], Sequence[Update]]


def hidden(state: Any, seat: Seat | None) -> tuple[Card, ...]:
    """Return the hand of the seat after a seat, of seat 0 for the public."""
    return cards_of(state.hands[0 if seat is None else (seat + 1) % len(state.hands)])


# On the way from the match to a seat


def _told(patch: pytest.MonkeyPatch, change: Change) -> None:
    """Change what the match tells; the change is given its state, and the seat and the update."""
    real, move = Match._tell, Match.move

    def tell(self: Match, seat: Seat, update: Update) -> None:
        for changed in change(self._state, seat, update) if self._state else [update]:
            real(self, seat, changed)

    def move_by_effects(self: Match, *args: Any, **kwargs: Any) -> Any:
        self._is_plain = False  # else most of what is told passes `_tell` by
        return move(self, *args, **kwargs)

    patch.setattr(Match, "_tell", tell)
    patch.setattr(Match, "move", move_by_effects)


def card_in_a_legal_list(patch: pytest.MonkeyPatch, game: str) -> None:
    """List a card of the next seat among the legal plays."""

    def change(state: Any, seat: Seat, update: Update) -> list[Update]:
        if isinstance(update, Decision) and isinstance(update.legal, LegalActions):
            foreign = tuple(PlayCard(c) for c in hidden(state, seat)[:1])
            return [replace(update, legal=LegalActions(update.legal.actions + foreign))]
        return [update]

    _told(patch, change)


def card_in_an_error_text(patch: pytest.MonkeyPatch, game: str) -> None:
    """Name a card of the next seat in the text of a refusal."""

    def change(state: Any, seat: Seat, update: Update) -> list[Update]:
        if isinstance(update, Refused):
            return [replace(update, text=f"{update.text} {hidden(state, seat)[:1]}")]
        return [update]

    _told(patch, change)


def size_of_a_frame(patch: pytest.MonkeyPatch, game: str) -> None:
    """Let a notice without meaning be as long as a card of the next seat is high."""

    def change(state: Any, seat: Seat, update: Update) -> list[Update]:
        padding = "x" * sum(hidden(state, seat)[:1])
        return [update, Notice(NoticeKind.HEARTBEAT, padding)] if isinstance(update, Decision) else [update]

    _told(patch, change)


def global_sequence(patch: pytest.MonkeyPatch, game: str) -> None:
    """Take the numbers of events from a counter that all matches share."""
    numbers = itertools.count(1)

    def change(state: Any, seat: Seat, update: Update) -> list[Update]:
        return [replace(update, sequence=next(numbers)) if isinstance(update, Happened) else update]

    _told(patch, change)


def global_decision_ids(patch: pytest.MonkeyPatch, game: str) -> None:
    """Take the numbers of decisions from a counter that all matches share; none is folded again then."""
    patch.setattr(drive, "RESTARTS", 0)
    numbers = itertools.count()
    real = Match._put

    def put(self: Match, state: Any, seat: Seat, now: int) -> Decision:
        self._seat_states[seat].decisions = next(numbers)
        return real(self, state, seat, now)

    patch.setattr(Match, "_put", put)


def time_of_release(patch: pytest.MonkeyPatch, game: str) -> None:
    """Hold an event back until the next input when the next seat's lowest card is red."""
    real = Match._done
    held: dict[Match, list[Effect]] = {}

    def done(self: Match, now: int) -> list[Effect]:
        out = held.pop(self, [])
        late: list[Effect] = []
        for effect in real(self, now):
            happened = isinstance(effect, Tell) and isinstance(effect.update, Happened)
            (late if happened and is_red(self._state, effect.seat) else out).append(effect)
        held[self] = late
        return out

    patch.setattr(Match, "_done", done)


def fault_of_another(patch: pytest.MonkeyPatch, game: str) -> None:
    """Show a fault to all seats."""
    real = Match._fault

    def fault(self: Match, seat: Seat, kind: Fault) -> None:
        for other in range(len(self._seat_states)):
            self._tell(Seat(other), Notice(NoticeKind.HEARTBEAT, f"seat {seat}: {kind.name}"))
        real(self, seat, kind)

    patch.setattr(Match, "_fault", fault)


def discards_after_the_deal(patch: pytest.MonkeyPatch, game: str) -> None:
    """Show all seats with the score what was discarded, or put aside, in the deal."""

    def change(state: Any, seat: Seat, update: Update) -> list[Update]:
        if isinstance(update, Happened) and isinstance(update.event, DealScored):
            discarded = state.exchanges if game == "piquet" else state.discarded
            return [update, Notice(NoticeKind.HEARTBEAT, repr(discarded))]
        return [update]

    _told(patch, change)


def is_red(state: Any, seat: Seat) -> bool:
    """Return whether the lowest card of the hand of the seat after a seat is red."""
    return any(suit_of(c) in (Suit.DIAMONDS, Suit.HEARTS) for c in hidden(state, seat)[:1])


# In a game's views and projections


def _viewed(patch: pytest.MonkeyPatch, game: str, change: Callable[[Any, Seat | None, Any], Any]) -> None:
    """Change the views of a game; the change is given the state, the seat and the view."""
    kind: Any = type(GAMES[game])
    real = kind.view
    patch.setattr(kind, "view", lambda self, state, seat: change(state, seat, real(self, state, seat)))


def _projected(
    patch: pytest.MonkeyPatch, game: str, change: Callable[[Event, Seat | None, Any], Any]
) -> None:
    """Change the projections of a game; the change is given the true event, the seat and the projection."""
    kind: Any = type(GAMES[game])
    real = kind.project
    patch.setattr(kind, "public", frozenset())  # else the match would not ask
    patch.setattr(kind, "project", lambda self, event, seat: change(event, seat, real(self, event, seat)))


def card_in_the_view(patch: pytest.MonkeyPatch, game: str) -> None:
    """Show a card of the next seat in the view, to the public one of seat 0."""
    _viewed(patch, game, lambda state, seat, view: replace(view, hand=view.hand + hidden(state, seat)[:1]))


def count_in_the_view(patch: pytest.MonkeyPatch, game: str) -> None:
    """Add the number of hearts in the next seat's hand to the first of the totals."""
    field = "totals" if game in ("hearts", "piquet") else "scores"

    def change(state: Any, seat: Seat | None, view: Any) -> Any:
        hearts = sum(suit_of(c) == Suit.HEARTS for c in hidden(state, seat))
        first, *others = getattr(view, field)
        return replace(view, **{field: (first + hearts, *others)})

    _viewed(patch, game, change)


def card_in_an_event(patch: pytest.MonkeyPatch, game: str) -> None:
    """Show a card of the next seat when the deal begins; in two-handed spades the card kept."""

    def change(event: Event, seat: Seat | None, told: Any) -> Any:
        if type(event).__name__ == "Drafted":
            return replace(told, kept=event.kept)
        if type(told).__name__.endswith("DealStarted"):
            return replace(told, hand=told.hand + event.hands[0 if seat is None else (seat + 1) % 2][:1])
        return told

    _projected(patch, game, change)


def order_of_passing(patch: pytest.MonkeyPatch, game: str) -> None:
    """Hand passed cards over in the order in which they were chosen."""
    real = HeartsState.apply_pass

    def apply_pass(self: HeartsState, seat: Seat, cards: tuple[Card, ...]) -> list[Event]:
        events = real(self, seat, cards)
        self.passed[seat] = cards
        return [replace(event, passed=tuple(self.passed)) for event in events]

    patch.setattr(HeartsState, "apply_pass", apply_pass)


def order_of_further(patch: pytest.MonkeyPatch, game: str) -> None:
    """Show further combinations in the order in which they were chosen."""
    real = PiquetState.apply_further

    def apply_further(self: PiquetState, combinations: Any) -> list[Event]:
        return [replace(event, combinations=combinations) for event in real(self, combinations)]

    patch.setattr(PiquetState, "apply_further", apply_further)


def top_of_a_sequence(patch: pytest.MonkeyPatch, game: str) -> None:
    """Let elder say the top of every sequence, asked or not."""
    real = dialogue.declare

    def declare(in_round: PiquetRound, combination: Combination | None, **hands: Hand) -> Declared:
        said = real(in_round, combination, **hands)
        return replace(said, rank=combination.top) if isinstance(combination, SequenceCombination) else said

    patch.setattr(piquet_rules, "declare", declare)


# In who is asked


def only_holders_are_asked(patch: pytest.MonkeyPatch, game: str) -> None:
    """Ask about a blank only a hand that has one."""
    decline = Blank(BlankChoice.DECLINE)

    def skip(real: Callable[..., list[Event]]) -> Callable[..., list[Event]]:
        def step(self: PiquetState, *given: Any) -> list[Event]:
            events = real(self, *given)
            (turn,) = self.to_act()
            if self.phase == PiquetPhase.BLANK and not is_blank(self.dealt[turn]):
                events = events + self.apply_blank(turn, decline.choice)
            return events

        return step

    for name in ("deal", "apply_blank"):
        patch.setattr(PiquetState, name, skip(getattr(PiquetState, name)))


def forced_cards_are_not_asked(patch: pytest.MonkeyPatch, game: str) -> None:
    """Play a card for a seat that has no other."""
    kind: Any = type(GAMES[game].new(GAMES[game].bind({}), deals=1, first=Seat(0)))
    real = kind.apply_play

    def apply_play(self: Any, seat: Seat, c: Card) -> list[Event]:
        events: list[Event] = real(self, seat, c)
        for turn in self.to_act():
            legal = self.legal(turn)
            if self.tricks.led is not None and isinstance(legal, LegalActions) and len(legal.actions) == 1:
                events = events + self.apply(turn, legal.actions[0])
        return events

    patch.setattr(kind, "apply_play", apply_play)


# Too early


def told_too_early(patch: pytest.MonkeyPatch, game: str) -> None:
    """Show what will be known later: the cards passed, a repique, the hand of a seat that may bid blind."""
    changes: dict[str, Callable[[Any, Seat | None, Any], Any]]
    changes = {"hearts": _passed_early, "piquet": _repique_early, "spades": _hand_early}
    _viewed(patch, game, changes[game])


def _passed_early(state: HeartsState, seat: Seat | None, view: Any) -> Any:
    if seat is None or state.phase != Phase.PASS:
        return view
    return replace(view, received=state.passed[giver(seat, state.direction)])


def _hand_early(state: SpadesState, seat: Seat | None, view: Any) -> Any:
    return view if seat is None else replace(view, hand=cards_of(state.hands[seat]))


def _repique_early(state: PiquetState, seat: Seat | None, view: Any) -> Any:
    if state.phase != PiquetPhase.PLAY or state.tricks.complete or state.tricks.cards:
        return view
    accounts = [list(account) for account in state.ledger._combinations]
    hand = state.hands[state.younger]
    for declared in state.declarations:
        for combination in reply(declared, younger=hand):
            points = combination_points(combination, len(cards_in(hand, combination)))
            accounts[declared.round][state.younger] += points
    winner = repique(accounts)
    return view if winner is None else replace(view, bonuses=(BonusScored(winner, Bonus.REPIQUE, 60),))
