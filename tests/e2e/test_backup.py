"""A run that is backed up while it plays, killed, and goes on from the backup."""

import shutil

from tests.workspace import Workspace, until

CUP = """game = "piquet"
match = { deals = 2 }
rounds = 3
concurrency = 2
clock = "debug"
[[entries]]
name = "a"
bot = "greedy"
[[entries]]
name = "b"
bot = "random"
[[entries]]
name = "c"
bot = "greedy"
"""


def test_a_killed_run_goes_on_from_its_backup(workspace: Workspace) -> None:
    file = workspace.file(CUP)
    folder = workspace.folder / "cup.fairdeal"
    running = workspace.start("tournament", "run", file)
    until(lambda: list((folder / "secrets").glob("*.secret")), "the first match")
    made = workspace.run("backup", folder, "cup.tar", "--json").json
    assert not made["at_rest"]
    running.process.kill()
    running.done()
    workspace.nobody_is_left()
    shutil.rmtree(folder)
    told = workspace.run("restore", "cup.tar", folder)
    assert (told.status, made["sha256"] in told.out) == (0, True)
    assert workspace.run("tournament", "run", file).status == 0
    results = workspace.results()
    assert len({match_id for match_id, *_ in results}) == len(results) == 9
    assert {status for _, _, status, *_ in results} == {"COMPLETED"}
    assert workspace.run("record", "verify", folder).status == 0


def test_what_is_printed(workspace: Workspace) -> None:
    made = workspace.file("", "cup.fairdeal/tokens.json").parent
    assert workspace.ask("backup", made, "cup.tar").line == (
        f"fairdeal: {made}: no tournament and no referee has kept anything here: name its folder"
    )
    (made / "records").mkdir()
    done = workspace.ask("backup", made, "cup.tar").out.splitlines()
    assert done[0] == "cup.tar: 2 files, 10,240 bytes, matches that go on: 0"
    assert workspace.ask("backup", made, "cup.tar").line.endswith(
        "cup.tar: is there already: choose another name"
    )
    again = workspace.ask("restore", "cup.tar", "again").out.splitlines()
    assert again[0].startswith("again: 2 files as of ")
    assert again[1].endswith(done[1].removeprefix("SHA-256 "))
