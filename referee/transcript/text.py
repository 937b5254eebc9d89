"""A match record as text for people: its head, what happened in order, how it ended.

Every line of a record has a function that shows it, found by the line's type: here those that any match has;
those of a game's own events are in its folder, in ``transcript.py``. A line that has none, as a later version
may write it, or that holds something else than its type says, is shown as it stands.
"""

import json
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from referee.games.registry import facts
from referee.games.transcript import ROW_PIECES, SHARED, RecordLine, trick_row
from referee.match.clock import SECOND
from referee.match.faults import Fault
from referee.storage.record import Record, RecordError
from referee.transcript.page import Page, Show, action_text, as_it_stands, counted, seconds

WIDTH: Final = 100

_AFTER_DEALS: Final = ("outcome", "reveal")
_FAULTS: Final = tuple(fault.name.lower() for fault in Fault)
_NOT_AS_EXPECTED: Final = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError)


def lines(record: Record, *, deal: int | None = None) -> Iterator[str]:
    """Yield a record as lines of at most 100 printable characters.

    The record may hold what one seat knew. With ``deal`` only that deal is shown, after the head.

    Raises:
        RecordError: the header lacks a field or holds something else there; there is no such deal.
    """
    wanted = are_of_deal(record, deal)
    head, *texts = by_line(record)
    yield from head
    for text, is_wanted in zip(texts, wanted, strict=True):
        if is_wanted:
            yield from text


def by_line(record: Record) -> Iterator[list[str]]:
    """Yield for each line of a record, its header first, the lines of text that show it; there may be none.

    Raises:
        RecordError: the header lacks a field or holds something else there.
    """
    try:
        page = Page(record.header)
        head = list(_header(page, record.header))
        page.seat = record.header.get("seat")
    except _NOT_AS_EXPECTED as error:
        what = f"{type(error).__name__}: {error}"
        raise RecordError(f"the record's header is damaged ({what}); get a whole copy of the file") from None
    yield [part for text in head for part in _fitted(text)]
    for line in record.lines:
        yield _texts(page, line)


class Telling:
    """Shows the events of a match that is being played, as the public (None) or one seat is told of them."""

    def __init__(self, header: RecordLine, seat: int | None) -> None:
        self._page = Page(header)
        self._page.seat = seat

    def text(self, line: RecordLine) -> list[str]:
        """Return the lines of text that show the next event; there may be none."""
        return _texts(self._page, line)


def _texts(page: Page, line: RecordLine) -> list[str]:
    return [part for text in _shown(page, line) for part in _fitted(text)]


def are_of_deal(record: Record, wanted: int | None) -> list[bool]:
    """Return for each line after the header whether it is of a deal, which counts from 1; None is all.

    Raises:
        RecordError: there is no such deal.
    """
    if wanted is None:
        return [True] * len(record.lines)
    deals = _deals_of(record)
    if wanted not in deals:
        raise RecordError(
            f"there is no deal {wanted}: the match has {counted(max(deals, default=0), 'deal')}"
        )
    kinds = (line["type"] for line in record.lines)
    return [deal == wanted and kind not in _AFTER_DEALS for deal, kind in zip(deals, kinds, strict=True)]


def _deals_of(record: Record) -> list[int]:
    deal, found = 0, []
    for line in record.lines:
        # an event that begins a deal numbers it, and so does the one that ends it
        if line["type"] not in ("input", "time") and type(number := line.get("deal")) is int:
            deal = number
        found.append(deal)
    return found


def sides_of(record: Record) -> tuple[tuple[int, ...], ...]:
    """Return the seats of each side; of an unknown game each seat by itself."""
    page = Page(record.header)
    return page.sides(len(page.game.sides) if page.game else len(page.entries))


def _shown(page: Page, line: RecordLine) -> list[str]:
    kind = line["type"]
    own = facts(page.game.name, "transcript") if page.game else None
    shows: Mapping[str, Show] = own.SHOWS if own else {}
    show: Show = _ANY_MATCH.get(kind) or shows.get(kind) or SHARED.get(kind) or as_it_stands
    try:
        texts = list(show(page, line))
    except _NOT_AS_EXPECTED:
        texts = list(as_it_stands(page, line))
    if kind not in _ANY_MATCH:
        page.happened()
    if page.row and (texts or len(page.row) == ROW_PIECES):
        texts.insert(0, page.take_row())
    return texts


def _fitted(text: str) -> list[str]:
    # names and answers come from bots: escapes and unprintable characters are spelled out
    clean = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text).rstrip()
    if len(clean) <= WIDTH:
        return [clean]
    indent = " " * (len(clean) - len(clean.lstrip()) + 4)
    return textwrap.wrap(clean, WIDTH, subsequent_indent=indent, break_on_hyphens=False)


# The head


def _header(page: Page, line: RecordLine) -> Iterator[str]:
    title = page.game.title if page.game else line["game"]
    form = "a whole game" if line["deals"] is None else counted(line["deals"], "deal")
    yield f"Match {line['match_id']}, attempt {line['attempt']}: {title}, {form}"
    yield _field("started", line["started"])
    yield _field("software", f"{line['software']}, rules version {line['rules_version']} of {line['game']}")
    yield _field("options", _options(page, line["options"]))
    for seat, (entry, instance) in enumerate(zip(page.entries, line["instances"], strict=True)):
        yield _field(f"seat {seat}", f"{entry}, instance {instance}" if instance else entry)
    yield _field("clock", _clock(line["clock"]))
    yield _field("faults", f"the default action is played; a seat forfeits at fault {page.limit}")
    yield from _commitment(line["commitment"])
    yield ""
    yield "A * marks who led, a ! what went wrong or was played by the referee for a seat."


def _field(name: str, text: str) -> str:
    return f"  {name:<12}{text}"


def _options(page: Page, options: Mapping[str, Any]) -> str:
    defaults = {option.name: option.default for option in page.game.options} if page.game else {}
    chosen = {name: value for name, value in options.items() if value != defaults.get(name)}
    return ", ".join(f"{name} = {json.dumps(value)}" for name, value in chosen.items()) or "as by default"


def _clock(clock: Mapping[str, int]) -> str:
    times = {name: f"{value / SECOND:g} s" for name, value in clock.items()}
    return (
        f"{times['move']} a decision, bank {times['bank']}, increment {times['increment']}, "
        f"lag {times['lag']} up to {times['lag_cap']}, start {times['start']}"
    )


def _commitment(commitment: Mapping[str, Any]) -> Iterator[str]:
    yield _field("epoch", f"{commitment['epoch_id']}, scheme {commitment['scheme']}")
    yield _field("commitment", commitment["commit"])
    yield _field("manifest", commitment["manifest"])
    if commitment["repeatable"]:
        yield _field("dealing", "repeatable, not secret: the cards follow from a seed")
    else:
        yield _field("dealing", "fixed before play, unbiased if the secret was drawn fairly")


# Inputs


def _input(page: Page, line: RecordLine) -> Iterable[str]:
    page.at = line["at"]
    return _INPUTS[line["kind"]](page, line)


def _start(page: Page, line: RecordLine) -> Iterable[str]:
    page.began = page.at
    return ()


def _back(page: Page, line: RecordLine) -> Iterator[str]:
    seat = line["seat"]
    if seat in page.seen:
        yield page.note(f"{page.label(seat)} is back", sign="-")
    page.seen.add(seat)
    page.connected.add(seat)


def _lost(page: Page, line: RecordLine) -> Iterator[str]:
    seat = line["seat"]
    page.connected.discard(seat)
    page.ready.discard(seat)
    yield page.note(f"{page.label(seat)} lost its session", sign="-")


def _restarted(page: Page, line: RecordLine) -> Iterator[str]:
    page.connected.clear()
    if not page.playing:
        page.ready.clear()
    grace = seconds(line["grace"])
    yield page.note(f"the referee was down; clocks stand until the bots are back, at most {grace}", sign="-")


def _ready(page: Page, line: RecordLine) -> Iterable[str]:
    page.ready.add(line["seat"])
    return ()


def _decline(page: Page, line: RecordLine) -> Iterator[str]:
    yield page.forfeit(line["seat"], "declined its seat")


def _abandon(page: Page, line: RecordLine) -> Iterator[str]:
    page.faults[line["seat"]]["disconnected"] += 1
    yield page.forfeit(line["seat"], "disconnected, its bot does not come back")


def _resign(page: Page, line: RecordLine) -> Iterator[str]:
    yield page.forfeit(line["seat"], "gave the match up")


def _answer(page: Page, line: RecordLine) -> Iterator[str]:
    page.answers[line["seat"]] = line["answer"]
    # the default that was played for the seat before made no event that would have shown it
    page.defaulted.discard(line["seat"])
    _put_next(page)
    if "note" in line:
        yield page.note(f"{page.label(line['seat'])} noted: {line['note']}", sign="-")


def _tick(page: Page, line: RecordLine) -> Iterator[str]:
    if page.playing:
        return  # the lines that follow tell what fell due
    for seat in range(len(page.entries)):
        if seat not in page.ready | page.forfeited:
            fault = "late" if seat in page.connected else "disconnected"
            page.faults[seat][fault] += 1
            yield page.forfeit(seat, f"{fault}, not ready in time")


def _cancel(page: Page, line: RecordLine) -> Iterator[str]:
    yield page.note("the match was cancelled")


def _void(page: Page, line: RecordLine) -> Iterator[str]:
    yield page.note("the referee failed; no bot is at fault")


def _faulted(page: Page, line: RecordLine) -> Iterable[str]:
    return ()  # the next lines show it: the default that is played, or how the match ended


def _substituted(page: Page, line: RecordLine) -> Iterator[str]:
    page.defaulted.add(line["seat"])
    # without a fault the seat has forfeited before
    if "fault" in line:
        yield page.fault(line["seat"], line["fault"], f"; default: {action_text(line['action'])}")
    _put_next(page)


def _put_next(page: Page) -> None:
    # not every action makes an event, but where one seat decides at a time each opens the next decision
    if page.in_turn:
        page.asked = page.at


# The end


def _outcome(page: Page, line: RecordLine) -> Iterator[str]:
    # a fault that ended the match has no default action that would have told of it
    for seat, counts in enumerate(line["faults"]):
        if page.seat not in (None, seat):
            continue  # when it was is not known to the seat that this is shown for
        for fault in _FAULTS:
            if counts[fault] > page.faults[seat][fault]:
                yield page.fault(seat, fault)
    if page.trick:
        yield from trick_row(page, "nobody, the match was over")
    yield ""
    capped = ", decided by the scores at the cap on deals" if line["capped"] else ""
    yield f"Outcome: {line['termination']}, {counted(page.deals, 'deal')}{capped}"
    yield from _ranking(page, line)
    yield from _conduct(page, line)


def _ranking(page: Page, line: RecordLine) -> Iterator[str]:
    ranks = line["ranks"]
    if not ranks:
        yield "  no result: the match does not count"
        return
    scores, sides = line["scores"] or ["-"] * len(ranks), page.sides(len(ranks))
    yield "  rank  score"
    for side in sorted(range(len(ranks)), key=ranks.__getitem__):
        who = " + ".join(map(page.label, sides[side])) or f"side {side}"
        yield f"  {ranks[side]:>4}  {scores[side]:>5}  {who}"


def _conduct(page: Page, line: RecordLine) -> Iterator[str]:
    labels = page.labels()
    yield "  faults"
    for seat, counts in enumerate(line["faults"]):
        told = [", ".join(f"{counts[fault]} {fault}" for fault in _FAULTS if counts[fault]) or "none"]
        if lost := counts["sessions_lost"]:
            told.append(f"{counted(lost, 'session')} lost")
        if seat in line["forfeited"]:
            told.append("forfeited")
        yield f"    {labels[seat]}  {'; '.join(told)}"
    yield "  time to think, of the decisions that were answered"
    for label, time in zip(labels, line["times"], strict=True):
        longest = f", longest {seconds(time['longest'])}" if time["answered"] else ""
        yield f"    {label}  {seconds(time['total'])} in {counted(time['answered'], 'answer')}{longest}"


def _reveal(page: Page, line: RecordLine) -> Iterator[str]:
    yield ""
    yield f"Reveal: secret {line['secret']}"


def _time(page: Page, line: RecordLine) -> Iterable[str]:
    page.at = line["at"]
    return ()


_INPUTS: Final[Mapping[str, Show]] = {
    "start": _start,
    "back": _back,
    "lost": _lost,
    "restarted": _restarted,
    "ready": _ready,
    "decline": _decline,
    "abandon": _abandon,
    "resign": _resign,
    "answer": _answer,
    "tick": _tick,
    "cancel": _cancel,
    "void": _void,
}

_ANY_MATCH: Final[Mapping[str, Show]] = {
    "input": _input,
    "time": _time,
    "faulted": _faulted,
    "substituted": _substituted,
    "outcome": _outcome,
    "reveal": _reveal,
}
