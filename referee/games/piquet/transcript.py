"""The events of piquet as text."""

from collections.abc import Iterator, Mapping
from typing import Final

from referee.games.transcript import (
    DealPage,
    RecordLine,
    Show,
    combination_text,
    deal_heading,
    hands_of,
    own_hand,
)


def _dealt(page: DealPage, line: RecordLine) -> Iterator[str]:
    yield from deal_heading(page, line, f"{page.label(line['elder'])} is elder")
    yield from hands_of(page, line["hands"])
    yield f"  talon  {' '.join(line['talon'])}"


def _deal_started(page: DealPage, line: RecordLine) -> Iterator[str]:
    yield from deal_heading(page, line, f"{page.label(line['elder'])} is elder")
    yield from own_hand(page, line["hand"])


def _blank_claimed(page: DealPage, line: RecordLine) -> Iterator[str]:
    seat = line["seat"]
    proof = f": {' '.join(line['cards'])}" if line["cards"] else ", to be proved"
    yield f"  {page.label(seat)} claims a blank{proof}{page.by_default(seat)}"


def _exchanged(page: DealPage, line: RecordLine) -> Iterator[str]:
    seat, looked = line["seat"], line["looked"]
    seen = f", looks at {' '.join(looked)}" if looked else ""
    cards = f"{' '.join(line['discarded'])} for {' '.join(line['drawn'])}" if line["drawn"] else "nothing"
    yield f"  {page.label(seat)} exchanges {cards}{seen}{page.by_default(seat)}"


def _cards_exchanged(page: DealPage, line: RecordLine) -> Iterator[str]:
    seat, count = line["seat"], line["count"]
    if seat == page.seat:
        yield from _exchanged(page, line)
    else:
        cards = f"{count} card{'s' * (count != 1)}" if count else "nothing"
        yield f"  {page.label(seat)} exchanges {cards}{page.by_default(seat)}"


def _leftovers_settled(page: DealPage, line: RecordLine) -> Iterator[str]:
    rest = f"reveals {' '.join(line['cards'])}" if line["choice"] == "reveal" else "leaves what is left over"
    yield f"  younger {rest}{_by_default(page)}"


def _declared(page: DealPage, line: RecordLine) -> Iterator[str]:
    combination = line.get("combination")
    if combination is None:
        yield f"  {line['round']}: nothing declared{_by_default(page)}"
        return
    text = combination_text(combination)
    match line:
        case {"round": "point", "length": int(length), **said}:
            asked = f", worth {said['value']}" if "value" in said else ""
            text = f"{text}, {length} cards{asked}"
        case {"round": "sequence", "rank": str()}:
            text = f"{text}, whose top was asked for"
    yield f"  {line['round']}: {text}: {line['answer'].replace('_', ' ')}{_by_default(page)}"


def _combination_declared(page: DealPage, line: RecordLine) -> Iterator[str]:
    length = line["length"]
    cards = f"{length} card{'s' * (length != 1)}"
    what = [f"{length} of a kind" if line["round"] == "set" else cards]
    if "value" in line:
        what.append(f"worth {line['value']}")
    if "rank" in line:
        what.append(f"{'of' if line['round'] == 'set' else 'from the'} {line['rank']}")
    said = ", ".join(what) if length else "nothing declared"
    answer = f": {line['answer'].replace('_', ' ')}" if "answer" in line else ""
    yield f"  {line['round']}: {said}{answer}{_by_default(page)}"


def _by_default(page: DealPage) -> str:
    # the event names no seat, but only one is to act
    return "".join(map(page.by_default, page.defaulted))


def _combinations_shown(page: DealPage, line: RecordLine) -> Iterator[str]:
    some = ", ".join(map(combination_text, line["combinations"]))
    yield f"  {page.label(line['seat'])} shows {some}: {' '.join(line['cards'])}, {line['points']}"


def _bonus_scored(page: DealPage, line: RecordLine) -> Iterator[str]:
    yield f"  {page.label(line['seat'])} scores {line['bonus']}, {line['points']}"


SHOWS: Final[Mapping[str, Show]] = {
    "dealt": _dealt,
    "piquet_deal_started": _deal_started,
    "cards_exchanged": _cards_exchanged,
    "combination_declared": _combination_declared,
    "blank_claimed": _blank_claimed,
    "exchanged": _exchanged,
    "leftovers_settled": _leftovers_settled,
    "declared": _declared,
    "combinations_shown": _combinations_shown,
    "bonus_scored": _bonus_scored,
}
