"""What a worker of the cluster does: it has a batch of matches played in a process of its own.

There matches and bots have nothing of Ray: neither its token, nor its environment and its threads.
"""

import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping

from tournaments.executors.bot_files import BotFiles, difference


class BatchFailed(Exception):
    """The process that played a batch ended without an answer; the text says what it said last."""


def play(batch: bytes, restored: Mapping[str, str], files: BotFiles, archive: bytes) -> bytes:
    """Have a batch played and return what its process answers.

    ``files`` are those of the bots; this machine has them, or they come in the ``archive``. Variables are
    ``restored`` for its bots, those with an empty value by their absence. When this worker ends before, the
    process and all its bots end, too.

    Raises:
        BatchFailed: it ended without an answer.
    """
    if not archive and (how := difference(files)):
        from tournaments.executors import batches  # on demand: it loads much of what only a batch needs

        return batches.packed(batches.PlayedBatch((), (), f"{how} (on {socket.gethostname()})"))
    environment = {name: value for name, value in {**os.environ, **restored}.items() if value}
    environment = {name: value for name, value in environment.items() if not name.startswith("RAY_")}
    command = [sys.executable, "-m", "tournaments.executors.batch"]
    pipe = subprocess.PIPE
    with (
        tempfile.TemporaryFile() as errors,
        subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=errors, env=environment) as process,
    ):
        assert process.stdin and process.stdout
        # standard input stays open: its end is how the process notices that this one has ended
        for part in (batch, archive):
            process.stdin.write(len(part).to_bytes(8) + part)
        process.stdin.flush()
        played = process.stdout.read()
        process.stdin.close()
        process.wait()
        errors.seek(0)
        said = errors.read()
    if process.returncode or not played:
        last = said.decode(errors="replace").strip().splitlines()[-1:] or ["it said nothing"]
        raise BatchFailed(f"a batch ended with status {process.returncode}: {last[0]}")
    return played
