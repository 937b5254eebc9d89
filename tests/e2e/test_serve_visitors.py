"""The lines of `fairdeal serve` for sessions: one for each that opens or ends, none for refused ones."""

import queue
import re
import signal
from collections.abc import Iterator
from typing import Any, Final

import grpc
import pytest

from fairdeal.v1 import play_service_pb2 as pb
from fairdeal.v1 import play_service_pb2_grpc as rpc
from tests.e2e.places import listening
from tests.workspace import Workspace

GAME: Final = ("--game", "hearts")


def visits(serving: Any) -> list[str]:
    """Return the lines on who has come and gone."""
    return re.findall(r"(?m)^.* is (?:here|gone).*$", serving.out)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL], ids=str)
def test_a_session_that_ends_gets_a_line_with_and_without_a_goodbye(
    workspace: Workspace, number: signal.Signals
) -> None:
    serving, address = listening(workspace, *GAME)
    for name in ("alice", "bob"):
        bot = workspace.start("bot", "random", "--connect", address, "--entry", name)
        serving.says(f"(?m)^{name} is here$")
        bot.stopped(number)
        serving.says(f"(?m)^{name} is gone$")
    assert visits(serving) == ["alice is here", "alice is gone", "bob is here", "bob is gone"]


def test_the_line_of_the_replaced_session_comes_before_that_of_the_new_one(workspace: Workspace) -> None:
    serving, address = listening(workspace, *GAME)
    words = ("bot", "random", "--connect", address, "--entry", "alice", "--instance", "one")
    older = workspace.start(*words)
    serving.says("alice is here")
    workspace.start(*words)
    assert older.done().status == 1
    serving.says(r"(?s)is here.*is here")
    assert visits(serving) == ["alice is here", "alice is gone (replaced)", "alice is here"]


def test_a_refused_session_gets_no_line(workspace: Workspace) -> None:
    serving, address = listening(workspace, *GAME)
    assert workspace.run("bot", "random", "--connect", address, "--game", "chess").status == 1
    workspace.start("bot", "random", "--connect", address, "--entry", "alice")
    serving.says("alice is here")
    assert visits(serving) == ["alice is here"]


def test_sessions_ended_by_the_exit_get_no_line(workspace: Workspace) -> None:
    serving, address = listening(workspace, *GAME)
    sent: queue.SimpleQueue[pb.PlayRequest] = queue.SimpleQueue()  # a hello, and no goodbye
    sent.put(pb.PlayRequest(hello=pb.Hello(versions=[1], entry="stays")))

    def requests() -> Iterator[pb.PlayRequest]:
        while True:
            yield sent.get()

    with grpc.insecure_channel(address) as channel:
        call = rpc.PlayServiceStub(channel).Play(requests())
        serving.says("stays is here")
        done = serving.stopped(signal.SIGTERM)
        with pytest.raises(grpc.RpcError):
            list(call)
        sent.put(pb.PlayRequest())  # which ends the thread that waits for it
    assert (done.status, done.err) == (0, "")
    assert visits(serving) == ["stays is here"]
