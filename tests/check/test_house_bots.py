"""The bots of the Python SDK pass all checks, and what is said of a bot is what it does."""

import sys
from collections.abc import Awaitable, Callable

import pytest

from tournaments.check.catalogue import CHECKS, CHOICES, GREETS, LONG
from tournaments.check.results import CheckReport, CheckStatus

Check = Callable[..., Awaitable[CheckReport]]


def house(*words: str) -> tuple[str, ...]:
    return (sys.executable, "-m", "fairdeal.bots", *words)


@pytest.mark.asyncio
@pytest.mark.parametrize("name", ["random", "greedy"])
async def test_the_house_bots_pass_all(check_bot: Check, name: str) -> None:
    report = await check_bot(house(name))
    assert {result.check.number: result.findings for result in report.results if result.findings} == {}
    assert len(report.of(CheckStatus.PASSED)) == len(CHECKS)
    assert report.agent.startswith("fairdeal-python/")
    # each kind of decision was asked, and nothing had to be chosen from nothing
    assert [note for result in report.results if result.check.game for note in result.notes] == []
    assert not [note for note in report.results[LONG - 1].notes if "before the cap" in note]
    (choices,) = report.results[CHOICES - 1].notes
    assert not choices.endswith("; 0 with nothing to choose from")


@pytest.mark.asyncio
async def test_a_bot_that_leaves_after_each_match_is_started_again(check_bot: Check) -> None:
    report = await check_bot(house("random", "--game", "piquet", "--matches", "1"), only=[4, 8])
    assert report.passed
    assert [note for note in report.results[GREETS - 1].notes if "1 matches" in note]
    # it was told nothing that nobody may tell it, of which it would die
    notes = [note for result in report.results for note in result.notes]
    assert not [note for note in notes if "exited with" in note]


@pytest.mark.asyncio
async def test_only_the_games_asked_for_are_played(check_bot: Check) -> None:
    report = await check_bot(house("random"), games=["euchre"], only=range(4, 10))
    assert report.games == ("euchre",)
    passed = {result.check.number for result in report.of(CheckStatus.PASSED)}
    assert passed == {1, 2, 3, 4, 7}


@pytest.mark.asyncio
async def test_a_game_asked_for_that_the_bot_does_not_claim(check_bot: Check) -> None:
    report = await check_bot(house("random", "--game", "piquet"), games=["euchre"])
    assert [result.check.number for result in report.of(CheckStatus.FAILED)] == [7]
    assert "does not claim it" in report.results[7 - 1].findings[0].what
