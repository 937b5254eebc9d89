"""The events of euchre as text."""

from collections.abc import Iterator, Mapping
from typing import Final

from referee.games.transcript import DealPage, RecordLine, Show, deal_heading, hands_of


def _dealt(page: DealPage, line: RecordLine) -> Iterator[str]:
    dealer, upcard = page.label(line["dealer"]), line["upcard"]
    yield from deal_heading(page, line, f"{dealer} deals, {upcard} is turned up")
    yield from hands_of(page, line["hands"])
    yield f"  left over  {' '.join(line['unseen'])}"


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


def _alone_chosen(page: DealPage, line: RecordLine) -> Iterator[str]:
    seat = line["seat"]
    yield f"  {page.label(seat)} plays {line['choice']}{page.by_default(seat)}"


SHOWS: Final[Mapping[str, Show]] = {
    "dealt": _dealt,
    "upcard_called": _upcard_called,
    "trump_called": _trump_called,
    "picked_up": _picked_up,
    "alone_chosen": _alone_chosen,
}
