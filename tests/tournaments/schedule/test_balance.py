from typing import Any

import pytest

from tests.tournaments.on_paper import drawn_up
from tournaments import schedule
from tournaments.plan.plan import Format, Partners
from tournaments.schedule.balance import Balance, Meetings, Span, balance
from tournaments.schedule.length import length
from tournaments.schedule.pairing import Pairing


def figures(game: str, entries: int, *tables: str, form: Format = Format.ROUND_ROBIN, **more: Any) -> Balance:
    """Return the figures of tables, each written as its round and the numbers of entries by seat."""
    pairings = [
        Pairing(f"{number}", int(table[0]), tuple(f"e{int(n):03}" for n in table[2:]))
        for number, table in enumerate(tables)
    ]
    return balance(drawn_up(game, entries, form, **more), pairings)


def test_two_at_a_table() -> None:
    assert figures("piquet", 3, "1 01", "1 02", "2 10") == Balance(
        matches=3,
        each=Span(1, 3),
        meetings=Meetings(Span(0, 2), None, None),
        challenger=None,
        seats=(Span(0, 2), Span(1, 1)),
        seat_gap=1,
        byes=Span(0, 1),
    )


def test_four_single_players() -> None:
    found = figures("hearts", 5, "1 0123", "1 1230", "2 4021")
    assert (found.matches, found.each) == (3, Span(1, 3))
    assert found.meetings == Meetings(Span(0, 3), None, None)
    assert found.seats == (Span(0, 1), Span(0, 1), Span(0, 2), Span(0, 1))
    assert found.seat_gap == 2  # entry 2: twice seat 2, never seat 0
    assert found.byes == Span(0, 1)


def test_mixed_partners() -> None:
    found = figures("spades", 4, "1 0123", "1 0213", "1 0123")
    assert found.meetings == Meetings(Span(3, 3), Span(0, 2), Span(1, 3))


def test_of_fixed_pairs_seats_are_sides() -> None:
    found = figures("spades", 3, "1 0101", "1 0202", "1 1212", partners=Partners.FIXED)
    assert (found.matches, found.each) == (3, Span(2, 2))
    assert found.meetings == Meetings(Span(1, 1), None, None)
    assert (found.seats, found.seat_gap) == ((Span(0, 2), Span(0, 2)), 2)


def test_of_a_gauntlet_the_challenger_is_told_apart() -> None:
    found = figures("hearts", 5, "1 0123", "1 0124", form=Format.GAUNTLET, challenger="e000")
    assert found.each == Span(1, 2)
    assert found.meetings.at_table == Span(0, 2)
    assert found.challenger == Meetings(Span(1, 2), None, None)


def test_of_no_match() -> None:
    found = figures("spades", 4)
    assert (found.matches, found.each, found.byes, found.seat_gap) == (0, Span(0, 0), Span(0, 0), 0)


@pytest.mark.parametrize("entries", range(4, 21))
@pytest.mark.parametrize("game", ["hearts", "spades"])
def test_every_number_of_entries_has_an_exact_design(game: str, entries: int) -> None:
    plan = drawn_up(game, entries, Format.ROUND_ROBIN)
    found = balance(plan, schedule.next(plan, set(), {}))
    assert found.matches == length(plan)
    assert found.each.least == found.each.most
    assert found.meetings.at_table.least == found.meetings.at_table.most
    if game == "spades":
        assert found.meetings.partners in (Span(1, 1), Span(2, 2))
        assert found.meetings.opponents == Span(*(2 * times for times in found.meetings.partners))
    if entries > 8 or (game == "spades" and entries > 4):
        assert found.seat_gap <= 1


@pytest.mark.parametrize("form", [Format.SWISS, Format.KNOCKOUT, Format.DOUBLE_KNOCKOUT])
def test_the_length_of_what_follows_from_results_is_known(form: Format) -> None:
    expected = {Format.SWISS: 3 * 4, Format.KNOCKOUT: 7, Format.DOUBLE_KNOCKOUT: 14}
    assert length(drawn_up("piquet", 8, form, rounds=3)) == expected[form]


def test_a_ladder_has_no_length() -> None:
    assert length(drawn_up("piquet", 8, Format.LADDER)) is None
