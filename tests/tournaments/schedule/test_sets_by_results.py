"""Duplicate sets in formats that follow from the results: a set is what a match is elsewhere."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest

from referee.games.registry import GAMES
from referee.match.effects import Outcome
from tests.draws import draw, shuffled
from tests.results import turn
from tests.tournaments.on_paper import drawn_up
from tournaments import schedule
from tournaments.plan.plan import Format, Partners, Plan
from tournaments.schedule.duplicates import set_of, turn_id, turn_of
from tournaments.schedule.knockout import places
from tournaments.schedule.length import length
from tournaments.schedule.pairing import Pairing
from tournaments.schedule.set_outcome import ranks_of_sets
from tournaments.schedule.swiss import scores

FORMATS = [
    (Format.SWISS, "piquet", Partners.MIXED),
    (Format.SWISS, "spades", Partners.MIXED),
    (Format.SWISS, "hearts", Partners.MIXED),
    (Format.KNOCKOUT, "piquet", Partners.MIXED),
    (Format.KNOCKOUT, "hearts", Partners.MIXED),
    (Format.KNOCKOUT, "euchre", Partners.FIXED),
    (Format.DOUBLE_KNOCKOUT, "piquet", Partners.MIXED),
    (Format.DOUBLE_KNOCKOUT, "hearts", Partners.MIXED),
]
formats = pytest.mark.parametrize(("form", "game", "partners"), FORMATS)

HowItEnds = Callable[[Plan, Pairing], Outcome]


def in_sets(form: Format, game: str, partners: Partners = Partners.MIXED, entries: int = 7) -> Plan:
    plan = drawn_up(game, entries, form, rounds=3, partners=partners)
    return replace(plan, deals=1, duplicate=True)


def by_chance(plan: Plan, pairing: Pairing) -> Outcome:
    """Return an outcome of a turn that is a function of its id; sets with equal totals are not rare."""
    rules = GAMES[plan.game]
    points = [draw(3, pairing.match_id, side) for side in range(len(rules.sides))]
    return turn(*points, seats=rules.seats)


class PlayedSets:
    """Turns of sets whose results arrive one by one, in an order that is drawn."""

    def __init__(self, plan: Plan, how: HowItEnds = by_chance) -> None:
        self.plan = plan
        self.issued: dict[str, Pairing] = {}
        self.over: dict[str, Outcome] = {}
        self._how = how

    @property
    def ranks(self) -> Mapping[str, tuple[int, ...]]:
        return ranks_of_sets(self.plan, ((name, 1, how) for name, how in self.over.items()))

    def draw_up(self) -> list[Pairing]:
        """Issue what the results decide, and return it."""
        new = list(schedule.next(self.plan, self.issued.keys(), self.ranks))
        self.issued.update((each.match_id, each) for each in new)
        return new

    def end_one(self, *key: object) -> bool:
        """End a turn that was issued, unless all are over."""
        waiting = sorted(self.issued.keys() - self.over.keys())
        if waiting:
            name = shuffled(waiting, len(self.over), *key)[0]
            self.over[name] = self._how(self.plan, self.issued[name])
        return bool(waiting)

    def play_out(self, *key: object) -> None:
        self.draw_up()
        while self.end_one(*key):
            self.draw_up()


@formats
def test_all_turns_of_a_set_are_issued_together(form: Format, game: str, partners: Partners) -> None:
    played = PlayedSets(in_sets(form, game, partners))
    new = played.draw_up()
    while new or played.end_one():
        for first in range(0, len(new), played.plan.turns):
            of_set = new[first : first + played.plan.turns]
            assert [each.match_id for each in of_set] == [
                turn_id(set_of(of_set[0].match_id), turn) for turn in range(played.plan.turns)
            ]
            assert len({each.round for each in of_set}) == 1
        assert len(new) % played.plan.turns == 0
        new = played.draw_up()
    assert len(played.issued) >= (length(played.plan) or 0)


@formats
def test_nothing_follows_from_a_set_before_it_is_over(form: Format, game: str, partners: Partners) -> None:
    played = PlayedSets(in_sets(form, game, partners))
    played.draw_up()
    while played.end_one("order"):
        half_over = {set_of(name) for name in played.issued.keys() - played.over.keys()}
        if new := played.draw_up():
            left = {name: how for name, how in played.over.items() if set_of(name) not in half_over}
            alone = PlayedSets(played.plan)
            alone.over = left
            assert {each.match_id for each in new} <= {each.match_id for each in alone.draw_up()}
            if form is Format.SWISS:
                assert not half_over


@formats
def test_sets_are_drawn_up_as_matches_with_their_totals_would_be(
    form: Format, game: str, partners: Partners
) -> None:
    played = PlayedSets(in_sets(form, game, partners))
    played.play_out()
    plain = replace(played.plan, duplicate=False)
    matches = list(schedule.next(plain, set(), played.ranks))
    assert {each.match_id for each in matches} == {set_of(name) for name in played.issued}
    assert {each.entries for each in matches} == {
        each.entries for each in played.issued.values() if turn_of(each.match_id) == 0
    }
    standing = scores if form is Format.SWISS else places
    assert standing(played.plan, played.ranks) == standing(plain, played.ranks)


@formats
def test_the_order_in_which_turns_end_decides_nothing(form: Format, game: str, partners: Partners) -> None:
    one, other = (PlayedSets(in_sets(form, game, partners)) for _ in range(2))
    one.play_out("one")
    other.play_out("other")
    assert (one.issued, one.ranks) == (other.issued, other.ranks)


@formats
def test_the_length_counts_all_turns(form: Format, game: str, partners: Partners) -> None:
    plan = in_sets(form, game, partners)
    assert length(plan) == plan.turns * (length(replace(plan, duplicate=False)) or 0)


def test_a_set_with_equal_totals_is_replayed_as_a_set_twice_and_then_the_seed_decides() -> None:
    played = PlayedSets(in_sets(Format.KNOCKOUT, "piquet", entries=2), lambda _plan, _pairing: turn(7, 4))
    played.play_out()
    sets = list(dict.fromkeys(map(set_of, played.issued)))
    assert (len(sets), len(played.issued)) == (3, 6)
    assert list(played.ranks.values()) == [(1, 1)] * 3
    assert places(played.plan, played.ranks) == {"e000": 1, "e001": 1 + 1}


def test_the_total_of_a_set_decides_and_not_its_turns() -> None:
    def lost_once_and_won_high(_plan: Plan, pairing: Pairing) -> Outcome:
        at = pairing.entries.index("e001")  # it loses the first turn by 1, and wins the second by 5
        points = [4, 4]
        points[at] = 3 if turn_of(pairing.match_id) == 0 else 9
        return turn(*points)

    played = PlayedSets(in_sets(Format.KNOCKOUT, "piquet", entries=2), lost_once_and_won_high)
    played.play_out()
    assert places(played.plan, played.ranks) == {"e001": 1, "e000": 2}
