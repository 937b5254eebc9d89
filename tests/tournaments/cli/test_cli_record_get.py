"""`fairdeal record get`, against a referee behind a real socket."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from referee.core.access import Tokens, token_digest
from tests.server.conftest import RunningServer, match_setup, serving
from tests.server.kept_records import keep
from tests.tournaments.conftest import CompletedCommand, Fairdeal

pytestmark = pytest.mark.asyncio

ACCESS = Tokens({name: token_digest(f"tok-{name}") for name in ("a", "c", "boss")}, organisers=["boss"])


@dataclass
class Desk:
    """A referee with the record of a match that was cancelled, and the command."""

    served: RunningServer
    fairdeal: Fairdeal
    data: bytes = b""

    async def get(self, *words: object) -> CompletedCommand:
        server = ("--server", self.served.address)
        return await asyncio.to_thread(self.fairdeal, "record", "get", *words, *server)


OpenDesk = Callable[[], AbstractAsyncContextManager[Desk]]


@pytest.fixture
def open_desk(
    tmp_path: Path, fairdeal: Fairdeal, monkeypatch: pytest.MonkeyPatch
) -> Callable[[], AbstractAsyncContextManager[Desk]]:
    for name in ("FAIRDEAL_CA", "FAIRDEAL_CERT", "FAIRDEAL_KEY", "FAIRDEAL_ENTRY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("FAIRDEAL_TOKEN", "tok-a")

    @asynccontextmanager  # in the task of the test: the server waits for tasks that it did not find
    async def opened() -> AsyncIterator[Desk]:
        async with serving(tmp_path / "server", access=ACCESS) as served:
            over = served.referee.play(match_setup())
            served.referee.cancel("m-1")
            yield Desk(served, fairdeal, (await over).path.read_bytes())

    return opened


async def test_a_record_that_was_got_verifies(open_desk: OpenDesk, tmp_path: Path) -> None:
    async with open_desk() as desk:
        done = await desk.get("m-1", "--entry", "a")
        assert (done.status, done.out) == (0, "m-1.1.jsonl.gz\n")
        assert done.err == "to check it: fairdeal record verify m-1.1.jsonl.gz\n"
        assert (tmp_path / "m-1.1.jsonl.gz").read_bytes() == desk.data
        assert (await asyncio.to_thread(desk.fairdeal, "record", "verify", "m-1.1.jsonl.gz")).status == 0


async def test_it_is_written_where_it_is_wanted(
    open_desk: OpenDesk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_desk() as desk:
        monkeypatch.setenv("FAIRDEAL_ENTRY", "a")
        (tmp_path / "mine").mkdir()
        for output, path in (("mine", "mine/m-1.1.jsonl.gz"), ("one.gz", "one.gz")):
            done = await desk.get("m-1", "-o", output)
            assert (done.status, done.out) == (0, f"{path}\n")
            assert (tmp_path / path).read_bytes() == desk.data
        done = await desk.get("m-1", "-o", "none/one.gz")
        assert done.status == 2
        assert done.err.startswith("fairdeal: none/one.gz cannot be written")


async def test_an_organiser_names_no_entry_and_may_name_an_attempt(
    open_desk: OpenDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_desk() as desk:
        monkeypatch.setenv("FAIRDEAL_TOKEN", "tok-boss")
        keep(desk.served.referee.records, match_setup(match_id="m-2"))
        assert (await desk.get("m-2")).out == "m-2.1.jsonl.gz\n"
        assert (await desk.get("m-2", "--attempt", 1)).out == "m-2.1.jsonl.gz\n"
        assert (await desk.get("m-2", "--attempt", 2)).status == 1


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (
            ["m-9", "--entry", "a"],
            "there is no record of such a match in which this entry sat (MATCH_NOT_FOUND)",
        ),
        (["m-1", "--entry", "b"], "the token is not this entry's"),
        (
            ["m-2", "--entry", "a"],
            "this match is being played: its record is sent when it is over (WRONG_STATE)",
        ),
    ],
)
async def test_what_is_refused_leaves_no_file(
    open_desk: OpenDesk, tmp_path: Path, words: list[str], why: str
) -> None:
    async with open_desk() as desk:
        desk.served.referee.play(match_setup(match_id="m-2"))
        done = await desk.get(*words)
        assert (done.status, done.out) == (1, "")
        assert why in done.err
        assert not await asyncio.to_thread(lambda: list(tmp_path.glob("*.gz")))
