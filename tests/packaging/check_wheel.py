"""Builds the wheel and uses it as its users do: in a clean environment, outside the checkout.

Run with any Python from 3.11 on; it needs nothing but the standard library and pip.
"""

import subprocess
import sys
import tempfile
import venv
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
IMPORTS = """
import sys
import fairdeal
loaded = {name.partition(".")[0] for name in sys.modules}
assert "grpc" in loaded, "the SDK needs grpc"
assert not loaded & {"referee", "tournaments", "sqlalchemy", "typer", "rich"}, loaded
import fairdeal.bots, fairdeal.testing, referee, tournaments.cli
for module in (fairdeal, referee, tournaments):
    assert "site-packages" in module.__file__, module.__file__
"""
TOURNAMENT = """
game = "two_handed_spades"
match = { deals = 1 }
seed = "wheel"
[[entries]]
name = "one"
bot = "greedy"
[[entries]]
name = "two"
bot = "random"
"""


def run(command: Sequence[str | Path], cwd: Path) -> str:
    """Run a command and return its output; end with the whole of it when the command fails."""
    done = subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{command} exited with {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def main() -> None:
    """Build, install, use."""
    with tempfile.TemporaryDirectory(prefix="fairdeal-wheel-") as name:
        folder = Path(name)
        builder, user, work = folder / "builder", folder / "user", folder / "work"
        work.mkdir()
        venv.create(builder, with_pip=True)
        run([builder / "bin/pip", "wheel", "--quiet", "--no-deps", "-w", folder / "dist", ROOT], work)
        (wheel,) = (folder / "dist").glob("fairdeal-*.whl")
        venv.create(user, with_pip=True)
        run([user / "bin/pip", "install", "--quiet", wheel], work)
        run([user / "bin/python", "-c", IMPORTS], work)
        for known in ("hearts", "two_handed_spades"):
            assert known in run([user / "bin/fairdeal", "games"], work), f"fairdeal games lacks {known}"
        (work / "cup.toml").write_text(TOURNAMENT)
        standings = run([user / "bin/fairdeal", "tournament", "run", "cup.toml"], work)
        assert "one" in standings, standings
        run([user / "bin/fairdeal", "tournament", "report", "cup.toml", "-o", "cup.html"], work)
        assert "</html>" in (work / "cup.html").read_text()
        (record,) = (work / "cup.fairdeal" / "records").rglob("*.jsonl.gz")
        assert "seat 0" in run([user / "bin/fairdeal", "record", "show", record], work)
        run([user / "bin/pip", "check"], work)
        print(f"{wheel.name}: installed and used in a clean environment")


if __name__ == "__main__":
    main()
