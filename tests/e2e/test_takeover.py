"""A tournament in PostgreSQL whose runner stops and comes back, after another one has gone on."""

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any, Final

import psycopg

from tests.e2e.dialling import Event
from tests.e2e.places import free_port
from tests.tournaments.store.conftest import Postgres, postgres  # noqa: F401 - a fixture
from tests.workspace import Running, Workspace, until
from tournaments.store.leases import EXPIRES

HELD: Final = Path(__file__).parent / "bots" / "held.py"
CUP: Final = """game = "two_handed_spades"
match = { deals = 1 }
rounds = 4
concurrency = 2
clock = "debug"
[[entries]]
name = "alice"
remote = true
[[entries]]
name = "bob"
bot = "random"
"""


def is_stopped(running: Running) -> bool:
    stat = Path(f"/proc/{running.process.pid}/stat").read_text()
    return stat.rpartition(")")[2].split()[0] == "T"


def test_a_runner_that_was_taken_over_by_another_machine_is_fenced(
    workspace: Workspace,
    postgres: Postgres,  # noqa: F811
) -> None:
    url = postgres.new_database()
    text = f'store = "{url}"\n{CUP}'
    here, there = (Event(workspace, text, folder=folder) for folder in ("here", "there"))
    there.address = f"127.0.0.1:{free_port('there')}"
    there.write(text)
    (workspace.folder / "hold").write_text("1")  # it plays one match, and stays in the middle of the next
    zombie = here.start()
    workspace.start(
        *(Path(sys.executable), HELD),
        FAIRDEAL_ADDRESS=here.address,
        FAIRDEAL_ENTRY="alice",
        FAIRDEAL_INSTANCE="",
    )
    until((workspace.folder / "held").exists, "a match in its midst")
    until(lambda: postgres.sql(url, "SELECT count(*) FROM attempts") == [(1,)], "a result")
    name = f"process {zombie.process.pid} on {os.uname().nodename}"

    # the other machine has another folder: what was being played is dealt again
    (workspace.folder / "there/cup.fairdeal/records").mkdir(parents=True)
    successor = there.start("--wait", "--json")
    until(lambda: f"({name} since" in successor.err, "who runs it")
    assert "waiting: " in successor.err
    with psycopg.connect(url) as connection:
        connection.execute("SELECT epoch FROM leases FOR UPDATE")  # so that it is not in the midst of a beat
        zombie.process.send_signal(signal.SIGSTOP)
        until(lambda: is_stopped(zombie), "a runner that gives no sign")
        connection.execute(f"UPDATE leases SET seen = seen - {EXPIRES}")
    there.dial("alice")
    done = successor.done()
    assert done.status == 0, done.err
    assert f"taken over from {name} since" in done.err
    results: list[Any] = postgres.sql(url, "SELECT * FROM attempts ORDER BY serial, attempt")
    assert json.loads(done.out)["played"] == len(results) == 4

    (workspace.folder / "hold").unlink()
    zombie.process.send_signal(signal.SIGCONT)
    fenced = zombie.done()
    assert fenced.status == 1
    told = f"the tournament was taken over by process {successor.process.pid} on "
    last = fenced.err.splitlines()[-1]
    assert last.startswith("fairdeal: postgresql://") and told in last, fenced.err
    assert "Traceback" not in fenced.err
    assert postgres.sql(url, "SELECT * FROM attempts ORDER BY serial, attempt") == results
