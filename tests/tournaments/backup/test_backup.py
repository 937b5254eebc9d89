"""Backups of a folder in which matches are being played, at every moment, and what comes of them."""

import asyncio
import json
import os
import shutil
import stat
import tarfile
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pytest

from referee.dealing.keys import Vault
from referee.match.faults import Termination
from referee.storage import journal, record_files
from referee.storage.journal import Journal
from referee.storage.recorder import Recorder
from referee.storage.worker_folders import worker_folder
from tests.tournaments.cup import TEXT, Cup
from tests.workspace import ALONE
from tournaments.backup.archive import BackupError
from tournaments.backup.restoring import Restored, restore
from tournaments.backup.taking import Backup, back_up
from tournaments.running.attempts import result_of
from tournaments.store import Store

SETS: Final = TEXT.replace("deals = 1", "deals = 1, duplicate = true")
INSTANCES: Final = ("turn1", "turn2")
LONG: Final = os.environ.get("FAIRDEAL_LONG") == "1"
STRIDE: Final = 1 if LONG else 23  # between the moments, of which there are some hundred


def taken(folder: Path, out: Path) -> Backup:
    return back_up(folder, out, lambda: datetime(2026, 11, 24, tzinfo=UTC))


class BackedUpCup(Cup):
    """A tournament with secrets in its own folder, as a run has them."""

    def __init__(self, folder: Path, *, text: str = TEXT) -> None:
        secrets = folder / "cup.fairdeal" / "secrets"
        secrets.parent.mkdir(mode=0o700, exist_ok=True)
        (folder / "secrets").symlink_to(secrets)  # a Cup keeps them beside the folder
        secrets.mkdir(exist_ok=True)
        super().__init__(folder, "ab", text=text, has_secrets=True)

    def all_come(self) -> None:
        for name in "ab":
            for instance in INSTANCES if self.plan.duplicate else ("",):
                self.guest(name, instance=instance)


async def played_on(folder: Path, *, text: str = TEXT) -> dict[str, int]:
    """Play a restored tournament to its end; return how many standing results each match has."""
    async with BackedUpCup(folder, text=text) as cup:
        cup.all_come()
        await cup.run()
        assert cup.store.to_do() == ()
        assert set(cup.store.terminations()) == {Termination.COMPLETED}  # none was played twice
        results = Counter(issued.match_id for issued, _ in cup.store.results())
        for _, result in cup.store.results():
            assert (cup.plan.folder / result.record).exists()
    return dict(results)


class Everywhere:
    """Takes a backup whenever something of a match is written, until there are enough."""

    def __init__(self, folder: Path, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.taken: list[Path] = []
        self._folder = folder
        self._out = out
        self._is_taking = False
        self._moments = 0
        for place, name in (
            (Journal, "flush"),
            (Journal, "settle"),
            (Vault, "secret"),
            (Vault, "forget"),
            (Store, "add"),
            (Recorder, "keep"),
        ):
            self._around(monkeypatch, place, name)

    def _around(self, monkeypatch: pytest.MonkeyPatch, place: type[Any], name: str) -> None:
        done: Callable[..., Any] = getattr(place, name)

        def watched(*words: Any, **named: Any) -> Any:
            self._take()
            result = done(*words, **named)
            self._take()
            return result

        monkeypatch.setattr(place, name, watched)

    def _take(self) -> None:
        self._moments += 1
        if self._is_taking or self._moments % STRIDE:
            return
        self._is_taking = True
        out = self._out / f"{len(self.taken)}.tar"
        taken(self._folder, out)
        self._is_taking = False
        self.taken.append(out)


@pytest.mark.asyncio
@pytest.mark.parametrize("text", [TEXT, SETS], ids=["matches", "sets"])
async def test_a_backup_at_any_moment_goes_on_without_losing_or_doubling_a_match(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    (tmp_path / "first").mkdir()
    with monkeypatch.context() as patched:
        async with BackedUpCup(tmp_path / "first", text=text) as cup:
            everywhere = Everywhere(cup.plan.folder, tmp_path, patched)
            cup.all_come()
            await cup.run()
    points = list({path.read_bytes(): path for path in everywhere.taken}.values())  # many are alike
    assert len(points) > 4
    for number, path in enumerate(points):
        again = tmp_path / f"again{number}"
        again.mkdir()
        restore(path, again / "cup.fairdeal")
        assert set((await played_on(again, text=text)).values()) == {1}
        shutil.rmtree(again)


@pytest.mark.asyncio
async def test_what_changes_while_it_is_copied_is_copied_as_of_one_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "first").mkdir()
    points = []
    async with BackedUpCup(tmp_path / "first") as cup:
        for name in "ab":
            cup.guest(name).open.clear()
        running = asyncio.create_task(cup.run())
        await cup.has_opened(2)

        def ended_then(read: Callable[[Path], Any]) -> Callable[[Path], Any]:
            """Have the matches be recorded, stored and settled right after the journal was read."""

            def reading(folder: Path) -> Any:
                found = read(folder)
                later.rename(records)
                for report in [each.over.result() for each in cup.runner.playing if each.over.done()]:
                    cup.store.add(result_of(cup.plan, report))
                    cup.host.referee.settle(report)
                return found

            return reading

        running.cancel()
        for each in cup.runner.playing:
            cup.host.referee.abandon((each.issued.entries[0], ""))
        await asyncio.wait([each.over for each in cup.runner.playing], timeout=ALONE)
        records, later = cup.plan.folder / "records", tmp_path / "later"
        records.rename(later)
        monkeypatch.setattr(journal, "left_in", ended_then(journal.left_in))
        points.append(taken(cup.plan.folder, tmp_path / "late.tar"))
    assert points[0].playing == ()
    again = tmp_path / "again"
    again.mkdir()
    restore(tmp_path / "late.tar", again / "cup.fairdeal")
    async with BackedUpCup(again) as cup:
        assert cup.host.recovered == ()
        assert len(list(cup.store.results())) == 2
        assert len(record_files.in_folder(cup.plan.folder / "records")) == 2


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a little of everything."""
    folder = tmp_path / "cup.fairdeal"
    for name in ("journal", "secrets", "records/ab", "logs"):
        (folder / name).mkdir(parents=True)
    (folder / "records/ab/piquet-1.1.jsonl.gz").write_bytes(b"record")
    (folder / "secrets/piquet-2.1.secret").write_bytes(bytes(32))
    (folder / "records/archived.json").write_text('{"archives": {}}')
    (folder / "logs/alice.log").write_text("hello\n")
    (folder / "lock").touch()
    return folder


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def restored(tmp_path: Path, archive: Path) -> Restored:
    return restore(archive, tmp_path / "again.fairdeal")


def test_what_is_restored_is_what_was_there_and_private(folder: Path, tmp_path: Path) -> None:
    made = taken(folder, tmp_path / "cup.tar")
    assert stat.S_IMODE((tmp_path / "cup.tar").stat().st_mode) == 0o600
    with tarfile.open(tmp_path / "cup.tar") as tar:
        assert {member.mode for member in tar} == {0o600}  # for those who unpack it themselves
    done = restored(tmp_path, tmp_path / "cup.tar")
    assert (done.sha256, done.files, done.made) == (made.sha256, made.files, "2026-11-24T00:00:00+00:00")
    there = files(done.folder)
    assert there.pop("journal/000001.jsonl") == b'{"type":"snapshot"}\n'
    assert there == {name: data for name, data in files(folder).items() if name != "lock"}
    for path in (done.folder, *done.folder.rglob("*")):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0


def test_links_and_pipes_are_left_out_and_named(folder: Path, tmp_path: Path) -> None:
    (folder / "logs/link.log").symlink_to("/etc/hostname")
    os.mkfifo(folder / "logs/pipe.log")
    assert sorted(taken(folder, tmp_path / "cup.tar").left_out) == ["logs/link.log", "logs/pipe.log"]


def test_a_backup_that_is_broken_off_leaves_nothing(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(_self: Any, _told: Any) -> None:
        raise KeyboardInterrupt

    (tmp_path / ".cup.tar.parts").mkdir()  # of one that was killed
    (tmp_path / ".cup.tar.parts/archive").write_text("half")
    with monkeypatch.context() as patched:
        patched.setattr("tournaments.backup.archive.Writer.finish", killed)
        with pytest.raises(KeyboardInterrupt):
            taken(folder, tmp_path / "cup.tar")
    assert [path.name for path in tmp_path.iterdir()] == ["cup.fairdeal"]
    assert taken(folder, tmp_path / "cup.tar").files == 5


def spans(archive: Path) -> dict[str, tuple[int, int]]:
    """Return where in an archive the bytes of each member begin and end."""
    with tarfile.open(archive) as tar:
        return {each.name: (each.offset_data, each.offset_data + each.size) for each in tar}


def test_an_archive_that_was_cut_off_is_refused(folder: Path, tmp_path: Path) -> None:
    archive = tmp_path / "cup.tar"
    taken(folder, archive)
    data = archive.read_bytes()
    places = {0, *(place + shift for span in spans(archive).values() for place in span for shift in (-1, 0))}
    end = spans(archive)["manifest.json"][1]
    for where in sorted(places - {end}):
        archive.write_bytes(data[:where])
        with pytest.raises(BackupError, match="is no whole backup"):
            restored(tmp_path, archive)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cup.fairdeal", "cup.tar"]


def test_a_file_that_was_changed_in_an_archive_is_refused(folder: Path, tmp_path: Path) -> None:
    archive = tmp_path / "cup.tar"
    taken(folder, archive)
    data = archive.read_bytes()
    for name, (begin, end) in spans(archive).items():
        for where in {begin, end - 1} if name != "manifest.json" else ():
            archive.write_bytes(data[:where] + bytes([data[where] ^ 1]) + data[where + 1 :])
            with pytest.raises(
                BackupError, match=f"{name.removeprefix('folder/')} is not what was backed up"
            ):
                restored(tmp_path, archive)


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        (lambda members: [each for each in members if "alice" not in each.name], "is not what was backed up"),
        (lambda members: [*members[1:], members[0]], "does not belong there"),
    ],
    ids=["a file is missing", "a file is behind the list"],
)
def test_an_archive_with_other_members_is_refused(
    folder: Path,
    tmp_path: Path,
    changed: Callable[[list[tarfile.TarInfo]], list[tarfile.TarInfo]],
    text: str,
) -> None:
    whole, archive = tmp_path / "whole.tar", tmp_path / "cup.tar"
    taken(folder, whole)
    with tarfile.open(whole) as tar, tarfile.open(archive, "w") as other:
        for member in changed(tar.getmembers()):
            other.addfile(member, tar.extractfile(member))
    with pytest.raises(BackupError, match=text):
        restored(tmp_path, archive)


@pytest.mark.parametrize("name", ["folder/../out", "folder//etc/x/../../../out", "out", "/out"])
def test_nothing_is_written_beside_the_folder(tmp_path: Path, name: str) -> None:
    archive = tmp_path / "cup.tar"
    with tarfile.open(archive, "w") as tar:
        tar.addfile(tarfile.TarInfo(name))
    with pytest.raises(BackupError, match="does not belong there"):
        restored(tmp_path, archive)
    assert [path.name for path in tmp_path.iterdir()] == ["cup.tar"]


def test_another_format_is_refused(tmp_path: Path) -> None:
    archive, manifest = tmp_path / "cup.tar", tmp_path / "manifest.json"
    manifest.write_text(json.dumps({"format": "fairdeal-backup/9"}))
    with tarfile.open(archive, "w") as tar:
        tar.add(manifest, "manifest.json")
    with pytest.raises(BackupError, match="'fairdeal-backup/1' is expected"):
        restored(tmp_path, archive)


def test_what_cannot_be_backed_up_or_restored_is_told(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for place, out, text in (
        (tmp_path / "empty", "cup.tar", "has kept anything here"),
        (folder / "logs/alice.log", "cup.tar", "name the folder of the tournament"),
        (folder, "no/cup.tar", "make it first"),
        (folder, "cup.fairdeal/cup.tar", "choose another place"),
        (folder, "cup.fairdeal", "is there already: choose another name"),
    ):
        with pytest.raises(BackupError, match=text):
            taken(place, tmp_path / out)
    taken(folder, tmp_path / "cup.tar")
    with pytest.raises(BackupError, match="is there already: choose another folder"):
        restore(tmp_path / "cup.tar", folder)


@pytest.mark.asyncio
async def test_what_was_being_played_can_be_dealt_again(tmp_path: Path) -> None:
    (tmp_path / "first").mkdir()
    async with BackedUpCup(tmp_path / "first") as cup:
        for name in "ab":
            cup.guest(name).open.clear()
        running = asyncio.create_task(cup.run())
        await cup.has_opened(2)
        before = files(cup.plan.folder / "secrets")
        assert len(taken(cup.plan.folder, tmp_path / "cup.tar").playing) == 2
        running.cancel()
    again = tmp_path / "again"
    again.mkdir()
    restore(tmp_path / "cup.tar", again / "cup.fairdeal", deal_again=True)
    there = {name.split("/")[0] for name in files(again / "cup.fairdeal")}
    assert there.isdisjoint({"journal", "secrets"})
    async with BackedUpCup(again) as cup:
        guests = [cup.guest(name) for name in "ab"]
        await cup.run()
        assert len(cup.opened) == 2
        assert not set(before.values()) & set(guests[0].secrets)


def test_a_folder_whose_workers_have_left_matches_is_not_copied(tmp_path: Path) -> None:
    folder = tmp_path / "served"
    own = worker_folder(folder, 2) / "journal"
    own.mkdir(parents=True)
    (folder / "records").mkdir()
    (own / "000001.jsonl").write_text('{"type":"snapshot"}\n{"key":["m",1],"type":"header"}\n')
    with pytest.raises(BackupError, match="its workers play, or have left, matches"):
        taken(folder, tmp_path / "out.tar")
    (own / "000001.jsonl").write_text('{"type":"snapshot"}\n')
    assert taken(folder, tmp_path / "out.tar").at_rest
