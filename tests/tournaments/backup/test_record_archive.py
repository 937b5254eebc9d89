"""Old records that are moved to an archive, and put back."""

import gzip
import hashlib
import json
import stat
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from referee.storage import journal, record_files
from referee.storage.record_digest import digest_of
from tests.tournaments.conftest import Fairdeal
from tests.tournaments.kept import FOLDER, restored
from tournaments.backup.archive import BackupError, sha256_of
from tournaments.backup.record_archive import Archived, archive, archives_of, put_back

NOW = datetime(2026, 11, 24, tzinfo=UTC)


def record(folder: Path, match_id: str, started: str) -> Path:
    """Write what begins as a record."""
    path = record_files.path_of(folder / "records", match_id, 1)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(json.dumps({"type": "header", "started": started}).encode() + b"\n"))
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with three old records, two new ones, and one that cannot be read."""
    folder = tmp_path / "cup.fairdeal"
    for number, started in enumerate(("2026-07-01", "2026-08-25", "2026-08-26", "2026-08-27", "2026-11-24")):
        record(folder, f"m-{number}", f"{started}T00:00:00+00:00")
    (folder / "records/m-9.1.jsonl.gz").write_bytes(b"broken")
    return folder


def names(folder: Path) -> list[str]:
    return [path.name.split(".")[0] for path in record_files.in_folder(folder / "records")]


def moved(folder: Path, out: Path, days: int = 90) -> Archived:
    done = archive(folder, out, days, NOW)
    assert done is not None
    return done


def test_old_records_go_and_come_back(folder: Path, tmp_path: Path) -> None:
    before = {path: path.read_bytes() for path in record_files.in_folder(folder / "records")}
    out = tmp_path / "old.tar"
    done = moved(folder, out)
    assert (done.path, done.sha256, done.records) == (out, sha256_of(out), 2)
    old = [path for path in before if path.name[:3] in ("m-0", "m-1")]
    digests = {path.name: hashlib.sha256(before[path]).hexdigest() for path in old}
    assert done.records_sha256 == digest_of((name.split(".")[0], 1, sha) for name, sha in digests.items())
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    assert names(folder) == ["m-2", "m-3", "m-4", "m-9"]
    assert archives_of(folder / "records") == {"old.tar": ["m-0.1.jsonl.gz", "m-1.1.jsonl.gz"]}
    assert archive(folder, tmp_path / "none.tar", 90, NOW) is None
    assert not (tmp_path / "none.tar").exists()
    moved(folder, tmp_path / "more.tar", days=1)
    assert set(archives_of(folder / "records")) == {"old.tar", "more.tar"}
    assert put_back(out, folder) == 2
    assert set(archives_of(folder / "records")) == {"more.tar"}
    put_back(tmp_path / "more.tar", folder)
    assert {path: path.read_bytes() for path in record_files.in_folder(folder / "records")} == before
    assert put_back(out, folder) == 2  # they are there already, and the same


def test_a_match_that_is_not_settled_keeps_its_record(folder: Path, tmp_path: Path) -> None:
    (folder / "journal").mkdir()
    left: Any = {("m-0", 1): [{"type": "header"}]}
    (folder / "journal/000001.jsonl").write_bytes(journal.snapshot(left))
    moved(folder, tmp_path / "old.tar")
    assert names(folder) == ["m-0", "m-2", "m-3", "m-4", "m-9"]


def test_nothing_goes_before_the_archive_is_whole(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_words: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("tournaments.backup.archive.Writer.finish", killed)
    with pytest.raises(KeyboardInterrupt):
        archive(folder, tmp_path / "old.tar", 90, NOW)
    assert len(names(folder)) == 6
    assert [path.name for path in tmp_path.iterdir()] == ["cup.fairdeal"]


def test_another_record_is_not_overwritten(folder: Path, tmp_path: Path) -> None:
    moved(folder, tmp_path / "old.tar")
    other = record(folder, "m-1", "2026-11-01T00:00:00+00:00")
    before = other.read_bytes()
    with pytest.raises(BackupError, match="is another record than the archive's"):
        put_back(tmp_path / "old.tar", folder)
    assert other.read_bytes() == before
    assert names(folder) == ["m-1", "m-2", "m-3", "m-4", "m-9"]


def test_what_cannot_be_done_is_told(folder: Path, tmp_path: Path) -> None:
    for place, out, text in (
        (tmp_path, "old.tar", "has no folder of records"),
        (folder, "cup.fairdeal", "is there already"),
        (folder, "no/old.tar", "make it first"),
    ):
        with pytest.raises(BackupError, match=text):
            archive(place, tmp_path / out, 90, NOW)
    (folder / "records/archived.json").write_text("[]")
    with pytest.raises(BackupError, match="is no list of archived records"):
        archives_of(folder / "records")


def test_verify_says_where_records_are(fairdeal: Fairdeal, tmp_path: Path) -> None:
    restored("hearts-finished", tmp_path)
    cup, out = tmp_path / FOLDER, tmp_path / "old.tar"
    done = fairdeal("record", "archive", "--older-than", "1", cup, out)
    assert done.out.startswith(f"{out}: 1 records\nSHA-256 {sha256_of(out)}; over its records ")
    verified = fairdeal("record", "verify", cup)
    assert verified.err == f"1 records are in old.tar: fairdeal record unarchive old.tar {cup}\n"
    assert verified.status == 0
    again = fairdeal("record", "archive", "--older-than", "1", cup, tmp_path / "b.tar", "--json")
    assert again.json["records"] == 0
    assert fairdeal("record", "unarchive", out, cup).out == f"{cup}: 1 records are back\n"
    assert "1 record: 1 verified" in fairdeal("record", "verify", cup).out
