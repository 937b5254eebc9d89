"""What is asked for over the wire beside `fairdeal tournament run`, and the run beside a server."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import pytest

from tests.e2e.dialling import Event
from tests.e2e.places import listening
from tests.workspace import Workspace

CUP: Final = 'game = "two_handed_spades"\nmatch = { deals = 1 }\nclock = "debug"\nrounds = 3\n'
MATCHES: Final = 9
AWAY: Final = 'remote = { wait = 100000 }\n[[entries]]\nname = "away"\nremote = true\n'


@contextmanager
def in_play(
    workspace: Any, good: str, bot: Callable[..., str], eventually: Callable[..., Any]
) -> Iterator[tuple[Event, Any, Callable[..., Any]]]:
    """Run a tournament into the midst of a match, which goes on after the context.

    Yields it, its process, and a function that calls it as its organiser.
    """
    event = Event(workspace, f"concurrency = 1\n{CUP}{good}" + bot("held", "held.py"))
    words = ("token", "add", "carol", "--role", "organiser", "--folder", "cup.fairdeal")
    token = workspace.ask(*words).out.split()[0]

    def call(verb: str) -> Any:
        name = ("tournament", verb, "cup", "--server", event.address)
        return workspace.ask(*name, FAIRDEAL_TOKEN=token)

    hold = workspace.folder / "hold"
    hold.write_text("0")
    running = event.start()
    eventually((workspace.folder / "held").exists, "a match in its midst")
    yield event, running, call
    hold.unlink()


def test_a_run_that_is_paused_ends_and_goes_on(
    workspace: Workspace, good: str, bot: Callable[..., str], eventually: Callable[..., Any]
) -> None:
    with in_play(workspace, good, bot, eventually) as (event, running, call):
        paused = call("pause")
        assert (paused.status, "paused; " in paused.out) == (0, True), paused.err
        assert workspace.ask("tournament", "status", event.file, "--json").json["state"] == "paused"
    done = running.done()
    assert (done.status, done.out) == (1, "")
    assert "pausing: no more matches begin; 1 that is being played ends first\n" in done.err
    assert done.err.endswith(f"\npaused; nothing is lost, go on with: fairdeal tournament run {event.file}\n")
    assert event.ways() == {(1, "COMPLETED")}
    assert len(event.played()) < MATCHES
    assert "it is paused\n" in workspace.ask("tournament", "status", event.file).out
    workspace.nobody_is_left()
    assert event.start().done().status == 0
    assert len(event.played()) == MATCHES
    assert event.ways() == {(1, "COMPLETED")}


def test_a_run_that_is_cancelled_ends_for_good(
    workspace: Workspace, good: str, bot: Callable[..., str], eventually: Callable[..., Any]
) -> None:
    with in_play(workspace, good, bot, eventually) as (event, running, call):
        cancelled = call("cancel")
        assert (cancelled.status, "cancelled; " in cancelled.out) == (0, True), cancelled.err
        done = running.done()  # the bot that holds its match holds up nobody
    assert (done.status, done.out) == (1, "")
    assert "is cancelled (attempt 1); see: fairdeal record show " in done.err
    assert "again" not in done.err
    assert done.err.endswith("\ncancelled for good: matches that are not over are not played\n")
    status = workspace.ask("tournament", "status", event.file).out
    assert "it is cancelled\n" in status
    assert "1 cancelled\n" in status
    workspace.nobody_is_left()
    again = event.start().done()
    assert (again.status, again.out) == (1, "")
    assert again.err.startswith(f"fairdeal: {event.file}: it was cancelled for good: ")
    assert again.err.count("\n") == 1


def test_a_tournament_of_a_server_is_run_by_no_other_process(workspace: Workspace, good: str) -> None:
    serving, address = listening(workspace, "--tournaments")

    def call(*words: object) -> Any:
        return workspace.ask("tournament", *words, "--server", address)

    assert call("create", workspace.file(CUP + AWAY + good, "huge.toml")).status == 0
    assert call("start", "huge").status == 0
    file = workspace.folder / "fairdeal-serve" / "tournaments" / "huge" / "huge.toml"
    other = workspace.run("tournament", "run", file)
    assert (other.status, other.out) == (1, "")
    folder = file.with_suffix(".fairdeal")
    held = f"fairdeal: {folder}: another fairdeal process is at work here (process "
    assert other.err.startswith(held)
    assert other.err.count("\n") == 1
    status = workspace.ask("tournament", "status", file)
    assert "; it is running\n" in status.out
    assert workspace.ask("tournament", "status", file, "--json").json["is_running"] is True
    assert call("status", "huge", "--json").json["state"] == "running"

    assert serving.stopped(signal.SIGTERM).status == 0
    assert "; it is begun, and not running now\n" in workspace.ask("tournament", "status", file).out


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL], ids=str)
def test_a_server_does_not_start_while_another_process_runs_its_tournament(
    workspace: Workspace, good: str, eventually: Callable[..., Any], number: signal.Signals
) -> None:
    file = workspace.file(CUP + AWAY + good, "cup.toml")
    file = file.rename(workspace.folder / "server.toml")
    serving, address = listening(workspace, "--tournaments")
    assert workspace.ask("tournament", "create", file, "--server", address).status == 0
    serving.stopped(signal.SIGTERM)
    kept = workspace.folder / "fairdeal-serve" / "tournaments" / "server" / "server.toml"
    running = workspace.start("tournament", "run", kept)
    eventually(lambda: "for remote entries" in running.err, "the run")
    done = workspace.run("serve", "--tournaments", "--listen", "127.0.0.1:0")
    assert (done.status, done.out) == (1, "")
    folder = kept.with_suffix(".fairdeal")
    assert done.err.startswith(f"fairdeal: {folder}: another fairdeal process is at work here (process ")
    assert done.err.count("\n") == 1
    running.stopped(number)
    serving, _address = listening(workspace, "--tournaments")  # which has it again
    serving.stopped(signal.SIGTERM)
