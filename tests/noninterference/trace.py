"""What an observer is sent in a match, to the byte and to the microsecond."""

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from referee.cards import Card
from referee.codec import proto
from referee.codec.json import plain
from referee.core.session import Session
from referee.match.effects import Append, Effect, Faulted, Input, Outcome, Substituted, Tell
from referee.match.messages import Closed, Given, Happened, Hello
from referee.viewer.live import SeenMatch
from tests.noninterference.adaptor import Observer
from tests.noninterference.variant import Variant
from tests.noninterference.window import MATCH_ID, Move, Resumed, Window, WindowDecks, WindowMatch
from tournaments.web.shown import step_data

Sent = tuple[int, bytes]
"""When something was sent, and what: a frame, or an update that still waits for one."""


NO_EVENTS = (Input, Faulted, Substituted, Outcome)
"""What stands in the log of a match besides its events."""


class _SeatStream:
    """The stream of one seat: its sessions, one after the other, and all that they sent."""

    def __init__(self) -> None:
        self.sent: list[Sent] = []
        self._session: Session | None = None
        self._frames = 0

    def back(self) -> None:
        """Open a session in place of the last one."""
        self._session = Session()
        self._frames = 0
        hello = Hello(versions=(1,), entry="e", events=True, resume={})
        self._session.open(hello, epoch=1, server="referee")

    def lost(self) -> None:
        self._session = None

    def tell(self, now: int, update: Any) -> None:
        if self._session:
            self._session.tell(update)
            if isinstance(update, Closed):  # the only kind that may wait for the next frame
                self.sent.append((now, proto.encode(update)))

    def flush(self, now: int) -> None:
        """Release the updates, as the driver does after each input."""
        if self._session:
            self._session.release(0)
            while (frame := self._session.next_frame()) is not None:
                self.sent.append((now, frame))
                self._frames += 1
                self._session.acknowledge(self._frames)


class _Shown:
    """What is shown in a browser, of each step, to the public or to who plays at a seat."""

    def __init__(self, window: Window, decks: Mapping[int, Sequence[Card]], observer: Observer) -> None:
        self._observer = observer
        game: Any = Resumed(window.adaptor.game, window.prepared)
        header = {
            "game": game.name,
            "entries": list(window.setup.entries),
            "faults": plain(window.setup.faults),
        }
        self._match = SeenMatch(header, window.setup, game, WindowDecks(decks), observer)

    def after(self, now: int, given: Input) -> list[Sent]:
        """Return what is shown with an input."""
        return [
            (now, json.dumps([step.asked, step.decision, step_data(step, self._observer)]).encode())
            for step in self._match.take(given)
        ]


class _Public:
    """What the public is shown: its projection of every event."""

    def __init__(self, window: Window) -> None:
        self.sent: list[Sent] = []
        self._game = window.adaptor.game
        self._number = 0

    def note(self, now: int, effect: Effect) -> None:
        if not isinstance(effect, Append) or isinstance(effect.entry, NO_EVENTS):
            return
        projected = self._game.project(effect.entry, None)
        if projected is not None:
            self._number += 1
            self.sent.append((now, proto.encode(Happened(MATCH_ID, self._number, projected))))


class Trace:
    """What each observer was sent, step by step: in the opening, and with each move."""

    def __init__(self, streams: Mapping[Observer, _SeatStream | _Public]) -> None:
        self._streams = streams
        self._ends: dict[Observer, list[int]] = {observer: [] for observer in streams}

    def end_step(self) -> None:
        """Record that a step is over."""
        for observer, stream in self._streams.items():
            self._ends[observer].append(len(stream.sent))

    def after(self, observer: Observer, move: int) -> list[Sent]:
        """Return what an observer was sent with a move, with none in the opening."""
        ends = self._ends[observer]
        return self._streams[observer].sent[ends[move - 1] if move else 0 : ends[move]]


def trace(window: Window, at: int, variant: Variant, observers: Collection[Observer]) -> Trace:
    """Play a variant as a match and return what observers are sent in it."""
    match = WindowMatch(window, variant.truth.decks)
    public = _Public(window)
    seats = {seat: _SeatStream() for seat in observers if seat is not None}
    streams: dict[Observer, _SeatStream | _Public] = {}
    for seat, stream in seats.items():
        streams[seat] = stream
    if None in observers:
        streams[None] = public
    kept = Trace(streams)
    shown = [(streams[each], _Shown(window, variant.truth.decks, each)) for each in observers]
    opening = window.opening()
    for number, move in enumerate([*opening, *window.moves[:at]], -len(opening)):
        own = move.seat in observers
        if move.seat in seats and move.kind in ("back", "lost"):
            getattr(seats[move.seat], move.kind)()
        elif move.kind == "restarted":
            for stream in seats.values():
                stream.lost()
        for effect in match.give(move, move.given if own else _given(variant, number, move)):
            if isinstance(effect, Append) and isinstance(effect.entry, Input):
                for stream, seen in shown:
                    stream.sent += seen.after(move.now, effect.entry)
            if None in streams:
                public.note(move.now, effect)
            if isinstance(effect, Tell) and effect.seat in seats:
                seats[effect.seat].tell(move.now, effect.update)
        for stream in seats.values():
            stream.flush(move.now)
        if number >= -1:
            kept.end_step()
    return kept


def _given(variant: Variant, number: int, move: Move) -> Given | None:
    """Return what a seat that is no observer gives in a variant, None for nothing.

    It is the action itself, for in a variant its place in the list may be another.
    """
    if variant.mended is not None and move.kind == "answer":
        if not move.ops:
            return None  # it was stale
        if move.ops[0].action is None:
            return variant.mended.get(number)
    if not move.ops or move.ops[0].action is None or move.ops[0].default:
        return move.given
    return variant.given.get(number, move.ops[0].action)
