"""What people get wrong in their first minutes is one line with the remedy that fits it."""

from pathlib import Path

import pytest

from tests.tournaments.cli.test_cli_record import write
from tests.tournaments.conftest import Fairdeal

PAIR = """game = "two_handed_spades"
match = { deals = 1 }
[[entries]]
name = "one"
bot = "greedy"
[[entries]]
name = "two"
bot = "random"
"""


def test_a_file_that_begins_with_a_byte_order_mark_is_read(fairdeal: Fairdeal, tmp_path: Path) -> None:
    (tmp_path / "cup.toml").write_text(PAIR, encoding="utf-8-sig")
    done = fairdeal("tournament", "plan", "cup.toml")
    assert (done.status, done.err) == (0, "")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            'clock = "fast"\n' + PAIR + "[clock]\nmove = 3\n",
            "10: clock: is given in line 1 already: keep one",
        ),
        ('clock = "fast"\nclock = "debug"\n' + PAIR, "2: clock: is given in line 1 already: keep one"),
        ("[clock]\nmove = 1\n[clock]\nbank = 1\n", "3: clock: is given in line 1 already: keep one"),
        ('clock = "fast"\nclock.move = 3\n' + PAIR, "2: clock: is given in line 1 already: keep one"),
        ('clock = "fast"\nclock = "debug"', "2: clock: is given in line 1 already: keep one"),
        (PAIR + 'bot = "greedy"\n', "9: entries[1].bot: is given in line 8 already: keep one"),
        (PAIR + "[entries]\n", "9: entries: write [[entries]], with two brackets, for each of them"),
        ("a = [\n1]\nb = 1\na = [\n1]\n", "5: not TOML: Cannot overwrite a value (column 3)"),
    ],
)
def test_a_key_that_is_given_twice(fairdeal: Fairdeal, tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "cup.toml").write_text(text)
    done = fairdeal("tournament", "plan", "cup.toml")
    assert (done.status, done.line) == (2, f"cup.toml:{told}")


def test_a_key_of_the_file_that_stands_below_a_table(fairdeal: Fairdeal, tmp_path: Path) -> None:
    (tmp_path / "cup.toml").write_text(PAIR + "rounds = 2\n")
    done = fairdeal("tournament", "plan", "cup.toml")
    remedy = "is a key of the file, not of this table: move it above the first [table]"
    assert (done.status, done.line) == (2, f"cup.toml:9: entries[1].rounds: {remedy}")


@pytest.mark.parametrize("command", ["run", "plan", "status", "standings"])
def test_a_folder_that_is_a_file(fairdeal: Fairdeal, tmp_path: Path, command: str) -> None:
    (tmp_path / "cup.toml").write_text(f'folder = "mine"\n{PAIR}')
    (tmp_path / "mine").touch()
    done = fairdeal("tournament", command, "cup.toml")
    assert done.status == 2
    assert done.line == f"cup.toml:1: folder: {tmp_path / 'mine'} is a file: name a folder, which is made"


@pytest.mark.parametrize("command", ["run", "status", "standings"])
def test_a_store_that_is_no_database(fairdeal: Fairdeal, tmp_path: Path, command: str) -> None:
    (tmp_path / "cup.toml").write_text(PAIR)
    store = tmp_path / "cup.fairdeal" / "store.sqlite"
    store.parent.mkdir()
    store.write_text("no database, and longer than a header has to be")
    done = fairdeal("tournament", command, "cup.toml")
    assert done.status == 1
    assert done.line == (
        f"fairdeal: {store}: cannot be used as a store (file is not a database):"
        " put a copy of the store in its place, or choose another folder"
    )


def test_python_misspelt(fairdeal: Fairdeal, tmp_path: Path) -> None:
    (tmp_path / "cup.toml").write_text(PAIR.replace('bot = "greedy"', 'command = "{pyhton} bot.py"'))
    done = fairdeal("tournament", "plan", "cup.toml")
    told = "the command '{pyhton}' is not on the PATH: write {python} for the Python that runs fairdeal"
    assert (done.status, done.line) == (2, f"cup.toml:5: entries[0].command: {told}")


@pytest.mark.parametrize("listen", ["foo", "127.0.0.1", "127.0.0.1:99999", "localhost:http", "unix:", ""])
@pytest.mark.parametrize("command", ["run", "plan"])
def test_a_bad_address_is_refused_before_anything_starts(
    fairdeal: Fairdeal, tmp_path: Path, command: str, listen: str
) -> None:
    (tmp_path / "cup.toml").write_text(f'{PAIR}[server]\nlisten = "{listen}"\n')
    done = fairdeal("tournament", command, "cup.toml")
    assert done.status == 2
    wanted = "must be HOST:PORT, the port 0 to 65535, or unix:/PATH"
    assert done.line == f'cup.toml:10: server.listen: {wanted}, is "{listen}"'
    assert [path.name for path in tmp_path.iterdir()] == ["cup.toml"]


def test_all_records_of_a_folder_are_shown(fairdeal: Fairdeal, tmp_path: Path) -> None:
    (tmp_path / "cup" / "records").mkdir(parents=True)
    games = ("piquet", "two_handed_spades")
    files = [write(tmp_path / "cup" / "records", game) for game in games]
    each = fairdeal("record", "show", *files)
    (tmp_path / "cup" / "records" / ".unfinished.jsonl.gz").touch()  # left by a crash
    assert fairdeal("record", "show", tmp_path / "cup" / "records") == each
    assert fairdeal("record", "show", tmp_path / "cup") == each  # a tournament's folder


def test_a_folder_without_records(fairdeal: Fairdeal, tmp_path: Path) -> None:
    done = fairdeal("record", "show", tmp_path)
    assert (done.status, done.line) == (1, f"fairdeal: {tmp_path}: holds no records (*.jsonl.gz)")


def test_a_folder_whose_folders_hold_records(fairdeal: Fairdeal, tmp_path: Path) -> None:
    for name in ("compare/b/records", "compare/a", "compare/empty"):
        (tmp_path / name).mkdir(parents=True)
    write(tmp_path / "compare/b/records", "piquet")
    write(tmp_path / "compare/a", "piquet")
    done = fairdeal("record", "show", "compare")
    wanted = "holds no records (*.jsonl.gz): name a folder that holds some: compare/a, compare/b"
    assert (done.status, done.line) == (1, f"fairdeal: compare: {wanted}")


@pytest.mark.parametrize("words", [["revoke", "nobody"], ["add", "nobody", "--renew"]], ids=" ".join)
def test_a_token_that_nobody_has(fairdeal: Fairdeal, tmp_path: Path, words: list[str]) -> None:
    done = fairdeal("token", *words)
    assert done.status == 1
    assert done.line == (
        "fairdeal: 'nobody' has no token in fairdeal-serve/tokens.json: no name has one there;"
        " name the referee's folder"
    )
    assert not list(tmp_path.iterdir())
