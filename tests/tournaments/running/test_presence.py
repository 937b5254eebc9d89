"""Where bots are: to ask changes nothing, and for how long one is away is counted when somebody says so."""

from typing import Any

from referee.match.effects import Owner
from tournaments.running.presence import Presence, Whereabouts

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
    where = Whereabouts(nobody, nobody, lambda: now)
    assert where.of(ONE, lambda owner: False) is Presence.AWAY
    now = 5
    where.note_away([ONE])
    now = 9
    assert where.of(ONE, lambda owner: False) is Presence.AWAY
    where.note_away([ONE])
    assert where.away_since([ONE]) == 5
    where.arrived(ONE)
    assert where.away_since([ONE]) == 9
