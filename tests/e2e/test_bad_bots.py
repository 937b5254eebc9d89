"""Bots that die, hang or cheat: each costs itself its matches, and the tournament goes on."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.rounds import rounds
from tests.workspace import Workspace

CUP = (
    'game = "two_handed_spades"\nmatch = { deals = 1 }\nseed = "spring"\nfaults = { max_faults = 2 }\n'
    "hosting = { restarts = 0 }\n"
)
CALM = 'clock = "debug"\n'
STARTS = (4, 20, 60)  # seconds, which some tests wait out; on a busy machine even a good bot needs more


def python(source: str) -> str:
    """Return an entry that runs some Python."""
    return f'[[entries]]\nname = "bad"\ncommand = {json.dumps(["{python}", "-c", source])}\n'


def play(workspace: Any, text: str, folder: str = ".") -> tuple[dict[str, Any], str]:
    """Play a tournament; the standing of the bad bot and what was said. The others have no blemish."""
    done = workspace.run("tournament", "run", workspace.file(text, f"{folder}/cup.toml"), "--json")
    assert done.status == 0, done.err
    assert done.json["played"] == done.json["matches"] > 0
    standings = {standing["entry"]: standing for standing in done.json["standings"]}
    bad: dict[str, Any] = standings.pop("bad")
    for standing in standings.values():
        assert (standing["forfeits"], standing["faults"]) == (0, 0)
    workspace.nobody_is_left()
    return bad, done.err


DIES = "import sys; print('ready'); print('no engine found', file=sys.stderr); sys.exit(3)"
HANGS = "import signal; print('thinking about it', flush=True); signal.pause()"


def is_lost(workspace: Any, text: str, told: str, last_output: str, folder: str = ".") -> None:
    """Play a tournament in which the bad bot is lost, and check what is said of it."""
    bad, err = play(workspace, text, folder)
    lost = f"cup (two_handed_spades): the bot of bad is lost: {told}"
    assert f"{lost}; it is given up, and forfeits its other matches\n" in err
    assert f"\n    bad> {last_output}\n" in err
    log = workspace.folder / folder / "cup.fairdeal" / "logs" / "bad.log"
    assert f"\n    (all of it: {log})\n" in err
    assert last_output in log.read_text()
    assert (bad["matches"], bad["losses"], bad["forfeits"]) == (2, 2, 2)
    verified = workspace.ask("record", "verify", workspace.folder / folder / "cup.fairdeal")
    assert (verified.status, verified.err) == (0, ""), verified.out


def test_a_bot_that_dies_at_once(workspace: Workspace, good: str) -> None:
    is_lost(workspace, CUP + CALM + good + python(DIES), "exited with status 3", "no engine found")


def test_a_bot_that_dies_in_a_match(workspace: Workspace, good: str, bot: Callable[..., str]) -> None:
    text = CUP + CALM + good + bot("bad", "quitter.py")
    is_lost(workspace, text, "exited with status 7", "out of ideas")


@pytest.mark.parametrize(
    ("script", "told", "last_output"),
    [
        (HANGS, "did not connect", "thinking about it"),
        (["raw.py", "leave"], "left and did not come back", "goodbye"),
    ],
    ids=["never connects", "leaves and stays away"],
)
def test_a_bot_that_is_waited_for_in_vain(
    workspace: Workspace,
    good: str,
    bot: Callable[..., str],
    script: str | list[str],
    told: str,
    last_output: str,
) -> None:
    entry = python(script) if isinstance(script, str) else bot("bad", *script)
    for start, trying in rounds(*STARTS):
        with trying:
            text = f"{CUP}clock = {{ start = {start} }}\n{good}{entry}"
            is_lost(workspace, text, f"{told} within {start} s", last_output, str(start))
            break


def test_a_bot_that_wants_no_more_matches_plays_what_it_is_given(
    workspace: Workspace, good: str, bot: Callable[..., str]
) -> None:
    bad, err = play(workspace, CUP + CALM + good + bot("bad", "raw.py", "stay"))
    assert bad["matches"] == 2
    assert "is lost" not in err


def test_a_command_that_cannot_be_executed(workspace: Workspace, good: str) -> None:
    program: Path = workspace.folder / "bad"
    program.write_text("neither a script nor a program\n")
    program.chmod(0o755)
    bad, err = play(workspace, CUP + CALM + good + '[[entries]]\nname = "bad"\ncommand = "./bad"\n')
    assert "the bot of bad is lost: bad: cannot execute './bad': it is neither a program" in err
    assert bad["forfeits"] == 2


def test_at_a_table_of_four_the_others_play_on(workspace: Workspace, good: str) -> None:
    third = '[[entries]]\nname = "third"\nbot = "random"\n'
    text = CUP.replace("two_handed_spades", "hearts") + CALM + good + third + python(DIES)
    bad, _err = play(workspace, text)
    assert (bad["matches"], bad["losses"], bad["forfeits"]) == (1, 1, 1)
    ((outcome,),) = [
        [line for line in lines if line["type"] == "outcome"]
        for lines in workspace.records().timeless().values()
    ]
    assert sorted(outcome["ranks"])[-1] == 4
    assert any(
        line["type"] == "deal_scored" for lines in workspace.records().timeless().values() for line in lines
    )
