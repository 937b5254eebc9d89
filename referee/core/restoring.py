"""A match that was being played when the referee went down comes to where it was, by its inputs."""

from collections.abc import Iterable
from typing import Any

from referee.cards import Seat
from referee.core.running_match import RunningMatch
from referee.games.options import problems
from referee.match.effects import Append, Effect, Input, Wake
from referee.match.replay import Header, ReplayError, apply


def goes_on(table: RunningMatch, header: Header) -> bool:
    """Return whether the match of a header can go on with the present rules and its key."""
    return (
        table.game.rules_version == header.rules_version
        and table.deals.commitment == header.commitment
        and not problems(table.game.options, header.setup.options)  # a later version may have more options
    )


def replay(table: RunningMatch, inputs: Iterable[Input]) -> Exception | None:
    """Have a match take its inputs again; return the error in the last one, None if there is none.

    Raises:
        ReplayError: there is no such input.
    """
    for seat in range(len(table.owners)):  # nobody hears; a bot says what it wants when it is back
        table.match.tell_events(Seat(seat), wanted=False)
    failure: Exception | None = None
    for given in inputs:
        try:
            effects = apply(table.match, given)
        except ReplayError:
            raise
        except Exception as error:  # noqa: BLE001 - it may have failed before, then what follows is its end
            failure = error
        else:
            table.log += _entries(effects)
            table.told.take(effects)
            table.wake = next((e.at for e in effects if isinstance(e, Wake)), table.wake)
            failure = None
    return failure


def keep_unplayed(table: RunningMatch, inputs: Iterable[Input]) -> None:
    """Keep the inputs of a match that cannot go on; if an earlier start found that already, its end, too."""
    kept = list(inputs)
    before = kept.pop() if kept and kept[-1].kind == "void" else None
    table.log.extend(kept)
    if before:
        table.log += _entries(table.match.void(before.at))


def _entries(effects: list[Effect]) -> list[Any]:
    """Return the lines that effects append to the record."""
    return [effect.entry for effect in effects if isinstance(effect, Append)]
