"""The events of hearts as text."""

from collections.abc import Iterator, Mapping
from typing import Final

from referee.cards import Seat
from referee.games.hearts.rules import PassDirection, receiver
from referee.games.transcript import DealPage, RecordLine, Show, deal_heading, hands_of, own_hand


def _dealt(page: DealPage, line: RecordLine) -> Iterator[str]:
    yield from _heading(page, line)
    yield from hands_of(page, line["hands"])


def _deal_started(page: DealPage, line: RecordLine) -> Iterator[str]:
    yield from _heading(page, line)
    yield from own_hand(page, line["hand"])


def _heading(page: DealPage, line: RecordLine) -> Iterator[str]:
    direction = line["direction"]
    return deal_heading(
        page, line, "no cards are passed" if direction == "none" else f"cards pass {direction}"
    )


def _cards_passed(page: DealPage, line: RecordLine) -> Iterator[str]:
    direction = PassDirection[line["direction"].upper()]
    labels = page.labels()
    for seat, passed in enumerate(line["passed"]):
        taker = page.label(receiver(Seat(seat), direction))
        yield f"  {labels[seat]}  gives {' '.join(passed)} to {taker}{page.by_default(seat)}"


def _pass_received(page: DealPage, line: RecordLine) -> Iterator[str]:
    given, received = " ".join(line["given"]), " ".join(line["received"])
    own = page.by_default(page.seat or 0)
    yield f"  gives {given} to {page.label(line['given_to'])}{own}"
    yield f"  gets {received} from {page.label(line['received_from'])}"


def _moon_chosen(page: DealPage, line: RecordLine) -> Iterator[str]:
    seat = line["seat"]
    how = "26 off its own total" if line["choice"] == "subtract" else "26 on each other total"
    yield f"  {page.label(seat)} shot the moon: {how}{page.by_default(seat)}"


SHOWS: Final[Mapping[str, Show]] = {
    "dealt": _dealt,
    "hearts_deal_started": _deal_started,
    "pass_received": _pass_received,
    "cards_passed": _cards_passed,
    "moon_chosen": _moon_chosen,
}
