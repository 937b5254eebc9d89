"""Runs the checks, one after another."""

import time
from collections.abc import Awaitable, Callable, Collection, Mapping
from functools import partial
from typing import Final

from referee.games.registry import GAMES
from tournaments.check import catalogue as c
from tournaments.check import disturbances, handshake, play, shutdown
from tournaments.check.harness import Harness
from tournaments.check.results import CheckFailed, CheckResult, CheckStatus, DoesNotApply, Finding, Gone

Run = Callable[[Harness], Awaitable[None]]

_OPENING: Final = (c.CONNECTS, c.GREETS, c.TAKES_SEATS)

_RUNS: Final[Mapping[int, Run]] = {
    c.CONNECTS: handshake.connects,
    c.GREETS: handshake.greets,
    c.TAKES_SEATS: handshake.takes_seats,
    c.ACKNOWLEDGES: handshake.acknowledges,
    **{number: partial(play.plays, game=name) for name, number in c.GAME_CHECKS.items()},
    c.CHOICES: play.chooses,
    c.TABLES: play.many_tables,
    c.LONG: play.long_matches,
    c.TIME: play.keeps_time,
    c.UNKNOWN: disturbances.unknown,
    c.STALE: disturbances.stale,
    c.REFUSED: disturbances.refused,
    c.ATTEMPT: disturbances.another_attempt,
    c.DROP: disturbances.drop,
    c.REPLACED: disturbances.replaced,
    c.DRAINS: shutdown.drains,
    c.EXITS: shutdown.exits,
}
"""The function of each check; checks without one watch everything that the bot says in the others."""


async def run(
    harness: Harness,
    *,
    games: Collection[str] = (),
    only: Collection[int] = (),
    on_result: Callable[[CheckResult], None] = lambda result: None,
) -> None:
    """Run the checks; the results are in the harness's `CheckResults`.

    ``games`` are those that the bot is to be checked in, by default all that it claims. Of the checks those
    in ``only`` are run, by default all, and always the first three: without them there is nothing to see.
    What is seen to be wrong meanwhile that belongs to another one is a remark there, unless nothing could be
    made of those that were asked for, or not of one for that very reason. ``on_result`` is called with the
    result of each check that is come to, and at the end again with those in which something failed later.

    Raises:
        CannotStart: the bot's command cannot be executed.
        HostFailed: this machine cannot start it now.
        RefereeFailed: the referee cannot go on.
    """
    results = harness.results.by_number
    asked = {*only, *_OPENING} if only else set(results)
    told: dict[int, CheckStatus] = {}
    blocked = ""
    try:
        for number, result in results.items():
            if number not in asked:
                result.reason = "it was not asked for"
                continue
            if blocked:
                result.reason = blocked
                continue
            if number in _RUNS:
                blocked = await _run(harness, result)
                if number == c.GREETS and not blocked:
                    harness.games = _games(harness, games)
                    blocked = "" if harness.games else "the bot claims none of the games"
            else:
                result.was_run = True
            told[number] = result.status
            on_result(result)
    finally:
        await harness.close()
    for number in results.keys() - asked if not blocked else ():
        harness.results.excuse(number)
    for number, result in results.items():
        if result.status is CheckStatus.FAILED and told.get(number) is not CheckStatus.FAILED:
            on_result(result)  # its failures were not seen, or not asked for, before


async def _run(harness: Harness, result: CheckResult) -> str:
    """Run one check and return why no others can be run, if so."""
    number, results = result.check.number, harness.results
    harness.monitor.begin(number)
    began = time.monotonic()
    try:
        if number > c.GREETS and not (number == c.EXITS and (harness.is_drained or not harness.bot.is_ours)):
            await harness.present()
        result.was_run = True
        await _RUNS[number](harness)
    except DoesNotApply as why:
        result.was_run, result.reason = False, str(why)
    except Gone as gone:
        result.was_run = False
        if harness.is_dismissed:
            result.reason = f"the bot left, as it had to, and was not started again ({gone.finding.came})"
            return result.reason
        if not any(each.status is CheckStatus.FAILED for each in results.by_number.values()):
            results.fail(c.CONNECTS, gone.finding)
        result.reason = f"the bot is gone: {gone.finding.came}"
        return result.reason
    except CheckFailed as failed:
        if failed.game:
            harness.monitor.went(failed.game, failed.finding)
        else:
            results.fail(number, failed.finding)
    finally:
        result.seconds = time.monotonic() - began
        harness.cancel_all()
    _look_at_what_was_seen(harness, result)
    return _blocks(harness, result)


def _look_at_what_was_seen(harness: Harness, result: CheckResult) -> None:
    """Record what a check did not see because of a failure in another one."""
    number, monitor = result.check.number, harness.monitor
    spoilt = monitor.spoilt
    is_about_play = number > c.ACKNOWLEDGES
    has_chosen = number == c.CHOICES and any(e.is_choice and e.answer for e in monitor.asked.values())
    if not is_about_play or result.findings:
        return
    if monitor.is_spoilt and not has_chosen:
        harness.results.hinder(number, next(iter(spoilt.values())))
        return
    for game, by in spoilt.items():
        harness.results.note(
            number, f"not everything was seen in {game}, since the bot already fails check {by}"
        )


def _blocks(harness: Harness, result: CheckResult) -> str:
    """Return why nothing else can be checked after one of the first checks, or None."""
    number, monitor = result.check.number, harness.monitor
    name = f"check {number} ({result.check.name}) failed"
    if number in (c.CONNECTS, c.GREETS) and not (
        monitor.streams if number == c.CONNECTS else harness.is_here
    ):
        return name
    if number == c.TAKES_SEATS:
        if not monitor.ready:
            return name
        if not monitor.kinds:
            return "the bot answers no decision"
    return ""


def _games(harness: Harness, wanted: Collection[str]) -> tuple[str, ...]:
    """Return the games to check the bot in, and record wanted games that it does not claim."""
    hello = harness.connection.hello
    claimed = list(hello.games) if hello and hello.games else list(GAMES)
    for name in wanted:
        if name not in claimed:
            finding = Finding(
                what=f"the bot is checked in {name} but does not claim it",
                place=f"{c.PLAY}: Hello.games",
                came=f"games = {claimed}",
                expected=f"{name} among the games, or none for all of them",
            )
            harness.results.fail(c.GAME_CHECKS[name], finding)
    return tuple(name for name in GAMES if name in claimed and (not wanted or name in wanted))
