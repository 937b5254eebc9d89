"""Runs the checks, one after another."""

import time
from collections.abc import Awaitable, Callable, Collection, Mapping
from functools import partial
from typing import Final

from referee.games.registry import GAMES
from tournaments.check import catalogue as c
from tournaments.check import ending, opening, trials, trouble
from tournaments.check.results import DoesNotApply, Failure, Gone, Result, SceneFailed, Status
from tournaments.check.stage import Stage

Scene = Callable[[Stage], Awaitable[None]]

_OPENING: Final = (c.CONNECTS, c.GREETS, c.TAKES_SEATS)

_SCENES: Final[Mapping[int, Scene]] = {
    c.CONNECTS: opening.connects,
    c.GREETS: opening.greets,
    c.TAKES_SEATS: opening.takes_seats,
    c.ACKNOWLEDGES: opening.acknowledges,
    **{number: partial(trials.plays, game=name) for name, number in c.GAME_CHECKS.items()},
    c.CHOICES: trials.chooses,
    c.TABLES: trials.many_tables,
    c.LONG: trials.long_matches,
    c.TIME: trials.keeps_time,
    c.UNKNOWN: trouble.unknown,
    c.STALE: trouble.stale,
    c.REFUSED: trouble.refused,
    c.ATTEMPT: trouble.another_attempt,
    c.DROP: trouble.drop,
    c.REPLACED: trouble.replaced,
    c.DRAINS: ending.drains,
    c.EXITS: ending.exits,
}
"""What is done in each check; those that are not here look at all that the bot says in the others."""


async def run(
    stage: Stage,
    *,
    games: Collection[str] = (),
    only: Collection[int] = (),
    on_result: Callable[[Result], None] = lambda result: None,
) -> None:
    """Run the checks; the results stand in the stage's ledger.

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
    results = stage.ledger.results
    asked = {*only, *_OPENING} if only else set(results)
    told: dict[int, Status] = {}
    blocked = ""
    try:
        for number, result in results.items():
            if number not in asked:
                result.reason = "it was not asked for"
                continue
            if blocked:
                result.reason = blocked
                continue
            if number in _SCENES:
                blocked = await _run(stage, result)
                if number == c.GREETS and not blocked:
                    stage.games = _games(stage, games)
                    blocked = "" if stage.games else "the bot claims none of the games"
            else:
                result.was_run = True
            told[number] = result.status
            on_result(result)
    finally:
        await stage.close()
    for number in results.keys() - asked if not blocked else ():
        stage.ledger.excuse(number)
    for number, result in results.items():
        if result.status is Status.FAILED and told.get(number) is not Status.FAILED:
            on_result(result)  # what is wrong there was not seen, or not asked for, before


async def _run(stage: Stage, result: Result) -> str:
    """Run one check and return why there is no point in running others, if there is none."""
    number, ledger = result.check.number, stage.ledger
    stage.watch.begin(number)
    began = time.monotonic()
    try:
        if number > c.GREETS and not (number == c.EXITS and (stage.is_drained or not stage.bot.is_ours)):
            await stage.present()
        result.was_run = True
        await _SCENES[number](stage)
    except DoesNotApply as why:
        result.was_run, result.reason = False, str(why)
    except Gone as gone:
        result.was_run = False
        if stage.is_dismissed:
            result.reason = f"the bot left, as it had to, and was not started again ({gone.failure.came})"
            return result.reason
        if not any(each.status is Status.FAILED for each in ledger.results.values()):
            ledger.fail(c.CONNECTS, gone.failure)
        result.reason = f"the bot is gone: {gone.failure.came}"
        return result.reason
    except SceneFailed as failed:
        if failed.game:
            stage.watch.went(failed.game, failed.failure)
        else:
            ledger.fail(number, failed.failure)
    finally:
        result.seconds = time.monotonic() - began
        stage.cancel_all()
    _look_at_what_was_seen(stage, result)
    return _blocks(stage, result)


def _look_at_what_was_seen(stage: Stage, result: Result) -> None:
    """Say of a check that came upon what is booked in another one what it did not see."""
    number, watch = result.check.number, stage.watch
    spoilt = watch.spoilt
    is_about_play = number > c.ACKNOWLEDGES
    has_chosen = number == c.CHOICES and any(e.is_choice and e.answer for e in watch.asked.values())
    if not is_about_play or result.failures:
        return
    if watch.is_spoilt and not has_chosen:
        stage.ledger.hinder(number, next(iter(spoilt.values())))
        return
    for game, by in spoilt.items():
        stage.ledger.note(number, f"not all was seen in {game}, since the bot fails already in check {by}")


def _blocks(stage: Stage, result: Result) -> str:
    """Tell why nothing else can be checked after one of the first checks, if so."""
    number, watch = result.check.number, stage.watch
    name = f"check {number} ({result.check.name}) failed"
    if number in (c.CONNECTS, c.GREETS) and not (watch.streams if number == c.CONNECTS else stage.is_here):
        return name
    if number == c.TAKES_SEATS:
        if not watch.ready:
            return name
        if not watch.kinds:
            return "the bot answers no decision"
    return ""


def _games(stage: Stage, wanted: Collection[str]) -> tuple[str, ...]:
    """Return the games to check the bot in, and book those that it does not claim though they are wanted."""
    hello = stage.line.hello
    claimed = list(hello.games) if hello and hello.games else list(GAMES)
    for name in wanted:
        if name not in claimed:
            failure = Failure(
                what=f"the bot is to be checked in {name} and does not claim it",
                place=f"{c.PLAY}: Hello.games",
                came=f"games = {claimed}",
                expected=f"{name} among the games, or none for all of them",
            )
            stage.ledger.fail(c.GAME_CHECKS[name], failure)
    return tuple(name for name in GAMES if name in claimed and (not wanted or name in wanted))
