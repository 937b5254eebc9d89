from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from referee.games.registry import GAMES

Command = Callable[..., Any]

OPEN = "other machines could reach it"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--listen", "0.0.0.0:0"], OPEN),
        (["--listen", "[::]:0"], OPEN),
        (["--listen", "192.168.1.1:0"], OPEN),
        (["--listen", "localhost.example.org:0"], OPEN),
        (["--listen", ":0"], OPEN),
        (["--game", "chess"], f"'chess': no such game; there are {', '.join(GAMES)}"),
        (["--clock", "slow"], "--clock slow: there are standard, fast, debug"),
        (["--option", "target=50"], "--option target=50: write GAME.NAME=VALUE"),
        (["--option", "hearts.target"], "--option hearts.target: write GAME.NAME=VALUE"),
        (["--option", "chess.target=50"], "write GAME.NAME=VALUE with a game that is served"),
        (["--option", "hearts.targt=50"], "--option hearts.targt=50: targt: no such option"),
        (["--option", "hearts.target=5"], "target = 5: must be 10 to 1000"),
        (["--option", "hearts.target=--5"], "target = '--5': must be 10 to 1000"),
        (["--option", "hearts.target=²"], "target = '²': must be 10 to 1000"),
        (["--option", f"hearts.target={'9' * 5000}"], "must be 10 to 1000"),
        (["--option", "hearts.target=many"], "target = 'many': must be 10 to 1000"),
        (["--option", "hearts.moon=both"], "moon = 'both': must be"),
        (["--option", "hearts.jack_of_diamonds=yes"], "jack_of_diamonds = 'yes': must be true or false"),
        (["--game", "hearts", "--option", "two_handed_spades.target=50"], "a game that is served (hearts)"),
    ],
)
def test_bad_arguments_are_refused_before_anything_starts(
    fairdeal: Command, words: list[str], told: str
) -> None:
    # were the arguments taken, it would be the folder that is refused
    done = fairdeal("serve", *words, "--folder", "/proc/nothing")
    assert done.status == 2
    assert done.line.startswith("fairdeal: ")
    assert told in done.line


@pytest.mark.parametrize("address", ["nonsense", "127.0.0.1:99999", "127.0.0.1:http", "localhost:", "unix:"])
def test_what_is_no_address(fairdeal: Command, address: str) -> None:
    done = fairdeal("serve", "--listen", address)
    assert done.status == 1
    assert done.line.startswith(f"fairdeal: cannot listen on {address!r}: write HOST:PORT")


@pytest.mark.parametrize(
    ("folder", "told"),
    [("/proc/nothing", "cannot be written to ("), ("file", "cannot be written to (File exists)")],
)
def test_a_folder_that_cannot_be_used(fairdeal: Command, tmp_path: Path, folder: str, told: str) -> None:
    (tmp_path / "file").touch()
    done = fairdeal("serve", "--listen", "127.0.0.1:0", "--folder", folder)
    assert done.status == 1
    assert done.line.startswith(f"fairdeal: {folder}: {told}")


@pytest.mark.parametrize("name", ["records", "secrets", "journal"])
def test_a_file_in_place_of_a_folder_inside(fairdeal: Command, tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()
    done = fairdeal("serve", "--listen", "127.0.0.1:0", "--folder", tmp_path)
    assert done.status == 1
    assert done.line == f"fairdeal: {tmp_path / name}: File exists; put that right and start again"
