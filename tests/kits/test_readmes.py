"""Each kit's README, followed word for word in an empty folder: from nothing to a bot at a table."""

import os
import re
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from referee.games.registry import GAMES
from referee.storage import record
from tests.e2e.places import listening
from tests.kits.conftest import Dialler
from tests.kits.kits import CHECKOUT, CLIENTS, PYTHON, STDIO, Kit
from tests.workspace import Workspace

_STEP = re.compile(r"<!-- (file|run|bot)(?:: (\S+))? -->\n+```\w*\n(.*?)```\n", re.DOTALL)


def _follow(folder: Path, kit: Kit, environment: dict[str, str]) -> str:
    """Do what the README says, and return the command that starts the reader's bot."""
    steps = _STEP.findall((kit.folder / "README.md").read_text())
    assert {kind for kind, _, _ in steps} >= {"file", "bot"}
    for kind, name, text in steps:
        if kind == "file":
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        elif kind == "run":
            done = subprocess.run(
                ["bash", "-euc", text],
                cwd=folder,
                env=environment,
                text=True,
                capture_output=True,
                check=False,
            )
            assert done.returncode == 0, f"{text}\n{done.stdout}\n{done.stderr}"
    (command,) = [text for kind, _, text in steps if kind == "bot"]
    return str(command)


@pytest.fixture
def environment() -> dict[str, str]:
    """Return what a reader has: the commands of an installed fairdeal, and the checkout's place."""
    path = os.pathsep.join([str(Path(PYTHON.bot[0]).parent), os.environ["PATH"]])
    built = str(CLIENTS / "rust" / "target")  # Cargo would build all that the kit needs once more
    return {**os.environ, "FAIRDEAL": str(CHECKOUT), "PATH": path, "CARGO_TARGET_DIR": built}


def test_the_reader_s_bot_sits_at_a_table(
    workspace: Workspace,
    dial: Dialler,
    kit_with_readme: Any,
    environment: dict[str, str],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    kit = kit_with_readme
    folder = tmp_path_factory.mktemp(f"readme-{kit.name}")
    command = _follow(folder, kit, environment)
    for game in ("hearts", "piquet"):
        serving, address = listening(workspace, "--game", game, "--deals", 1, "--folder", game)
        others = [dial(PYTHON, "--connect", address, "--game", game) for _ in range(GAMES[game].seats - 1)]
        words = ("-euc", f"cd {folder}; {command}")
        mine = workspace.start(Path("/bin/bash"), *words, **environment, FAIRDEAL_ADDRESS=address)
        done = mine.done()
        assert done.status == 0, done.err
        assert [bot.done().status for bot in others] == [0] * len(others)
        assert serving.stopped(signal.SIGTERM).status == 0
        (path,) = workspace.records(game).paths()
        played = record.read(path).lines
        assert [line for line in played if line["type"] in ("faulted", "substituted")] == []
        # a bot with a library tells the record why it passes or exchanges these cards
        notes = [line["note"] for line in played if "note" in line]
        assert notes == ([] if kit is STDIO else ["my highest cards"])
