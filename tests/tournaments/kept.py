"""Tournaments as an earlier version left them: one finished and one interrupted in mid-match, by game.

They stand in ``tests/data/kept/GAME-finished`` and ``GAME-running`` and are never made anew: each was written
by the program of commit 0dfb33c, with

    python -m tests.tournaments.kept FOLDER

`restored` puts one back as that version would have left it. The store is kept as SQL text.
"""

import json
import shutil
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

KEPT: Final = Path(__file__).parents[1] / "data" / "kept"
FILE: Final = "cup.toml"
FOLDER: Final = "cup.fairdeal"

_PROGRAM: Final = (sys.executable, "-c", "from tournaments.cli import main; main()", "tournament")
_ENOUGH: Final = 4000  # bytes of a journal that has a match broken off after some answers
_TWO: Final = ("greedy", "random")
_FOUR: Final = (*_TWO, "greedy-30", "greedy-60")
# one match each: its entries, what stands above the tables, the options that are given
_CUPS: Final = {
    "hearts": (_FOUR, "", "moon = 'add'"),
    "spades": (_TWO, "partners = 'fixed'", "nil_points = 50"),
    "euchre": (_TWO, "partners = 'fixed'", "stick_the_dealer = false"),
    "piquet": (_TWO, "", "rubicon = 50"),
    "two_handed_spades": (_TWO, "", "bag_limit = 5"),
}
GAMES: Final = tuple(_CUPS)


def restored(name: str, place: Path) -> Path:
    """Put a tournament back below a folder and return its file."""
    folder = shutil.copytree(KEPT / name / "folder", place / FOLDER)
    for private in (folder / "journal", folder / "secrets"):
        if private.is_dir():
            private.chmod(0o700)
            for path in private.iterdir():
                path.chmod(0o600)
    text = folder / "store.sql"
    store = sqlite3.connect(text.with_suffix(".sqlite"))
    store.executescript(text.read_text())
    store.close()
    text.unlink()
    return Path(shutil.copy(KEPT / name / FILE, place))


def _made(game: str, place: Path, *, is_running: bool) -> None:
    """Play a tournament with the program in a folder, and kill it in mid-match if that is wanted."""
    names, head, options = _CUPS[game]
    entries = ""
    for name in names:
        bot, _, percent = name.partition("-")
        blunder = f"arguments = ['--blunder', '0.{percent[0]}']\n" if percent else ""
        entries += f"[[entries]]\nname = '{name}'\nbot = '{bot}'\n{blunder}"
    deals = 6 if is_running else 2
    seed = "" if is_running else "seed = 'kept'\n"  # what is not repeatable keeps its secret in the folder
    file = place / FILE
    place.mkdir(parents=True)
    file.write_text(
        f"game = '{game}'\nmatch = {{ deals = {deals} }}\nconcurrency = 1\n{seed}{head}\n"
        f"[options]\n{options}\n{entries}"
    )
    process = subprocess.Popen([*_PROGRAM, "run", str(file)])
    journal = place / FOLDER / "journal"
    while is_running and process.poll() is None:
        if sum(path.stat().st_size for path in journal.glob("*.jsonl")) > _ENOUGH:
            process.kill()
        time.sleep(0.0005)
    process.wait()


def _keep(made: Path, kept: Path) -> None:
    """Keep of a folder what the next run looks at, and what the standings are."""
    shown = subprocess.run(
        [*_PROGRAM, "report", "--json", str(made / FILE)],
        check=True,
        capture_output=True,
    )
    kept.mkdir(parents=True)
    shutil.copy(made / FILE, kept / FILE)
    report = {
        key: value
        for key, value in json.loads(shown.stdout).items()
        if key not in ("store", "records", "records_sha256")
    }
    (kept / "report.json").write_text(json.dumps(report, indent=1) + "\n")
    for name in ("journal", "secrets", "records"):
        if (made / FOLDER / name).is_dir() and any((made / FOLDER / name).iterdir()):
            shutil.copytree(made / FOLDER / name, kept / "folder" / name)
    (kept / "folder").mkdir(exist_ok=True)
    store = sqlite3.connect(made / FOLDER / "store.sqlite")
    (kept / "folder" / "store.sql").write_text("\n".join(store.iterdump()) + "\n")
    store.close()


if __name__ == "__main__":
    at = Path(sys.argv[1])
    for each in GAMES:
        for end in ("finished", "running"):
            _made(each, at / f"{each}-{end}", is_running=end == "running")
            _keep(at / f"{each}-{end}", KEPT / f"{each}-{end}")
