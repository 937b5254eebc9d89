"""The checks in which a bot plays undisturbed: every decision, many tables, long matches, little time."""

import asyncio
from typing import Final

from referee.games.registry import GAMES
from referee.match.clock import SECOND
from referee.match.faults import Fault, SeatTime
from referee.server.runtime import FinishedMatch
from tournaments.check.asked import Asked
from tournaments.check.catalogue import CHOICES, GAME_CHECKS, LONG, TABLES, TIME
from tournaments.check.harness import BUDGET, ENTRY, FOR_EVER, Harness, Wanted
from tournaments.check.plans import WAVES, empty_choices, every_kind, long
from tournaments.check.results import DoesNotApply

MOST_TABLES: Final = 32
TIME_ROUNDS: Final = 3
"""How often a bot is tried with little time before it counts as late: the machine may have been busy."""
TIME_MOVE: Final = 0.25
TIME_BANK: Final = 2.0
TIME_LAG: Final = 0.1

_CHOICE_GAMES: Final = tuple(
    name
    for name, game in GAMES.items()
    if {"choose_cards", "choose_combinations"} & set(game.answers.values())
)


async def plays(harness: Harness, game: str) -> None:
    """Ask the bot each kind of decision of a game."""
    monitor, number = harness.monitor, harness.monitor.current
    if game not in harness.games:
        raise DoesNotApply(f"it is checked in {', '.join(harness.games)} only")
    missing = list(GAMES[game].phases)
    limit = asyncio.get_running_loop().time() + BUDGET * harness.patience
    for wave in range(WAVES):
        left = limit - asyncio.get_running_loop().time()
        if left <= 0:
            break
        for wanted in every_kind(game, wave):  # one by one: another check is about many tables
            await harness.play(wanted, budget=left)
        missing = [kind for kind in missing if not monitor.kinds[game, kind]]
        if not missing or any(faulty == game for faulty, _kind in monitor.faulty):
            break
    if harness.results.by_number[number].findings:
        return
    asked = {each.kind for each in monitor.asked.values() if each.game == game}
    if never := [kind for kind in missing if kind not in asked]:
        harness.results.note(number, f"with its way of playing it was never asked: {', '.join(never)}")
    if silent := [kind for kind in missing if kind in asked]:
        harness.results.note(number, f"it did not answer: {', '.join(silent)}")


async def chooses(harness: Harness) -> None:
    """Make sure that the bot was asked to choose several, and none."""
    games = [game for game in harness.games if game in _CHOICE_GAMES]
    if not games:
        raise DoesNotApply("none of its games asks for a choice of several")
    asked = harness.monitor.asked
    for game in games:
        if not any(each.game == game and each.is_choice for each in asked.values()):
            for wanted in every_kind(game, 0):
                await harness.play(wanted)
    for wanted in [each for wave in range(WAVES) for game in games for each in empty_choices(game, wave)]:
        if any(each.is_choice and not each.size for each in asked.values()):
            break
        await harness.play(wanted)
    choices = [each for each in asked.values() if each.is_choice and each.answer]
    for game in games if not choices else ():
        if harness.results.by_number[GAME_CHECKS[game]].findings:
            harness.monitor.spoil(game, GAME_CHECKS[game])
    empty = [each for each in choices if not each.size]
    largest = max(choices, key=lambda each: each.size, default=None)
    if largest:
        text = f"{len(choices)} choices, the largest of {largest.size} ({largest.game}, {largest.kind})"
        harness.results.note(CHOICES, f"{text}; {len(empty)} with nothing to choose from")


async def many_tables(harness: Harness) -> None:
    """Open as many tables as the bot wants at once."""
    await harness.room()  # a bot that is leaving wants no table
    session = harness.connection.session
    tables = min(session.free_tables, MOST_TABLES)
    name = harness.game
    wanted = [Wanted(match_id=f"table-{i}", game=name, seat=i % GAMES[name].seats) for i in range(tables)]
    await harness.play_all(wanted)
    harness.results.note(TABLES, f"{tables} at once; it takes up to {session.tables}")


async def long_matches(harness: Harness) -> None:
    """Play a match of each game on to the cap."""
    monitor = harness.monitor
    # where it goes away by itself, it would leave the others, too
    games = [game for game in harness.games if not monitor.goes(game)]
    for game in harness.games:
        if game not in games:
            monitor.spoil(game, GAME_CHECKS[game])
    reports = await harness.play_all([long(game) for game in games])
    if not reports:
        return
    answers = ", ".join(f"{_time(each).answered} in {each.setup.game}" for each in reports)
    harness.results.note(LONG, f"decisions answered: {answers}")
    ended = [each.setup.game for each in reports if not each.outcome.capped]
    if early := [game for game in ended if GAMES[game].check_plan.long_options is not None]:
        harness.results.note(LONG, f"ended before the cap: {', '.join(early)}")


async def keeps_time(harness: Harness) -> None:
    """Play with little time, and record how much of it the bot took."""
    clock = harness.clock(TIME_MOVE, TIME_BANK, TIME_LAG)
    late = 0

    def expected(asked: Asked, fault: Fault) -> bool:
        nonlocal late
        late += fault is Fault.LATE
        return fault is Fault.LATE and number < TIME_ROUNDS

    for number in range(1, TIME_ROUNDS + 1):
        late = 0
        with harness.monitor.meddling(expected=expected):
            wanted = Wanted(match_id=f"time-{number}", game=harness.game, clock=clock)
            report = await harness.play(wanted, budget=FOR_EVER)  # cut short, it might not be late yet
        if not late:
            break
        harness.results.note(TIME, f"late {late} times in match {number}; was the machine busy?")
    time = _time(report)
    if time.answered:
        mean = time.total / time.answered / SECOND
        harness.results.note(
            TIME,
            f"{time.answered} answers took {mean * 1000:.1f} ms on average, {time.longest / 1000:.1f} ms at"
            f" most, of {TIME_MOVE * 1000:g} ms each and {TIME_BANK:g} s in all",
        )


def _time(report: FinishedMatch) -> SeatTime:
    return report.outcome.times[report.setup.entries.index(ENTRY)]
