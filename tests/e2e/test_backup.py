"""A run that is backed up while it plays, killed, and goes on from the backup."""

import shutil
import signal
from collections.abc import Callable

from tests.e2e.places import free_port
from tests.workspace import CompletedCommand, Running, Workspace, until

CUP = """game = "two_handed_spades"
match = { deals = 1 }
rounds = 3
concurrency = 2
clock = "debug"
[[entries]]
name = "a"
bot = "greedy"
[[entries]]
name = "b"
bot = "random"
"""


def test_a_killed_run_goes_on_from_its_backup(workspace: Workspace, bot: Callable[..., str]) -> None:
    file = workspace.file(CUP + bot("held", "held.py"))
    hold = workspace.folder / "hold"
    hold.write_text("0")  # it cannot end before the backup
    folder = workspace.folder / "cup.fairdeal"
    running = workspace.start("tournament", "run", file)
    until((workspace.folder / "held").exists, "the midst of a match")
    made = workspace.run("backup", folder, "cup.tar", "--json").json
    assert not made["at_rest"]
    running.process.kill()
    running.done()
    workspace.nobody_is_left()
    shutil.rmtree(folder)
    hold.unlink()
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


LADDER = """game = "two_handed_spades"
match = { deals = 1 }
format = "ladder"
clock = "debug"
[pace]
matches_per_day = 20
[[entries]]
name = "a"
bot = "greedy"
[[entries]]
name = "b"
bot = "random"
"""


def test_a_server_goes_on_from_its_backup_and_its_tournament_gives_up_its_name(workspace: Workspace) -> None:
    file = workspace.file(LADDER)
    folder = workspace.folder / "fairdeal-serve"
    tokens = {
        name: workspace.ask("token", "add", name, "--role", "organiser").out.strip()
        for name in ("carol", "dave")
    }
    server = f"127.0.0.1:{free_port(workspace.folder)}"

    def ask(*words: object, of: str = "carol") -> CompletedCommand:
        return workspace.ask(*words, "--server", server, FAIRDEAL_TOKEN=tokens[of])

    def played() -> int:
        number: int = ask("tournament", "status", "cup", "--json").json["played"]
        return number

    def serve() -> Running:
        running = workspace.start("serve", "--tournaments", "--listen", server)
        running.says("fairdeal listens on")
        return running

    running = serve()
    ask("tournament", "create", file)
    ask("tournament", "start", "cup")
    code = ask("tournament", "invite", "cup", "--for", "Ann").out.strip()
    until(lambda: played() >= 2, "two matches")
    made = workspace.run("backup", folder, "b.tar", "--json").json
    running.process.kill()
    running.done()
    workspace.nobody_is_left()
    shutil.rmtree(folder)
    assert workspace.ask("restore", "b.tar", folder, "--json").json["sha256"] == made["sha256"]

    running = serve()
    assert ask("entry", "join", "cup", "ann", "--code", code).status == 0
    until(lambda: played() >= 20, "all that the pace allows of a day")
    assert "belongs to carol" in ask("tournament", "cancel", "cup", of="dave").line
    assert ask("tournament", "cancel", "cup").status == 0
    total = played()
    assert ask("tournament", "delete", "cup").status == 0
    assert "created" in ask("tournament", "create", file).out
    archived = folder / "archive/cup-1/tournaments/cup/cup.toml"
    assert f" {total} verified" in workspace.run("record", "verify", archived).out
    assert running.stopped(signal.SIGTERM).status == 0
