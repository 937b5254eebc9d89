"""Duplicate sets in a schedule: their turns, their ids, and which bot plays which turn."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from referee.games.registry import GAMES
from referee.match.effects import Owner
from tests.sample_report import plan
from tournaments import schedule
from tournaments.plan import instances
from tournaments.plan.plan import Entry, Format, Partners, Plan
from tournaments.schedule.duplicates import epoch_of, epoch_of_round, set_of, turn_id, turn_of
from tournaments.schedule.length import length
from tournaments.schedule.pairing import Pairing
from tournaments.schedule.refusals import refusals

NAMES = ["ann", "bea", "cid", "dee", "eve"]
IN_FIXED_PAIRS = [name for name in GAMES if GAMES[name].has_partners]


def of_game(
    game: str, *, duplicate: bool = True, fixed: bool = False, form: Format = Format.ROUND_ROBIN
) -> Plan:
    return plan(
        NAMES,
        game,
        format=form,
        rounds=2,
        deals=1,
        duplicate=duplicate,
        partners=Partners.FIXED if fixed else Partners.MIXED,
        challenger="ann" if form is Format.GAUNTLET else None,
    )


def whole(of: Plan) -> list[Pairing]:
    return list(schedule.next(of, set(), {}))


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("form", [Format.ROUND_ROBIN, Format.GAUNTLET])
def test_everybody_has_every_side_of_a_set_once(game: str, form: Format) -> None:
    of = of_game(game, form=form)
    sides = GAMES[game].sides
    turns = whole(of)
    assert len(turns) == length(of)
    for first in range(0, len(turns), of.turns):
        of_set = turns[first : first + of.turns]
        assert len({set_of(each.match_id) for each in of_set}) == 1
        assert [turn_of(each.match_id) for each in of_set] == list(range(len(sides)))
        had = Counter(
            (each.entries[seat], number)
            for each in of_set
            for number, side in enumerate(sides)
            for seat in side
        )
        assert had == Counter({(name, side): 1 for name in of_set[0].entries for side in range(len(sides))})


@pytest.mark.parametrize("game", GAMES)
def test_the_sets_are_the_matches_of_the_same_schedule_without_them(game: str) -> None:
    of = of_game(game)
    plain = whole(of_game(game, duplicate=False))
    assert [turn for turn in whole(of) if turn_of(turn.match_id) == 0] == [
        Pairing(turn_id(each.match_id, 0), each.round, each.entries) for each in plain
    ]


@pytest.mark.parametrize("game", IN_FIXED_PAIRS)
def test_a_fixed_pair_sits_together_in_every_turn(game: str) -> None:
    of = of_game(game, fixed=True)
    for each in whole(of):
        assert all(each.entries[one] == each.entries[other] for one, other in GAMES[game].sides)


@pytest.mark.parametrize(
    ("fixed", "names"),
    [(False, ("turn1", "turn2")), (True, ("turn1.1", "turn1.2", "turn2.1", "turn2.2"))],
)
def test_no_bot_plays_two_turns(fixed: bool, names: tuple[str, ...]) -> None:
    of = of_game("spades", fixed=fixed)
    assert instances.instances(of, "ann") == names
    for each in whole(of):
        turn = turn_of(each.match_id)
        owners = instances.owners(of, each.entries, turn)
        assert len(set(owners)) == len(owners)
        assert all(instance in instances.instances(of, entry) for entry, instance in owners)
        assert {instance.partition(".")[0] for _entry, instance in owners} == {f"turn{turn + 1}"}


@pytest.mark.parametrize(("game", "fixed"), [("piquet", False), ("spades", True)])
def test_no_bot_meets_a_deck_twice_that_a_round_shares(game: str, fixed: bool) -> None:
    of = replace(of_game(game, fixed=fixed), shared_decks=True)
    met: Counter[tuple[Owner, str]] = Counter()
    for each in whole(of):
        owners = instances.owners(of, each.entries, turn_of(each.match_id))
        assert all(instance in instances.instances(of, entry) for entry, instance in owners)
        met.update((owner, epoch_of(of, each.match_id, 1)) for owner in owners)
    assert set(met.values()) == {1}
    assert {epoch for _owner, epoch in met} == {epoch_of_round(of, 1), epoch_of_round(of, 2)}
    assert {name for name, _instance in (owner for owner, _epoch in met)} == set(NAMES)


def test_only_turns_have_deals_that_others_share() -> None:
    match = whole(of_game("piquet"))[1].match_id
    assert epoch_of(of_game("piquet"), match, 3) == f"{set_of(match)}.3"
    plain = of_game("piquet", duplicate=False)
    assert epoch_of(plain, whole(plain)[0].match_id, 3) == ""
    assert turn_of(whole(plain)[0].match_id) == 0


def test_a_ladder_has_no_sets() -> None:
    (found,) = [
        text for key, text in refusals(of_game("piquet", form=Format.LADDER)) if key == "match.duplicate"
    ]
    assert found == "is for formats with a schedule, which a ladder has not: leave it out"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"open": True}, "close the registration"),
        (
            {"entries": (Entry(name="ann", remote=True), Entry(name="bea", bot="greedy"))},
            "ann, which is remote",
        ),
    ],
)
def test_who_cannot_be_kept_from_remembering_plays_no_sets(change: dict[str, Any], said: str) -> None:
    of = replace(of_game("piquet"), **change)
    (found,) = [text for key, text in refusals(of) if key == "match.duplicate"]
    assert said in found
