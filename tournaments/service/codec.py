"""The messages of TournamentService, from domain values to protobuf and back.

A message that is read may come from a server of another version: anything that this version does not know
raises UnknownMessage.
"""

from collections.abc import Sequence
from dataclasses import asdict, fields
from enum import Enum
from typing import Any, Final, TypeVar

from google.protobuf.message import DecodeError, Message

from fairdeal.v1 import play_service_pb2 as play_pb
from fairdeal.v1 import tournament_service_pb2 as pb
from referee.codec.proto.fields import fill_duration
from referee.match.faults import Termination
from tournaments.plan.plan import Format, Pace
from tournaments.plan.states import ON_ENTRIES, EntryState, RulingKind, TournamentState
from tournaments.report.texts import TextKind
from tournaments.running.activity import Activity, Awaited, Playing
from tournaments.running.watch import (
    Change,
    EntryChanged,
    EntryKind,
    EntrySnapshot,
    MatchBegun,
    MatchFinished,
    Snapshot,
    StateChanged,
)
from tournaments.service.invitations import Invitation
from tournaments.store import Adjudication
from tournaments.tournament_file.reader import FileProblem

PROBLEMS: Final = "fairdeal-problems-bin"
"""The key of the trailing metadata with the problems of a file."""

MOST_PROBLEM_BYTES: Final = 4096
"""The size limit for the problems of a file in metadata, of which clients accept 8 KiB in all."""

E = TypeVar("E", bound=Enum)


class UnknownMessage(ValueError):
    """A message that this version does not know; the text says so."""


# Tournaments and entries


def outline(snapshot: Snapshot) -> pb.Tournament:
    """Return a tournament without its entries."""
    return pb.Tournament(
        name=snapshot.name,
        game=snapshot.game,
        format=_number(pb.TournamentFormat, "TOURNAMENT_FORMAT", snapshot.format),
        state=_number(pb.TournamentState, "TOURNAMENT_STATE", snapshot.state),
        planned=snapshot.planned,
        issued=snapshot.issued,
        played=snapshot.played,
        skipped=snapshot.skipped,
        playing=snapshot.playing or 0,
        attempts={how.name.lower(): number for how, number in snapshot.attempts.items()},
        taken_back=snapshot.taken_back,
        is_running=snapshot.is_running,
        owner=snapshot.owner,
        matches_per_set=snapshot.turns,
        pace=pb.Pace(**asdict(snapshot.pace)) if snapshot.pace else None,
    )


def tournament(snapshot: Snapshot) -> pb.Tournament:
    """Return a tournament with its entries."""
    message = shown(snapshot)
    message.entries.extend(map(entry, snapshot.entries))
    return message


def shown(snapshot: Snapshot) -> pb.Tournament:
    """Return a tournament with what its run is doing, without its entries."""
    message = outline(snapshot)
    for ruling in snapshot.rulings:
        known = {key: value for key, value in asdict(ruling).items() if value is not None}
        message.rulings.add(**{**known, "kind": ruling_kind(RulingKind(ruling.kind))})
    message.resting.extend(snapshot.resting)
    if (activity := snapshot.activity) is None:
        return message
    for match in activity.playing:
        told = message.running.add(match_id=match.match_id, attempt=match.attempt, entries=match.entries)
        fill_duration(told.elapsed, match.elapsed)
    for each in activity.awaited:
        fill_duration(message.awaited.add(entry=each.entry).elapsed, each.elapsed)
    if activity.per_hour is not None:
        message.matches_per_hour = activity.per_hour
    return message


def tournament_entries(*snapshots: EntrySnapshot) -> bytes:
    """Return entries as bytes of a ``Tournament``; appended to another one's bytes, they are added to it."""
    return pb.Tournament(entries=map(entry, snapshots)).SerializeToString()


def with_tournament(number: int, data: bytes, message: Message | None = None) -> bytes:
    """Return a message, empty when there is none, as bytes with a ``Tournament`` as its field of a number."""
    before = b"" if message is None else message.SerializeToString()
    head, size = bytearray([number << 3 | 2]), len(data)
    while size > 0x7F:
        head.append(size & 0x7F | 0x80)
        size >>= 7
    return b"".join((before, head, bytes([size]), data))


def snapshot_of(message: pb.Tournament) -> Snapshot:
    """Return the snapshot of a tournament.

    Raises:
        UnknownMessage: it holds something that this version does not know.
    """
    return Snapshot(
        name=message.name,
        game=message.game,
        format=_member(Format, pb.TournamentFormat, "TOURNAMENT_FORMAT", message.format),
        state=_member(TournamentState, pb.TournamentState, "TOURNAMENT_STATE", message.state),
        planned=message.planned if message.HasField("planned") else None,
        issued=message.issued,
        played=message.played,
        skipped=message.skipped,
        playing=message.playing,
        attempts={_termination_of(how): number for how, number in message.attempts.items()},
        taken_back=message.taken_back,
        is_running=message.is_running,
        entries=tuple(map(entry_of, message.entries)),
        activity=_activity_of(message) if message.is_running else None,
        rulings=tuple(map(_ruling_of, message.rulings)),
        owner=message.owner,
        turns=max(1, message.matches_per_set),  # 0 by an earlier version
        pace=_pace_of(message.pace) if message.HasField("pace") else None,
        resting=tuple(message.resting),
    )


def _pace_of(message: pb.Pace) -> Pace:
    return Pace(
        **{field.name: getattr(message, field.name) for field in fields(Pace) if message.HasField(field.name)}
    )


def invitation(made: Invitation) -> pb.Invitation:
    """Return an invitation, without its code."""
    told = asdict(made)
    del told["sha256"]
    return pb.Invitation(**told)


def ruling_kind(kind: RulingKind) -> Any:
    """Return what becomes of a match."""
    return _number(pb.RulingKind, "RULING_KIND", kind)


def ruling_kind_of(number: int) -> RulingKind:
    """Return what becomes of a match.

    Raises:
        UnknownMessage: this version does not know it.
    """
    return _member(RulingKind, pb.RulingKind, "RULING_KIND", number)


def _ruling_of(message: pb.Ruling) -> Adjudication:
    how = (message.who, message.at, message.why)
    kind = ruling_kind_of(message.kind)
    if kind in ON_ENTRIES:
        return Adjudication(kind.value, None, None, *how, message.entry, message.struck)
    return Adjudication(kind.value, message.match_id, message.attempt, *how)


def text_kind(kind: TextKind) -> Any:
    """Return which text about a tournament is meant."""
    return _number(pb.TextKind, "TEXT_KIND", kind)


def text_kind_of(number: int) -> TextKind:
    """Return which text about a tournament is meant.

    Raises:
        UnknownMessage: this version does not know it.
    """
    return _member(TextKind, pb.TextKind, "TEXT_KIND", number)


def _activity_of(message: pb.Tournament) -> Activity:
    return Activity(
        tuple(
            Playing(each.match_id, each.attempt, tuple(each.entries), each.elapsed.ToMicroseconds())
            for each in message.running
        ),
        tuple(Awaited(each.entry, each.elapsed.ToMicroseconds()) for each in message.awaited),
        message.matches_per_hour if message.HasField("matches_per_hour") else None,
    )


def entry(snapshot: EntrySnapshot) -> pb.TournamentEntry:
    """Return an entry."""
    return pb.TournamentEntry(
        name=snapshot.name,
        version=snapshot.version or "",
        kind=_number(pb.EntryKind, "ENTRY_KIND", snapshot.kind),
        state=entry_state(snapshot.state),
        present=snapshot.present,
    )


def entry_of(message: pb.TournamentEntry) -> EntrySnapshot:
    """Return the snapshot of an entry.

    Raises:
        UnknownMessage: it holds something that this version does not know.
    """
    return EntrySnapshot(
        name=message.name,
        version=message.version or None,
        kind=_member(EntryKind, pb.EntryKind, "ENTRY_KIND", message.kind),
        state=entry_state_of(message.state),
        present=message.present,
    )


def entry_state(state: EntryState) -> Any:
    """Return the state of an entry."""
    return _number(pb.EntryState, "ENTRY_STATE", state)


def entry_state_of(number: int) -> EntryState:
    """Return the state of an entry.

    Raises:
        UnknownMessage: as everywhere here, and when none is set.
    """
    return _member(EntryState, pb.EntryState, "ENTRY_STATE", number)


# Changes


def change(told: Change) -> pb.WatchTournamentResponse:
    """Return a change of a tournament."""
    response = pb.WatchTournamentResponse()
    match told:
        case MatchBegun():
            response.match_begun.CopyFrom(
                pb.MatchBegun(
                    match_id=told.match_id, attempt=told.attempt, round=told.round, entries=told.entries
                )
            )
        case MatchFinished():
            response.match_finished.CopyFrom(
                pb.MatchFinished(
                    match_id=told.match_id,
                    attempt=told.attempt,
                    entries=told.entries,
                    termination=_number(play_pb.Termination, "TERMINATION", told.termination),
                    ranks=told.ranks,
                    scores=told.scores,
                )
            )
        case EntryChanged():
            response.entry_changed.entry.CopyFrom(entry(told.entry))
        case StateChanged():
            response.state_changed.state = _number(pb.TournamentState, "TOURNAMENT_STATE", told.state)
    return response


def change_of(response: pb.WatchTournamentResponse) -> Change | None:
    """Return the change in a response; None when it holds something else.

    Raises:
        UnknownMessage: it holds something that this version does not know.
    """
    match response.WhichOneof("kind"):
        case "match_begun":
            begun = response.match_begun
            return MatchBegun(begun.match_id, begun.attempt, begun.round, tuple(begun.entries))
        case "match_finished":
            over = response.match_finished
            return MatchFinished(
                over.match_id,
                over.attempt,
                tuple(over.entries),
                _member(Termination, play_pb.Termination, "TERMINATION", over.termination),
                tuple(over.ranks),
                tuple(over.scores),
            )
        case "entry_changed":
            return EntryChanged(entry_of(response.entry_changed.entry))
        case "state_changed":
            number = response.state_changed.state
            return StateChanged(_member(TournamentState, pb.TournamentState, "TOURNAMENT_STATE", number))
    return None


# Problems


def problems(found: Sequence[FileProblem]) -> bytes:
    """Return the problems of a file as bytes of ``TournamentProblems``, as many as there is room for."""
    message = pb.TournamentProblems()
    for problem in found:
        listed = message.problems.add(place=problem.place, text=problem.text)
        if message.ByteSize() > MOST_PROBLEM_BYTES:
            message.problems.remove(listed)
            break
    message.omitted = len(found) - len(message.problems)
    return message.SerializeToString()


def problems_of(data: bytes) -> tuple[tuple[FileProblem, ...], int]:
    """Return the problems of a file, and how many more there are.

    Raises:
        UnknownMessage: the bytes are no ``TournamentProblems``.
    """
    try:
        message = pb.TournamentProblems.FromString(data)
    except DecodeError:
        raise UnknownMessage("what is wrong with the file cannot be read") from None
    return tuple(FileProblem(each.place, each.text) for each in message.problems), message.omitted


def _termination_of(name: str) -> Termination:
    if name.upper() not in Termination.__members__:
        raise UnknownMessage(f"this version does not know the ending {name!r} of an attempt")
    return Termination[name.upper()]


def _number(wire: Any, prefix: str, member: Enum) -> Any:
    """Return the number of an enum's member, which has the same name on the wire after a prefix."""
    return wire.Value(f"{prefix}_{member.name}")


def _member(kind: type[E], wire: Any, prefix: str, number: int) -> E:
    names = {value: name for name, value in wire.items()}
    name = names.get(number, "").removeprefix(f"{prefix}_")
    if name not in kind.__members__:
        raise UnknownMessage(f"{prefix.lower().replace('_', ' ')} {number} is not known to this version")
    return kind[name]
