"""Append before publish, and what happens when the journal cannot be written."""

import asyncio
import errno
import gc
import json
import os
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import grpc
import pytest

import fairdeal
from fairdeal.v1 import play_service_pb2 as pb
from referee.core.core import OpenTable
from referee.core.session import Session
from referee.dealing.keys import Vault
from referee.games.registry import GAMES
from referee.match.clock import PROFILES
from referee.match.faults import FaultPolicy, Termination
from referee.server.runtime import RefereeFailed
from referee.storage import record_files
from referee.storage.journal import Journal
from tests.server.conftest import Chancer, Serve, Setup
from tests.workspace import PATIENCE

pytestmark = pytest.mark.asyncio


def open_table(game: str = "two_handed_spades") -> OpenTable:
    return OpenTable(
        game=game,
        options=GAMES[game].bind({}),
        deals=1,
        clock=PROFILES["debug"],
        faults=FaultPolicy(),
    )


def inputs(journal: bytes) -> list[Any]:
    """Return the inputs in a journal."""
    return [line for line in map(json.loads, journal.splitlines()) if line["type"] == "input"]


def no_space(*_args: Any) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


async def in_turn(*callers: Any) -> list[Any]:
    """Return the bots of a match that has begun, who is asked first, first; they must hear events."""
    for caller in callers:
        await caller.until("happened")
    first = callers[0].of("happened")[0].event.draft_started.first - 1
    return sorted(callers, key=lambda caller: caller.of("seated")[0].seat - 1 != first)


# The order


async def test_what_a_bot_is_told_stands_in_the_journal_before(
    serve: Serve, setup: Setup, chancer: type[Chancer], monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[tuple[bytes, bytes]] = []
    next_frame = Session.next_frame

    def watched(session: Session) -> bytes | None:
        if frame := next_frame(session):
            sent.append((frame, served.journal))
        return frame

    async with serve() as served:
        monkeypatch.setattr(Session, "next_frame", watched)
        match = served.referee.play(setup())
        async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as group:
            for entry in "ab":
                group.create_task(fairdeal.run_async(chancer(), served.address, entry=entry, matches=1))
            await asyncio.wait_for(match, PATIENCE)
    closed = 0
    for frame, journal in sent:
        updates = pb.PlayResponse.FromString(frame).updates
        answered = {update.closed.decision_id for update in updates if update.HasField("closed")}
        assert answered <= {given["decision_id"] for given in inputs(journal) if given["kind"] == "answer"}
        if any(update.HasField("decision") for update in updates):
            assert sum(given["kind"] == "ready" for given in inputs(journal)) == 2
        closed += len(answered)
    assert closed > 50


async def test_a_match_begins_with_its_header_in_the_journal(serve: Serve, setup: Setup) -> None:
    async with serve() as served:
        guest = await served.guest("a")
        served.referee.play(setup())
        seated = await guest.until("seated")
        header = json.loads(served.journal.splitlines()[1])  # after the snapshot
    assert (header["type"], header["match_id"], header["attempt"]) == ("header", "m-1", 1)
    assert header["commitment"]["commit"] == seated.commitment.commit.hex()


async def test_what_is_being_played_stays_in_the_journal(serve: Serve, setup: Setup) -> None:
    async with serve() as served:
        guest = await served.guest("a")
        playing = served.referee.play(setup())
        await guest.ready()
        await guest.say(bye=pb.Bye())
        await guest.end()
    assert [given["kind"] for given in inputs(served.journal)] == ["start", "back", "ready", "lost"]
    assert playing.cancelled()
    assert served.reports == []


async def test_what_comes_in_one_turn_is_written_at_once(
    serve: Serve, setup: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    flushes = []
    flush = Journal.flush

    def counted(journal: Journal) -> None:
        flushes.append(journal)
        flush(journal)

    async with serve() as served:
        guest = await served.guest("a")
        monkeypatch.setattr(Journal, "flush", counted)
        for number in range(5):
            served.referee.play(setup(match_id=f"m-{number}"))
        await guest.until("seated", 5)
        assert len(flushes) == 1


async def test_answers_are_counted(serve: Serve, setup: Setup, chancer: type[Chancer]) -> None:
    async with serve() as served:
        first, second = [await served.guest(entry, events=True) for entry in "ab"]
        match = served.referee.play(setup())
        await first.ready()
        await second.ready()
        asked, other = await in_turn(first, second)
        await asked.until("decision")
        await asked.answer()
        await other.until("decision")
        assert served.referee.answers == 1
        assert len(served.referee.core.matches) == 1
        served.referee.abandon(("a", ""))
        assert (await asyncio.wait_for(match, PATIENCE)).outcome.termination is Termination.FORFEIT
        assert len(served.referee.core.matches) == 0


# A disk that fails


async def test_a_journal_that_fails_ends_the_telling(
    serve: Serve, setup: Setup, open_caller: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serve(durable=True) as served:
        first, second = open_caller(served.address), open_caller(served.address)
        await first.hello("a", events=True)
        await second.hello("b", events=True)
        matches = [served.referee.play(setup(match_id=f"m-{number}")) for number in range(2)]
        await first.say(ready=[pb.Ready(match_id="m-0")])
        await second.say(ready=[pb.Ready(match_id="m-0")])
        asked, other = await in_turn(first, second)
        await asked.until("decision")
        told = len(asked.heard), len(other.heard)
        monkeypatch.setattr("referee.storage.journal.os.fsync", no_space)
        await asked.answer()
        async with asyncio.timeout(PATIENCE):
            failure = await served.referee.failed()
        text = "the journal cannot be written (No space left on device); free the disk and start again"
        assert str(failure) == text
        for match in matches:
            with pytest.raises(RefereeFailed, match="the journal cannot be written"):
                await asyncio.wait_for(match, PATIENCE)
        with pytest.raises(RefereeFailed, match="the journal cannot be written"):
            served.referee.play(setup(match_id="m-3"))
        monkeypatch.undo()
        await asked.say(answers=[pb.Answer(match_id="x")])  # whatever is said now, nothing is answered
        await served.list_games()
    for caller in (asked, other):
        ending = await caller.end()
        assert (ending.code, ending.reason) == (grpc.StatusCode.UNAVAILABLE, "SHUTTING_DOWN")
    assert (len(asked.heard), len(other.heard)) == told
    assert served.reports == []


async def test_without_a_journal_nobody_is_even_seated(
    serve: Serve, setup: Setup, open_caller: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serve(durable=True) as served:
        caller = open_caller(served.address)
        await caller.hello("a")
        monkeypatch.setattr("referee.storage.journal.os.fsync", no_space)
        match = served.referee.play(setup())
        with pytest.raises(RefereeFailed):
            await asyncio.wait_for(match, PATIENCE)
    await caller.end()
    assert caller.of("seated") == []


async def test_nobody_has_to_ask_what_became_of_each_match(
    serve: Serve, setup: Setup, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with serve(durable=True) as served:
        monkeypatch.setattr("referee.storage.journal.os.fsync", no_space)
        served.referee.play(setup())
        async with asyncio.timeout(PATIENCE):
            await served.referee.failed()
        gc.collect()
    assert caplog.text == ""


async def test_a_record_that_cannot_be_written_stops_the_referee(serve: Serve, setup: Setup) -> None:
    async with serve() as served:
        (served.folder / "records").rmdir()
        match = served.referee.play(setup())
        served.referee.abandon(("a", ""))
        with pytest.raises(RefereeFailed) as caught:
            await asyncio.wait_for(match, PATIENCE)
        assert await served.referee.failed() is caught.value
    path = record_files.path_of(served.folder / "records", "m-1", 1)
    text = f"{path} cannot be written (No such file or directory); fix that and start again"
    assert str(caught.value) == text
    # so that the match can be played again
    assert [given["kind"] for given in inputs(served.journal)] == ["start", "abandon"]


async def test_a_cancelled_match_is_written_down_when_that_returns(serve: Serve, setup: Setup) -> None:
    async with serve() as served:
        match = served.referee.play(setup())
        assert served.referee.cancel("m-1")
        assert [given["kind"] for given in inputs(served.journal)] == ["start", "cancel"]
        assert (await asyncio.wait_for(match, PATIENCE)).outcome.termination is Termination.CANCELLED


async def test_a_cancelled_match_that_cannot_be_written_down_is_told(
    serve: Serve, setup: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serve(durable=True) as served:
        served.referee.play(setup())
        await served.guest("a")  # the match has begun
        monkeypatch.setattr("referee.storage.journal.os.fsync", no_space)
        with pytest.raises(RefereeFailed, match="the journal cannot be written"):
            served.referee.cancel("m-1")


async def test_the_first_failure_is_the_one_that_is_told(serve: Serve, setup: Setup) -> None:
    async with serve() as served:
        (served.folder / "records").rmdir()
        matches = [served.referee.play(setup(match_id=f"m-{number}")) for number in range(3)]
        served.referee.abandon(("a", ""))
        await asyncio.wait(matches, timeout=PATIENCE)
        failure = await served.referee.failed()
    assert {match.exception() for match in matches} == {failure}
    assert await served.referee.failed() is failure


async def test_an_open_table_without_a_key_stops_the_referee(serve: Serve, tmp_path: Path) -> None:
    folder = tmp_path / "secrets"
    async with serve(keys=Vault(folder), open_tables=[open_table()]) as served:
        shutil.rmtree(folder)
        for entry in "ab":
            await served.caller().say(hello=pb.Hello(versions=[1], entry=entry))
        async with asyncio.timeout(PATIENCE):
            failure = await served.referee.failed()
    name = "two_handed_spades-0.1.secret"
    assert str(failure) == (
        f"{folder / name} cannot be read or written (No such file or directory); fix that and start again"
    )


async def test_an_open_table_with_a_broken_key_stops_the_referee(serve: Serve, tmp_path: Path) -> None:
    async with serve(keys=Vault(tmp_path / "secrets"), open_tables=[open_table()]) as served:
        (tmp_path / "secrets" / "two_handed_spades-1.1.secret").write_bytes(b"short")
        guests = [await served.guest(entry, tables=1) for entry in "ab"]
        for guest in guests:
            await guest.until("seated")
        await guests[0].say(declines=[pb.Decline(match_id="two_handed_spades-0")])  # the next one begins
        async with asyncio.timeout(PATIENCE):
            failure = await served.referee.failed()
    assert str(failure).startswith(f"{tmp_path}/secrets/two_handed_spades-1.1.secret: 5 bytes where")


async def test_a_key_is_put_on_disk_off_the_loop_before_its_match_begins(
    serve: Serve, setup: Setup, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[threading.Thread] = []
    secret = Vault.secret

    def watched(vault: Vault, epoch_id: str) -> bytes:
        threads.append(threading.current_thread())
        return secret(vault, epoch_id)

    monkeypatch.setattr(Vault, "secret", watched)
    async with serve(keys=Vault(tmp_path / "secrets")) as served:
        await served.referee.prepare(setup(match_id="m-1"))
        assert [path.name for path in (tmp_path / "secrets").iterdir()] == ["m-1.1.secret"]
    assert threading.main_thread() not in threads
    assert len(threads) == 1


async def test_a_match_without_a_key_is_not_played_and_the_others_are(
    serve: Serve, setup: Setup, tmp_path: Path
) -> None:
    folder = tmp_path / "secrets"
    async with serve(keys=Vault(folder)) as served:
        shutil.rmtree(folder)
        with pytest.raises(FileNotFoundError):
            served.referee.play(setup(match_id="m-1"))
        assert len(served.referee.core.matches) == 0
        folder.mkdir()
        match = served.referee.play(setup(match_id="m-1"))
        served.referee.abandon(("a", ""))
        report = await asyncio.wait_for(match, PATIENCE)
        # until the result is safe, a restart must deal the same cards
        assert [path.name for path in folder.iterdir()] == ["m-1.1.secret"]
        served.referee.settle(report)
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ({"entries": "aa", "match_id": "m-2"}, "match m-2: one instance of an entry cannot hold two seats"),
        ({}, "match m-1 is being played already"),
        ({"match_id": "../m-2"}, "cannot be a file name"),
    ],
)
async def test_a_match_that_cannot_be_is_refused(serve: Serve, setup: Setup, wrong: Any, text: str) -> None:
    async with serve() as served:
        served.referee.play(setup())
        with pytest.raises(ValueError, match=text):
            served.referee.play(setup(**wrong))
        assert len(served.referee.core.matches) == 1
