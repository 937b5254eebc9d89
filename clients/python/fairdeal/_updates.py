"""Turns the protocol's updates into those of `fairdeal.updates`."""

from types import MappingProxyType

from fairdeal import _decode, _decode_events
from fairdeal.updates import (
    Clock,
    Closed,
    CloseReason,
    Commitment,
    Fault,
    FaultCounts,
    Finished,
    Happened,
    Notice,
    NoticeKind,
    OptionValue,
    Refused,
    Seated,
    SeatTime,
    Termination,
)
from fairdeal.v1 import games_pb2
from fairdeal.v1 import play_service_pb2 as play


def seated(message: play.Seated) -> Seated:
    """Return a seat."""
    commitment = message.commitment
    clock = message.clock
    return Seated(
        id=message.match_id,
        attempt=message.attempt,
        game=message.game,
        rules_version=message.rules_version,
        options=MappingProxyType({option.name: _value(option) for option in message.options}),
        deals=message.deals or None,
        seat=message.seat - 1,
        entries=tuple(message.entries),
        commitment=Commitment(
            scheme=commitment.scheme,
            epoch_id=commitment.epoch_id,
            commit=commitment.commit,
            manifest=commitment.manifest,
            repeatable=commitment.repeatable,
        ),
        clock=Clock(
            move=_decode.seconds(clock.move),
            bank=_decode.seconds(clock.bank),
            increment=_decode.seconds(clock.increment),
            lag=_decode.seconds(clock.lag),
            lag_cap=_decode.seconds(clock.lag_cap),
            start=_decode.seconds(clock.start),
        ),
        max_faults=message.max_faults,
        sides=tuple(tuple(seat - 1 for seat in side.seats) for side in message.sides),
        message=message,
    )


def happened(match: Seated, message: play.Happened) -> Happened:
    """Return an event."""
    return Happened(match, message.event.sequence, _decode_events.event(message.event), message)


def closed(match: Seated, message: play.Closed) -> Closed:
    """Return the closing of a decision."""
    fault = Fault(message.fault) if message.fault else None
    return Closed(match, message.decision_id, CloseReason(message.reason), fault, message)


def refused(match: Seated | None, message: play.Refused) -> Refused:
    """Return the refusal of an answer."""
    return Refused(
        match=match,
        decision_id=message.decision_id,
        reason=reason_name(message.reason),
        still_open=message.still_open,
        text=message.text,
        message=message,
    )


def finished(match: Seated, message: play.Finished) -> Finished:
    """Return the end of a match."""
    return Finished(
        match=match,
        termination=Termination(message.termination),
        ranks=tuple(message.ranks),
        scores=tuple(message.scores),
        capped=message.capped,
        faults=tuple(
            FaultCounts(
                malformed=counts.malformed,
                illegal=counts.illegal,
                disconnected=counts.disconnected,
                late=counts.late,
                sessions_lost=counts.sessions_lost,
            )
            for counts in message.faults
        ),
        forfeited=tuple(seat - 1 for seat in message.forfeited),
        secret=message.secret,
        times=tuple(
            SeatTime(
                answered=time.answered,
                total=_decode.seconds(time.total),
                longest=_decode.seconds(time.longest),
            )
            for time in message.times
        ),
        message=message,
    )


def notice(message: play.Notice) -> Notice:
    """Return a notice."""
    return Notice(NoticeKind(message.kind), message.text, message)


def reason_name(reason: play.Reason) -> str:
    """Return the name of a reason without its prefix, or its number when this version does not know it."""
    known = dict(zip(play.Reason.values(), play.Reason.keys(), strict=True))
    return known.get(reason, str(int(reason))).removeprefix("REASON_")


def _value(option: games_pb2.OptionValue) -> OptionValue:
    match option.WhichOneof("value"):
        case "flag":
            return option.flag
        case "word":
            return option.word
    return option.number
