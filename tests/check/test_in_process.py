"""What a check finds, by bots in this process; `test_vices.py` asks the same of real ones."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final, cast

import pytest
import pytest_asyncio

from fairdeal.v1 import play_service_pb2 as pb
from referee.core.session import Session
from referee.match.faults import Fault, SeatTime
from referee.match.messages import Hello
from tests.check.in_process import checked
from tournaments.check import catalogue as c
from tournaments.check.connection import BotStream
from tournaments.check.handshake import connects
from tournaments.check.harness import ENTRY, Harness
from tournaments.check.monitor import Monitor
from tournaments.check.play import TIME_ROUNDS, keeps_time, plays
from tournaments.check.process import CheckedBot, Exited
from tournaments.check.results import CheckFailed, CheckResults, CheckStatus, DoesNotApply

pytestmark = pytest.mark.asyncio

GAME: Final = "piquet"
LAPS: Final = 20  # turns of the loop in which a bot does what it is to do


async def _at_once(work: Callable[..., Any], *arguments: Any) -> Any:
    return work(*arguments)


@pytest_asyncio.fixture
async def time_flies(skip: Callable[[float], None], monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    """Let time pass whenever all have done what they do: only what nobody does is waited for."""
    monkeypatch.setattr("referee.server.runtime.asyncio.to_thread", _at_once)

    async def pass_time() -> None:
        while True:
            for _ in range(LAPS):
                await asyncio.sleep(0)
            skip(0.1)

    passing = asyncio.create_task(pass_time())
    yield
    passing.cancel()


def failed(results: CheckResults) -> list[int]:
    return [number for number, result in results.by_number.items() if result.status is CheckStatus.FAILED]


@pytest.mark.parametrize(
    ("vice", "number"),
    [
        ("hello_twice", c.GREETS),
        ("declines", c.TAKES_SEATS),
        ("counts_too_many", c.ACKNOWLEDGES),
        ("fights", c.REPLACED),
        ("exits_with_five", c.EXITS),
        ("fat", c.FRAMES),
        ("phantom", c.ANSWERS),
    ],
)
async def test_a_vice_fails_its_check_alone(tmp_path: Path, vice: str, number: int) -> None:
    results = await checked(tmp_path, vice, GAME, only=(number,))
    assert failed(results) == [number]


@pytest.mark.usefixtures("time_flies")
@pytest.mark.parametrize(("vice", "number"), [("deaf_to_heartbeats", c.ACKNOWLEDGES), ("stays", c.DRAINS)])
async def test_a_bot_that_does_nothing_when_something_is_due_fails(
    tmp_path: Path, vice: str, number: int
) -> None:
    results = await checked(tmp_path, vice, GAME, only=(number,), patience=2.0)
    assert failed(results) == [number]


@pytest.mark.parametrize(("code", "hint"), [(0, " (does it call fairdeal.main(...)?)"), (1, "")])
async def test_a_bot_that_ends_well_without_a_stream_is_asked_for_its_main(
    tmp_path: Path, code: int, hint: str
) -> None:
    harness = Harness(1.0, CheckResults(), tmp_path)
    exited = Exited(f"exited with status {code}", code, (), ())
    harness.bot = cast(
        CheckedBot, SimpleNamespace(is_ours=True, exited=exited, start=lambda: asyncio.sleep(0))
    )
    with pytest.raises(CheckFailed) as failed:
        await connects(harness)
    await harness.referee.close()
    assert failed.value.finding.came == f"its process exited with status {code} and printed nothing{hint}"


async def test_who_leaves_other_processes_behind_fails(tmp_path: Path) -> None:
    results = await checked(tmp_path, "good", GAME, only=(c.EXITS,), left=("7 sleep 1000",))
    assert failed(results) == [c.EXITS]
    assert results.by_number[c.EXITS].findings[0].came == "7 sleep 1000"


async def test_a_good_bot_fails_nothing_and_what_is_not_asked_for_is_not_run(tmp_path: Path) -> None:
    results = await checked(tmp_path, "good", GAME, only=(c.ACKNOWLEDGES, c.ATTEMPT, c.REPLACED))
    passed = [number for number, result in results.by_number.items() if result.status is CheckStatus.PASSED]
    assert passed == [c.CONNECTS, c.GREETS, c.TAKES_SEATS, c.ACKNOWLEDGES, c.ATTEMPT, c.REPLACED]
    assert failed(results) == []


async def test_games_that_are_not_checked_share_one_reason(tmp_path: Path) -> None:
    harness = Harness(1.0, CheckResults(), tmp_path)
    harness.games = (GAME, "hearts")
    reasons = set()
    for game in c.GAME_CHECKS.keys() - set(harness.games):
        with pytest.raises(DoesNotApply) as why:
            await plays(harness, game)
        reasons.add(str(why.value))
    await harness.referee.close()
    assert reasons == {f"it is checked in {GAME}, hearts only"}


async def test_a_failure_of_a_check_that_was_not_requested_is_a_remark(tmp_path: Path) -> None:
    results = await checked(tmp_path, "phantom", GAME, only=(c.ATTEMPT,))
    assert failed(results) == []
    (note,) = results.by_number[c.ANSWERS].notes
    assert note.startswith("seen in another check: an answer names a decision that the bot was never asked")


async def test_an_answer_to_an_attempt_that_is_void_fails_nothing() -> None:
    monitor = Monitor("bot", "1", CheckResults())
    connection = BotStream(Session(), monitor)
    for attempt in (1, 2):
        seated = pb.Seated(match_id="m", attempt=attempt, game=GAME)
        monitor.told(connection, pb.PlayResponse(updates=[pb.Update(seated=seated)]))
        if attempt == 1:
            decision = pb.Decision(match_id="m", decision_id=1)
            decision.view.piquet.SetInParent()
            monitor.told(connection, pb.PlayResponse(updates=[pb.Update(decision=decision)]))
    answer = pb.Answer(match_id="m", decision_id=1, index=0)
    monitor.heard(connection, pb.PlayRequest(answers=[answer]), 10)
    assert failed(monitor.results) == []
    monitor.heard(connection, pb.PlayRequest(answers=[pb.Answer(match_id="m", decision_id=2)]), 10)
    assert failed(monitor.results) == [c.ANSWERS]


async def test_the_referee_hears_nothing_of_frames_of_our_own() -> None:
    monitor = Monitor("bot", "1", CheckResults())
    stream = BotStream(Session(), monitor)
    stream.session.open(Hello(versions=(1,), entry="bot", resume={}), 1, "test")
    stream.session.release(0)
    assert stream.next_frame()  # the welcome
    stream.inject(pb.Update(notice=pb.Notice(kind=pb.NOTICE_KIND_HEARTBEAT)))
    assert stream.next_frame()
    heard = [
        pb.PlayRequest.FromString(frame).frames_received
        for received in (1, 2)
        for frame in stream.hear(pb.PlayRequest(frames_received=received).SerializeToString())
    ]
    assert heard == [1, 1]
    assert stream.acknowledged == 2


@pytest.mark.parametrize("matches", range(1 + TIME_ROUNDS))
async def test_who_is_late_in_each_of_some_matches_is_late(matches: int) -> None:
    monitor = Monitor("bot", "1", CheckResults())
    are_expected: list[bool] = []

    async def play(*_wanted: object, **_budget: object) -> Any:
        assert monitor._expected
        if len(are_expected) < matches:
            are_expected.append(monitor._expected(cast(Any, None), Fault.LATE))
        outcome = SimpleNamespace(times=[SeatTime(0, 0, 0)])
        return SimpleNamespace(outcome=outcome, setup=SimpleNamespace(entries=[ENTRY]))

    harness: Any = SimpleNamespace(
        clock=lambda *_seconds: None, results=monitor.results, monitor=monitor, game=GAME, play=play
    )
    await keeps_time(cast(Harness, harness))
    assert are_expected == [True] * min(matches, TIME_ROUNDS - 1) + [False] * (matches == TIME_ROUNDS)
