"""Duplicate sets in a format that follows from the results, killed in the midst of a set and gone on with."""

import json
import signal
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from referee.dealing.keys import Vault
from tests.e2e.killing import Folder, Moment, Toll, story
from tests.workspace import Workspace
from tournaments.schedule.duplicates import set_of

HELD = (
    'case $FAIRDEAL_INSTANCE in turn2) until [ -e "$1" ]; do sleep 0.02; done;; esac;'
    ' exec "$0" -m fairdeal.bots random'
)
"""A shell command for a house bot that plays no second turn before a file is there."""
TEXT = """game = "two_handed_spades"
format = "knockout"
match = { deals = 1, duplicate = true }
clock = "debug"
concurrency = 1
"""


def told_of(workspace: Workspace) -> tuple[list[Any], list[Any]]:
    """Return what is told of matches that are over, and the standings."""
    matches = workspace.ask("tournament", "matches", "cup.toml", "--json").json["matches"]
    standings = workspace.ask("tournament", "standings", "cup.toml", "--json").json["standings"]
    return [each for each in matches if each["state"] != "open"], standings


def test_a_knockout_of_sets_that_is_killed_in_the_midst_of_them(
    workspace: Workspace, eventually: Callable[..., Any]
) -> None:
    go = workspace.folder / "go"
    command = json.dumps(["sh", "-c", HELD, "{python}", str(go)])
    entries = [f'[[entries]]\nname = "{name}"\ncommand = {command}\n' for name in ("ann", "bea", "cid")]
    file = workspace.file(TEXT + "".join(entries))
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
    assert {(attempt, status) for _id, attempt, status, *_ in results} == {(1, "COMPLETED")}
    sets: defaultdict[str, list[Any]] = defaultdict(list)
    for match_id, _attempt, _status, name, _sha256 in results:
        sets[set_of(match_id)].append(story(path / name).told)
    assert {len(turns) for turns in sets.values()} == {2}
    assert len(sets) >= 2
    decks = [[line for told in turns for line in told if line["type"] == "dealt"] for turns in sets.values()]
    assert all(first == second for first, second in decks)
    assert len({str(first) for first, _second in decks}) == len(decks)
    for first, second in sets.values():
        assert first[0]["entries"] == second[0]["entries"][::-1]
        assert {*first[0]["instances"], *second[0]["instances"]} == {"turn1", "turn2"}
    assert list((path / "secrets").iterdir()) == []
    over, standings = told_of(workspace)
    assert len(over) == len(results)
    assert sorted(each["place"] for each in standings) == [1, 2, 3]
    assert workspace.ask("record", "verify", "cup.fairdeal", "--json").json["verified"] == len(results)
