"""Where a store is that its file does not name, and tournaments that come home from PostgreSQL."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.tournaments.store.conftest import StoreLocation
from tournaments.plan.plan import Plan
from tournaments.plan.states import RulingKind, TournamentState
from tournaments.store import ELSEWHERE, FILE, Issued, Store, StoreError, moving, with_store
from tournaments.store.tables import METADATA
from tournaments.tournament_file.reader import ConfigError, load

ADDRESS = "postgresql://ann:hunter2@host/cups"


def noted(plan: Plan) -> Path:
    plan.folder.mkdir()
    note = plan.folder / ELSEWHERE
    note.write_text("postgresql://ann@host/cups\n")
    return note


def test_a_file_that_names_no_store_is_read_by_the_address_of_the_database(
    sqlite: StoreLocation, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = sqlite.plan()
    file = plan.folder.with_name("cup.toml")
    monkeypatch.setenv("FAIRDEAL_STORE", ADDRESS)
    assert load(file).store is None  # nothing is noted: its store will be in its folder
    noted(plan)
    assert load(file).store == ADDRESS
    monkeypatch.delenv("FAIRDEAL_STORE")
    with pytest.raises(ConfigError) as refused:
        load(file)
    assert str(refused.value) == (
        f"{plan.folder}: its store is postgresql://ann@host/cups: say how to reach it, as"
        " FAIRDEAL_STORE=postgresql://user@host/database"
    )


def test_what_a_file_names_and_what_is_in_the_folder_go_before(sqlite: StoreLocation) -> None:
    plan = replace(sqlite.plan(), store="postgresql://file@host/cup")
    noted(plan)
    assert with_store(plan, ADDRESS).store == "postgresql://file@host/cup"
    (plan.folder / FILE).touch()
    assert with_store(replace(plan, store=None), ADDRESS).store is None


def test_a_note_that_cannot_be_read(sqlite: StoreLocation) -> None:
    plan = sqlite.plan()
    noted(plan).write_bytes(b"\xff")
    with pytest.raises(StoreError, match="cannot be read"):
        with_store(plan, None)


def test_a_tournament_that_is_made_anew_takes_nobody_elses_name(in_postgres: StoreLocation) -> None:
    plan = in_postgres.plan()
    Store.open(plan, is_new=True).close()
    with pytest.raises(StoreError, match="holds a tournament cup already, of another folder: choose another"):
        Store.open(plan, is_new=True)
    Store.open(plan).close()


def test_it_comes_home_whole_and_leaves_nothing(
    in_postgres: StoreLocation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(moving, "_BATCH", 2)
    plan, other = in_postgres.plan(), in_postgres.plan(name="other")
    in_postgres.issued(other).close()
    with in_postgres.issued(plan) as store:
        first, second, *_ = in_postgres.ids(plan)
        store.add(in_postgres.result(first))
        store.add(in_postgres.result(second))
        store.annul([_attempt(store, first)], "olga", "a cheat")
        store.rule_on_entry(RulingKind.WITHDRAW, "cid", "olga", "asked for it")
        store.set_state(TournamentState.CANCELLED)
        told = _told(store)
        with monkeypatch.context() as failing:
            failing.setattr(moving.os, "fsync", _fail)
            with pytest.raises(OSError, match="full"):
                store.bring_home()
        assert _told(store) == told
        assert not (plan.folder / FILE).exists()
        store.bring_home()
    home = replace(plan, store=None)
    assert with_store(home, in_postgres.url) == home
    assert not (plan.folder / ELSEWHERE).exists()
    with Store.read(home) as store:
        assert _told(store) == told
        store.bring_home()  # where it is already
    for table in METADATA.tables:
        assert in_postgres.sql(f"SELECT 1 FROM {table} WHERE tournament = 'cup'") == []
    with Store.read(other) as store:
        assert store.issued_count() == len(in_postgres.ids(other))
    Store.open(plan, is_new=True).close()


def _attempt(store: Store, match_id: str) -> Issued:
    attempted = store.deciding(match_id)
    assert attempted is not None
    return attempted.issued


def _told(store: Store) -> list[object]:
    lists = (store.attempts(), store.results(), store.roster(), store.adjudications(), store.to_do())
    return [*map(list, lists), store.extent(), store.state, store.bot_seed, store.out()]


def _fail(_number: int) -> None:
    raise OSError("full")
