"""Each kit's random bot passes all that `fairdeal check-bot` asks."""

import json

from referee.games.registry import GAMES
from tests.kits.kits import Kit
from tests.workspace import Workspace


def test_the_random_bot_passes_every_check(workspace: Workspace, kit: Kit) -> None:
    # with a patience that no good bot needs, but on a busy machine
    checking = workspace.start(
        "check-bot", "--json", "--patience", 120, "--", *kit.command(), FAIRDEAL_SEED="spring"
    )
    checking.process.wait(1800)
    done = checking.done()
    report = json.loads(done.out)
    failed = [check for check in report["checks"] if check["outcome"] != "passed"]
    assert failed == [], done.err
    # what is no failure, but would leave something unlooked at
    notes = [note for check in report["checks"] for note in check["notes"]]
    for words in ("never asked", "did not answer", "cut short", "ended before", "started again"):
        assert not [note for note in notes if words in note]
    assert done.status == 0
    assert set(report["games"]) == set(GAMES)
