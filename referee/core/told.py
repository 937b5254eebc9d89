"""What the seats of a match were told and answered: the digests that their bots make, too (docs/bots.md)."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from referee.cards import Seat
from referee.codec.proto import answer_bytes, decision_bytes, question_bytes
from referee.dealing.scheme import enc
from referee.match.effects import Append, Deals, Effect, Input, MatchSetup, Tell
from referee.match.faults import Fault
from referee.match.messages import Closed, CloseReason, Decision, Given

_KEPT: Final = 4096  # lengths of items


class _Item(dict[int, bytes]):
    """What stands before the bytes of an item, as in ``enc(kind, data)``, by their length.

    Those of common lengths are in the table, which does not grow beyond them.
    """

    def __init__(self, kind: bytes) -> None:
        super().__init__()
        self._kind = enc(kind)

    def __missing__(self, length: int) -> bytes:
        made = self._kind + length.to_bytes(4, "big")
        if length < _KEPT:
            self[length] = made
        return made


_ASKED: Final = _Item(b"asked")
_ANSWERED: Final = _Item(b"answered")


def start_of(setup: MatchSetup, seat: int, manifest: bytes) -> bytes:
    """Return what a digest begins with."""
    return enc(
        b"fairdeal/told/1",
        setup.match_id.encode(),
        setup.attempt.to_bytes(4, "big"),
        seat.to_bytes(4, "big"),
        manifest,
    )


def asked(decision: bytes) -> bytes:
    """Return the item of a decision."""
    return _ASKED[len(decision)] + decision


def ended(closed: Closed, given: Given | None) -> bytes:
    """Return the item of a decision's end; ``given`` is what was answered to it."""
    was_read = closed.reason is CloseReason.ANSWERED or closed.fault is Fault.ILLEGAL
    if was_read and given is not None:  # a match that is asked again has no answers of its own
        return answered(question_bytes(closed.match_id, closed.decision_id), given)
    return enc(b"closed", bytes([closed.reason, closed.fault or 0]))


def answered(question: bytes, given: Given) -> bytes:
    """Return the item of an answer that was read."""
    data = answer_bytes(question, given)
    return _ANSWERED[len(data)] + data


@dataclass(slots=True)
class _Seat:
    digest: Any
    last: int = 0  # the decision that was told last
    is_open: bool = False
    given: Given | None = None  # what was answered to it
    item: bytes = b""  # the last one, which goes into the digest with the next


@dataclass(slots=True)
class Told:
    """The digests of a match's seats, made while it is played: it takes all effects of the match in order."""

    setup: MatchSetup
    deals: Deals
    _seats: list[_Seat] = field(default_factory=list)  # from the first decision on

    def take(self, effects: Iterable[Effect]) -> None:
        """Take effects that no session is told."""
        for effect in effects:
            if isinstance(effect, Append):
                if isinstance(effect.entry, Input) and effect.entry.kind == "answer":
                    self.answered(effect.entry)
            elif isinstance(effect, Tell):
                if isinstance(effect.update, Decision):
                    decision = effect.update
                    self.asked(effect.seat, decision.decision_id, decision_bytes(decision))
                elif isinstance(effect.update, Closed):
                    self.closed(effect.seat, effect.update)

    def answered(self, given: Input) -> None:
        """Take an answer that counted."""
        assert given.seat is not None
        if self._seats and given.decision_id == self._seats[given.seat].last:
            self._seats[given.seat].given = given.given

    def moved(self, seat: Seat, number: int, question: bytes, given: Given) -> None:
        """Take a legal answer of a seat and the end of its decision, in one."""
        state = self._seats[seat]
        if state.is_open and number == state.last:
            state.is_open = False
            data = answer_bytes(question, given)
            state.item = _ANSWERED[len(data)] + data

    def asked(self, seat: Seat, decision_id: int, decision: bytes) -> None:
        """Take the bytes of a decision that a seat is told, perhaps again."""
        if not self._seats:
            manifest = self.deals.commitment.manifest
            starts = (start_of(self.setup, each, manifest) for each in range(len(self.setup.entries)))
            self._seats += [_Seat(hashlib.sha256(start)) for start in starts]
        state = self._seats[seat]
        if decision_id > state.last:
            state.last, state.is_open, state.given = decision_id, True, None
            # `asked`, behind what the seat has answered before
            state.digest.update(state.item + _ASKED[len(decision)] + decision)
            state.item = b""

    def closed(self, seat: Seat, closed: Closed) -> None:
        """Take the end of a decision; of one that the seat was not told there is nothing to take."""
        if not self._seats:
            return
        state = self._seats[seat]
        if state.is_open and closed.decision_id == state.last:
            state.is_open = False
            state.item = ended(closed, state.given)

    def digests(self) -> list[str]:
        """Return the digests by seat, in hexadecimal; none if nobody was asked anything."""
        for seat in self._seats:
            seat.digest.update(seat.item)
            seat.item = b""
        return [seat.digest.hexdigest() for seat in self._seats]
