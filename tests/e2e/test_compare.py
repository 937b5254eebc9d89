"""`fairdeal compare` with bots as processes: what each of them meets, and how a run ends."""

import json
import re
import signal
from pathlib import Path

from tests.workspace import Workspace, until

REMEMBERS = """
import fairdeal

met = set()


class Remembers:
    def act(self, decision):
        legal = decision.legal
        if isinstance(legal, fairdeal.LegalActions):
            return decision.chance.choice(legal.actions)
        return decision.chance.choose(legal[0], legal.minimum, legal.minimum)

    def on_seated(self, seated):
        deck = seated.commitment.commit
        print("met again" if deck in met else "not met before", flush=True)
        met.add(deck)

    def on_finished(self, finished):
        print("told the secret" if finished.secret else "told no secret", flush=True)


fairdeal.main(Remembers())
"""


def the_folder(workspace: Workspace) -> Path:
    (found,) = (workspace.folder / "fairdeal-compare").iterdir()
    return found


def test_a_bot_that_remembers_every_deck_meets_none_of_them_again(workspace: Workspace) -> None:
    workspace.file(REMEMBERS, "remembers.py")
    done = workspace.run("compare", "remembers.py", "random", "--game", "spades", "--sets", "3", "--json")
    assert done.status == 4, done.err
    (found,) = done.json["games"]
    assert (found["sets"], found["faults"]) == (3, {"a": 0, "b": 0})
    logs = the_folder(workspace) / "logs"
    said = {path.name: path.read_text() for path in logs.glob("a~*.log")}
    assert {"a~1.1.1.log", "a~1.1.2.log", "a~1.2.1.log", "a~1.2.2.log"} <= said.keys()
    assert sum(text.count("not met before") for text in said.values()) == 12
    assert any("told no secret" in text for text in said.values())
    for text in said.values():
        assert "met again" not in text
        assert "told the secret" not in text
    records = workspace.records(str(the_folder(workspace).relative_to(workspace.folder)))
    decks = records.decks()
    assert len(decks) == 6
    assert [decks[number] == decks[number + 1] for number in range(5)] == [True, False, True, False, True]
    assert not list((the_folder(workspace) / "secrets").iterdir())
    workspace.nobody_is_left()


def test_ctrl_c_prints_what_is_known_and_the_same_command_goes_on(workspace: Workspace) -> None:
    workspace.file(REMEMBERS, "remembers.py")
    words = ("compare", "remembers.py", "random", "--game", "two_handed_spades", "--sets", "100000", "--json")
    running = workspace.start(*words)
    sets = until(lambda: list(workspace.folder.glob("fairdeal-compare/*/sets.jsonl")), "the file of sets")[0]
    until(lambda: sets.read_text().count("\n") > 2, "a set that is over")
    done = running.stopped(signal.SIGINT)
    assert done.status == 1
    assert done.err.endswith("fairdeal compare: stopped; the same command goes on with these sets\n")
    played = done.json["games"][0]["sets"]
    assert played >= 2
    workspace.nobody_is_left()
    again = workspace.run(*words[:-2], str(played + 1), "--json")
    assert f"going on after {played} sets of an earlier run" in again.err
    assert again.json["games"][0]["sets"] == played + 1
    told = workspace.run(*words[:-2], str(played + 1))
    assert "remembers.py did worst in this match" in told.out
    shown = workspace.run(*told.out.splitlines()[-2].split()[1:], "--summary")
    assert (shown.status, shown.err) == (0, "")
    lines = [json.loads(line) for line in sets.read_text().splitlines()]
    assert [line["number"] for line in lines[1:]] == list(range(1, played + 2))


def test_a_bot_that_cannot_play_ends_it_with_its_last_words(workspace: Workspace) -> None:
    workspace.file("raise SystemExit('no engine found')", "broken.py")
    done = workspace.run("compare", "broken.py", "greedy", "--game", "piquet")
    assert done.status == 1
    assert "it is started again" not in done.err, "one error is enough"
    assert re.search(
        r"fairdeal compare: broken.py is gone for good: exited with status 1;"
        r" the end of its output \(\S+\.log\):\n    no engine found\n$",
        done.err,
    )
    workspace.nobody_is_left()
