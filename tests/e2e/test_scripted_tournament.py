"""A tournament of scripted bots, each a process of its own: it goes on to its end, and says who did what."""

import json
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from fairdeal.testing import SCRIPTS
from referee.storage import record
from tests.rounds import rounds
from tests.workspace import Workspace

# `deaf` is left out: as it takes no more seats, the start limit of each further match would have to run out
NAMES: Final = tuple(name for name in SCRIPTS if name != "deaf")
CUP: Final = """game = "two_handed_spades"
match = { deals = 1 }
seed = "spring"
concurrency = 32
faults = { max_faults = 2 }
hosting = { restarts = 0 }
"""
SCALES: Final = (1, 4, 16)  # of the clock: some let it run out, and on a busy machine the others need longer
MATCHES: Final = len(NAMES) * (len(NAMES) - 1) // 2
# against the good one: the faults of a match, and whether they forfeit it
FORFEITED_BY: Final[Mapping[str, str]] = {
    "illegal": "illegal",
    "malformed": "malformed",
    "slow": "late",
    "silent": "late",
    "crash": "disconnected",
    "flood": "disconnected",
    "half_open": "disconnected",
    "wrong_token": "disconnected",
}
UNMET: Final = "exited with status 0 before it had a session"
# what becomes of those whose process ends, and the last that they printed
LOST: Final[Mapping[str, tuple[str, str]]] = {
    "crash": ("killed by signal 9 (SIGKILL)", ""),
    "flood": ("exited with status 0", "RESOURCE_EXHAUSTED RATE_LIMITED"),
    "half_open": ("exited with status 0", "OK"),
    "wrong_token": (f"{UNMET} (does it call fairdeal.main(...)?)", "PERMISSION_DENIED WRONG_SEAT"),
}


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory, new_workspace: Callable[[Path], Any]) -> tuple[Any, Any]:
    """Return a workspace in which the tournament was played, and what was said."""
    entries = [
        f'[[entries]]\nname = "{name}"\n'
        f"command = {json.dumps(['{python}', '-m', 'fairdeal.testing.scripted', name])}\n"
        for name in NAMES
    ]
    for scale, trying in rounds(*SCALES):
        with trying:
            clock = (
                f"clock = {{ move = {0.3 * scale}, bank = {0.5 * scale}, lag = 0, start = {30 * scale} }}\n"
            )
            workspace = new_workspace(tmp_path_factory.mktemp("scripted"))
            done = workspace.run(
                "tournament", "run", workspace.file(CUP + clock + "".join(entries)), "--json"
            )
            workspace.nobody_is_left()
            blamed = {standing["entry"] for standing in done.json["standings"] if standing["faults"]}
            assert blamed <= {"stale", *FORFEITED_BY}
            # `stale` lets the clock run out once a match; on a busy machine a match has a second late answer
            assert not any(
                standing["forfeits"] for standing in done.json["standings"] if standing["entry"] == "stale"
            )
            break
    return workspace, done


def test_every_match_has_one_result(cup: tuple[Any, Any]) -> None:
    workspace, done = cup
    assert done.status == 0, done.err
    assert (done.json["matches"], done.json["played"]) == (MATCHES, MATCHES)
    assert {standing["entry"]: standing["matches"] for standing in done.json["standings"]} == dict.fromkeys(
        NAMES, len(NAMES) - 1
    )
    results = workspace.results()
    assert len({match_id for match_id, *_ in results}) == len(results) == MATCHES
    assert {attempt for _id, attempt, *_ in results} == {1}
    assert {status for _id, _attempt, status, *_ in results} == {"COMPLETED", "FORFEIT"}
    assert len(workspace.records().paths()) == MATCHES


@pytest.mark.parametrize("name", NAMES)
def test_the_outcome_of_a_match_with_a_good_bot(cup: tuple[Any, Any], name: str) -> None:
    workspace, done = cup
    standings = {standing["entry"]: standing for standing in done.json["standings"]}
    if name == "good":
        assert (standings[name]["forfeits"], standings[name]["faults"]) == (0, 0)
        return
    ((path, header),) = [
        (path, header)
        for path in workspace.records().paths()
        if set((header := record.read(path).header)["entries"]) == {"good", name}
    ]
    seat = header["entries"].index(name)
    outcome = next(line for line in record.read(path).lines if line["type"] == "outcome")
    counts = {
        kind: count for kind, count in outcome["faults"][seat].items() if count and kind != "sessions_lost"
    }
    assert not any(outcome["faults"][1 - seat].values())
    if name in FORFEITED_BY:
        assert outcome["termination"] == "forfeit"
        assert (outcome["forfeited"], outcome["ranks"][1 - seat]) == ([seat], 1)
        # one that is lost for good forfeits at once, unless a busy machine lets its clock run out before
        allowed = {FORFEITED_BY[name], "late"} if name in LOST else {FORFEITED_BY[name]}
        assert len(counts) == 1
        assert counts.keys() <= allowed
        assert name in LOST or sum(counts.values()) == 2
        assert standings[name]["forfeits"] > 0
    else:
        assert (outcome["termination"], outcome["forfeited"]) == ("completed", [])
        assert counts == ({"late": 1} if name == "stale" else {})
        assert standings[name]["forfeits"] == 0


def test_whose_process_ends_is_told_with_its_last_words(cup: tuple[Any, Any]) -> None:
    workspace, done = cup
    told = r"^cup \(\w+\): the bot of (\w+) is lost: (.+); it (?:is given up|is started again)"
    lost = dict(re.findall(told, done.err, re.M))
    assert lost == {name: status for name, (status, _last) in LOST.items()}
    for name, (_status, last) in LOST.items():
        log = (workspace.folder / "cup.fairdeal" / "logs" / f"{name}.log").read_text().splitlines()
        assert log[-1].startswith(last)
        assert not last or f"\n    {name}> {last}" in done.err


def test_the_command_lists_the_scripts(workspace: Workspace) -> None:
    python = Path(sys.executable)
    done = workspace.start(python, "-m", "fairdeal.testing.scripted", "--help").done()
    assert done.status == 0
    for name, script in SCRIPTS.items():
        assert re.search(rf"^{name} +{re.escape(str(script.__doc__))}$", done.out, re.M)
    wrong = workspace.start(python, "-m", "fairdeal.testing.scripted", "kind").done()
    assert (wrong.status, wrong.out) == (2, "")
    assert "invalid choice: 'kind'" in wrong.err
    nobody = workspace.start(
        python, "-m", "fairdeal.testing.scripted", "good", "--connect", "127.0.0.1:1"
    ).done()
    assert (nobody.status, nobody.out.split()[0]) == (1, "UNAVAILABLE")
