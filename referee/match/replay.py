"""Replays matches from their inputs: for recovery, and to check a record."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from referee.match.effects import Effect, Input, InputKind, MatchSetup, Owner
from referee.match.match import Match
from referee.match.messages import Commitment


class ReplayError(ValueError):
    """The lines are not those of a match; the text says what is wrong with them."""


@dataclass(frozen=True, slots=True)
class Header:
    """The first line of a match: what it is, who plays it, how its deals can be checked."""

    setup: MatchSetup
    owners: tuple[Owner, ...]
    rules_version: int
    commitment: Commitment


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


_STEPS: Final[Mapping[InputKind, Callable[[Match, Any], list[Effect]]]] = {
    "start": lambda match, given: match.start(given.at),
    "back": lambda match, given: match.back(given.seat, given.at),
    "lost": lambda match, given: match.lost(given.seat, given.at),
    "restarted": lambda match, given: match.restarted(given.at, given.grace),
    "ready": lambda match, given: match.ready(given.seat, given.at),
    "decline": lambda match, given: match.decline(given.seat, given.at),
    "abandon": lambda match, given: match.abandon(given.seat, given.at),
    "resign": lambda match, given: match.resign(given.seat, given.at),
    "answer": lambda match, given: match.answer(
        given.seat, given.decision_id, given.given, given.at, (given.note or "").encode()
    ),
    "tick": lambda match, given: match.tick(given.at),
    "cancel": lambda match, given: match.cancel(given.at),
    "void": lambda match, given: match.void(given.at),
}
