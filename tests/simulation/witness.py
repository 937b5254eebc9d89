"""What a bot is told, checked while it is told: nothing twice, left out, or changed afterwards."""

from dataclasses import dataclass, field
from typing import Any, Final

from fairdeal.v1 import play_service_pb2 as pb
from referee.core.running_match import Key
from referee.match.clock import SECOND
from tests.simulation.scenario import CLOCK

TRANSIT: Final = 400_000
"""Longer than a frame and its answer are under way, in microseconds, while nothing is broken."""


class Violation(AssertionError):
    """Something that must never happen; the text says what."""


@dataclass(slots=True)
class ToldSeat:
    """All that one seat was told of one attempt at a match, over all of its sessions."""

    seat: int
    seated: bytes
    events: dict[int, bytes] = field(default_factory=dict)
    decisions: dict[int, bytes] = field(default_factory=dict)
    banks: dict[int, int] = field(default_factory=dict)
    first_told: dict[int, int] = field(default_factory=dict)
    live: set[int] = field(default_factory=set)
    """The decisions that were told as soon as they were put."""
    closed: dict[int, bytes] = field(default_factory=dict)
    reasons: dict[int, int] = field(default_factory=dict)
    faults: dict[int, int] = field(default_factory=dict)
    finished: bytes | None = None
    refusals: list[int] = field(default_factory=list)


@dataclass(slots=True)
class Ear:
    """What was told over one stream so far: the next event and the open decision of each match."""

    resume: dict[str, tuple[int, int]]  # attempt and event from which on it wants to be told
    wants_events: bool = True
    is_welcome: bool = False
    is_old: bool = False
    here: dict[str, "Here"] = field(default_factory=dict)


@dataclass(slots=True)
class Here:
    """A match over one stream: the last event told, the decision that is open, the last one told."""

    attempt: int
    sequence: int
    open: int | None = None
    asked: int = 0


def split(frame: bytes) -> list[bytes]:
    """Return the updates in a frame, each as it came."""
    updates = []
    place = 0
    while place < len(frame):
        _need(frame[place] == 0x0A, "a frame holds something that is no update")
        place += 1
        size = shift = 0
        while True:
            byte = frame[place]
            place += 1
            size |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
        updates.append(frame[place : place + size])
        place += size
    return updates


def _need(holds: bool, text: str) -> None:
    if not holds:
        raise Violation(text)


class Witness:
    """Hears all that one bot is told, over whatever streams."""

    def __init__(self) -> None:
        self.told: dict[Key, ToldSeat] = {}
        self._attempts: dict[str, int] = {}
        self.forgotten: set[str] = set()
        """The matches of which the referee has said that it does not know them."""

    def ear(self, hello: pb.Hello) -> Ear:
        """Return what hears what is told over a new stream."""
        resume = {point.match_id: (self._attempts[point.match_id], point.sequence) for point in hello.resume}
        return Ear(resume, hello.events)

    def hear(self, ear: Ear, data: bytes, update: pb.Update, now: int) -> None:
        """Take an update.

        Raises:
            Violation: it must not come, or not now, or is not what was told before.
        """
        kind = update.WhichOneof("kind")
        _need(ear.is_welcome == (kind != "welcome"), f"{kind} comes before the welcome, or after it")
        getattr(self, f"_{kind}")(ear, data, getattr(update, kind), now)

    def _welcome(self, ear: Ear, data: bytes, welcome: Any, now: int) -> None:
        ear.is_welcome = True

    def _notice(self, ear: Ear, data: bytes, notice: Any, now: int) -> None:
        """Whoever is told that it is replaced must have been; that is the bot's to check."""

    def _seated(self, ear: Ear, data: bytes, seated: Any, now: int) -> None:
        match_id, attempt = seated.match_id, seated.attempt
        _need(match_id not in ear.here, f"{match_id}: seated twice over one stream")
        known = self._attempts.get(match_id, 0)
        _need(ear.is_old or attempt >= known, f"{match_id}: seated at an attempt that is over")
        if not ear.is_old:
            self._attempts[match_id] = attempt
        resumed, sequence = ear.resume.pop(match_id, (0, 0))
        # what it has of an earlier attempt says nothing of this one
        ear.here[match_id] = Here(attempt, sequence if resumed == attempt else 0)
        told = self.told.setdefault((match_id, attempt), ToldSeat(seated.seat - 1, data))
        _need(told.seated == data, f"{match_id}: seated otherwise than before")
        _need(ear.is_old or told.finished is None, f"{match_id}: seated after the end")

    def _happened(self, ear: Ear, data: bytes, happened: Any, now: int) -> None:
        here, told = self._find(ear, happened.match_id, "an event")
        sequence = happened.event.sequence
        _need(ear.wants_events, "an event is told to a bot that wants none")
        where = f"{happened.match_id}: seat {told.seat} is told event {sequence}"
        _need(sequence == here.sequence + 1, f"{where} after event {here.sequence}")
        here.sequence = sequence
        _need(told.events.setdefault(sequence, data) == data, f"{where}, which was another one before")

    def _decision(self, ear: Ear, data: bytes, decision: Any, now: int) -> None:
        here, told = self._find(ear, decision.match_id, "a decision")
        number = decision.decision_id
        where = f"{decision.match_id}: seat {told.seat} is asked decision {number}"
        _need(here.open is None, f"{where} while decision {here.open} is open")
        _need(here.asked in (0, number - 1), f"{where} after decision {here.asked}")
        # streams overtake each other: an older one may still tell what the one of now has left behind
        _need(ear.is_old or number not in told.closed, f"{where}, which is closed")
        is_live = here.asked > 0  # the first one over a stream may have been asked long ago
        here.open = here.asked = number
        if ear.wants_events:
            _need(decision.sequence == here.sequence, f"{where} after event {here.sequence}, not as it says")
        if number not in told.decisions:
            known = max(told.decisions, default=0)
            _need(ear.is_old or number > known, f"{where} after decision {known}")
            told.decisions[number] = data
            told.first_told[number] = now
            if is_live:
                told.live.add(number)
            self._check_clock(decision, told, where)
        _need(told.decisions[number] == data, f"{where}, which was another one before")

    def _check_clock(self, decision: Any, told: ToldSeat, where: str) -> None:
        bank, move, number = _micros(decision.bank), _micros(decision.move_time), decision.decision_id
        told.banks[number] = bank
        _need(move == CLOCK.move, f"{where} with another move time")
        _need(0 <= bank <= CLOCK.bank + (number - 1) * CLOCK.increment, f"{where} with {bank} µs in the bank")
        if (before := told.banks.get(number - 1)) is None:
            return
        _need(bank <= before + CLOCK.increment, f"{where} with more in the bank than it can be")
        if number - 1 in told.live and number - 1 not in told.faults:
            took = told.first_told[number] - told.first_told[number - 1] + TRANSIT
            least = before - max(0, took - CLOCK.move)
            _need(bank >= least, f"{where} with {bank} µs in the bank, which must be {least} at least")

    def _closed(self, ear: Ear, data: bytes, closed: Any, now: int) -> None:
        here, told = self._find(ear, closed.match_id, "a closing")
        number = closed.decision_id
        where = f"{closed.match_id}: decision {number} of seat {told.seat} is closed"
        _need(here.open == number, f"{where}, but decision {here.open} is open")
        here.open = None
        _need(told.closed.setdefault(number, data) == data, f"{where}, otherwise than before")
        told.reasons[number] = closed.reason
        if closed.fault:
            told.faults[number] = closed.fault
        _need(
            bool(closed.fault) == (closed.reason == pb.CLOSE_REASON_DEFAULTED), f"{where} for no clear reason"
        )

    def _refused(self, ear: Ear, data: bytes, refused: Any, now: int) -> None:
        if refused.decision_id == 0:
            _need(refused.match_id in ear.resume, f"{refused.match_id}: refused, but it was not asked for")
            del ear.resume[refused.match_id]
            self.forgotten.add(refused.match_id)
            return
        attempt = self._attempts.get(refused.match_id, 0)
        if told := self.told.get((refused.match_id, attempt)):
            told.refusals.append(refused.reason)

    def _finished(self, ear: Ear, data: bytes, finished: Any, now: int) -> None:
        match_id = finished.match_id
        if here := ear.here.pop(match_id, None):
            _need(here.open is None, f"{match_id}: over while decision {here.open} is open")
        else:
            _need(match_id in ear.resume, f"{match_id}: over, but the bot has no seat in it")
            del ear.resume[match_id]
        attempt = here.attempt if here else self._attempts[match_id]
        told = self.told[match_id, attempt]
        _need(told.finished in (None, data), f"{match_id}: over otherwise than before")
        told.finished = data

    def _find(self, ear: Ear, match_id: str, what: str) -> tuple[Here, ToldSeat]:
        here = ear.here.get(match_id)
        _need(here is not None, f"{match_id}: {what} is told to a bot that has no seat in it")
        assert here is not None
        return here, self.told[match_id, here.attempt]


def _micros(duration: Any) -> int:
    return int(duration.seconds * SECOND + duration.nanos // 1000)
