"""The lines of a record between header and reveal, beside those of the same match played again.

The match is the object that the server drives (`referee.match.match.Match`), and it is given the inputs of
the record. What it appends must stand there, line by line. Besides, the inputs must be such as a server can
have heard: time does not go back, what is due is not put off, and only who has a session says something.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from referee.codec.json import PlainError, from_plain
from referee.match.clock import SECOND
from referee.match.effects import Append, Effect, Input, Outcome
from referee.match.match import Match
from referee.match.replay import ReplayError, apply
from referee.storage.record import entry_line, read_input
from referee.verify.lines import Line
from referee.verify.values import Discrepancy, NotVerified, as_json, difference, differs

DUE: Final = SECOND
"""What is due, as an answer that is late, is carried out within this time; a server takes a few pulses."""

_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "start": (),
    "back": ("seat",),
    "lost": ("seat",),
    "restarted": ("grace",),
    "ready": ("seat",),
    "decline": ("seat",),
    "abandon": ("seat",),
    "resign": ("seat",),
    "answer": ("seat", "decision_id", "answer"),
    "tick": (),
    "cancel": (),
    "void": (),
}
_OPTIONAL: Final = {"answer": ("note",)}
_SAID: Final = {"ready", "decline", "answer"}  # by a bot, in its session

UNPLAYED: Final = (
    "the match could not go on after a restart: it is void, and what was played of it is not in its record"
)
FAILED: Final = (
    "line {}: the referee failed here and the match is void; it does not fail again, so the faults and"
    " times of the outcome are as the record says"
)


def replay(match: Match, seats: int, lines: Sequence[Line]) -> tuple[str, ...]:
    """Compare the lines from the second on up to the outcome with a new match; return what was not compared.

    Raises:
        NotVerified: something differs.
    """
    hall = _Hall(seats)
    place = 1
    while match.outcome is None:
        given = hall.take(lines, place)
        if place > 1 and (overdue := _entries(match.tick(given.at - DUE))):
            text = "something was due more than a second before, and nothing came of it"
            raise NotVerified(Discrepancy(text, place + 1, "at", as_json(_plain(overdue[0]))))
        entries, failure = [], None
        try:
            entries = _entries(apply(match, given))
        except Exception as error:  # noqa: BLE001 - it failed when it was played, too, or the record is wrong
            failure = error
        if failure:
            entries = _entries(match.void(_void_after(hall, lines, place, failure).at))
        if not entries:
            raise NotVerified(Discrepancy("nothing comes of this input: it did not count", place + 1))
        try:
            place = _compared(entries, lines, place)
        except _Void as void:
            return _failed(match, hall, lines, void.place)
    _check_end(lines, place)
    return ()


def is_unplayed(lines: Sequence[Line]) -> bool:
    """Return whether a record holds inputs alone and then is void: its match could not go on.

    It begins as one of a match does that the referee finds when it comes back, and whose rules, options or
    key are not there any more.
    """
    *body, outcome = lines[1:-1] or [{}]
    types = [line["type"] for line in body]
    return bool(body) and set(types) == {"input"} and body[-1].get("kind") == "void" == _ended(outcome)


def check_unplayed(match: Match, seats: int, lines: Sequence[Line]) -> tuple[str, ...]:
    """Check the inputs and the outcome of such a match, a new one; return what was not compared.

    Raises:
        NotVerified: something differs.
    """
    hall = _Hall(seats)
    given = [hall.take(lines, place) for place in range(1, len(lines) - 2)]
    for place, each in enumerate(given, 1):
        if where := difference(_plain(each), lines[place]):
            raise differs("an input of this kind holds nothing else", place + 1, where)
    place = _compared(_entries(match.void(given[-1].at)), lines, len(lines) - 3)
    _check_end(lines, place)
    return (UNPLAYED,)


class _Void(Exception):
    """The lines of a step are broken off by a void."""

    def __init__(self, place: int) -> None:
        super().__init__()
        self.place = place


class _Hall:
    """What a server knows besides its matches: the time, and who has a session."""

    def __init__(self, seats: int) -> None:
        self._here: list[bool | None] = [False] * seats  # None: not known
        self._now = 0

    def take(self, lines: Sequence[Line], place: int) -> Input:
        """Return the input in a line, which must be one that can come now.

        Raises:
            NotVerified: it is none.
        """
        line, number = _line(lines, place), place + 1
        if line["type"] != "input":
            text = "this line does not follow from those before it: an input is expected here"
            raise differs(text, number, ("type", "input", line["type"]))
        if (fields := _FIELDS.get(str(line.get("kind")))) is None:
            kind = as_json(line.get("kind"))
            raise NotVerified(Discrepancy("there is no such input", number, "kind", None, kind))
        if (line["kind"] == "start") != (place == 1):
            kind = as_json(line["kind"])
            raise NotVerified(
                Discrepancy("a match starts once, at its beginning", number, "kind", None, kind)
            )
        if lacking := [name for name in ("at", *fields) if name not in line]:
            raise NotVerified(Discrepancy("an input lacks a field", number, lacking[0]))
        known = ("type", "kind", "at", *fields, *_OPTIONAL.get(line["kind"], ()))
        if more := [name for name in line if name not in known]:
            found = as_json(line[more[0]])
            raise NotVerified(
                Discrepancy("an input of this kind has no such field", number, more[0], None, found)
            )
        try:
            given = read_input(line)
        except ReplayError as error:
            raise NotVerified(Discrepancy(str(error), number)) from None
        if given.at < self._now:
            raise NotVerified(Discrepancy("time goes back", number, "at", None, as_json(given.at)))
        if given.seat is not None and not 0 <= given.seat < len(self._here):
            raise NotVerified(Discrepancy("there is no such seat", number, "seat", None, as_json(given.seat)))
        if given.grace is not None and given.grace < 0:
            raise NotVerified(Discrepancy("a time is negative", number, "grace", None, as_json(given.grace)))
        self._now = given.at
        self._seat(given, number)
        return given

    def _seat(self, given: Input, number: int) -> None:
        if given.kind == "restarted":
            self._here = [None] * len(self._here)
        elif given.seat is not None:
            is_here = self._here[given.seat]
            if given.kind in _SAID and is_here is False:
                raise NotVerified(
                    Discrepancy("the seat has no session in which it can say this", number, "seat")
                )
            if given.kind == "back" and is_here:
                raise NotVerified(Discrepancy("the seat has a session already", number, "seat"))
            if given.kind in ("back", "lost"):
                self._here[given.seat] = given.kind == "back"


def _line(lines: Sequence[Line], place: int) -> Line:
    if place >= len(lines) - 1:
        raise NotVerified(Discrepancy("the match is not over: lines are missing", len(lines)))
    return lines[place]


def _entries(effects: Sequence[Effect]) -> list[Any]:
    return [effect.entry for effect in effects if isinstance(effect, Append)]


def _plain(entry: Any) -> Any:
    return json.loads(json.dumps(entry_line(entry)))  # lists for tuples


def _compared(entries: Sequence[Any], lines: Sequence[Line], place: int) -> int:
    """Compare lines with what must stand there, and return the place after them."""
    begun = place
    for entry in entries:
        expected, found = _plain(entry), _line(lines, place)
        if where := difference(expected, found):
            if place > begun and found["type"] == "input" and found.get("kind") == "void":
                raise _Void(place)
            if where[0] == "type":
                where = ("", expected, found)
            raise differs("something else happens when the match is played again", place + 1, where)
        place += 1
    return place


def _void_after(hall: _Hall, lines: Sequence[Line], place: int, failure: Exception) -> Input:
    """Return the input that ends a match in a step that fails."""
    later = range(place + 1, len(lines) - 1)
    void = next((each for each in later if lines[each]["type"] == "input"), None)
    if void is None or lines[void].get("kind") != "void":
        text = f"the rules of this version fail here ({type(failure).__name__})"
        raise NotVerified(Discrepancy(text, place + 1))
    return hall.take(lines, void)


def _failed(match: Match, hall: _Hall, lines: Sequence[Line], place: int) -> tuple[str, ...]:
    """Check the end of a match that was void by a failure that does not come again."""
    given = hall.take(lines, place)
    if where := difference(_plain(given), lines[place]):
        raise differs("an input of this kind holds nothing else", place + 1, where)
    number, outcome = place + 2, _line(lines, place + 1)
    expected = {"type": "outcome", "termination": "void", "ranks": [], "scores": [], "capped": False}
    try:
        read = from_plain(Outcome, outcome)
    except PlainError as error:
        raise NotVerified(Discrepancy(str(error), number)) from None
    if where := difference({**_plain(read), **expected}, outcome):
        raise differs("a void match has no result", number, where)
    _check_end(lines, place + 2)
    return (FAILED.format(place + 1),)


def _check_end(lines: Sequence[Line], place: int) -> None:
    if place != len(lines) - 1:
        raise NotVerified(Discrepancy("the match is over: nothing can follow but the reveal", place + 1))


def _ended(outcome: Line) -> Any:
    return outcome.get("termination") if outcome.get("type") == "outcome" else None
