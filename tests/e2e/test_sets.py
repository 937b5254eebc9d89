"""Duplicate sets in a run and on a server, killed in the midst of a set and gone on with."""

import json
import signal
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from referee.core.access import Role
from referee.dealing.keys import Vault
from referee.server.tokens import TokenFile
from tests.e2e.killing import Folder, Moment, Toll, story
from tests.e2e.places import free_port
from tests.workspace import Workspace
from tournaments.schedule.duplicates import set_of

HELD = (
    'case $FAIRDEAL_INSTANCE in *turn2) until [ -e "$1" ]; do sleep 0.02; done;; esac;'
    ' exec "$0" -m fairdeal.bots random'
)
"""A shell command for a house bot that plays no second turn before a file is there."""
TEXT = """game = "two_handed_spades"
format = "knockout"
match = { deals = 1, duplicate = true }
clock = "debug"
concurrency = 1
"""


def entries(go: Path) -> str:
    """Return three hosted entries, whose second turns begin once a file is there."""
    command = json.dumps(["sh", "-c", HELD, "{python}", str(go)])
    return "".join(f'[[entries]]\nname = "{name}"\ncommand = {command}\n' for name in ("ann", "bea", "cid"))


def told_of(workspace: Workspace) -> tuple[list[Any], list[Any]]:
    """Return what is told of matches that are over, and the standings."""
    matches = workspace.ask("tournament", "matches", "cup.toml", "--json").json["matches"]
    standings = workspace.ask("tournament", "standings", "cup.toml", "--json").json["standings"]
    return [each for each in matches if each["state"] != "open"], standings


def check_decks(results: list[tuple[Any, ...]], folder: Path) -> None:
    """Check that the turns of each set had one deck and bots of their own, and no two sets the same deck."""
    assert {(attempt, status) for _id, attempt, status, *_ in results} == {(1, "COMPLETED")}
    sets: defaultdict[str, list[Any]] = defaultdict(list)
    for match_id, _attempt, _status, name, _sha256 in results:
        sets[set_of(match_id)].append(story(folder / name).told)
    assert {len(turns) for turns in sets.values()} == {2}
    decks = [[line for told in turns for line in told if line["type"] == "dealt"] for turns in sets.values()]
    assert all(first == second for first, second in decks)
    assert len({str(first) for first, _second in decks}) == len(decks) >= 2
    for first, second in sets.values():
        assert first[0]["entries"] == second[0]["entries"][::-1]
        played_by = {each.rpartition(".")[2] for told in (first, second) for each in told[0]["instances"]}
        assert played_by == {"turn1", "turn2"}


def test_a_knockout_of_sets_that_is_killed_in_the_midst_of_them(
    workspace: Workspace, eventually: Callable[..., Any]
) -> None:
    go = workspace.folder / "go"
    file = workspace.file(TEXT + entries(go))
    path = workspace.folder / "cup.fairdeal"
    path.mkdir(mode=0o700)
    folder = Folder(path, Vault(path / "secrets"))
    running = workspace.start("tournament", "run", file)
    eventually(folder.records, "the end of a turn")
    eventually(lambda: workspace.results() and not folder.left(), "its result, safely stored")
    assert running.stopped(signal.SIGKILL).status == -signal.SIGKILL
    over, standings = told_of(workspace)
    assert over == []
    assert [each["matches"] for each in standings] == [0, 0, 0]
    go.touch()
    Toll(folder).take(lambda: workspace.start("tournament", "run", file).process, Moment("bytes", 2_000))

    assert workspace.run("tournament", "run", file).status == 0
    results = workspace.results()
    check_decks(results, path)
    assert list((path / "secrets").iterdir()) == []
    over, standings = told_of(workspace)
    assert len(over) == len(results)
    assert sorted(each["place"] for each in standings) == [1, 2, 3]
    assert workspace.ask("record", "verify", "cup.fairdeal", "--json").json["verified"] == len(results)


def test_a_server_that_is_killed_in_the_midst_of_sets(
    workspace: Workspace, eventually: Callable[..., Any]
) -> None:
    go, path = workspace.folder / "go", workspace.folder / "serve"
    boss = TokenFile(path / "tokens.json").add("boss", Role.ORGANISER)
    listen = f"127.0.0.1:{free_port(workspace.folder)}"
    words = ("serve", "--tournaments", "--allow-commands", "--folder", path, "--listen", listen)
    cup = "serve/tournaments/cup/cup.fairdeal"
    folder = Folder(path, Vault(path / "secrets"))
    workspace.file(TEXT.replace('"knockout"', '"swiss"\nrounds = 2') + entries(go))

    def ask(*words: str) -> Any:
        return workspace.ask("tournament", *words, "--server", listen, FAIRDEAL_TOKEN=boss)

    serving = workspace.start(*words)
    serving.says("fairdeal listens on ")
    assert ask("create", "cup.toml").status == 0
    assert ask("start", "cup").status == 0
    eventually(folder.records, "the end of a turn")
    eventually(lambda: workspace.results(cup) and not folder.left(), "its result, safely stored")
    told = ask("status", "cup", "--json").json
    assert (told["played"], told["attempts"]) == (0, {})
    assert {each["matches"] for each in ask("standings", "cup", "--json").json["standings"]} == {0}
    assert serving.stopped(signal.SIGKILL).status == -signal.SIGKILL

    go.touch()
    serving = workspace.start(*words)
    serving.says("fairdeal listens on ")
    eventually(lambda: len(workspace.results(cup)) == 4, "the end of all turns")
    eventually(lambda: ask("status", "cup", "--json").json["state"] == "finished", "the end")
    check_decks(workspace.results(cup), workspace.folder / cup)
    assert sorted(path.name for path in (path / "secrets").iterdir()) == []
    assert serving.stopped(signal.SIGTERM).status == 0
