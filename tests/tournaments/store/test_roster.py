"""Who takes part, in which versions, and since when."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from tests.tournaments.store.conftest import StoreLocation
from tournaments.plan.plan import Entry, Hosting
from tournaments.plan.states import EntryState
from tournaments.schedule.pairing import Pairing
from tournaments.store import Registered, Store, StoreError
from tournaments.store.roster import StoredRoster

DOT = Entry(name="dot", version="1", remote=True)


def at(day: int) -> Callable[[], datetime]:
    return lambda: datetime(2026, 3, day, 12, tzinfo=UTC)


def standing(store: Store) -> list[tuple[str, str | None, EntryState, bool, str]]:
    return [
        (kept.entry.name, kept.entry.version, kept.state, kept.from_file, kept.since[8:10])
        for kept in store.roster()
    ]


ACTIVE, PAUSED, LEFT = EntryState.ACTIVE, EntryState.PAUSED, EntryState.LEFT


def test_the_entries_of_the_file_take_part(location: StoreLocation) -> None:
    cup = location.plan()
    with Store.open(cup, at(1)) as store, Store.read(cup) as reader:
        since = "2026-03-01T12:00:00+00:00"
        assert store.roster() == tuple(Registered(entry, ACTIVE, True, since) for entry in cup.entries)
        assert reader.roster() == store.roster()
        version = store.roster_version()
    with Store.open(cup, at(2)) as store:
        assert {kept.since for kept in store.roster()} == {since}
        assert store.roster_version() == version


@pytest.mark.parametrize(
    "entry",
    [
        Entry(name="dot", remote=True),
        Entry(name="dot", bot="greedy", arguments=("--blunder", "0.1"), strength=0.1 + 0.2),
        Entry(
            name="dot", version="v", command=("a b", "--ü"), hosting=Hosting(memory=1 << 40, sandbox="none")
        ),
    ],
)
def test_an_entry_comes_back_as_it_was_registered(location: StoreLocation, entry: Entry) -> None:
    with Store.open(location.plan(), at(1)) as store:
        store.register(entry)
        assert store.roster()[-1] == Registered(entry, ACTIVE, False, "2026-03-01T12:00:00+00:00")


def test_an_entry_that_plays_as_another_is_a_new_version(location: StoreLocation) -> None:
    with Store.open(location.plan(), at(1)) as store:
        store.register(DOT)
    versions = []
    for day, change in enumerate(
        [{}, {"strength": 3.0}, {"hosting": Hosting()}, {"version": "2"}, {"remote": False, "bot": "greedy"}],
        2,
    ):
        with Store.open(location.plan(), at(day)) as store:
            before = store.roster_version()
            store.register(replace(DOT, **change))
            assert (store.roster_version() > before) is (change != {})
            assert store.roster()[-1].entry == replace(DOT, **change)
            versions.append(standing(store)[-1])
    assert [(version, since) for _, version, _, _, since in versions] == [
        ("1", "01"),
        ("1", "01"),
        ("1", "01"),
        ("2", "05"),
        ("1", "06"),
    ]
    assert location.sql("SELECT number FROM registrations WHERE name = 'dot' ORDER BY number") == [
        (1,),
        (2,),
        (3,),
    ]


def test_a_match_knows_the_versions_of_when_it_was_issued(location: StoreLocation) -> None:
    with Store.open(location.plan()) as store:
        store.register(DOT)
        store.issue([Pairing("m-1", 1, ("dot", "ann")), Pairing("m-2", 1, ("ben", "dot"))])
        store.register(replace(DOT, version="2"))
        store.issue([Pairing("m-3", 2, ("dot", "ann"))])
        assert [each.versions for each in store.to_do()] == [("1", "1.0"), (None, "1"), ("2", "1.0")]
        store.add(location.result("m-1"))
        assert [issued.versions for issued, _ in store.results()] == [("1", "1.0")]


@pytest.mark.parametrize("state", list(EntryState))
def test_the_standing_of_an_entry_is_set(location: StoreLocation, state: EntryState) -> None:
    cup = location.plan()
    with Store.open(cup) as store:
        before = store.roster_version()
        store.set_standing("ben", state)
        assert (store.roster_version() > before) is (state is not ACTIVE)
        assert [kept.state for kept in store.roster()] == [ACTIVE, state, ACTIVE]
    with Store.open(cup) as store:  # the file names it still, and says nothing of that
        assert [kept.state for kept in store.roster()] == [ACTIVE, state, ACTIVE]
        with pytest.raises(StoreError, match="the tournament cup has no entry zoe"):
            store.set_standing("zoe", state)


@pytest.mark.parametrize(("before", "after"), [(ACTIVE, ACTIVE), (PAUSED, PAUSED), (LEFT, ACTIVE)])
def test_who_registers_again_is_back_unless_paused(
    location: StoreLocation, before: EntryState, after: EntryState
) -> None:
    with Store.open(location.plan()) as store:
        store.register(DOT)
        store.set_standing("dot", before)
        store.register(DOT)
        assert store.roster()[-1].state is after


def test_a_ladder_follows_its_file(location: StoreLocation, ladder_text: str) -> None:
    ladder = location.plan(ladder_text)
    without_ben = location.plan(ladder_text.replace('name = "ben"', 'name = "eve"'))
    newer = location.plan(ladder_text.replace('"1.0"', '"1.1"'))
    with Store.open(ladder, at(1)) as store:
        store.register(DOT)
        store.set_standing("cid", PAUSED)
    with Store.open(without_ben, at(2)) as store:
        assert standing(store) == [
            ("ann", "1.0", ACTIVE, True, "01"),
            ("ben", None, LEFT, False, "01"),
            ("cid", None, PAUSED, True, "01"),
            ("dot", "1", ACTIVE, False, "01"),
            ("eve", None, ACTIVE, True, "02"),
        ]
        version = store.roster_version()
    with Store.open(newer, at(3)) as store:
        assert store.roster_version() > version
        assert standing(store) == [
            ("ann", "1.1", ACTIVE, True, "03"),
            ("ben", None, ACTIVE, True, "01"),
            ("cid", None, PAUSED, True, "01"),
            ("dot", "1", ACTIVE, False, "01"),
            ("eve", None, LEFT, False, "02"),
        ]


def test_a_file_that_did_not_change_undoes_no_later_registration(
    location: StoreLocation, ladder_text: str
) -> None:
    ladder = location.plan(ladder_text)
    with Store.open(ladder, at(1)) as store:
        store.register(replace(ladder.entries[0], version="2.0"))
    with Store.open(ladder, at(2)) as store:
        assert standing(store)[0] == ("ann", "2.0", ACTIVE, True, "01")
    with Store.open(location.plan(ladder_text.replace('"1.0"', '"1.1"')), at(3)) as store:
        assert standing(store)[0] == ("ann", "1.1", ACTIVE, True, "03")


def test_the_file_may_name_an_entry_that_registered(location: StoreLocation, ladder_text: str) -> None:
    with Store.open(location.plan(ladder_text), at(1)) as store:
        store.register(Entry(name="dot", bot="greedy"))
    named = location.plan(f'{ladder_text}[[entries]]\nname = "dot"\nbot = "greedy"\n')
    with Store.open(named, at(2)) as store:
        assert standing(store)[-1] == ("dot", None, ACTIVE, True, "01")
    with Store.open(location.plan(ladder_text), at(3)) as store:
        assert standing(store)[-1] == ("dot", None, LEFT, False, "01")


def test_a_change_of_one_entry_does_not_read_all_others_again(
    location: StoreLocation, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str | None] = []
    entries = StoredRoster.entries

    def counted(roster: StoredRoster, name: str | None = None) -> tuple[Registered, ...]:
        read.append(name)
        return entries(roster, name)

    monkeypatch.setattr(StoredRoster, "entries", counted)
    cup = location.plan()
    with Store.open(cup) as store, Store.join(cup) as beside:
        for change in (
            lambda: store.set_standing("ben", PAUSED),
            lambda: store.set_standing("ben", PAUSED),  # which changes nothing
            lambda: store.register(DOT),
            lambda: store.register(replace(DOT, version="2")),
            lambda: store.set_standing("ann", LEFT),
        ):
            store.roster()
            read.clear()
            change()
            found = store.roster()
            assert len(read) == 1 and read[0]
            with Store.read(cup) as reader:
                assert found == reader.roster()
        # what others change is read as ever
        beside.set_standing("ben", ACTIVE)
        store.set_standing("dot", PAUSED)
        assert store.roster() == beside.roster()


# Beside a run


def test_the_roster_changes_beside_a_run(location: StoreLocation) -> None:
    cup = location.plan()
    with location.issued(cup) as running:
        before = running.roster_version()
        with Store.join(cup) as beside:
            assert beside.bot_seed == running.bot_seed
            beside.register(DOT)
            running.add(location.result(running.to_do()[0].match_id))
            beside.set_standing("ben", PAUSED)
            assert running.roster() == beside.roster()
        assert running.roster_version() > before
        assert [kept.state for kept in running.roster()] == [ACTIVE, PAUSED, ACTIVE, ACTIVE]


def test_nothing_but_the_roster_changes_beside_a_run(location: StoreLocation) -> None:
    cup = location.plan()
    location.issued(cup).close()
    with Store.join(cup) as beside, pytest.raises(StoreError, match="is not open for writing"):
        beside.add(location.result(beside.to_do()[0].match_id))
    with Store.read(cup) as reader, pytest.raises(StoreError, match="is not open for writing"):
        reader.register(DOT)


def test_who_joins_first_makes_the_store(location: StoreLocation) -> None:
    cup = location.plan()
    with Store.join(cup) as beside:
        beside.register(DOT)
    with Store.open(cup) as store:
        assert [kept.entry.name for kept in store.roster()] == ["ann", "ben", "cid", "dot"]
