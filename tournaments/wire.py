"""What TournamentService tells, from domain values to protobuf and back.

Where a message is read, it may come from a server of another version: what this one does not know raises
WireError.
"""

from collections.abc import Sequence
from enum import Enum
from typing import Any, Final, TypeVar

from google.protobuf.message import DecodeError

from fairdeal.v1 import play_service_pb2 as play_pb
from fairdeal.v1 import tournament_service_pb2 as pb
from referee.faults import FaultCounts, Termination
from referee.wire.fields import fill, fill_duration
from tournaments.config import Problem
from tournaments.plan import Format
from tournaments.ratings import Rating
from tournaments.standings.shapes import Standing, Tally, ThinkTime
from tournaments.states import EntryState, State
from tournaments.watching import (
    Change,
    EntryChanged,
    EntryKind,
    EntrySnapshot,
    MatchBegun,
    MatchFinished,
    Snapshot,
    StateChanged,
)

PROBLEMS: Final = "fairdeal-problems-bin"
"""Where in the trailing metadata it stands what is wrong with a file."""

MOST_PROBLEM_BYTES: Final = 4096
"""The problems of a file travel in metadata, of which clients take 8 KiB in all."""

E = TypeVar("E", bound=Enum)


class WireError(ValueError):
    """A message that this version does not know; the text says so."""


# Tournaments and entries


def fill_tournament(message: Any, snapshot: Snapshot) -> None:
    """Fill a ``Tournament``, without its entries."""
    message.name = snapshot.name
    message.game = snapshot.game
    message.format = _number(pb.TournamentFormat, "TOURNAMENT_FORMAT", snapshot.format)
    message.state = _number(pb.TournamentState, "TOURNAMENT_STATE", snapshot.state)
    if snapshot.planned is not None:
        message.planned = snapshot.planned
    message.issued = snapshot.issued
    message.played = snapshot.played
    message.playing = snapshot.playing


def tournament(snapshot: Snapshot) -> pb.Tournament:
    """Return a tournament with its entries."""
    message = pb.Tournament()
    fill_tournament(message, snapshot)
    message.entries.extend(map(entry, snapshot.entries))
    return message


def snapshot_of(message: pb.Tournament) -> Snapshot:
    """Return what a tournament is.

    Raises:
        WireError: as everywhere here.
    """
    return Snapshot(
        name=message.name,
        game=message.game,
        format=_member(Format, pb.TournamentFormat, "TOURNAMENT_FORMAT", message.format),
        state=_member(State, pb.TournamentState, "TOURNAMENT_STATE", message.state),
        planned=message.planned if message.HasField("planned") else None,
        issued=message.issued,
        played=message.played,
        playing=message.playing,
        entries=tuple(map(entry_of, message.entries)),
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
    """Return what an entry is.

    Raises:
        WireError: as everywhere here.
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
        WireError: as everywhere here, and when none is set.
    """
    return _member(EntryState, pb.EntryState, "ENTRY_STATE", number)


# Standings


def standing(line: Standing) -> pb.Standing:
    """Return a line of the standings, without the rating over time and the single scores."""
    message = pb.Standing(
        rank=line.rank,
        competitor=line.entry,
        matches=line.matches,
        wins=line.tally.wins,
        draws=line.tally.draws,
        losses=line.tally.losses,
        mean_score=line.mean_score,
        score_deviation=line.score_deviation,
        scored=line.scored,
        mu=line.rating.mu,
        sigma=line.rating.sigma,
        conservative=line.rating.conservative,
        forfeits=line.forfeits,
        voids=line.voids,
        current=line.is_current,
        state=entry_state(line.state),
        points=line.points,
        buchholz=line.buchholz,
        place=line.place,
    )
    fill(message.faults, line.faults)
    message.think.answered = line.think.answered
    fill_duration(message.think.total, line.think.total)
    fill_duration(message.think.longest, line.think.longest)
    return message


def standing_of(message: pb.Standing) -> Standing:
    """Return a line of the standings, without the rating over time and the single scores.

    Raises:
        WireError: as everywhere here.
    """
    faults, think = message.faults, message.think

    def given(name: str) -> Any:
        return getattr(message, name) if message.HasField(name) else None

    return Standing(
        rank=message.rank,
        entry=message.competitor,
        matches=message.matches,
        tally=Tally(message.wins, message.draws, message.losses),
        mean_score=given("mean_score"),
        score_deviation=given("score_deviation"),
        scored=message.scored,
        rating=Rating(message.mu, message.sigma),
        forfeits=dict(sorted(message.forfeits.items())),
        faults=FaultCounts(
            faults.malformed, faults.illegal, faults.disconnected, faults.late, faults.sessions_lost
        ),
        voids=message.voids,
        think=ThinkTime(think.answered, think.total.ToMicroseconds(), think.longest.ToMicroseconds()),
        is_current=message.current,
        state=entry_state_of(message.state),
        history=(),
        scores=(),
        points=given("points"),
        buchholz=given("buchholz"),
        place=given("place"),
    )


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
    """Return the change that a response tells; None when it tells something else.

    Raises:
        WireError: as everywhere here.
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
            return StateChanged(_member(State, pb.TournamentState, "TOURNAMENT_STATE", number))
    return None


# Problems


def problems(found: Sequence[Problem]) -> bytes:
    """Return what is wrong with a file as bytes of ``TournamentProblems``, as far as there is room."""
    message = pb.TournamentProblems()
    for problem in found:
        listed = message.problems.add(place=problem.place, text=problem.text)
        if message.ByteSize() > MOST_PROBLEM_BYTES:
            message.problems.remove(listed)
            break
    message.omitted = len(found) - len(message.problems)
    return message.SerializeToString()


def problems_of(data: bytes) -> tuple[tuple[Problem, ...], int]:
    """Return what is wrong with a file, and how much more there is.

    Raises:
        WireError: the bytes are no ``TournamentProblems``.
    """
    try:
        message = pb.TournamentProblems.FromString(data)
    except DecodeError:
        raise WireError("what is wrong with the file cannot be read") from None
    return tuple(Problem(each.place, each.text) for each in message.problems), message.omitted


def _number(wire: Any, prefix: str, member: Enum) -> Any:
    """Return the number of an enum's member, which has the same name on the wire behind a prefix."""
    return wire.Value(f"{prefix}_{member.name}")


def _member(kind: type[E], wire: Any, prefix: str, number: int) -> E:
    names = {value: name for name, value in wire.items()}
    name = names.get(number, "").removeprefix(f"{prefix}_")
    if name not in kind.__members__:
        raise WireError(f"{prefix.lower().replace('_', ' ')} {number} is none that this version knows")
    return kind[name]
