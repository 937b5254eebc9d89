"""The folder of a site: the same bytes for the same state, however it came to be."""

from pathlib import Path
from typing import Any

import pytest

from referee.core.steps import at_once
from referee.files import atomic
from tests.results import fill, result, turn
from tests.sample_report import plan
from tests.tournaments import kept
from tests.tournaments.site.made import files, on_paper, update, written
from tournaments.plan.plan import Plan
from tournaments.plan.states import TournamentState
from tournaments.schedule.pairing import Pairing
from tournaments.site import match_pages, paths
from tournaments.site.gather import matches_at
from tournaments.site.index import MatchIndex
from tournaments.site.matches import records_here
from tournaments.site.pages import Site
from tournaments.site.writer import SiteError, SiteWriter, claim
from tournaments.store import Store, StoreLost
from tournaments.tournament_file.reader import load


@pytest.fixture(autouse=True)
def in_small_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "IN_A_FOLDER", 4)


@pytest.fixture
def of(tmp_path: Path) -> Plan:
    return plan("abc", folder=tmp_path / "cup", rounds=9)


@pytest.fixture
def played(tmp_path: Path) -> Plan:
    """Return a tournament that an earlier version left, with its records."""
    return load(kept.restored("hearts-finished", tmp_path), to_run=False)


def test_a_site_that_grew_is_the_same_as_one_that_is_new(of: Plan, tmp_path: Path) -> None:
    writer = SiteWriter(of, tmp_path / "site")
    with Store.open(of) as store:
        fill(store, of, 3)
        store.issue(Pairing(f"open-{n}", 9, ("a", "b")) for n in range(7))
        issued = [each for each, _result in store.matches()]

        def is_as_new(name: str) -> int:
            number = update(writer, of, store).files
            written(of, tmp_path / name)
            assert files(tmp_path / "site") == files(tmp_path / name)
            return number

        assert is_as_new("some are over") > 10
        for each in issued[3:6]:
            assert store.add(result(each.match_id, turn(1, 2)))
        assert is_as_new("more are over") > 3
        store.take_back(issued[:1], "olga", "the disk was full")
        store.annul(issued[1:2], "olga", "a wrong file")
        assert is_as_new("two are withdrawn") > 3
        assert store.add(result(issued[0].match_id, turn(2, 1), attempt=2))
        assert is_as_new("one was played again") > 3
        for each in store.to_do():
            assert store.add(result(each.match_id, turn(1, 1)))
        store.set_state(TournamentState.FINISHED)
        assert is_as_new("all are over") > 3
        assert is_as_new("nothing is new") == 0


def test_nothing_is_written_where_nothing_has_changed(
    played: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert written(played, tmp_path / "site").files == len(files(tmp_path / "site")) - 1  # it was claimed
    before = {file: file.stat().st_mtime_ns for file in (tmp_path / "site").rglob("*")}
    monkeypatch.setattr(match_pages, "making", None)  # no match is replayed again, which takes long
    assert written(played, tmp_path / "site").files == 0
    assert before == {file: file.stat().st_mtime_ns for file in (tmp_path / "site").rglob("*")}


def test_a_record_is_there_as_it_is_and_replayed(played: Plan, tmp_path: Path) -> None:
    written(played, tmp_path / "site")
    (record,) = (played.folder / "records").iterdir()
    found = files(tmp_path / "site")
    (copy,) = (path for path in found if path.endswith(".jsonl.gz"))
    assert found[copy] == record.read_bytes()
    page = found[f"{copy.removesuffix('.1.jsonl.gz')}.html"].decode()
    assert 'id="data"' in page
    assert f'"record": "{copy}"' in found["data/matches-00000.json"].decode()
    record.unlink()
    written(played, tmp_path / "site")
    written(played, tmp_path / "new")
    assert files(tmp_path / "site") == files(tmp_path / "new")
    page = files(tmp_path / "new")[f"{copy.removesuffix('.1.jsonl.gz')}.html"].decode()
    assert "The record of this match is not here" in page
    assert copy not in files(tmp_path / "new")


def test_a_damaged_record_is_told_and_does_not_end_the_site(played: Plan, tmp_path: Path) -> None:
    (record,) = (played.folder / "records").iterdir()
    record.write_bytes(record.read_bytes()[:900])
    written(played, tmp_path / "site")
    (page,) = (tmp_path / "site/matches/00000").glob("*.html")
    assert "The record of this match cannot be replayed: " in page.read_text()


def test_each_path_of_a_match_can_be_made_alone(played: Plan, tmp_path: Path) -> None:
    written(played, tmp_path / "site")
    found = files(tmp_path / "site")
    with Store.read(played) as store:
        index = MatchIndex(played)
        assert sum(len(news.new) for news in index.news(store)) == 1
        (match,) = matches_at(played, store, next(path for path in found if path.startswith("matches/0")))
        here = records_here(played, match)
        record = here[1].read_bytes()
        path = paths.match_page(1, match.issued.match_id)
        assert at_once(match_pages.making(played, index.names, match, here, record)) == found[path]
        (same,) = matches_at(played, store, "data/matches-00000.csv")
        made = match_pages.files(played, [same], lambda match: records_here(played, match))
        assert made == {path: found[path] for path in made}
        for nothing in ("data/matches-00001.csv", "matches/00000/no.html", "matches/00001/no.html", "x"):
            assert matches_at(played, store, nothing) == []


# Folders


@pytest.mark.parametrize("number", [1, 9, 20])
def test_a_site_that_was_broken_off_is_completed(
    played: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    calls = []
    write = atomic.write

    def failing(path: Path, *args: Any, **options: Any) -> None:
        calls.append(path)
        if len(calls) == number:
            raise OSError(28, "No space left on device", str(path))
        write(path, *args, **options)

    with monkeypatch.context() as patched:
        patched.setattr(atomic, "write", failing)
        with pytest.raises(SiteError, match="No space left on device"):
            written(played, tmp_path / "site")
    written(played, tmp_path / "site")
    written(played, tmp_path / "new")
    assert files(tmp_path / "site") == files(tmp_path / "new")


def test_an_update_that_lost_the_store_is_completed_by_the_next(of: Plan, tmp_path: Path) -> None:
    def lost(_index: MatchIndex) -> Site:
        raise StoreLost("the connection to the database is lost")

    earlier = plan("abc", folder=tmp_path / "earlier", rounds=9)
    on_paper(earlier, 9)
    written(earlier, tmp_path / "site")
    on_paper(of, 5)
    writer = SiteWriter(of, tmp_path / "site")
    with Store.read(of) as store:
        with pytest.raises(StoreLost):
            writer.update(store, lost)
        update(writer, of, store)
    written(of, tmp_path / "new")
    assert files(tmp_path / "site") == files(tmp_path / "new")


def test_what_an_earlier_tournament_left_is_removed_and_nothing_else(of: Plan, tmp_path: Path) -> None:
    site = tmp_path / "site"
    on_paper(of, 9)
    written(of, site)
    own = {site / "CNAME": "example.org", site / "matches/notes.txt": "mine", site / "mine/page.html": "mine"}
    for file, text in own.items():
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    again = plan("ab", folder=tmp_path / "again")
    on_paper(again, 1)
    written(again, site)
    for file, text in own.items():
        assert file.read_text() == text
        file.unlink()
    written(again, tmp_path / "new")
    assert files(site) == files(tmp_path / "new")


def test_a_folder_with_anything_else_is_left_alone(of: Plan, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    other = tmp_path / "other"
    claim(plan("abc", "hearts"), other)
    for folder, said in (
        (tmp_path, "holds other files: choose a folder that is empty or not there"),
        (tmp_path / "file", "cannot be written"),
        (tmp_path / "file" / "site", "cannot be written"),
        (other, "holds the site of another tournament: choose another folder"),
    ):
        before = files(tmp_path)
        with pytest.raises(SiteError, match=said):
            claim(of, folder)
        assert files(tmp_path) == before


def test_files_can_be_read_by_a_web_server(of: Plan, tmp_path: Path) -> None:
    on_paper(of, 1)
    written(of, tmp_path / "site")
    for path in (tmp_path / "site").rglob("*"):
        assert path.stat().st_mode & 0o777 == (0o755 if path.is_dir() else 0o644)
