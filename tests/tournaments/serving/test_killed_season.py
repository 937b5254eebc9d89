"""The process is killed at each write while a season is ended; another call completes it."""

from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from referee.verify import Status
from tests.tournaments.copies import Copies
from tests.tournaments.serving.test_next_season import LADDER, play
from tournaments.cli.verify_store import StoreToVerify
from tournaments.plan.plan import Entry
from tournaments.plan.states import EntryState
from tournaments.serving.next_season import complete, end_season
from tournaments.store import FILE, Store
from tournaments.store.records import StoredRecords
from tournaments.tournament_file.reader import load
from tournaments.tournament_file.season import next_of

MATCHES = 4


def end(file: Path) -> None:
    """End the first season, or complete that it was ended."""
    complete(load(file, in_season=False).folder)
    plan = load(file)
    if plan.season == 1:
        end_season(plan, lambda: datetime(2026, 11, 24, tzinfo=UTC))


def test_a_kill_at_any_write_is_made_good_by_another_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "here" / "cup.toml"
    file.parent.mkdir()
    file.write_text(LADDER)
    plan = load(file)
    play(plan, MATCHES)
    (plan.folder / "tokens.json").write_text("{}")
    with Store.open(plan) as store:
        store.register(Entry(name="remote", remote=True))
        store.set_standing("remote", EntryState.PAUSED)
    copies = Copies(file.parent, tmp_path / "copies")
    with copies.at_each_write(monkeypatch):
        end(file)
    assert len(copies.made) > 10
    for copy in copies.made:
        again = copy / file.name
        end(again)
        after = load(again)
        assert (after.season, sorted(after.priors)) == (2, ["a@1", "b"])
        assert (after.folder / "tokens.json").read_text() == "{}"
        assert not next_of(after.folder).exists()
        with Store.read(after) as store:
            assert store.issued_count() == 0
            assert {each.entry.name: each.state for each in store.roster()} == {
                "a": EntryState.ACTIVE,
                "b": EntryState.ACTIVE,
                "remote": EntryState.PAUSED,
            }
        kept = copy / "cup.fairdeal.season-1"
        with closing(StoreToVerify(StoredRecords.in_file(kept / FILE), kept)) as verified:
            found = verified.verified(records_are=True)
        assert (found.status, found.is_ended) == (Status.VERIFIED, True)
