"""For each check there is a bot that fails it and nothing else."""

from collections.abc import Awaitable, Callable

import pytest

from tournaments.check.catalogue import CHECKS
from tournaments.check.results import Report, Status

Check = Callable[..., Awaitable[Report]]
Bad = Callable[..., tuple[str, ...]]

TWO, PIQUET, HEARTS = "two_handed_spades", "piquet", "hearts"

# the vice, the game, the check that it fails
VICES = [
    ("mute", PIQUET, 1),
    ("hello_twice", PIQUET, 2),
    ("declines", PIQUET, 3),
    ("no_acknowledgements", PIQUET, 4),
    ("moon", HEARTS, 5),
    ("blind", "spades", 6),
    ("alone", "euchre", 7),
    ("leftovers", PIQUET, 8),
    ("draft", TWO, 9),
    ("omits_empty", PIQUET, 10),
    ("mixes_tables", PIQUET, 11),
    ("short_memory", TWO, 12),
    ("slow", PIQUET, 13),
    ("strict", PIQUET, 14),
    ("sulks_when_stale", PIQUET, 15),
    ("dies_when_refused", PIQUET, 16),
    ("forgets_attempts", PIQUET, 17),
    ("never_returns", PIQUET, 18),
    ("fights", PIQUET, 19),
    ("stays", PIQUET, 20),
    ("leaves_child", PIQUET, 21),
    ("fat", PIQUET, 22),
    ("phantom", PIQUET, 23),
]
# others that are wrong in the same check, which is all that is run
VARIANTS = [
    ("dies", PIQUET, 1),
    ("garbage", PIQUET, 1),
    ("no_hello", PIQUET, 2),
    ("silent", PIQUET, 2),
    ("wrong_entry", PIQUET, 2),
    ("wrong_version", PIQUET, 2),
    ("wrong_game", PIQUET, 2),
    ("no_token", PIQUET, 2),
    ("never_ready", PIQUET, 3),
    ("counts_too_many", PIQUET, 4),
    ("deaf_to_heartbeats", PIQUET, 4),
    ("malformed", TWO, 9),
    ("chooses_twice", HEARTS, 10),
    ("strict_enums", PIQUET, 14),
    ("strict_reasons", PIQUET, 14),
    ("strict_fields", PIQUET, 14),
    ("dies_when_still_open", PIQUET, 16),
    ("answers_once", PIQUET, 18),
    ("deserts", PIQUET, 20),
    ("lingers", PIQUET, 21),
    ("ignores_sigterm", PIQUET, 21),
]


def failed(report: Report) -> set[int]:
    return {result.check.number for result in report.of(Status.FAILED)}


def test_there_is_a_bad_bot_for_every_check() -> None:
    assert [number for _vice, _game, number in VICES] == [check.number for check in CHECKS]


@pytest.mark.asyncio
@pytest.mark.parametrize(("vice", "game", "number"), VICES, ids=[vice for vice, _game, _number in VICES])
async def test_a_vice_fails_its_check_alone(
    check_bot: Check, bad: Bad, is_written: Callable[[str], bool], vice: str, game: str, number: int
) -> None:
    report = await check_bot(bad(vice, game))
    assert failed(report) == {number}
    games = {result.check.number for result in report.results if result.check.game not in ("", game)}
    not_run = {result.check.number for result in report.of(Status.NOT_RUN)}
    choices = set() if game in (PIQUET, HEARTS, "euchre") else {10}
    assert not_run == (set(range(2, len(CHECKS) + 1)) if number == 1 else games | choices)
    failures = [failure for result in report.of(Status.FAILED) for failure in result.failures]
    assert [failure.place for failure in failures if not is_written(failure.place)] == []
    assert [failure.what for failure in failures if not (failure.came and failure.expected)] == []


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("vice", "game", "number"), VARIANTS, ids=[vice for vice, _game, _number in VARIANTS]
)
async def test_another_way_to_fail_a_check(
    check_bot: Check, bad: Bad, is_written: Callable[[str], bool], vice: str, game: str, number: int
) -> None:
    report = await check_bot(bad(vice, game), only=[number])
    assert failed(report) == {number}
    failures = report.results[number - 1].failures
    assert [failure.place for failure in failures if not is_written(failure.place)] == []


@pytest.mark.asyncio
async def test_a_good_bot_of_frames_passes_all(check_bot: Check, bad: Bad) -> None:
    report = await check_bot(bad("good", "piquet", "euchre"))
    assert failed(report) == set()
    assert {result.check.game for result in report.of(Status.NOT_RUN)} == {"hearts", "spades", TWO}
