"""How `fairdeal serve` ends: what is being played may end, or goes on at the next start."""

import re
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from tests.e2e.killing import Folder, story
from tests.e2e.places import free_port, listening
from tests.workspace import PATIENCE, Workspace

BOTS: Final = Path(__file__).parent / "bots"
FOREVER: Final = ("--drain", 3600)
SOON: Final = 25.0  # seconds; by default what is being played has 30
GOES_ON: Final = "matches that go on where they were, once their bots are back: 1\n"


@dataclass(slots=True)
class Playing:
    """A referee with one match in its midst, which goes on once the file `hold` is removed."""

    workspace: Any
    address: str
    serving: Any
    held: Any
    other: Any

    def serve(self, *words: object) -> Any:
        """Start a referee again, in the same folder and at the same address."""
        self.serving, _address = listening(self.workspace, *TABLE, *words, address=self.address)
        return self.serving

    def bot(self, *words: object) -> Any:
        return self.workspace.start("bot", "random", "--tables", 1, "--connect", self.address, *words)

    def release(self) -> None:
        (self.workspace.folder / "hold").unlink()

    def record(self) -> Any:
        """Return what the one record tells that there is; nobody may have a fault, nor a secret be left."""
        folder = Folder(self.workspace.folder / "fairdeal-serve")
        (path,) = folder.records()
        told = story(path)
        (outcome,) = (line for line in told.told if line["type"] == "outcome")
        assert outcome["termination"] == "completed"
        assert not any(count for counts in outcome["faults"] for count in counts.values())
        assert not folder.left()
        assert not list((self.workspace.folder / "fairdeal-serve" / "secrets").iterdir())
        return told


TABLE: Final = ("--game", "two_handed_spades", "--deals", 1)


@pytest.fixture
def playing(workspace: Workspace, eventually: Callable[..., Any]) -> Iterator[Callable[..., Playing]]:
    """Return a function that starts a referee with a match which is held up in its midst."""
    held = []

    def play(*words: object) -> Playing:
        address = f"127.0.0.1:{free_port(workspace.folder)}"
        (workspace.folder / "hold").write_text("0")
        serving, _address = listening(workspace, *TABLE, *words, address=address)
        held.append(workspace.start(Path(sys.executable), BOTS / "held.py", FAIRDEAL_ADDRESS=address))
        other = workspace.start("bot", "random", "--connect", address)
        eventually((workspace.folder / "held").exists, "the midst of a match")
        return Playing(workspace, address, serving, held[0], other)

    yield play
    for bot in held:
        bot.process.kill()


def health(address: str) -> str:
    with grpc.insecure_channel(address) as channel:
        request = health_pb2.HealthCheckRequest(service="fairdeal.v1.PlayService")
        status = health_pb2_grpc.HealthStub(channel).Check(request, timeout=PATIENCE).status
        return str(health_pb2.HealthCheckResponse.ServingStatus.Name(status))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=str)
def test_with_nothing_to_play_it_ends_at_once(workspace: Workspace, number: signal.Signals) -> None:
    serving, address = listening(workspace, *FOREVER)
    bot = workspace.start("bot", "greedy", "--connect", address)
    serving.says("greedy is here")
    done = serving.stopped(number)
    assert (done.status, done.err) == (0, "")
    assert "leaving when" not in done.out
    left = bot.done()
    assert (left.status, left.out, left.complaints) == (0, "", "")


def test_what_is_being_played_may_end(playing: Callable[..., Playing]) -> None:
    match = playing(*FOREVER)
    waiting = match.bot("--entry", "waiting", "--matches", 0)
    match.serving.says("waiting is here")
    assert health(match.address) == "SERVING"
    match.serving.process.send_signal(signal.SIGTERM)
    match.serving.says(r"leaving when the running matches \(1\) are over, at the latest in 3600 s;")
    assert health(match.address) == "NOT_SERVING"
    assert waiting.done().status == 0
    late = match.bot("--entry", "late").done()
    assert (late.status, late.out) == (1, "")
    assert re.fullmatch(r"fairdeal: the referee at \S+ ended the session: .+ \(SHUTTING_DOWN\)\n", late.err)
    match.release()
    done = match.serving.done()
    assert (done.status, done.err) == (0, "")
    assert done.out.count(": completed") == 1
    assert "matches that were not over" not in done.out
    assert match.record().kinds.count("restarted") == 0
    assert [match.held.done().status, match.other.done().status] == [0, 0]


@pytest.mark.parametrize(("drain", "signals"), [("0", 1), ("0.5", 1), ("3600", 2)])
def test_what_has_not_ended_goes_on_at_the_next_start(
    playing: Callable[..., Playing], drain: str, signals: int
) -> None:
    match = playing("--drain", drain)
    begun = time.monotonic()
    for _ in range(signals):
        match.serving.process.send_signal(signal.SIGTERM)
        match.serving.says(f"leaving when the running matches .+ at the latest in {drain} s;")
    done = match.serving.done()
    assert time.monotonic() - begun < SOON
    assert (done.status, done.err) == (0, "")
    assert done.out.endswith(
        "\nmatches that were not over: 1; start it again with the same --folder, and they go on where they"
        " were\n"
    )
    again = match.serve(*FOREVER)
    assert again.out.startswith(GOES_ON)
    match.release()
    again.says(": completed")
    done = again.stopped(signal.SIGTERM)
    assert (done.status, done.err) == (0, "")
    kinds = match.record().kinds
    assert kinds.count("restarted") == 1
    # clocks stand before the bots are sent away: what they cannot answer then is not their fault
    assert "lost" not in kinds


def test_what_has_come_back_may_end_too(playing: Callable[..., Playing]) -> None:
    match = playing()
    match.serving.stopped(signal.SIGKILL)
    again = match.serve(*FOREVER)
    assert again.out.startswith(GOES_ON)
    again.process.send_signal(signal.SIGTERM)
    again.says("leaving when the running matches")
    match.release()
    done = again.done()
    assert (done.status, done.err) == (0, "")
    assert match.record().kinds.count("restarted") == 1


def test_secrets_of_no_match_are_removed_at_the_next_start(playing: Callable[..., Playing]) -> None:
    match = playing()
    match.serving.stopped(signal.SIGKILL)
    secrets = match.workspace.folder / "fairdeal-serve" / "secrets"
    (needed,) = secrets.iterdir()
    # drawn by a referee that was killed before it opened the match, or before it had stored it whole
    for name in ("two_handed_spades-0.1.secret", ".two_handed_spades-1.1.secret"):
        (secrets / name).write_bytes(bytes(32))
    again = match.serve()
    assert list(secrets.iterdir()) == [needed]
    match.release()
    again.says(": completed")
    assert again.stopped(signal.SIGTERM).status == 0
    assert match.record().kinds.count("restarted") == 1


def test_a_referee_that_fails_on_leaving_says_so(playing: Callable[..., Playing]) -> None:
    match = playing(*FOREVER)
    match.serving.process.send_signal(signal.SIGTERM)
    match.serving.says("leaving when the running matches")
    records = match.workspace.folder / "fairdeal-serve" / "records"
    records.rename(match.workspace.folder / "away")
    match.release()
    done = match.serving.done()
    assert done.status == 1
    assert re.fullmatch(r"fairdeal: \S+ cannot be written \(.+\); fix that and start again\n", done.err)
    (match.workspace.folder / "away").rename(records)
    again = match.serve()
    again.says(": completed")
    assert again.stopped(signal.SIGTERM).status == 0
    assert match.record().kinds.count("restarted") == 0
