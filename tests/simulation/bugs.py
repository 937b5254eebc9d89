"""Small faults to plant in the referee: each is a few words of one of its functions, changed on purpose.

The changed source is compiled in the function's own module and put in its place; no file is touched.
"""

import inspect
import textwrap
from collections.abc import Callable
from typing import Any, Final

import pytest

from referee.core.core import Core
from referee.core.matches import Matches
from referee.core.session import Session
from referee.core.sessions import Sessions
from referee.match.clock import SeatClock
from referee.match.match import Match
from referee.match.replay import _STEPS
from referee.match.seat import SeatState
from referee.server.game_clock import GameClock
from referee.storage import journal, recorder
from referee.storage.journal import Journal
from referee.storage.recorder import Recorder

Plant = Callable[[pytest.MonkeyPatch], None]


def changed(owner: Any, name: str, *changes: tuple[str, str]) -> Plant:
    """Return what plants a function with some of its text replaced, each time where it stands once."""

    def plant(patch: pytest.MonkeyPatch) -> None:
        function = inspect.getattr_static(owner, name)
        inner: Any = function.fget if isinstance(function, property) else function
        source = textwrap.dedent(inspect.getsource(inner))
        for old, new in changes:
            assert source.count(old) == 1, f"{name} holds {old!r} {source.count(old)} times"
            source = source.replace(old, new)
        made: dict[str, Any] = {}
        exec(compile(f"from __future__ import annotations\n{source}", name, "exec"), inner.__globals__, made)
        patch.setattr(owner, name, made[name])

    return plant


def step_changed(kind: str, step: Callable[[Match, Any], Any]) -> Plant:
    """Return what plants another way to replay an input."""
    return lambda patch: patch.setitem(_STEPS, kind, step)


def all_of(*plants: Plant) -> Plant:
    """Return what plants several."""

    def plant(patch: pytest.MonkeyPatch) -> None:
        for each in plants:
            each(patch)

    return plant


_THE_LONG_WAY: Final = changed(Match, "move", ("if not self._is_plain or", "if True or"))
_RECORDED: Final = (
    "self._effects += [Append(entry), Answered(seat, elapsed)]\n"
    "        self._close(seat, CloseReason.ANSWERED)"
)

BUGS: Final[dict[str, Plant]] = {
    # the match
    "an answer is not recorded": all_of(
        _THE_LONG_WAY,
        changed(Match, "_answer", (_RECORDED, _RECORDED.replace("Append(entry), ", ""))),
    ),
    "an answer is recorded twice": all_of(
        _THE_LONG_WAY,
        changed(
            Match,
            "_answer",
            (_RECORDED, _RECORDED.replace("Append(entry), ", "Append(entry), Append(entry), ")),
        ),
    ),
    "the default is played though the answer came in time": changed(
        Match,
        "_answer",
        (
            "action = resolve(decision.legal, given)",
            "action = resolve(decision.legal, given)\n        if elapsed > self.setup.clock.move:\n"
            "            raise IllegalAction('late')",
        ),
    ),
    "an answer sent again is refused": changed(
        Match, "_answer", ("earlier != given or", "earlier != given or True or")
    ),
    "rejoining tells one event too few": changed(
        Match,
        "back",
        ("self._told_after(seat, after)", "self._told_after(seat, after + 1)"),
    ),
    "rejoining tells one event too many": changed(
        Match,
        "back",
        ("self._told_after(seat, after)", "self._told_after(seat, after - 1)"),
    ),
    "rejoining tells what another seat knows": changed(
        Match,
        "_told_after",
        ("self._known(event, seat)", "self._known(event, self._seats[seat - 1])"),
    ),
    "rejoining does not ask again": changed(Match, "back", ("if seat_state.open:", "if False:")),
    "a fault counts twice": changed(Match, "_count", ("[fault] += 1", "[fault] += 2")),
    "a seat forfeits one fault too late": changed(Match, "_fault", (">= self", "> self")),
    "a default is not told": changed(
        Match, "_close", ("self._tell(", "if fault is None:\n        self._tell(")
    ),
    "decisions get new numbers after a restart": changed(
        Match,
        "restarted",
        (
            "seat_state.stand(now, now + grace)",
            "seat_state.stand(now, now + grace)\n            seat_state.decisions += 1",
        ),
    ),
    "an open decision is closed by a restart": changed(
        Match,
        "restarted",
        (
            "seat_state.stand(now, now + grace)",
            "seat_state.stand(now, now + grace)\n            seat_state.open = None",
        ),
    ),
    "the events of one seat go to all": changed(
        Match, "_known", ("self._game.project(event, seat)", "self._game.project(event, Seat(0))")
    ),
    # clocks
    "the referee's stall is charged": changed(
        GameClock, "now", ("min(self._real() - self._pulse_at, self._most)", "self._real() - self._pulse_at")
    ),
    "the pulse makes up for the stall": changed(GameClock, "pulse", ("min(elapsed, self._most)", "elapsed")),
    "a deadline stays where it was while the clock stands": changed(
        SeatState, "_put_off", ("self.deadline += time", "pass")
    ),
    "a clock that stood once never goes again": changed(
        SeatState, "go_on", ("self.stands_until = min(self.stands_until, now)", "pass")
    ),
    "a clock does not stand after a restart": changed(SeatState, "stand", ("if self.open:", "if False:")),
    "the bank is charged twice": changed(SeatClock, "charge", ("(over - forgiven)", "2 * (over - forgiven)")),
    "the time of an earlier process is forgotten": changed(
        Recorder, "last_time", ("default=0)", "default=0) * 0")
    ),
    # sessions and the core
    "an older session is not fenced off": changed(
        Core, "_open", ("self._end(older, Reason.REPLACED, text, now)", "self.sessions._forget(older)")
    ),
    "a session that is over is still heard": changed(
        Core, "_end", ("self._leave_seats(session, now)", "pass")
    ),
    "a match does not learn that a session is lost": changed(
        Matches, "leave", ("self.drive(table, now, table.match.lost, seat, now)", "pass")
    ),
    "the resume point is ignored": changed(
        Matches, "seat", ("after = _after(table, seat, session.hello)", "after = 0")
    ),
    "what became of a match is not told": changed(
        Core, "_tell_what_became_of", ("session.tell(finished)", "pass")
    ),
    "a deadline that moved is forgotten": changed(
        Matches, "next_wake", ("self._set_timer(table, table.wake)", "pass")
    ),
    "a finished match stays with its sessions": changed(
        Matches, "_finish", ("del session.seats[table.setup.match_id]", "pass")
    ),
    "acknowledged frames still count": changed(Session, "acknowledge", ("del self._sent[:count]", "pass")),
    "a closed decision is not told": changed(
        Session,
        "answered",
        ("self._queued.append(update)", "pass"),
    ),
    "sessions of an entry are never counted down": changed(
        Sessions, "_forget", ("count_down(self._by_entry, session.bearer or entry)", "pass")
    ),
    # the journal and the books
    "bots are told before it is written": changed(
        Recorder,
        "turn",
        ("self._journal.flush()", "pass"),
        ("return output", "self._journal.flush()\n    return output"),
    ),
    "the order of inputs is turned": changed(
        Recorder, "turn", ("in output.inputs:", "in reversed(output.inputs):")
    ),
    "a line that is torn is read": changed(
        journal,
        "_read",
        ('.rpartition(b"\\n")', ".rpartition(b'none of this')"),
        ("whole, _, _torn", "_, _, whole"),
    ),
    "a torn line takes the one before it along": changed(
        journal, "_read", ('.rpartition(b"\\n")', '.rpartition(b"\\n")[0].rpartition(b"\\n")')
    ),
    "a snapshot leaves a match out": changed(
        Journal, "_snapshot", ("snapshot(self.left)", "snapshot(dict([*self.left.items()][1:]))")
    ),
    "a snapshot leaves the headers out": changed(
        journal, "snapshot", ("for line in lines]", "for line in lines[1:]]")
    ),
    "files go that are still needed": changed(
        Journal, "_drop_unneeded", ("self._needed_by[path] or path == self._path", "path == self._path")
    ),
    "a match is settled before its result is stored": changed(
        Recorder,
        "keep",
        ("outcome = table.match.outcome", "self._journal.settle(table.key); outcome = table.match.outcome"),
    ),
    "the key goes before the journal's mark": changed(
        Recorder,
        "settle",
        (
            "self._journal.settle(key)",
            "self._keys.forget(epoch_id_of(report.setup)); self._journal.settle(key)",
        ),
    ),
    "a settled match is not marked": changed(Recorder, "settle", ("self._journal.settle(key)", "pass")),
    "a record lacks its last entry": changed(Recorder, "keep", ("table.lines,", "table.lines[:-1],")),
    # the replay
    "a replay knows of no grace": step_changed(
        "restarted", lambda match, given: match.restarted(given.at, 0)
    ),
    "a replay takes seat 0 for none": changed(
        recorder,
        "read_input",
        ("None if seat is None else Seat(_whole(seat))", "Seat(seat) if seat else None"),
    ),
    "a replay leaves lost sessions out": step_changed("lost", lambda match, given: []),
    "a replay is late by a microsecond": step_changed(
        "answer",
        lambda match, given: match.answer(given.seat, given.decision_id, given.given, given.at + 1),
    ),
}
