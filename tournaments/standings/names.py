"""The names under which the seats of a match are rated."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from referee.cards import Seat
from referee.games.registry import GAMES
from tournaments.plan.plan import Format, Plan

_MARK: Final = "@"  # no entry or team has it in its name


@dataclass(frozen=True, slots=True)
class Place:
    """The seats of one competitor in a match: of a fixed pair a whole side, otherwise one."""

    side: int
    seats: tuple[Seat, ...]


class RatedNames:
    """The rated names of a plan's competitors: in a ladder each version of an entry has its own."""

    def __init__(self, plan: Plan) -> None:
        teams = plan.teams if plan.has_fixed_pairs else ()
        self._teams = {entry: team for team in teams for entry in team.entries}
        self._has_versions = plan.format is Format.LADDER
        self.places: Final = tuple(
            Place(number, seats)
            for number, side in enumerate(GAMES[plan.game].sides)
            for seats in ([tuple(side)] if plan.has_fixed_pairs else [(seat,) for seat in side])
        )

    def competitor_of(self, entry: str) -> str:
        """Return the name of an entry's team, or its own."""
        team = self._teams.get(entry)
        return entry if team is None else team.name

    def entries_of(self, entry: str) -> tuple[str, ...]:
        """Return the entries of the competitor that an entry belongs to."""
        team = self._teams.get(entry)
        return (entry,) if team is None else team.entries

    def rated(self, entry: str, versions: Mapping[str, str | None]) -> str:
        """Return the name under which an entry is rated, alone or in its team, from the versions of both."""
        name = self.competitor_of(entry)
        if not self._has_versions:
            return name
        of_each = [versions.get(each) for each in self.entries_of(entry)]
        return name + _MARK + "+".join(version or "-" for version in of_each) if any(of_each) else name

    def by_place(self, seats: Sequence[str], versions: Sequence[str | None]) -> tuple[str, ...]:
        """Return the rated name at each place of a match, from the entries and their versions by seat."""
        known = dict(zip(seats, versions, strict=True))
        return tuple(self.rated(seats[place.seats[0]], known) for place in self.places)


def competitor_in(rated: str) -> str:
    """Return the competitor of a rated name."""
    return rated.partition(_MARK)[0]
