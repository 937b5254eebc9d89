from pathlib import Path

from tournaments.executors.same_files import difference, digests
from tournaments.tournament_file.reader import load

TEXT = """game = "two_handed_spades"
[[entries]]
name = "a"
command = ["{python}", "bots/mine.py", "--level", "3"]
[[entries]]
name = "b"
bot = "random"
"""


def test_the_files_of_bots_are_compared_from_machine_to_machine(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        (folder / "bots").mkdir(parents=True)
        (folder / "bots" / "mine.py").write_text("1")
    (here / "cup.toml").write_text(TEXT)
    expected = digests(load(here / "cup.toml"))
    assert expected.keys() == {"bots/mine.py"}
    assert difference(there, expected) is None
    (there / "bots" / "mine.py").write_text("2")
    assert "mine.py is not what it is where the tournament runs" in str(difference(there, expected))
    (there / "bots" / "mine.py").unlink()
    assert "mine.py cannot be read (No such file or directory)" in str(difference(there, expected))
