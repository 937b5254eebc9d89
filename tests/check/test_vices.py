"""For each check there is a bot that fails it; some of them go through all checks and fail nothing else."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tournaments.check.catalogue import CHECKS
from tournaments.check.results import CheckReport, CheckStatus

Check = Callable[..., Awaitable[CheckReport]]
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
# others that are wrong in the same check
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

# those that go through all checks: wrong at the start, in an answer, when another comes, in passing
WHOLE = [vice for vice in VICES if vice[0] in {"hello_twice", "omits_empty", "fights", "phantom"}]
ALONE = [vice for vice in VICES + VARIANTS if vice not in WHOLE]

# those of which nothing is heard where something should be
SILENT = {
    "sleeps_after_one",
    *("mute", "silent", "never_ready", "no_acknowledgements", "deaf_to_heartbeats"),
    *("mixes_tables", "short_memory", "sulks_when_stale", "forgets_attempts"),
    *("never_returns", "answers_once", "stays", "leaves_child", "lingers", "ignores_sigterm"),
}


@pytest.fixture(autouse=True)
def no_bot_is_too_slow_to_fight(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tournaments.check.disturbances.REPLACED_WATCH", 60.0)


@pytest.fixture
def check_vice(check_bot: Check, check_slow_bot: Check, bad: Bad) -> Check:
    """Return a function that checks a bot with a vice, which is to fail a check alone."""

    async def run(vice: str, game: str, number: int, **given: Any) -> CheckReport:
        check = check_slow_bot if vice in SILENT else check_bot
        return await check(bad(vice, game), *([number] if vice in SILENT else []), **given)

    return run


def failed(report: CheckReport) -> set[int]:
    return {result.check.number for result in report.of(CheckStatus.FAILED)}


def test_there_is_a_bad_bot_for_every_check() -> None:
    assert [number for _vice, _game, number in VICES] == [check.number for check in CHECKS]


@pytest.mark.asyncio
@pytest.mark.parametrize(("vice", "game", "number"), ALONE, ids=[vice for vice, _game, _number in ALONE])
async def test_a_vice_fails_its_check(
    check_vice: Check, is_written: Callable[[str], bool], vice: str, game: str, number: int
) -> None:
    report = await check_vice(vice, game, number, only=[number])
    assert failed(report) == {number}
    findings = [finding for result in report.of(CheckStatus.FAILED) for finding in result.findings]
    assert [finding.place for finding in findings if not is_written(finding.place)] == []
    assert [finding.what for finding in findings if not (finding.came and finding.expected)] == []


@pytest.mark.asyncio
@pytest.mark.parametrize(("vice", "game", "number"), WHOLE, ids=[vice for vice, _game, _number in WHOLE])
async def test_a_vice_fails_no_other_check(
    check_vice: Check, is_written: Callable[[str], bool], vice: str, game: str, number: int
) -> None:
    report = await check_vice(vice, game, number)
    assert failed(report) == {number}
    assert [
        finding.place for finding in report.results[number - 1].findings if not is_written(finding.place)
    ] == []
    others = {result.check.number for result in report.results if result.check.game not in ("", game)}
    assert {result.check.number for result in report.of(CheckStatus.NOT_RUN)} == others


@pytest.mark.asyncio
async def test_a_failure_of_a_check_that_was_not_requested_is_a_remark(check_bot: Check, bad: Bad) -> None:
    report = await check_bot(bad("omits_empty", PIQUET), only=[8])
    assert failed(report) == set()
    assert {result.check.number for result in report.of(CheckStatus.PASSED)} == {1, 2, 3, 8}
    (note,) = report.results[10 - 1].notes
    assert note.startswith(
        "seen in another check: piquet, a decision of the kind 'further': the answer is no"
    )


@pytest.mark.asyncio
async def test_a_failure_that_prevents_a_check_counts_as_a_failure(check_slow_bot: Check, bad: Bad) -> None:
    report = await check_slow_bot(bad("no_answers", PIQUET), 8, only=[13])
    assert failed(report) == {8}
    assert not report.passed


OF_PLAY = set(range(11, 21))
SILENT_SEEN = {13, 15, 19, 20}


@pytest.mark.asyncio
@pytest.mark.parametrize("vice", ["sleeps_after_one", "all_illegal", "dies_at_third"])
async def test_checks_not_seen_after_a_failure_name_the_check_that_failed(
    check_vice: Check, bad: Bad, vice: str
) -> None:
    # one that is silent makes each check wait
    seen = SILENT_SEEN if vice in SILENT else OF_PLAY
    report = await check_vice(vice, PIQUET, 8, only=[8, 10, *seen])
    assert failed(report) - {10} == {8}  # choices that are not legal are recorded in 10
    results = {result.check.number: result for result in report.results}
    assert {number for number in seen if results[number].status is not CheckStatus.NOT_RUN} == set()
    why = tuple(f"the bot already fails check {number}" for number in failed(report))
    assert all(results[number].reason.startswith(why) for number in seen)
    assert not report.passed


@pytest.mark.asyncio
async def test_a_failure_that_ends_a_check_that_was_not_requested_is_reported(
    check_bot: Check, bad: Bad
) -> None:
    told: list[tuple[int, CheckStatus]] = []
    report = await check_bot(
        bad("dies_at_third", PIQUET),
        only=[13],
        on_result=lambda result: told.append((result.check.number, result.status)),
    )
    assert failed(report) == {8}
    assert told[-2:] == [(13, CheckStatus.NOT_RUN), (8, CheckStatus.FAILED)]


@pytest.mark.asyncio
async def test_a_bot_that_dies_in_one_game_is_checked_in_the_others(check_bot: Check, bad: Bad) -> None:
    report = await check_bot(bad("dies_in_hearts", HEARTS, PIQUET), only=[5, 8, 10, 12, 14, 17])
    assert failed(report) == {5}
    assert {result.check.number for result in report.of(CheckStatus.PASSED)} == {1, 2, 3, 8, 10, 12, 14, 17}
    assert (
        "not everything was seen in hearts, since the bot already fails check 5" in report.results[11].notes
    )


@pytest.mark.asyncio
async def test_a_good_bot_of_frames_passes_all(check_bot: Check, bad: Bad) -> None:
    report = await check_bot(bad("good", "piquet", "euchre"))
    assert failed(report) == set()
    assert {result.check.game for result in report.of(CheckStatus.NOT_RUN)} == {"hearts", "spades", TWO}
