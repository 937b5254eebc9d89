"""The bots' files: compared from machine to machine, or sent there."""

import os
import tarfile
from pathlib import Path

import pytest

from tournaments.executors import bot_files
from tournaments.executors.bot_files import BotFiles, TooMuch, difference, of_commands, unpack

MINE = ("{python}", "bots/mine/main.py", "--level", "3")
ALONE = ("{python}", "alone.py")


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """Return a folder with two bots, one of them a single file, and much else."""
    base = tmp_path / "here"
    for name, text in {
        "bots/mine/main.py": "1",
        "bots/mine/data/weights": "2",
        "bots/mine/__pycache__/main.pyc": "3",
        "bots/other/main.py": "4",
        "alone.py": "5",
        "cup.toml": "6",
        "cup.fairdeal/secrets/key": "7",
    }.items():
        (base / name).parent.mkdir(parents=True, exist_ok=True)
        (base / name).write_text(text)
    (base / "bots/mine/link").symlink_to("data")
    (base / "bots/mine/main.py").chmod(0o755)
    return base


def elsewhere(files: BotFiles, folder: Path) -> BotFiles:
    """Return the same files as another machine is to have them, in a folder."""
    unpack(files.archive, folder)
    return files._replace(base=folder)


def test_what_is_sent_is_what_the_bots_have_and_nothing_else(here: Path, tmp_path: Path) -> None:
    files = of_commands([MINE, ALONE], here, sent=True)
    assert list(files.digests) == ["alone.py", "bots/mine"]
    there = elsewhere(files, tmp_path / "there").base
    found = {str(path.relative_to(there)) for path in there.rglob("*") if not path.is_dir()}
    assert found == {"alone.py", "bots/mine/main.py", "bots/mine/data/weights"}
    assert (there / "bots/mine/link").readlink() == Path("data")
    assert os.access(there / "bots/mine/main.py", os.X_OK)


def test_where_there_is_nothing_to_send_an_empty_folder_takes_the_place_of_ours(
    here: Path, tmp_path: Path
) -> None:
    files = of_commands([("{python}", "-m", "fairdeal.bots", "greedy")], here, sent=True)
    assert files.archive  # else the bots would start in our folder, which is not there
    (tmp_path / "there").mkdir()
    assert list(elsewhere(files, tmp_path / "there").base.iterdir()) == []


def test_a_copy_is_the_same_whatever_python_left_in_it(here: Path, tmp_path: Path) -> None:
    there = elsewhere(of_commands([MINE, ALONE], here, sent=True), tmp_path / "there")
    assert difference(there) is None
    (there.base / "bots/mine/__pycache__").mkdir()
    (there.base / "bots/other.py").touch()
    assert difference(there) is None


@pytest.mark.parametrize(
    "change",
    [
        lambda base: (base / "data/weights").write_text("20"),
        lambda base: (base / "data/weights").unlink(),
        lambda base: (base / "more.py").touch(),
        lambda base: (base / "main.py").chmod(0o644),
        lambda base: (base / "data").rename(base / "datum"),
    ],
)
def test_another_file_anywhere_in_the_folder_of_a_bot_is_noticed(here: Path, tmp_path: Path, change) -> None:
    there = elsewhere(of_commands([MINE, ALONE], here, sent=True), tmp_path / "there")
    change(there.base / "bots/mine")
    assert f"{there.base}/bots/mine is not what it is where the tournament runs: share" in str(
        difference(there)
    )


def test_a_bot_that_is_missing_is_told(here: Path, tmp_path: Path) -> None:
    files = of_commands([ALONE], here, sent=False)
    assert not files.archive
    assert "alone.py cannot be read (No such file or directory): share" in str(
        difference(files._replace(base=tmp_path))
    )


def test_too_much_is_not_sent_nor_read(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    added = []
    monkeypatch.setattr(bot_files, "MOST_SENT", 1 << 10)
    monkeypatch.setattr(tarfile.TarFile, "add", lambda _tar, path, *_args, **_more: added.append(path.name))
    (here / "bots/mine/data/weights").write_bytes(bytes(1 << 11))
    with pytest.raises(TooMuch, match="too much to send to each worker: put them where"):
        of_commands([MINE], here, sent=True)
    assert "weights" not in added


def test_many_small_files_are_too_much(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bot_files, "MOST_SENT", 1 << 10)
    with pytest.raises(TooMuch):
        of_commands([MINE], here, sent=True)


def test_a_command_that_names_the_folder_of_all_takes_no_secrets_along(here: Path) -> None:
    files = of_commands([("bots/mine/../../alone.py", ".")], here, sent=True)
    assert list(files.digests) == ["alone.py"]
