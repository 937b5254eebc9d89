"""Leaks to plant in what a bot is told when it is back, and after a restart of the referee."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from referee.cards import Seat
from referee.match.effects import Effect, Tell
from referee.match.match import Match
from referee.match.messages import Decision, Happened, Notice, NoticeKind, Seated, Update
from referee.match.seat import SeatState
from tests.noninterference.leaks import hidden, is_red


def _told_again(
    patch: pytest.MonkeyPatch, change: Callable[[Match, Seat, int, Update], Sequence[Update]]
) -> None:
    """Change what a seat is told when it is back; the change is given its resume point too."""
    real = Match.back

    def back(self: Match, seat: Seat, now: int, after: int = 0) -> list[Effect]:
        effects: list[Effect] = []
        for effect in real(self, seat, now, after):
            if isinstance(effect, Tell) and self._state:
                effects += [Tell(seat, update) for update in change(self, seat, after, effect.update)]
            else:
                effects.append(effect)
        return effects

    patch.setattr(Match, "back", back)


def _next_place(match: Match, seat: Seat) -> SeatState:
    return match._seat_states[(seat + 1) % len(match._seat_states)]


def _events(match: Match, seat: Seat) -> list[Any]:
    return [happened.event for happened in match._told_after(seat, 0)]


def events_of_all_again(patch: pytest.MonkeyPatch, game: str) -> None:
    """Send a seat that is back the events of all seats."""

    def change(match: Match, seat: Seat, after: int, update: Update) -> list[Update]:
        if not isinstance(update, Happened):
            return [update]
        return [
            replace(update, event=_events(match, each)[update.sequence - 1])
            for each in map(Seat, range(len(match._seat_states)))
        ]

    _told_again(patch, change)


def events_of_another_from_the_resume_point(patch: pytest.MonkeyPatch, game: str) -> None:
    """Send a seat that has some of its events the next seat's later ones."""

    def change(match: Match, seat: Seat, after: int, update: Update) -> list[Update]:
        if isinstance(update, Happened) and after:
            following = Seat((seat + 1) % len(match._seat_states))
            return [replace(update, event=_events(match, following)[update.sequence - 1])]
        return [update]

    _told_again(patch, change)


def resume_point_moved_by_a_hand(patch: pytest.MonkeyPatch, game: str) -> None:
    """Send one event less after the resume point when the next seat's lowest card is red."""
    real = Match.back

    def back(self: Match, seat: Seat, now: int, after: int = 0) -> list[Effect]:
        moved = bool(self._state) and is_red(self._state, seat)
        return real(self, seat, now, after + moved)

    patch.setattr(Match, "back", back)


def card_in_the_view_told_again(patch: pytest.MonkeyPatch, game: str) -> None:
    """Show a card of the next seat in the view of a decision that is told again."""

    def change(match: Match, seat: Seat, after: int, update: Update) -> list[Update]:
        if isinstance(update, Decision):
            view = match._game.view(match._state, seat)
            return [replace(update, view=replace(view, hand=view.hand + hidden(match._state, seat)[:1]))]
        return [update]

    _told_again(patch, change)


def decision_of_another_told_again(patch: pytest.MonkeyPatch, game: str) -> None:
    """Send a seat that is back the question of the next seat."""

    def change(match: Match, seat: Seat, after: int, update: Update) -> list[Update]:
        asked = _next_place(match, seat).open
        return [update, asked] if isinstance(update, Seated) and asked else [update]

    _told_again(patch, change)


def faults_of_all_told_again(patch: pytest.MonkeyPatch, game: str) -> None:
    """Send a seat that is back the faults of all seats."""

    def change(match: Match, seat: Seat, after: int, update: Update) -> list[Update]:
        text = str([seat_state.counts().total for seat_state in match._seat_states])
        return [update, Notice(NoticeKind.HEARTBEAT, text)] if isinstance(update, Seated) else [update]

    _told_again(patch, change)


def clock_that_stands_by_a_hand(patch: pytest.MonkeyPatch, game: str) -> None:
    """Let clocks stand longer after a restart when the next seat's lowest card is red."""
    real = Match.restarted

    def restarted(self: Match, now: int, grace: int) -> list[Effect]:
        effects = real(self, now, grace)
        for seat, seat_state in enumerate(self._seat_states):
            if self._state and is_red(self._state, Seat(seat)):
                seat_state.stand(now, now + grace + 3_000)
        return effects + self._done(now)

    patch.setattr(Match, "restarted", restarted)


def numbers_anew_after_a_restart(patch: pytest.MonkeyPatch, game: str) -> None:
    """Let the numbers of decisions go on from the next seat's lowest card after a restart."""
    real = Match.restarted

    def restarted(self: Match, now: int, grace: int) -> list[Effect]:
        for seat, seat_state in enumerate(self._seat_states):
            if self._state and seat_state.open is None:
                seat_state.decisions = sum(hidden(self._state, Seat(seat))[:1])
        return real(self, now, grace)

    patch.setattr(Match, "restarted", restarted)
