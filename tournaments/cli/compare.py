"""`fairdeal compare`."""

import asyncio
import hashlib
import json
import math
import re
import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any, Final

import typer
from rich.console import Console

from referee.games.registry import GAMES, game
from referee.match.clock import PROFILES
from referee.storage import record_files
from tournaments.cli.failure import Failure, failure_of
from tournaments.cli.live_line import LiveLine
from tournaments.cli.signals import Stopped, run_until_stopped
from tournaments.compare.conduct import Comparison, conduct
from tournaments.compare.contenders import BadContender, Contender, contender, names_of
from tournaments.compare.hosted import MAX_VOIDS, PlayFailed
from tournaments.compare.kept import Forgotten
from tournaments.compare.sequential import Interval
from tournaments.compare.sets import BOTS, match_id
from tournaments.compare.tally import ERROR, BetterBot, SetTally
from tournaments.hosting import sandbox
from tournaments.hosting.bot_process import log_of
from tournaments.plan.plan import Hosting
from tournaments.running.hosted import Lost

EVERY_GAME: Final = "all"

A_IS_BETTER: Final = 0
B_IS_BETTER: Final = 3
UNDECIDED: Final = 4
"""Exit statuses; 1 and 2 are those of errors."""


@dataclass(slots=True)
class KnownSoFar:
    """What is known so far: the tally of each game, and the names of the bots as they are printed."""

    names: tuple[str, ...]
    tallies: dict[str, SetTally] = field(default_factory=dict)
    untold: dict[str, str] = field(default_factory=dict)
    """By bot, the first loss before a set is over: it may be gone for good, and then that is told instead."""
    starts: Counter[str] = field(default_factory=Counter)
    """By bot, how often it was started again: the first time is told at once, and how often at the end."""


def run_compare(
    texts: tuple[str, str],
    *,
    name: str,
    deals: int,
    sets: int,
    seed: str | None,
    clock: str,
    sandboxed: bool,
    folder: Path,
    fresh: bool,
    as_json: bool,
) -> int:
    """Compare two bots, print what is known at the end, and return the exit status.

    Raises:
        Failure: an argument is wrong, a bot cannot be played with, or a signal stopped it.
        UnknownGame: there is no such game.
        FolderError, RefereeFailed, CannotListen, VaultError, OSError: see their docstrings.
    """
    names = list(GAMES) if name == EVERY_GAME else [game(name).name]
    if clock not in PROFILES:
        raise Failure(f"fairdeal compare: --clock {clock}: there are {', '.join(PROFILES)}", 2)
    if seed is not None and not seed.isascii():
        raise Failure(f"fairdeal compare: --seed {seed!r}: use letters, digits and signs of ASCII", 2)
    base = Path.cwd()
    try:
        bots = contender(texts[0], BOTS[0], base), contender(texts[1], BOTS[1], base)
    except BadContender as error:
        raise Failure(f"fairdeal compare: {error}", 2) from None
    if sandboxed:
        check_sandbox(bots, base, folder)
    comparisons = [
        Comparison(
            bots=bots,
            game=each,
            deals=deals,
            most=sets,
            error=ERROR / len(names),  # so that all games together call equal bots different no more often
            folder=(folder / folder_name(texts, each, deals, seed)).absolute(),
            base=base,
            seed=seed,
            clock=PROFILES[clock],
            hosting=Hosting(sandbox="bubblewrap" if sandboxed else "none"),
        )
        for each in names
    ]
    known = KnownSoFar(names_of(bots))
    console = Console(stderr=True, highlight=False)
    try:
        run_until_stopped(lambda stopping: play_all(comparisons, known, console, fresh, stopping))
    except Exception as error:
        failure = failure_of_run(error, "fairdeal compare")
        _show(known, comparisons, as_json=as_json, failure=str(failure))
        raise failure from error
    _show(known, comparisons, as_json=as_json)
    return status(known.tallies.values())


def failure_of_run(error: Exception, command: str) -> Failure:
    """Return the failure that ended the sets of a command."""
    if isinstance(error, Stopped):
        return Failure(f"{command}: stopped; the same command goes on with these sets")
    return Failure(f"{command}: {error}") if isinstance(error, PlayFailed) else failure_of(error)


def status(tallies: Any) -> int:
    """Return the exit status for the tallies of all games."""
    found = {tally.verdict for tally in tallies}
    if BetterBot.A in found and BetterBot.B not in found:
        return A_IS_BETTER
    return B_IS_BETTER if BetterBot.B in found and BetterBot.A not in found else UNDECIDED


async def play_all(
    comparisons: Sequence[Comparison],
    known: KnownSoFar,
    console: Console,
    fresh: bool,
    stopping: asyncio.Event,
) -> None:
    """Play what is left of comparisons one after another, and tell about it; ``fresh`` begins anew."""
    for comparison in comparisons:
        with LiveLine(console) as line:
            line.note(opening(comparison, known.names))
            tally = await conduct(
                comparison,
                fresh=fresh,
                on_opened=partial(_on_opened, known, comparison, line),
                on_tally=partial(_on_tally, known, comparison, line),
                on_lost=partial(_on_lost, known, comparison, line),
                warn=line.note,
                stopping=stopping,
            )
            line.end(progress(tally, comparison.most))
            for name, times in known.starts.items():
                if times > 1:
                    line.note(f"{name} was started again {times} times")
            known.starts.clear()
        if stopping.is_set():
            return


def _on_opened(
    known: KnownSoFar, comparison: Comparison, line: LiveLine, tally: SetTally, forgotten: Forgotten | None
) -> None:
    if tally.sets:
        line.note(f"going on after {tally.sets} sets of an earlier run; --fresh starts from scratch")
    elif forgotten:
        line.note(f"starting from scratch without {forgotten.sets} sets of an earlier run: {forgotten.why}")
    known.tallies[comparison.game] = tally
    if not comparison.is_in_process:
        line.show(lambda: "starting the bots")


def _on_tally(known: KnownSoFar, comparison: Comparison, line: LiveLine, tally: SetTally) -> None:
    known.tallies[comparison.game] = tally
    while known.untold:
        line.note(known.untold.pop(next(iter(known.untold))))
    line.show(lambda: progress(tally, comparison.most))


def _on_lost(known: KnownSoFar, comparison: Comparison, line: LiveLine, lost: Lost) -> None:
    if not lost.by_host and lost.restarts_in is None:  # it ends the comparison, which tells of it
        return
    name = known.names[BOTS.index(lost.entry)]
    text = f"{name}: {lost.text}; it is started again ({lost.log})"
    known.starts[name] += 1
    if known.starts[name] > 1:
        return
    if known.tallies[comparison.game].sets:
        line.note(text)
    else:
        known.untold.setdefault(name, text)
        line.show(lambda: f"starting {name} again: {lost.text}")


def check_sandbox(bots: Sequence[Contender], base: Path, folder: Path) -> None:
    """Refuse what cannot be sandboxed.

    Raises:
        Failure: this machine has no sandbox, or a bot cannot be run in it.
    """
    if why := sandbox.probe():
        raise Failure(f"fairdeal compare: --sandbox: {why}", 2)
    for bot in bots:
        if bot.entry.command and (why := sandbox.refusal(bot.entry.command, base, (folder.absolute(),))):
            raise Failure(f"fairdeal compare: --sandbox: {bot.text}: {why}", 2)


def folder_name(texts: Sequence[str], name: str, deals: int, seed: str | None) -> str:
    """Return a name that tells this comparison from others, as far as people need to read it."""
    words = [re.sub(r"[^A-Za-z0-9._]+", "-", text).strip("-.")[:40] or "bot" for text in texts]
    whole = json.dumps([*texts, deals, seed])
    return "-".join([*words, name, hashlib.sha256(whole.encode()).hexdigest()[:6]])


# What is printed


def opening(comparison: Comparison, names: Sequence[str]) -> str:
    """Return the line before the first set."""
    deals = "one deal" if comparison.deals == 1 else f"{comparison.deals} deals"
    where = "" if comparison.is_in_process else f"; records: {comparison.folder / 'records'}"
    return f"{comparison.game}: {names[0]} against {names[1]}, sets of two matches of {deals}{where}"


def progress(tally: SetTally, most: int) -> str:
    """Return the line while sets are played."""
    if not tally.sets:
        return f"no set yet, of {most} at most"
    sets = f"{tally.sets} of at most {most} sets"
    if tally.sets > most:  # an earlier run has played more
        sets = f"{tally.sets} sets, though --sets is {most}"
    return f"{sets}: A {shown(tally.points, ' points a deal')}, wins {_won(tally)}"


def shown(interval: Interval, unit: str = "") -> str:
    """Return points with their interval, as ``+1.45 points (+0.0197 to +2.88)``."""
    known = is_known(interval)
    bounds = f"{_signed(interval.low)} to {_signed(interval.high)}" if known else "no interval yet"
    return f"{_signed(interval.mean)}{unit} ({bounds})"


def _signed(points: float) -> str:
    """Return a number with its sign and three digits that count, never with an exponent."""
    return format(Decimal(f"{points:.3g}"), "+f")


def _won(tally: SetTally) -> str:
    mean, *bounds = (f"{100 * share:.3g}%" for share in (tally.won.mean, tally.won.low, tally.won.high))
    return f"{mean} ({' to '.join(bounds)})" if is_known(tally.points) else mean


def is_known(interval: Interval) -> bool:
    """Return whether an interval has bounds, which it has not after few sets."""
    return math.isfinite(interval.low)


def _show(
    known: KnownSoFar, comparisons: Sequence[Comparison], *, as_json: bool, failure: str | None = None
) -> None:
    played = [each for each in comparisons if each.game in known.tallies]
    if as_json:
        typer.echo(json.dumps({**data(known, comparisons), "failure": failure}, indent=2))
        return
    for comparison in played:
        typer.echo("\n".join(lines(known.tallies[comparison.game], comparison, known.names)))
    if len(comparisons) > 1:
        each, together = (100 * (1 - error) for error in (comparisons[0].error, ERROR))
        typer.echo(f"intervals: {each:g}% each, so that those of all games hold together with {together:g}%")


def lines(tally: SetTally, comparison: Comparison, names: Sequence[str]) -> list[str]:
    """Return what is known of one game, for people."""
    first, second = names
    if not tally.sets:
        return [f"{comparison.game}: no set was played to its end"]
    found = [
        f"{comparison.game}: {_verdict(tally, names)}",
        f"  points a deal, {first} over {second}: {shown(tally.points)}",
        f"  share won by {first}: {_won(tally)}",
        f"  faults: {tally.faults[0]} by {first}, {tally.faults[1]} by {second}"
        f"{_of_faults(tally, comparison.folder / 'logs')}",
    ]
    if is_known(tally.points) and tally.verdict is not BetterBot.EQUAL:  # otherwise it says nothing
        found.append(f"  {_factor(tally)}")
    if tally.worst and (record := _record_of(comparison, *tally.worst[1:])):
        points = _signed(tally.worst[0])
        found.append(f"  {first} did worst in this match ({points}); there it is a, {second} is b:")
        found.append(f"  fairdeal record show {shlex.quote(str(record))}")
    if not tally.is_decided and tally.sets >= comparison.most:
        found.append("  the same command with a higher --sets goes on")
    return found


def _of_faults(tally: SetTally, folder: Path) -> str:
    """Return what came of faults, and the longest log of each bot that has some, or the folder of logs."""
    faulty = [bot for bot, faults in zip(BOTS, tally.faults, strict=True) if faults]
    logs = [list(folder.glob(log_of(bot, "*"))) for bot in faulty]
    longest = [max(sorted(files), key=lambda file: file.stat().st_size) for files in logs if files]
    told = " and ".join(map(str, longest or [folder]))
    return f"; a default action was played for each, see {told}" if faulty else ""


def _record_of(comparison: Comparison, number: int, turn: int) -> Path | None:
    """Return the record of a match of a set, the last one if it was played again; None if it left none."""
    match, records = match_id(game(comparison.game), number, turn), comparison.folder / record_files.FOLDER
    attempts = [record_files.path_of(records, match, attempt) for attempt in range(1, MAX_VOIDS + 1)]
    return next((path for path in reversed(attempts) if path.exists()), None)


def _verdict(tally: SetTally, names: Sequence[str]) -> str:
    sets = f"{tally.sets} set{'s' * (tally.sets != 1)}"
    return {
        BetterBot.A: f"{names[0]} is better than {names[1]}, after {sets}",
        BetterBot.B: f"{names[1]} is better than {names[0]}, after {sets}",
        BetterBot.UNDECIDED: f"undecided which is better, after {sets}",
        BetterBot.EQUAL: f"no difference seen in {sets}: each came out even",
    }[tally.verdict]


def _factor(tally: SetTally) -> str:
    factor = tally.points_factor
    if factor is None:
        return "every set had the same result, so there is no duplicate factor"
    if factor < 1:
        return f"duplicate factor {factor:.2g}: between these two, the same decks gained nothing"
    return f"duplicate factor {factor:.2g}: each match here tells as much as {factor:.2g} with other decks"


def data(known: KnownSoFar, comparisons: Sequence[Comparison]) -> dict[str, Any]:
    """Return what is known as JSON data; what is not known is null."""
    played = [each for each in comparisons if each.game in known.tallies]
    return {
        **{name: bot.text for name, bot in zip(BOTS, comparisons[0].bots, strict=True)},
        "games": [_game_data(known.tallies[each.game], each) for each in played],
    }


def _game_data(tally: SetTally, comparison: Comparison) -> dict[str, Any]:
    return {
        "game": comparison.game,
        "deals": comparison.deals,
        "sets": tally.sets,
        "most": comparison.most,
        "verdict": str(tally.verdict),
        "error": tally.error,
        "points": interval_data(tally.points, tally.sets),
        "won": interval_data(tally.won, tally.sets),
        "faults": dict(zip(BOTS, tally.faults, strict=True)),
        "factor": {"points": tally.points_factor, "won": tally.won_factor},
        "folder": str(comparison.folder),
    }


def interval_data(interval: Interval, sets: int) -> dict[str, float | None]:
    """Return an interval after so many sets as JSON data."""
    has_bounds = bool(sets) and is_known(interval)
    return {
        "mean": interval.mean if sets else None,
        "low": interval.low if has_bounds else None,
        "high": interval.high if has_bounds else None,
    }
