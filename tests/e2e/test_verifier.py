"""examples/verify_record.mjs, which checks records without anything of fairdeal."""

import hashlib
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

from referee.dealing.keys import SeededKeys
from referee.games.registry import GAMES
from referee.storage import record_files
from referee.storage.record_digest import digest_of
from tests.referee.verify.bots_that_keep import played as kept_and_played
from tests.referee.verify.edited import NAME, Edit, Lines, data_of, edited, first, lines_of

ROOT: Final = Path(__file__).parents[2]
PROGRAM: Final = ROOT / "examples" / "verify_record.mjs"
KEPT: Final = [ROOT / "tests/data/kept" / f"{game}-finished" / "folder/records" for game in GAMES]
NODE: Final = shutil.which("node")

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(NODE is None, reason="Node is not installed"),
]


def verifier(*words: object) -> tuple[int, list[str]]:
    """Run the program; return its exit status and what it says."""
    done = started(*words)
    assert done.stderr == ""
    return done.returncode, done.stdout.splitlines()


def started(*words: object) -> subprocess.CompletedProcess[str]:
    assert NODE
    return subprocess.run([NODE, PROGRAM, *map(str, words)], capture_output=True, text=True, check=False)


def test_records_of_all_games_are_right(tmp_path: Path) -> None:
    """Those of this version, and those that were kept of an earlier one."""
    for game in GAMES:
        path = tmp_path / game / NAME
        path.parent.mkdir()
        path.write_bytes(data_of(game))
    status, said = verifier(tmp_path, *KEPT)
    assert (status, said[-3]) == (0, f"the cards of {2 * len(GAMES)} right, of 0 wrong")
    assert said[-2] == "not checked: play and scores, which fairdeal record verify checks"
    for game in GAMES:
        assert sum(f": cards right: {game}, fairdeal/" in line for line in said) == 2


def _swapped(lines: Lines) -> None:
    hands = lines[first(lines, "dealt")]["hands"]
    hands[0][0], hands[1][0] = hands[1][0], hands[0][0]


def _played_twice(lines: Lines) -> None:
    lines[first(lines, "card_played", 1)]["card"] = lines[first(lines, "card_played")]["card"]


EDITS: Final[dict[str, Edit]] = {
    "the commitment": lambda lines: lines[0]["commitment"].update(commit="00" * 32),
    "the manifest": lambda lines: lines[0]["options"].update(target=51),
    "line 11: the hand of seat 0": _swapped,
    "is played and is not in the deck any more": _played_twice,
    "the secret is not 32 bytes": lambda lines: lines[-1].update(secret="00"),
    "this program does not know the scheme": lambda lines: lines[0]["commitment"].update(scheme="fairdeal/0"),
    "the epoch": lambda lines: lines[0].update(attempt=2),
    "the number of the deal": lambda lines: lines[first(lines, "dealt")].update(deal=2),
}


def test_what_was_changed_is_wrong(tmp_path: Path) -> None:
    for number, edit in enumerate(EDITS.values()):
        (tmp_path / f"{number}.jsonl.gz").write_bytes(edited(data_of("hearts"), edit))
    status, said = verifier(tmp_path)
    assert (status, said[-1]) == (1, f"the cards of 0 right, of {len(EDITS)} wrong")
    for line, text in zip(said, EDITS, strict=False):
        assert text.removeprefix("line 11: ") in line


def test_two_commitments_for_one_epoch_are_wrong(tmp_path: Path) -> None:
    for number, seed in enumerate(("spring", "spring", "autumn")):
        path = tmp_path / "records" / f"0{number}" / NAME  # the folders by hash make no difference
        path.parent.mkdir(parents=True)
        path.write_bytes(kept_and_played("euchre", {}, keys=SeededKeys(seed))[0])
    status, said = verifier(tmp_path)
    assert (status, said[-2]) == (1, "the cards of 2 right, of 1 wrong")
    assert ": wrong: the commitment to its epoch in other records: expected " in said[2]


def test_what_is_not_there_is_told_in_a_line(tmp_path: Path) -> None:
    done = started(tmp_path / "gone")
    text = f"verify_record.mjs: {tmp_path / 'gone'}: there is no such file or folder\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", text)


def test_what_a_bot_was_told_is_compared(tmp_path: Path) -> None:
    path = tmp_path / NAME
    path.write_bytes(data_of("hearts"))
    commitment = lines_of(data_of("hearts"))[0]["commitment"]
    told = [commitment["commit"], commitment["manifest"]]
    assert verifier("--told", *told, path)[0] == 0
    for wrong in (["00" * 32, told[1]], [told[0], "00" * 32]):
        status, said = verifier("--told", *wrong, path)
        assert status == 1
        assert "that was told" in said[0]


def test_the_digest_is_that_of_the_tournament() -> None:
    paths = [path for folder in KEPT for path in record_files.in_folder(folder)]
    status, said = verifier(*reversed(paths))
    names = [(path, record_files.named(path)) for path in paths]
    found = [(*name, hashlib.sha256(path.read_bytes()).hexdigest()) for path, name in names if name]
    assert len(found) == len(GAMES)
    assert (status, said[-1]) == (0, f"digest: {digest_of(found)}")
