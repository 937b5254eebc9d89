"""A batch, played by its referee with real bots, and without a cluster."""

import asyncio
import pickle
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from referee.dealing.decks import epoch_id_of
from referee.dealing.keys import SeededKeys
from referee.match.faults import Termination
from tests.workspace import PATIENCE
from tournaments.executors import worker
from tournaments.executors.batch import play
from tournaments.executors.batches import Batch, PlayedBatch, packed
from tournaments.executors.bot_files import BotFiles, of_commands
from tournaments.plan.instances import owners
from tournaments.running.attempts import setup_of
from tournaments.schedule import next as pairings
from tournaments.store import Issued
from tournaments.tournament_file.reader import load

pytestmark = pytest.mark.process

HEAD = 'game = "two_handed_spades"\nmatch = { deals = 1 }\nclock = "debug"\n'
HOUSE = '[[entries]]\nname = "a"\nbot = "greedy"\n[[entries]]\nname = "b"\nbot = "random"\n'


def batch_of(folder: Path, text: str, attempt: int = 1) -> Batch:
    """Return a batch of all matches that a file's schedule begins with."""
    path = folder / "cup.toml"
    path.write_text(text)
    plan = load(path)
    setups = [
        replace(setup_of(plan, Issued(**vars_of(each), serial=1, versions=())), attempt=attempt)
        for each in pairings(plan, set(), {})
    ]
    keys = SeededKeys("k")
    secrets = {epoch_id_of(setup): keys.secret(epoch_id_of(setup)) for setup in setups}
    matches = tuple((setup, owners(plan, setup.entries)) for setup in setups)
    return Batch(plan, "seed", secrets, True, matches)


def vars_of(pairing: object) -> dict[str, object]:
    return {name: getattr(pairing, name) for name in ("match_id", "round", "entries")}


def test_every_match_has_a_result_and_a_record_under_its_attempt(tmp_path: Path) -> None:
    batch = batch_of(tmp_path, f"{HEAD}rounds = 2\n{HOUSE}", attempt=3)
    command = [sys.executable, "-m", "tournaments.executors.batch"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin and process.stdout
        data = packed(batch)
        process.stdin.write(len(data).to_bytes(8) + data + bytes(8))
        process.stdin.flush()
        played: PlayedBatch = pickle.loads(process.stdout.read())
        process.stdin.close()
        assert process.wait(PATIENCE) == 0
    assert played.failed == ""
    assert played.lost == ()
    assert {(each.match_id, each.attempt) for each in played.matches} == {
        (setup.match_id, 3) for setup, _owners in batch.matches
    }
    assert {each.outcome.termination for each in played.matches} == {Termination.COMPLETED}
    assert all(each.record.startswith(b"\x1f\x8b") for each in played.matches)
    assert not list(tmp_path.glob("*.fairdeal"))  # it leaves nothing where the owner's folder would be


def test_a_batch_loads_no_database_which_it_would_pay_for_each_time() -> None:
    code = "import sys, tournaments.executors.batch; print('sqlalchemy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_a_bot_that_crashes_forfeits_there_as_here(tmp_path: Path) -> None:
    dying = 'name = "b"\ncommand = ["false"]\nhosting = { restarts = 0 }\n'
    text = f"{HEAD}rounds = 2\n{HOUSE.partition('[[entries]]')[0]}"
    text += f'[[entries]]\nname = "a"\nbot = "greedy"\n[[entries]]\n{dying}'
    played = asyncio.run(play(batch_of(tmp_path, text), tmp_path / "batch"))
    assert played.failed == ""
    assert [lost.entry for lost in played.lost] == ["b"]
    assert {each.outcome.termination for each in played.matches} == {Termination.FORFEIT}
    assert len(played.matches) == 2


def test_a_bot_whose_folder_was_sent_plays_there(tmp_path: Path) -> None:
    here = tmp_path / "here"
    (here / "bots" / "b").mkdir(parents=True)
    (here / "bots" / "b" / "own.py").write_text('NAME = "random"')
    run = "sys.argv[1:] = [own.NAME]; runpy.run_module('fairdeal.bots', None, '__main__')"
    (here / "bots" / "b" / "main.py").write_text(f"import own, runpy, sys; {run}")
    batch = batch_of(
        here, f'{HEAD}{HOUSE}command = ["{{python}}", "bots/b/main.py"]\n'.replace('bot = "random"\n', "")
    )
    commands = [entry.command for entry in batch.plan.entries if entry.command]
    archive = of_commands(commands, here, sent=True).archive
    here.rename(tmp_path / "there")
    played = asyncio.run(play(batch, tmp_path / "batch", archive))
    assert (played.failed, played.lost) == ("", ())
    assert [each.outcome.termination for each in played.matches] == [Termination.COMPLETED]


def test_a_machine_with_another_bot_plays_nothing(tmp_path: Path) -> None:
    files = BotFiles(tmp_path, {"bots/b": "digest"})
    played: PlayedBatch = pickle.loads(worker.play(b"", {}, files, b""))
    assert played.matches == ()
    assert f"{tmp_path}/bots/b cannot be read" in played.failed
    assert played.failed.endswith(f" (on {socket.gethostname()})")


def test_a_batch_whose_bots_are_all_lost_is_forfeited_by_nobody(tmp_path: Path) -> None:
    dying = 'command = ["sh", "-c", "echo no GPU; exit 1"]\nhosting = { restarts = 0 }\n'
    text = HEAD + "".join(f'[[entries]]\nname = "{name}"\n{dying}' for name in "ab")
    played = asyncio.run(play(batch_of(tmp_path, text), tmp_path / "batch"))
    assert played.matches == ()
    assert "2 bots are lost and nothing is played yet" in played.failed
    assert "no GPU" in played.failed


def test_a_batch_ends_when_nobody_waits_for_it(tmp_path: Path) -> None:
    asleep = 'command = ["sleep", "600"]\n'
    text = HEAD + "".join(f'[[entries]]\nname = "{name}"\n{asleep}' for name in "ab")
    data = packed(batch_of(tmp_path, text))
    command = [sys.executable, "-m", "tournaments.executors.batch"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin
        process.stdin.write(len(data).to_bytes(8) + data + bytes(8))
        process.stdin.close()
        assert process.wait(PATIENCE) == 1


def test_a_bot_in_a_sandbox_sees_no_file_of_the_tournament_on_a_shared_disk(
    tmp_path: Path, needs_sandbox: None
) -> None:
    place = tmp_path / "shared"
    place.mkdir()
    secrets = place / "cup.fairdeal" / "secrets"
    secrets.mkdir(parents=True)
    (secrets / "key").write_text("secret")
    spy = (
        "import pathlib, sys; sys.stderr.write(f'{[str(p) for p in pathlib.Path().rglob(chr(42))]}');"
        " sys.exit(1)"
    )
    (place / "spy.py").write_text(spy)
    entry = 'command = ["{python}", "spy.py"]\nhosting = { restarts = 0, sandbox = "bubblewrap" }\n'
    text = HEAD + "".join(f'[[entries]]\nname = "{name}"\n{entry}' for name in "ab")
    played = asyncio.run(play(batch_of(place, text), tmp_path / "batch"))
    assert "spy.py" in played.failed
    assert "key" not in played.failed
