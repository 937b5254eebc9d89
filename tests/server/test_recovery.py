"""A referee that is started again in the same folder: matches go on, finished ones are reported once."""

import asyncio
import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fairdeal.v1 import play_service_pb2 as pb
from referee.dealing.decks import MatchDeals
from referee.dealing.keys import SeededKeys, Vault
from referee.games.registry import GAMES
from referee.match.clock import PROFILES, SECOND
from referee.match.faults import Termination
from referee.match.match import Match
from referee.match.replay import apply
from referee.storage import record
from referee.storage.journal import JournalError
from referee.storage.record import read_input
from tests.server.conftest import HeldClock, Serve, Setup
from tests.workspace import PATIENCE

pytestmark = pytest.mark.asyncio


def killed(served: Any, folder: Path) -> Path:
    """Return a copy of what a referee has on disk now, as kill -9 leaves it."""
    return Path(shutil.copytree(served.folder, folder))


async def asked(served: Any) -> tuple[Any, Any]:
    """Seat two bots at a match of two-handed spades and return them, who is asked first."""
    guests = [await served.guest(entry, events=True) for entry in "ab"]
    for guest in guests:
        await guest.ready()
    for guest in guests:
        await guest.until("happened")
    first = guests[0].of("happened")[0].event.draft_started.first - 1
    guests.sort(key=lambda guest: guest.of("seated")[0].seat - 1 != first)
    await guests[0].until("decision")
    return guests[0], guests[1]


def entry_of(guest: Any) -> str:
    seated = guest.of("seated")[0]
    return str(seated.entries[seated.seat - 1])


async def play_on(guest: Any, other: Any) -> None:
    """Answer all that two bots are asked until their match is over."""

    async def answer(bot: Any) -> None:
        while not bot.of("finished"):
            closed = {closed.decision_id for closed in bot.of("closed")}
            decisions = [d for d in bot.of("decision") if d.decision_id not in closed | bot.answered]
            if decisions:
                bot.answered.add(decisions[-1].decision_id)
                answer = pb.Answer(match_id="m-1", decision_id=decisions[-1].decision_id, index=0)
                await bot.say(answers=[answer])
            assert await bot.hear()

    async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as group:
        for bot in (guest, other):
            bot.answered = set()
            group.create_task(answer(bot))


async def test_a_match_goes_on_where_it_was(serve: Serve, setup: Setup, tmp_path: Path) -> None:
    async with serve() as served:
        served.referee.play(setup())
        first, second = await asked(served)
        await first.say(answers=[pb.Answer(match_id="m-1", decision_id=1, index=0)])
        open_before = await second.until("decision")
        told = {
            guest.of("seated")[0].entries[guest.of("seated")[0].seat - 1]: guest for guest in (first, second)
        }
        folder = killed(served, tmp_path / "killed")
    async with serve(folder) as again:
        assert await again.referee.recover() == ()
        assert [match.match_id for match in again.referee.core.matches.setups] == ["m-1"]
        adopted = again.referee.play(setup())
        back = []
        for entry, guest in told.items():
            had = len(guest.of("happened"))
            resume = [pb.ResumePoint(match_id="m-1", sequence=had - 1)]
            bot = await again.guest(entry, events=True, resume=resume)
            assert await bot.until("seated") == guest.of("seated")[0]
            await bot.until("happened")
            assert bot.of("happened")[0] == guest.of("happened")[-1]
            back.append(bot)
        (open_after,) = [d for bot in back for d in bot.of("decision")] or [await back[1].until("decision")]
        assert open_after == open_before
        await play_on(*back)
        report = await adopted
    assert report.outcome.termination is Termination.COMPLETED
    assert [faults.sessions_lost for faults in report.outcome.faults] == [0, 0]
    kinds = [line["kind"] for line in record.read(report.path).lines if line["type"] == "input"]
    assert kinds.count("restarted") == 1 and kinds.count("start") == 1


async def test_the_record_of_a_match_that_went_on_replays(serve: Serve, setup: Setup, tmp_path: Path) -> None:
    folder = tmp_path / "0"
    async with serve(folder) as served:
        served.referee.play(setup())
        await asked(served)
        folder = killed(served, tmp_path / "1")
    async with serve(folder) as served:
        await served.referee.recover()
        folder = killed(served, tmp_path / "2")  # and nobody came
    async with serve(folder) as served:
        await served.referee.recover()
        playing = served.referee.play(setup())
        bots = [await served.guest(entry) for entry in "ab"]
        await play_on(*bots)
        report = await playing
    lines = record.read(report.path).lines
    rules = GAMES["two_handed_spades"]
    match = Match(setup(), rules, MatchDeals(setup(), rules, SeededKeys("spring")))
    for line in lines:
        if line["type"] == "input":
            apply(match, read_input(line))
    assert match.outcome == report.outcome
    assert [line["kind"] for line in lines if line["type"] == "input"].count("restarted") == 2


async def test_a_match_that_was_over_is_reported_until_it_is_settled(
    serve: Serve, setup: Setup, tmp_path: Path
) -> None:
    async with serve() as served:
        playing = served.referee.play(setup())
        bots = await asked(served)
        await play_on(*bots)
        report = await playing
        folder = killed(served, tmp_path / "1")
        served.referee.settle(report)
        settled = killed(served, tmp_path / "2")
    written = report.path.relative_to(served.folder)
    (folder / written).unlink()  # it may have been killed before that was written
    for _restart in range(2):
        async with serve(folder) as again:
            (reported,) = await again.referee.recover()
            assert reported == replace(report, path=reported.path)
            assert reported.path.read_bytes() == report.path.read_bytes()
            assert len(again.referee.core.matches) == 0
    async with serve(folder) as again:
        for left in await again.referee.recover():
            again.referee.settle(left)
    for place in (folder, settled):
        async with serve(place) as again:
            assert await again.referee.recover() == ()


async def test_a_key_that_is_not_the_one_of_before_makes_a_match_void(
    serve: Serve, setup: Setup, tmp_path: Path
) -> None:
    async with serve() as served:
        served.referee.play(setup())
        await asked(served)
        folder = killed(served, tmp_path / "1")
    (tmp_path / "keys").mkdir()
    async with serve(folder, keys=Vault(tmp_path / "keys" / "secrets")) as again:
        (report,) = await again.referee.recover()
        assert report.outcome.termination is Termination.VOID


async def test_rules_that_have_changed_make_a_match_void(
    serve: Serve, setup: Setup, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serve() as served:
        served.referee.play(setup())
        await asked(served)
        folder = killed(served, tmp_path / "1")
    monkeypatch.setattr(type(GAMES["two_handed_spades"]), "rules_version", 99)
    async with serve(folder) as again:
        (report,) = await again.referee.recover()
    assert report.outcome.termination is Termination.VOID
    kinds = [line["kind"] for line in record.read(report.path).lines if line["type"] == "input"]
    assert kinds[-1] == "void" and "ready" in kinds


async def test_another_match_is_not_taken_for_the_one_that_goes_on(
    serve: Serve, setup: Setup, tmp_path: Path
) -> None:
    async with serve() as served:
        served.referee.play(setup())
        await served.guest("a")  # by now it stands in the journal
        folder = killed(served, tmp_path / "1")
    async with serve(folder) as again:
        await again.referee.recover()
        with pytest.raises(ValueError, match="m-1 is being played already"):
            again.referee.play(setup(deals=2))


def without_options(line: dict[str, Any]) -> None:
    del line["options"]


def of_no_game(line: dict[str, Any]) -> None:
    line["game"] = "poker"


def of_no_kind(line: dict[str, Any]) -> None:
    line["kind"] = "guess"


@pytest.mark.parametrize(
    ("number", "damage", "what"),
    [
        (1, without_options, "the header is damaged"),
        (1, of_no_game, "'poker': no such game"),
        (2, of_no_kind, "there is no input 'guess'"),
    ],
)
async def test_what_is_no_match_is_named_with_the_remedy(
    serve: Serve, setup: Setup, tmp_path: Path, number: int, damage: Any, what: str
) -> None:
    async with serve() as served:
        served.referee.play(setup())
        await served.guest("a")  # by now it stands in the journal
        folder = killed(served, tmp_path / "1")
    (path,) = (folder / "journal").iterdir()
    lines = path.read_bytes().splitlines()
    line = json.loads(lines[number])
    damage(line)
    lines[number] = json.dumps(line).encode()
    path.write_bytes(b"\n".join(lines) + b"\n")
    async with serve(folder) as again:
        with pytest.raises(JournalError) as caught:
            await again.referee.recover()
    text = str(caught.value)
    assert text.startswith(f"{folder / 'journal'}: match m-1 cannot go on: ") and what in text
    assert "remove the folder to play again" in text


async def test_a_bot_that_does_not_come_back_is_waited_for_and_then_late(
    serve: Serve, setup: Setup, held_clock: HeldClock, tmp_path: Path
) -> None:
    clock = replace(PROFILES["standard"], move=SECOND // 5, bank=0, lag=0)
    async with serve(now=held_clock) as served:
        served.referee.play(setup(clock=clock))
        first, _second = await asked(served)
        entry = entry_of(first)
        folder = killed(served, tmp_path / "1")
    async with serve(folder, now=held_clock, rejoin_grace=SECOND // 4) as again:
        await again.referee.recover()
        playing = again.referee.play(setup(clock=clock))
        other = await again.guest("b" if entry == "a" else "a", events=True)
        held_clock.let_go()
        await other.until("decision")  # which comes when the first one's time has run out
        again.referee.abandon(("a", ""))
        report = await playing
    lines = [line for line in record.read(report.path).lines if line["type"] == "input"]
    restarted = next(line["at"] for line in lines if line["kind"] == "restarted")
    tick = next(line["at"] for line in lines if line["kind"] == "tick")
    assert tick - restarted > SECOND // 4


async def test_how_long_the_clocks_wait_can_be_said_match_by_match(serve: Serve, setup: Setup) -> None:
    async with serve() as served:
        for number in (1, 2):
            served.referee.play(setup(match_id=f"m-{number}"))
    async with serve(served.folder, rejoin_grace=9 * SECOND) as again:
        await again.referee.recover()
        again.referee.wait_for_bots("m-1", 7 * SECOND)
    lines = [json.loads(line) for line in again.journal.splitlines()]
    graces = [(line["key"][0], line["grace"]) for line in lines if line.get("kind") == "restarted"]
    assert graces == [("m-1", 9 * SECOND), ("m-2", 9 * SECOND), ("m-1", 7 * SECOND)]
