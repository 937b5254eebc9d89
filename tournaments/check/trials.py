"""The checks in which a bot plays undisturbed: every decision, many tables, long matches, little time."""

import asyncio
from typing import Final

from referee.clock import SECOND
from referee.faults import Fault, SeatTime
from referee.games.registry import GAMES
from referee.server.driver import Report
from tournaments.check.asked import Asked
from tournaments.check.catalogue import CHOICES, GAME_CHECKS, LONG, TABLES, TIME
from tournaments.check.plans import CAPPED, WAVES, every_kind, long, nothing_further
from tournaments.check.results import DoesNotApply
from tournaments.check.stage import BUDGET, ENTRY, Stage, Wanted

MOST_TABLES: Final = 32
TIME_ROUNDS: Final = 3
"""So often a bot is given little time before it is called late: the machine may have been busy."""
TIME_MOVE: Final = 0.25
TIME_BANK: Final = 2.0
TIME_LAG: Final = 0.1

_CHOICE_GAMES: Final = tuple(
    name
    for name, game in GAMES.items()
    if {"choose_cards", "choose_combinations"} & set(game.answers.values())
)


async def plays(stage: Stage, game: str) -> None:
    """Have the bot asked each kind of decision of a game."""
    watch, number = stage.watch, stage.watch.scene
    if game not in stage.games:
        raise DoesNotApply(f"it is not checked in {game}")
    missing = list(GAMES[game].phases)
    limit = asyncio.get_running_loop().time() + BUDGET * stage.patience
    for wave in range(WAVES):
        left = limit - asyncio.get_running_loop().time()
        if left <= 0:
            break
        for wanted in every_kind(game, wave):  # one by one: many tables are a check of their own
            await stage.play(wanted, budget=left)
        missing = [kind for kind in missing if not watch.kinds[game, kind]]
        if not missing or any(faulty == game for faulty, _kind in watch.faulty):
            break
    if stage.ledger.results[number].failures:
        return
    asked = {each.kind for each in watch.asked.values() if each.game == game}
    if never := [kind for kind in missing if kind not in asked]:
        stage.ledger.note(number, f"as it plays it was never asked: {', '.join(never)}")
    if silent := [kind for kind in missing if kind in asked]:
        stage.ledger.note(number, f"it did not answer: {', '.join(silent)}")


async def chooses(stage: Stage) -> None:
    """See to it that the bot was asked to choose several, and none."""
    games = [game for game in stage.games if game in _CHOICE_GAMES]
    if not games:
        raise DoesNotApply("none of its games asks for a choice of several")
    asked = stage.watch.asked
    for game in games:
        if not any(each.game == game and each.is_choice for each in asked.values()):
            for wanted in every_kind(game, 0):
                await stage.play(wanted)
    for wave in range(WAVES if "piquet" in games else 0):
        if any(each.is_choice and not each.size for each in asked.values()):
            break
        await stage.play(nothing_further(wave))
    choices = [each for each in asked.values() if each.is_choice and each.answer]
    for game in games if not choices else ():
        if stage.ledger.results[GAME_CHECKS[game]].failures:
            stage.watch.spoil(game, GAME_CHECKS[game])
    empty = [each for each in choices if not each.size]
    largest = max(choices, key=lambda each: each.size, default=None)
    if largest:
        text = f"{len(choices)} choices, the largest of {largest.size} ({largest.game}, {largest.kind})"
        stage.ledger.note(CHOICES, f"{text}; {len(empty)} with nothing to choose from")


async def many_tables(stage: Stage) -> None:
    """Open as many tables as the bot plays at once."""
    await stage.room()  # a bot that is just leaving wants no table at all
    session = stage.line.session
    tables = min(session.free_tables, MOST_TABLES)
    name = stage.game
    wanted = [Wanted(match_id=f"table-{i}", game=name, seat=i % GAMES[name].seats) for i in range(tables)]
    await stage.play_all(wanted)
    stage.ledger.note(TABLES, f"{tables} at once; it takes up to {session.tables}")


async def long_matches(stage: Stage) -> None:
    """Play a match of each game on to the cap."""
    watch = stage.watch
    # where it goes away by itself, it would leave the others, too
    games = [game for game in stage.games if not watch.goes(game)]
    for game in stage.games:
        if game not in games:
            watch.spoil(game, GAME_CHECKS[game])
    reports = await stage.play_all([long(game) for game in games])
    if not reports:
        return
    answers = ", ".join(f"{_time(each).answered} in {each.setup.game}" for each in reports)
    stage.ledger.note(LONG, f"decisions answered: {answers}")
    if early := [
        each.setup.game for each in reports if not each.outcome.capped and each.setup.game in CAPPED
    ]:
        stage.ledger.note(LONG, f"ended before the cap: {', '.join(early)}")


async def keeps_time(stage: Stage) -> None:
    """Play with little time, and say what the bot took of it."""
    clock = stage.clock(TIME_MOVE, TIME_BANK, TIME_LAG)
    late = 0

    def expected(asked: Asked, fault: Fault) -> bool:
        nonlocal late
        late += fault is Fault.LATE
        return fault is Fault.LATE and number < TIME_ROUNDS

    for number in range(1, TIME_ROUNDS + 1):
        late = 0
        with stage.watch.meddling(expected=expected):
            report = await stage.play(Wanted(match_id=f"time-{number}", game=stage.game, clock=clock))
        if not late:
            break
        stage.ledger.note(TIME, f"late {late} times in match {number}; was the machine busy?")
    time = _time(report)
    if time.answered:
        mean = time.total / time.answered / SECOND
        stage.ledger.note(
            TIME,
            f"{time.answered} answers took {mean * 1000:.1f} ms on average, {time.longest / 1000:.1f} ms at"
            f" most, of {TIME_MOVE * 1000:g} ms each and {TIME_BANK:g} s in all",
        )


def _time(report: Report) -> SeatTime:
    return report.outcome.times[report.setup.entries.index(ENTRY)]
