"""A bot that somebody else starts: check-bot prints where to connect, and waits for it."""

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable

import pytest

from tournaments.check.catalogue import ACKNOWLEDGES, CHECKS, DRAINS, DROP, EXITS, FRAMES, REPLACED, TIME
from tournaments.check.harness import ENTRY, Harness
from tournaments.check.results import CheckReport, CheckStatus

Check = Callable[..., Awaitable[CheckReport]]
Bad = Callable[..., tuple[str, ...]]


class Author:
    """Starts a bot whenever it is asked for; ``token`` is shown in place of the right one.

    An ``eager`` one starts it again by itself when it has ended.
    """

    def __init__(self, command: tuple[str, ...], token: str | None = None, *, eager: bool = False) -> None:
        self.asked = 0
        self._command = command
        self._token = token
        self._eager = eager
        self._starting: set[asyncio.Task[None]] = set()

    def wanted(self, harness: Harness) -> None:
        self.asked += 1
        self._starting.add(asyncio.create_task(self._start(harness)))

    async def _start(self, harness: Harness) -> None:
        await self._run(harness)
        while self._eager:
            await self._run(harness)

    async def _run(self, harness: Harness) -> None:
        variables = {
            "FAIRDEAL_ADDRESS": harness.address,
            "FAIRDEAL_ENTRY": ENTRY,
            "FAIRDEAL_INSTANCE": "1",
            "FAIRDEAL_TOKEN": self._token or harness.token,
        }
        process = await asyncio.create_subprocess_exec(*self._command, env={**os.environ, **variables})
        try:
            await process.wait()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()

    async def go(self) -> None:
        for task in self._starting:
            task.cancel()
        await asyncio.gather(*self._starting, return_exceptions=True)


HOUSE = (sys.executable, "-m", "fairdeal.bots", "random", "--game", "piquet")


@pytest.mark.asyncio
async def test_a_remote_bot_passes_all_that_can_be_seen(check_bot: Check) -> None:
    author = Author(HOUSE)
    try:
        report = await check_bot((), on_wanted=author.wanted)
    finally:
        await author.go()
    assert report.of(CheckStatus.FAILED) == []
    not_run = {result.check.number for result in report.of(CheckStatus.NOT_RUN)}
    others = {check.number for check in CHECKS if check.game not in ("", "piquet")}
    assert not_run == {EXITS} | others
    assert author.asked == 2  # after it was replaced, it was asked for again
    assert report.command == ()


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("command", "only", "not_run"),
    [
        (HOUSE, [REPLACED, DRAINS, FRAMES], {DRAINS, FRAMES}),
        ((*HOUSE, "--matches", "1"), [ACKNOWLEDGES, TIME], {ACKNOWLEDGES, TIME}),
    ],
    ids=["replaced", "as its hello says"],
)
async def test_a_bot_that_left_as_it_had_to_and_does_not_come_again_fails_nothing(
    check_bot: Check,
    monkeypatch: pytest.MonkeyPatch,
    command: tuple[str, ...],
    only: list[int],
    not_run: set[int],
) -> None:
    author = Author(command)

    def wanted(harness: Harness) -> None:
        if harness.monitor.connection is None:
            author.wanted(harness)
        else:
            monkeypatch.setattr("tournaments.check.harness.DIAL", 0.1)

    try:
        report = await check_bot((), on_wanted=wanted, only=only)
    finally:
        await author.go()
    assert report.of(CheckStatus.FAILED) == []
    reasons = {
        result.check.number: result.reason
        for result in report.of(CheckStatus.NOT_RUN)
        if result.reason != "it was not asked for"
    }
    assert reasons.keys() == not_run
    assert all(why.startswith("the bot left, as it had to, and was not started") for why in reasons.values())


@pytest.mark.asyncio
async def test_a_bot_that_is_started_again_before_it_is_asked_for_fails_nothing(
    check_bot: Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tournaments.check.disturbances.REPLACED_WATCH", 60.0)
    author = Author(HOUSE, eager=True)
    try:
        report = await check_bot((), on_wanted=author.wanted, only=[REPLACED])
    finally:
        await author.go()
    assert report.of(CheckStatus.FAILED) == []
    [replaced] = [result for result in report.results if result.check.number == REPLACED]
    assert (replaced.status, replaced.reason) == (
        CheckStatus.NOT_RUN,
        "the bot was back before check-bot asked for it, as if somebody had started it again, so this"
        " check did not show whether it dials by itself; start it only when check-bot asks for it",
    )


@pytest.mark.asyncio
async def test_a_bot_without_the_token_is_refused(check_bot: Check) -> None:
    author = Author(HOUSE, token="guessed")
    try:
        report = await check_bot((), on_wanted=author.wanted)
    finally:
        await author.go()
    (result,) = report.of(CheckStatus.FAILED)
    assert (result.check.name, result.findings[0].place) == ("greets", "play_service.proto: PlayService.Play")
    assert "does not know the token (MISSING_TOKEN)" in result.findings[0].came


@pytest.mark.asyncio
@pytest.mark.parametrize(("vice", "number"), [("fights", REPLACED), ("answers_once", DROP)])
async def test_what_a_remote_bot_does_wrong_is_seen(
    check_bot: Check, bad: Bad, monkeypatch: pytest.MonkeyPatch, vice: str, number: int
) -> None:
    monkeypatch.setattr("tournaments.check.disturbances.REPLACED_WATCH", 60.0)
    for patience in (1.5, 6.0, 24.0):  # best of these: a busy machine is slow with all
        monkeypatch.setattr("tournaments.check.harness.DIAL", 3 * patience)
        author = Author(bad(vice, "piquet"))
        try:
            report = await check_bot((), on_wanted=author.wanted, only=[number], patience=patience)
        finally:
            await author.go()
        if {result.check.number for result in report.of(CheckStatus.FAILED)} == {number}:
            break
    assert [result.check.number for result in report.of(CheckStatus.FAILED)] == [number]
