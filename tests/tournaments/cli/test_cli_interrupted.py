import os
import signal
import subprocess
import sys

import pytest

from tests.workspace import PATIENCE

# says when it has come to the import of a module, and waits there
PROGRAM = """
import sys, time
class Held:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            print("here", flush=True)
            time.sleep({seconds})
sys.meta_path.insert(0, Held())
sys.argv = ["fairdeal", "demo"]
from tournaments.cli import main
main()
"""


@pytest.mark.process
@pytest.mark.parametrize("module", ["typer", "tournaments.cli.demo", "grpc"])
def test_ctrl_c_while_it_starts_is_silent(module: str) -> None:
    program = PROGRAM.format(module=module, seconds=PATIENCE)
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as started:
        assert started.stdout
        assert started.stdout.readline() == "here\n"
        os.kill(started.pid, signal.SIGINT)
        out, err = started.communicate(timeout=PATIENCE)
    assert (out, err) == ("", "")
    assert started.returncode == -signal.SIGINT
