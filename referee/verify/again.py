"""Goes through the match of a record once more: for what one seat was told, and for what it was asked."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from referee.cards import Seat
from referee.codec.json import tagged
from referee.core.steps import Steps, at_once
from referee.dealing.decks import MatchDeals
from referee.games.base import Game
from referee.games.registry import GAMES
from referee.match.effects import Append, Effect, Faulted, Input, Substituted, Tell
from referee.match.match import Match
from referee.match.messages import Decision, Happened, Seated, Update
from referee.match.replay import Header, apply
from referee.storage.record import Record, RecordError, entry_line, read_input
from referee.verify.header import most_lines, opened, read_match
from referee.verify.lines import Line, header_of, lines_of
from referee.verify.verify import verify


@dataclass(frozen=True, slots=True)
class Past:
    """A match of a record that verifies; ``lines`` are all of the record, the header first."""

    header: Header
    deals: MatchDeals
    lines: tuple[Line, ...]

    @property
    def game(self) -> Game[Any]:
        """Return the rules of its game."""
        return GAMES[self.header.setup.game]

    def match(self) -> Match:
        """Return the match as it was before its first input."""
        return Match(self.header.setup, self.game, self.deals)

    def inputs(self) -> Iterator[tuple[int, Input]]:
        """Yield the inputs, each with the number of its line, from 1."""
        for number, line in enumerate(self.lines, 1):
            if line["type"] == "input":
                yield number, read_input(line)

    def steps(self) -> Iterator[tuple[Line, Input, list[Effect], list[Effect]]]:
        """Yield each input with its line, what was held back until it came, and what followed from it."""
        match = self.match()
        for number, given in self.inputs():
            held = match.pass_on(given.at)
            yield self.lines[number - 1], given, held, apply(match, given)


def past(data: bytes, *, name: str = "") -> Past:
    """Return the match of a record, the bytes of its file.

    Raises:
        RecordError: it does not verify, is of other rules, or of a match in which the referee failed.
    """
    verdict = verify(data, name=name)
    if verdict.problem:
        raise RecordError(f"the record does not verify, so its match cannot be replayed: {verdict.problem}")
    if verdict.notes:
        raise RecordError("the referee failed in this match, so that it cannot be replayed as it was")
    return trusted(data)


def trusted(data: bytes) -> Past:
    """Return the match of a record that this program has written itself, or that verifies.

    Raises:
        NotVerified: it is none.
    """
    header = read_match(header_of(data))
    lines = lines_of(data, most_lines(header.setup))
    return Past(header, opened(header, lines[-1], len(lines)), tuple(lines))


class Ear:
    """Hears what one seat is told, each event and each decision once, however often its bot came back."""

    def __init__(self, seat: Seat) -> None:
        self._seat = seat
        self._events = 0
        self._decisions = 0
        self._is_seated = False

    def new(self, effects: Sequence[Effect]) -> Iterator[Update]:
        """Yield the updates among effects that this seat has not been told yet."""
        for effect in effects:
            if isinstance(effect, Tell) and effect.seat == self._seat and self._is_new(effect.update):
                yield effect.update

    def _is_new(self, update: Update) -> bool:
        if isinstance(update, Seated):
            was_seated, self._is_seated = self._is_seated, True
            return not was_seated
        if isinstance(update, Happened):
            before, self._events = self._events, max(self._events, update.sequence)
            return before < update.sequence
        if isinstance(update, Decision):
            before, self._decisions = self._decisions, max(self._decisions, update.decision_id)
            return before < update.decision_id
        return True


def seen_by(match: Past, seat: int) -> Record:
    """Return a record that holds only what one seat knew by the end of its match.

    Its header has the number of the seat. Its lines are what the seat itself said and what was done in its
    name, each event as the seat was told of it, `time` lines with the ``at`` of what follows, and the
    outcome; there is no secret.
    """
    return at_once(seeing(match, seat))


def seeing(match: Past, seat: int) -> Steps[Record]:
    """Do the same as `seen_by` in steps, since the whole match is played again."""
    header = match.lines[0]
    instances = [instance if place == seat else "" for place, instance in enumerate(header["instances"])]
    # hashes of what is bound could be found by trying
    known = {name: value for name, value in header.items() if name != "bound"}
    seen: list[Line] = []
    for lines in _seen(match, Seat(seat)):
        seen += lines
        yield None
    return Record({**known, "instances": instances, "seat": seat}, (*seen, match.lines[-2]))


def _seen(past_match: Past, seat: Seat) -> Iterator[list[Line]]:
    ear = Ear(seat)
    for line, given, held, effects in past_match.steps():
        before, told = list(_told(ear, held, seat)), list(_told(ear, effects, seat))
        if given.seat == seat or given.kind in ("start", "cancel", "restarted"):
            # its notes are told to nobody before the secret is
            before.append({name: value for name, value in line.items() if name != "note"})
        elif told:  # when others said something that it was not told of at once, it cannot know
            before.append({"type": "time", "at": given.at})
        yield before + told


def _told(ear: Ear, effects: Sequence[Effect], seat: Seat) -> Iterator[Line]:
    for effect in effects:
        if isinstance(effect, Append):
            entry = effect.entry
            if isinstance(entry, Faulted | Substituted) and entry.seat == seat:
                yield entry_line(entry)
        for update in ear.new([effect]):
            if isinstance(update, Happened):
                yield tagged(update.event)
