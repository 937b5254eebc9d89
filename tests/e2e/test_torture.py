"""kill -9 of whole tournaments at random moments: nothing is lost, and the results are the same."""

import hashlib
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from referee.dealing.keys import SeededKeys
from referee.storage import record_files
from tests.draws import draw
from tests.e2e.killing import Folder, Moment, Story, Toll, story
from tests.workspace import Workspace

LONG: Final = os.environ.get("FAIRDEAL_LONG") == "1"
SEED: Final = "torture"

# house bots draw from the seed, the match, the seat and the decision: nothing depends on when they are asked
BOTS: Final = (
    '[[entries]]\nname = "greedy"\nbot = "greedy"\n'
    '[[entries]]\nname = "moody"\nbot = "greedy"\narguments = ["--blunder", "0.3"]\n'
    '[[entries]]\nname = "random"\nbot = "random"\n'
    '[[entries]]\nname = "other"\nbot = "random"\n'
)
RANGES: Final = {"milliseconds": (0, 1500), "bytes": (8_000, 20_000), "records": (1, 3), "snapshot": (1, 1)}
"""How much of each kind a process reaches before it is killed: so much at least, so much at most."""


@dataclass(frozen=True, slots=True)
class TortureCase:
    """A tournament, and the kinds of the moments at which its processes are killed, in order."""

    game: str
    rounds: int
    matches: int
    kinds: tuple[str, ...]


CASES: Final = (
    (
        TortureCase(
            "two_handed_spades", 20, 120, 5 * ("bytes", "snapshot", "bytes", "records", "milliseconds")
        ),
        TortureCase("hearts", 100, 100, 5 * ("bytes", "milliseconds", "bytes", "records", "snapshot")),
    )
    if LONG
    else (TortureCase("hearts", 12, 12, ("bytes", "snapshot", "records", "milliseconds")),)
)


def stories(workspace: Any) -> dict[str, Story]:
    return {path.name: story(path) for path in workspace.records().paths()}


def tables(workspace: Any) -> Any:
    """Return the result without what tells of places, times and sessions."""
    result = workspace.ask("tournament", "standings", "cup.toml", "--json").json
    for standing in result["standings"]:
        del standing["mean_think_seconds"], standing["longest_think_seconds"], standing["sessions_lost"]
    return {key: value for key, value in result.items() if key not in ("store", "records", "records_sha256")}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.game)
def test_a_tournament_that_is_killed_again_and_again(
    workspace: Workspace,
    new_workspace: Callable[[Path], Any],
    tmp_path_factory: pytest.TempPathFactory,
    figure: Callable[[str], None],
    case: TortureCase,
) -> None:
    text = (
        f'game = "{case.game}"\nmatch = {{ deals = 1 }}\nrounds = {case.rounds}\nseed = "{SEED}"\n'
        f'clock = "debug"\nconcurrency = 3\n{BOTS}'
    )
    calm = new_workspace(tmp_path_factory.mktemp("calm"))
    undisturbed = calm.start("tournament", "run", calm.file(text))
    cup = workspace.file(text)
    folder = Folder(workspace.folder / "cup.fairdeal", SeededKeys(SEED))
    toll = Toll(folder)
    begun = time.monotonic()
    kinds = 2 * case.kinds
    for number, kind in enumerate(kinds, 1):
        # on a busy machine a moment may be met too late, when nothing is in play
        if number <= len(case.kinds) or 2 * toll.in_play < case.kinds.count("bytes"):
            low, high = RANGES[kind]
            moment = Moment(kind, low + draw(high - low + 1, "moment", case.game, number))
            # what is to be killed later must find something to play
            most = case.matches * number // (len(kinds) + 1)
            toll.take(lambda: workspace.start("tournament", "run", cup).process, moment, most)
    last = workspace.run("tournament", "run", cup)
    seconds = time.monotonic() - begun
    assert last.status == 0
    assert "is lost" not in last.err
    assert undisturbed.done().status == 0

    results = workspace.results()
    assert len({match_id for match_id, *_ in results}) == len(results) == case.matches
    for match_id, attempt, status, name, sha256 in results:
        assert (attempt, status, name) == (
            1,
            "COMPLETED",
            str(record_files.path_of(Path("records"), match_id, 1)),
        )
        assert hashlib.sha256((workspace.folder / "cup.fairdeal" / name).read_bytes()).hexdigest() == sha256
    assert workspace.ask("record", "verify", "cup.fairdeal", "--json").json["verified"] == case.matches
    assert tables(workspace) == tables(calm)
    disturbed, calm_stories = stories(workspace), stories(calm)
    assert disturbed.keys() == calm_stories.keys()
    for name, told in disturbed.items():
        assert (told.told, told.answers) == (calm_stories[name].told, calm_stories[name].answers)
        assert calm_stories[name].interruptions == 0
        (outcome,) = (line for line in told.told if line["type"] == "outcome")
        assert not any(count for counts in outcome["faults"] for count in counts.values())
    assert not folder.left()

    # what was broken off in its midst went on there, and enough was broken off to show it
    went_on = {name for name, told in disturbed.items() if told.interruptions}
    assert went_on == {f"{match_id}.1.jsonl.gz" for match_id in toll.interrupted}
    assert 2 * toll.in_play >= case.kinds.count("bytes")
    figure(f"{case.game}: {toll}; {case.matches} matches in {seconds:.1f} s")
