"""Where bots are: to ask changes nothing, and for how long one is away is counted when somebody says so."""

from dataclasses import replace
from typing import Any

from referee.match.clock import SECOND
from referee.match.effects import Owner
from tests.tournaments.on_paper import drawn_up
from tournaments.plan.plan import Entry, Format, Partners, Remote, Team
from tournaments.running.presence import Attendance, Presence, Whereabouts, attendance

ONE: Owner = ("one", "")


class Nobody:
    """A referee and its hosted bots, without any."""

    lost: tuple[Owner, ...] = ()

    def awaits(self, owner: Owner) -> bool:
        return False

    @property
    def core(self) -> "Nobody":
        return self

    sessions = core

    def free_tables(self, owner: Owner) -> int:
        return 0

    def is_here(self, owner: Owner) -> bool:
        return False


def test_to_ask_where_a_bot_is_begins_no_waiting() -> None:
    now = 0
    nobody: Any = Nobody()
    where = Whereabouts(nobody, nobody, lambda owner: False, lambda: now)
    assert where.of(ONE) is Presence.AWAY
    now = 5
    where.note_away([ONE])
    now = 9
    assert where.of(ONE) is Presence.AWAY
    where.note_away([ONE])
    assert where.away_since([ONE]) == 5
    where.arrived(ONE)
    assert where.away_since([ONE]) == 9


def test_a_competitor_is_absent_when_any_bot_of_it_was_away_for_as_long_as_is_waited() -> None:
    now = 0
    nobody: Any = Nobody()
    nobody.free_tables = lambda owner: owner[0] == "here"
    entries = [Entry(name=name, remote=name != "own") for name in ("here", "away", "gone", "own", "alone")]
    drawn = drawn_up(
        "spades",
        entries,
        Format.SWISS,
        partners=Partners.FIXED,
        teams=(Team("pair", ("here", "away")), Team("with_own", ("gone", "own"))),
    )
    plan = replace(drawn, remote=Remote(wait=60 * SECOND))
    where = Whereabouts(nobody, nobody, lambda owner: False, lambda: now)

    def look() -> Attendance:
        return attendance(plan, where, where.presences(), now)

    where.note_away([("gone", "")])
    now = 10 * SECOND
    assert look() == Attendance(due=60 * SECOND)
    now = 60 * SECOND
    assert look() == Attendance(frozenset({"with_own"}), 70 * SECOND)
    now = 70 * SECOND
    assert look() == Attendance(frozenset({"pair", "with_own", "alone"}))
    where.arrived(("away", ""))
    assert look() == Attendance(frozenset({"with_own", "alone"}), 130 * SECOND)
