"""The events of euchre as text."""

from collections.abc import Iterator, Mapping
from typing import Final

from referee.games.transcript import DealPage, RecordLine, Show, deal_heading, hands_of, own_hand


def _dealt(page: DealPage, line: RecordLine) -> Iterator[str]:
    yield from _heading(page, line)
    yield from hands_of(page, line["hands"])
    yield f"  left over  {' '.join(line['unseen'])}"


def _deal_started(page: DealPage, line: RecordLine) -> Iterator[str]:
    yield from _heading(page, line)
    yield from own_hand(page, line["hand"])


def _heading(page: DealPage, line: RecordLine) -> Iterator[str]:
    dealer, upcard = page.label(line["dealer"]), line["upcard"]
    return deal_heading(page, line, f"{dealer} deals, {upcard} is turned up")


def _upcard_called(page: DealPage, line: RecordLine) -> Iterator[str]:
    seat = line["seat"]
    call = "accepts the upcard" if line["call"] == "accept" else "passes"
    yield f"  {page.label(seat)} {call}{page.by_default(seat)}"


def _trump_called(page: DealPage, line: RecordLine) -> Iterator[str]:
    seat, call = line["seat"], line["call"]
    yield f"  {page.label(seat)} {'passes' if call == 'pass' else f'names {call}'}{page.by_default(seat)}"


def _picked_up(page: DealPage, line: RecordLine) -> Iterator[str]:
    seat = line["seat"]
    yield f"  {page.label(seat)} takes the upcard, puts {line['discarded']} aside{page.by_default(seat)}"


def _upcard_taken(page: DealPage, line: RecordLine) -> Iterator[str]:
    seat = line["seat"]
    aside = line.get("discarded", "a card")
    yield f"  {page.label(seat)} takes the upcard, puts {aside} aside{page.by_default(seat)}"


def _alone_chosen(page: DealPage, line: RecordLine) -> Iterator[str]:
    seat = line["seat"]
    yield f"  {page.label(seat)} plays {line['choice']}{page.by_default(seat)}"


SHOWS: Final[Mapping[str, Show]] = {
    "dealt": _dealt,
    "euchre_deal_started": _deal_started,
    "upcard_taken": _upcard_taken,
    "upcard_called": _upcard_called,
    "trump_called": _trump_called,
    "picked_up": _picked_up,
    "alone_chosen": _alone_chosen,
}
