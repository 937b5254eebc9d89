"""What a store knows of the tournament itself: its seed, its state, its checkpoint, and what may change."""

import math
import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.tournaments.store.conftest import StoreLocation
from tournaments.plan.plan import Entry, Plan
from tournaments.plan.states import EntryState, TournamentState
from tournaments.schedule.pairing import Pairing
from tournaments.store import FILE, Checkpoint, Store, StoreError

Door = Callable[[Plan], Store]
DOORS = pytest.mark.parametrize("door", [Store.open, Store.read, Store.join])

# Seeds


def test_the_seed_of_the_bots_follows_from_the_seed_without_showing_it(
    location: StoreLocation, cup_text: str
) -> None:
    seeds = []
    for name in ("one", "two"):
        with Store.open(location.plan(f'seed = "spring"\n{cup_text}', name)) as store:
            seeds.append(store.bot_seed)
    assert seeds[0] == seeds[1]
    assert re.fullmatch("[0-9a-f]{32}", seeds[0])


def test_without_a_seed_that_of_the_bots_is_drawn_once(location: StoreLocation) -> None:
    seeds = []
    for name in ("one", "two"):
        cup = location.plan(name=name)
        with Store.open(cup) as store:
            seeds.append(store.bot_seed)
        with Store.open(cup) as store, Store.read(cup) as reader, Store.join(cup) as beside:
            assert store.bot_seed == reader.bot_seed == beside.bot_seed == seeds[-1]
    assert seeds[0] != seeds[1]


# State and checkpoint


def test_the_state_stays_as_it_was_set(location: StoreLocation) -> None:
    cup = location.plan()
    with Store.open(cup) as store:
        assert store.state is TournamentState.CREATED
    for state in TournamentState:
        with Store.open(cup) as store, Store.read(cup) as reader:
            store.set_state(state)
            assert store.state is reader.state is state
    with Store.open(cup) as store:
        assert store.state is state


def test_a_checkpoint_comes_back_bit_for_bit(location: StoreLocation) -> None:
    numbers = [0.1 + 0.2, 1e-320, 5e-324, 1.7976931348623157e308, -0.0, math.pi / 3, 2**70, math.inf]
    data = repr({"ratings": {"ann": numbers, "ü\n\"'": [None, True, {}]}, "a": 1, "A": 1.0}) + "\n\r\n"
    with Store.open(location.plan()) as store:
        assert store.checkpoint() is None
        store.keep(Checkpoint(3, "first", ""))
        store.keep(Checkpoint(70_000, "f", data))
    with Store.read(location.plan()) as reader:
        kept = reader.checkpoint()
    assert kept == Checkpoint(70_000, "f", data)


def test_a_checkpoint_that_reaches_less_far_does_not_take_the_place_of_another(
    location: StoreLocation,
) -> None:
    with Store.open(location.plan()) as store:
        store.keep(Checkpoint(5, "f", "far"))
        store.keep(Checkpoint(3, "f", "near"))  # by a reader that began earlier
        assert store.checkpoint() == Checkpoint(5, "f", "far")
        store.keep(Checkpoint(3, "g", "of other rules"))
        assert store.checkpoint() == Checkpoint(3, "g", "of other rules")


def test_a_checkpoint_is_that_of_one_tournament(location: StoreLocation) -> None:
    for name in ("one", "two"):
        with Store.open(location.plan(name=name)) as store:
            assert store.checkpoint() is None
            store.keep(Checkpoint(1, name, "{}"))
    with Store.read(location.plan(name="one")) as reader:
        assert reader.checkpoint() == Checkpoint(1, "one", "{}")


# What may change


def test_rounds_can_be_added_to_a_tournament_that_has_begun(location: StoreLocation, cup_text: str) -> None:
    cup = location.plan()
    with location.issued(cup) as store:
        store.add(location.result(location.ids(cup)[0]))
    more = "rounds = 3\nconcurrency = 1\nrating = { mu = 0 }\nlimits = { sessions = 9 }"
    longer = location.plan(cup_text.replace("rounds = 2", f'{more}\ndurability = "disk"'))
    with location.issued(longer) as store:
        assert store.issued_count() == 9
        assert [each.match_id for each in store.to_do()] == location.ids(longer)[1:]
    with pytest.raises(StoreError, match="rounds is 2, was 3"):
        Store.open(location.plan())


@DOORS
@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        (
            'name = "cid"',
            'name = "dan"',
            "entry dan is new [cup.toml:10], entry cid is missing [cup.toml:3]",
        ),
        ("rounds = 2", "rounds = 1", "rounds is 1, was 2 [cup.toml:2]"),
        (
            "rounds = 2",
            "rounds = 2\noptions = { target = 100 }",
            "options.target is 100, was 300 [cup.toml:3]",
        ),
        (
            "rounds = 2",
            'rounds = 2\nseed = "x"\nmatch = { deals = 1 }',
            'match is { deals = 1 }, was "game" [cup.toml:4], seed',
        ),
    ],
)
def test_another_tournament_is_refused_and_the_difference_named(
    location: StoreLocation, cup_text: str, door: Door, old: str, new: str, named: str
) -> None:
    location.issued(location.plan()).close()
    changed = location.plan(cup_text.replace(old, new))
    with pytest.raises(StoreError) as refused:
        door(changed)
    at = changed.folder / FILE if changed.store is None else changed.store.partition("?")[0]
    assert str(refused.value).startswith(f"{at}: holds another tournament ({named}")
    assert "\n" not in str(refused.value)
    with Store.open(location.plan()) as store:
        assert store.issued_count() == 6


@DOORS
def test_until_a_match_is_issued_the_file_may_be_changed(
    location: StoreLocation, cup_text: str, door: Door
) -> None:
    with Store.open(location.plan(f'seed = "one"\n{cup_text}')) as store:
        first_seed = store.bot_seed
        store.register(Entry(name="late", remote=True))
    changed = cup_text.replace('name = "cid"', 'name = "dan"').replace('"greedy"', '"random"')
    cup = location.plan(f'seed = "two"\nmatch = {{ deals = 1 }}\n{changed}')
    with door(cup) as store:
        known = {kept.entry.name: (kept.entry.bot, kept.state) for kept in store.roster()}
        seed = store.bot_seed
    assert known == {
        "ann": ("random", EntryState.ACTIVE),
        "ben": ("random", EntryState.ACTIVE),
        "late": (None, EntryState.ACTIVE),
        "dan": ("random", EntryState.ACTIVE),
    }
    with Store.open(location.plan(f'seed = "two"\n{cup_text}', "other")) as other:
        assert seed == other.bot_seed != first_seed
    location.issued(cup).close()
    with pytest.raises(StoreError, match="holds another tournament"):
        door(location.plan())


def test_a_change_of_the_file_keeps_what_entries_of_a_ladder_did(
    location: StoreLocation, ladder_text: str
) -> None:
    with Store.open(location.plan(ladder_text)) as store:
        store.set_standing("ann", EntryState.PAUSED)
    with Store.join(location.plan(f'clock = "fast"\n{ladder_text}')) as store:
        assert [kept.state for kept in store.roster()] == [EntryState.PAUSED, *[EntryState.ACTIVE] * 2]


def test_of_many_differences_all_are_named(location: StoreLocation, cup_text: str) -> None:
    location.issued(location.plan()).close()
    extra = "".join(f'[[entries]]\nname = "e{n}"\nbot = "random"\n' for n in range(30))
    with pytest.raises(StoreError) as refused:
        Store.open(location.plan(cup_text + extra))
    assert all(f"entry e{n} is new [cup.toml:" in str(refused.value) for n in range(30))


# Doors


@pytest.mark.parametrize("door", [Store.open, Store.join])
def test_a_folder_that_cannot_be_made(location: StoreLocation, door: Door) -> None:
    (location.folder / "file").touch()
    cup = replace(location.plan(), folder=location.folder / "file" / "cup")
    with pytest.raises(StoreError, match=r"cannot be (made|written to)"):
        door(cup)


def test_reading_makes_nothing(location: StoreLocation) -> None:
    cup = location.plan()
    with pytest.raises(StoreError, match="no match has been played here: run the tournament first"):
        Store.read(cup)
    assert not cup.folder.exists()
    if cup.store is not None:
        assert location.sql("SELECT tablename FROM pg_tables WHERE schemaname = 'public'") == []


def test_a_store_that_was_only_just_made_holds_the_tournament(location: StoreLocation) -> None:
    Store.open(location.plan()).close()
    with Store.read(location.plan()) as reader:
        assert (reader.issued_count(), reader.prefix(), reader.to_do()) == (0, 0, ())
        assert (reader.ranks(), list(reader.matches()), reader.state) == ({}, [], TournamentState.CREATED)


def test_many_tournaments_have_one_schema(location: StoreLocation) -> None:
    plans = {name: location.plan(name=name) for name in ("one", "two")}
    for number, cup in enumerate(plans.values(), 1):
        with location.issued(cup) as store:
            for match_id in location.ids(cup)[:number]:
                store.add(location.result(match_id))
            store.set_state(TournamentState.PAUSED if number == 1 else TournamentState.FINISHED)
    for number, (name, cup) in enumerate(plans.items(), 1):
        with Store.read(cup) as reader:
            assert len(list(reader.results())) == len(reader.ranks()) == reader.prefix() == number
            assert len(reader.to_do()) == 6 - number
            assert set(reader.issued()) == set(location.ids(cup))
            assert reader.state is (TournamentState.PAUSED if name == "one" else TournamentState.FINISHED)
            assert len(reader.roster()) == 3


def test_the_matches_of_two_tournaments_may_have_the_same_ids(location: StoreLocation) -> None:
    with Store.open(location.plan(name="one")) as one, Store.open(location.plan(name="two")) as two:
        for store in (one, two):
            store.issue([Pairing("m-1", 1, ("ann", "ben")), Pairing("m-2", 1, ("ben", "cid"))])
        assert one.add(location.result("m-1"))
        assert two.skip(two.to_do()[1])
        assert [each.match_id for each in one.to_do()] == ["m-2"]
        assert [each.match_id for each in two.to_do()] == ["m-1"]
        assert two.add(location.result("m-1", score=7))
        assert [result.outcome.scores[0] for _, result in (*one.results(), *two.results())] == [300, 7]
