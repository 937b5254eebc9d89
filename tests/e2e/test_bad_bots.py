"""Bots that die, hang or cheat: each costs itself its matches, and the tournament goes on."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

CUP = (
    'game = "two_handed_spades"\nmatch = { deals = 1 }\nseed = "spring"\nfaults = { max_faults = 2 }\n'
    "hosting = { restarts = 0 }\n"
)
SHORT_START = "clock = { start = 6 }\n"  # enough for a good bot on a busy machine; two tests wait it out


def python(source: str) -> str:
    """Return an entry that runs some Python."""
    return f'[[entries]]\nname = "bad"\ncommand = {json.dumps(["{python}", "-c", source])}\n'


def play(house: Any, text: str) -> tuple[dict[str, Any], str]:
    """Play a tournament; the standing of the bad bot and what was said. The others have no blemish."""
    done = house.run("tournament", "run", house.file(text), "--json")
    assert done.status == 0, done.err
    assert done.json["played"] == done.json["matches"] > 0
    standings = {standing["entry"]: standing for standing in done.json["standings"]}
    bad: dict[str, Any] = standings.pop("bad")
    for standing in standings.values():
        assert (standing["forfeits"], standing["faults"]) == (0, 0)
    house.nobody_is_left()
    return bad, done.err


DIES = "import sys; print('ready'); print('no engine found', file=sys.stderr); sys.exit(3)"
HANGS = "import signal; print('thinking about it', flush=True); signal.pause()"


@pytest.mark.parametrize(
    ("clock", "script", "told", "last_output"),
    [
        ("", DIES, "exited with status 3", "no engine found"),
        ("", ["quitter.py"], "exited with status 7", "out of ideas"),
        (SHORT_START, HANGS, "did not connect within 6 s", "thinking about it"),
        (SHORT_START, ["raw.py", "leave"], "left and did not come back within 6 s", "goodbye"),
    ],
    ids=["dies at once", "dies in a match", "never connects", "leaves and stays away"],
)
def test_a_bot_that_is_lost(
    house: Any,
    good: str,
    bot: Callable[..., str],
    clock: str,
    script: str | list[str],
    told: str,
    last_output: str,
) -> None:
    entry = python(script) if isinstance(script, str) else bot("bad", *script)
    bad, err = play(house, CUP + clock + good + entry)
    assert (
        f"cup (two_handed_spades): the bot of bad is lost: {told}; it forfeits what it has not played\n"
        in err
    )
    assert f"\n    bad> {last_output}\n" in err
    log = house.folder / "cup.fairdeal" / "logs" / "bad.log"
    assert f"\n    (all of it: {log})\n" in err
    assert last_output in log.read_text()
    assert (bad["matches"], bad["losses"], bad["forfeits"]) == (2, 2, 2)


def test_a_bot_that_wants_no_more_matches_plays_what_it_is_given(
    house: Any, good: str, bot: Callable[..., str]
) -> None:
    bad, err = play(house, CUP + good + bot("bad", "raw.py", "stay"))
    assert bad["matches"] == 2
    assert "is lost" not in err


def test_a_command_that_cannot_be_executed(house: Any, good: str) -> None:
    program: Path = house.folder / "bad"
    program.write_text("neither a script nor a program\n")
    program.chmod(0o755)
    bad, err = play(house, CUP + good + '[[entries]]\nname = "bad"\ncommand = "./bad"\n')
    assert "the bot of bad is lost: bad: cannot execute './bad': it is neither a program" in err
    assert bad["forfeits"] == 2


def test_at_a_table_of_four_the_others_play_on(house: Any, good: str) -> None:
    third = '[[entries]]\nname = "third"\nbot = "random"\n'
    text = CUP.replace("two_handed_spades", "hearts") + good + third + python(DIES)
    bad, _err = play(house, text)
    assert (bad["matches"], bad["losses"], bad["forfeits"]) == (1, 1, 1)
    ((outcome,),) = [
        [line for line in lines if line["type"] == "outcome"] for lines in house.records().timeless().values()
    ]
    assert sorted(outcome["ranks"])[-1] == 4
    assert any(
        line["type"] == "deal_scored" for lines in house.records().timeless().values() for line in lines
    )
