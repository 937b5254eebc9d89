"""Matches again from what they took in: for recovery, and for whoever checks a record."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast, get_args

from referee.cards import Seat
from referee.clock import ClockSettings
from referee.effects import Effect, Input, MatchSetup, Owner
from referee.faults import FaultPolicy
from referee.match import Match
from referee.plain import PlainError, from_plain, from_tagged
from referee.shapes import Micros
from referee.updates import Commitment, Given

_ANSWERS: Final = get_args(Given)


class ReplayError(ValueError):
    """Lines that are no match; the text says what is wrong with them."""


@dataclass(frozen=True, slots=True)
class Header:
    """The first line of a match: what it is, who plays it, how its deals can be checked."""

    setup: MatchSetup
    owners: tuple[Owner, ...]
    rules_version: int
    commitment: Commitment


def read_header(line: Mapping[str, Any]) -> Header:
    """Return the header in a line that `record.header_line` gave.

    Raises:
        ReplayError: it is none.
    """
    try:
        entries = tuple(map(str, line["entries"]))
        setup = MatchSetup(
            match_id=line["match_id"],
            attempt=line["attempt"],
            game=line["game"],
            options=line["options"],
            deals=line["deals"],
            entries=entries,
            clock=ClockSettings(**line["clock"]),
            faults=FaultPolicy(**line["faults"]),
        )
        owners = tuple(zip(entries, map(str, line["instances"]), strict=True))
        return Header(setup, owners, line["rules_version"], from_plain(Commitment, line["commitment"]))
    except (KeyError, TypeError, ValueError) as error:
        raise ReplayError(f"the header is damaged ({type(error).__name__})") from None


def read_input(line: Mapping[str, Any]) -> Input:
    """Return the input in a line that `record.input_line` gave.

    Raises:
        ReplayError: it is none.
    """
    try:
        seat, decision_id = line.get("seat"), line.get("decision_id")
        given, grace = line.get("answer"), line.get("grace")
        return Input(
            kind=line["kind"],
            at=Micros(_whole(line["at"])),
            seat=None if seat is None else Seat(_whole(seat)),
            decision_id=None if decision_id is None else _whole(decision_id),
            given=None if given is None else cast("Given", from_tagged(_ANSWERS, given)),
            grace=None if grace is None else Micros(_whole(grace)),
        )
    except (KeyError, TypeError, PlainError) as error:
        raise ReplayError(f"an input is damaged ({type(error).__name__})") from None


def _whole(value: object) -> int:
    if type(value) is not int:
        raise TypeError("a whole number is expected")
    return value


def apply(match: Match, given: Input) -> list[Effect]:
    """Give an input to a match and return what follows.

    Raises:
        ReplayError: there is no such input.
        Exception: the match failed, as it may have before: then its next input makes it void.
    """
    step = _STEPS.get(given.kind)
    if step is None:
        raise ReplayError(f"there is no input {given.kind!r}")
    return step(match, given)


_STEPS: Final[Mapping[str, Callable[[Match, Any], list[Effect]]]] = {
    "start": lambda match, given: match.start(given.at),
    "back": lambda match, given: match.back(given.seat, given.at),
    "lost": lambda match, given: match.lost(given.seat, given.at),
    "restarted": lambda match, given: match.restarted(given.at, given.grace),
    "ready": lambda match, given: match.ready(given.seat, given.at),
    "decline": lambda match, given: match.decline(given.seat, given.at),
    "abandon": lambda match, given: match.abandon(given.seat, given.at),
    "answer": lambda match, given: match.answer(given.seat, given.decision_id, given.given, given.at),
    "tick": lambda match, given: match.tick(given.at),
    "cancel": lambda match, given: match.cancel(given.at),
    "void": lambda match, given: match.void(given.at),
}
