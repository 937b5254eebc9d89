"""Who stands in the standings: versions, teams, and who pauses or has left."""

from dataclasses import replace

from tests.results import played, report
from tests.tournaments.standings_plans import LADDER, TEAMS, TWO
from tournaments.plan.plan import Entry, Format
from tournaments.plan.states import EntryState
from tournaments.standings import Standings, Tally
from tournaments.store import Registered


def registered(name: str, version: str | None = None, state: EntryState = EntryState.ACTIVE) -> Registered:
    return Registered(Entry(name=name, version=version, remote=True), state, False, "2026-03-01T12:00:00")


def test_in_a_ladder_versions_are_rated_apart_and_the_history_stays() -> None:
    standings = Standings(LADDER)
    for serial, version in enumerate(["1", "1", "2"], start=1):
        standings.add(*played("ab", (1, 2), (9, 1), serial=serial, versions=(version, None)))
    made = standings.report([registered("a", "2"), registered("b")])
    matches = {(each.entry, each.matches, each.is_current) for each in made.standings}
    assert matches == {("a@1", 2, False), ("a@2", 1, True), ("b", 3, True)}
    assert made.crosstable["b", "a@1"].tally == Tally(0, 0, 2)
    assert made.crosstable["a@2", "b"].tally == Tally(1, 0, 0)


def test_a_new_version_that_has_not_played_is_there() -> None:
    made = report(LADDER, played("ab", (1, 2), (9, 1), versions=("1", "1")))
    assert {each.entry for each in made.standings} == {"a", "a@1", "b", "b@1", "c", "d"}
    standings = Standings(LADDER)
    made = standings.report([registered("a", "7"), registered("b")])
    assert [(each.entry, each.matches) for each in made.standings] == [("a@7", 0), ("b", 0)]


def test_only_in_a_ladder_a_version_makes_another_competitor() -> None:
    made = report(TWO, played("ab", (1, 2), (9, 1), versions=("1", "2")))
    assert {each.entry for each in made.standings} == set("abcd")


def test_a_team_in_a_ladder_has_the_versions_of_both_in_the_order_of_the_team() -> None:
    of = replace(TEAMS, format=Format.LADDER)
    made = report(of, played("dbca", (1, 2), (9, 1), versions=(None, "2", "1", None)))
    assert set(made.crosstable) == {("x@-+2", "y@1+-"), ("y@1+-", "x@-+2")}
    made = Standings(of).report([registered("a"), registered("b", "2"), registered("c"), registered("d")])
    assert {each.entry for each in made.standings} == {"x@-+2", "y"}


def test_who_left_or_pauses_is_marked_in_all_versions() -> None:
    standings = Standings(LADDER)
    standings.add(*played("ab", (1, 2), (9, 1), versions=("1", "1")))
    roster = [registered("a", "2", EntryState.LEFT), registered("b", "1", EntryState.PAUSED), registered("c")]
    states = {each.entry: (each.state, each.is_current) for each in standings.report(roster).standings}
    assert states == {
        "a@1": (EntryState.LEFT, False),
        "a@2": (EntryState.LEFT, True),
        "b@1": (EntryState.PAUSED, True),
        "c": (EntryState.ACTIVE, True),
    }


def test_only_a_ladder_has_competitors_that_its_plan_does_not_name() -> None:
    roster = [registered("z"), registered("a", state=EntryState.LEFT)]
    states = {each.entry: each.state for each in Standings(TWO).report(roster).standings}
    assert states == {name: EntryState.LEFT if name == "a" else EntryState.ACTIVE for name in "abcd"}
    assert {each.entry for each in Standings(LADDER).report(roster).standings} == {"a", "z"}


def test_of_a_team_the_state_is_that_of_who_keeps_it_from_playing() -> None:
    roster = [registered("a", state=EntryState.PAUSED), registered("b"), registered("c"), registered("d")]
    states = {each.entry: each.state for each in Standings(TEAMS).report(roster).standings}
    assert states == {"x": EntryState.PAUSED, "y": EntryState.ACTIVE}
