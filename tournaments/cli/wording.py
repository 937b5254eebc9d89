"""Texts that several commands print."""

import shlex
import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import typer

from referee.match.clock import SECOND
from tournaments.plan.plan import Format, NoShowPolicy, Plan
from tournaments.plan.states import RulingKind
from tournaments.report.texts import ruling_data
from tournaments.running.watch import Snapshot
from tournaments.schedule.length import may_grow
from tournaments.store import Adjudication
from tournaments.text import one_line

RULED: Final = {
    RulingKind.REPLAY: "replay ordered",
    RulingKind.ANNUL: "annulled",
    RulingKind.VOID: "void",
    RulingKind.WITHDRAW: "withdrawn",
    RulingKind.DISQUALIFY: "disqualified",
    RulingKind.REINSTATE: "back",
}

_MOST_NAMED: Final = 5
_MANY: Final = 10  # of which tenths do not matter
_WIDTH: Final = 80  # columns, where nothing tells
_LONG_SEED: Final = 32  # characters: a random seed has as many, a seed that a person makes up has fewer


def tell(text: str) -> None:
    """Print a line, on a terminal in as many as it takes; for programs it stays one."""
    if sys.stdout.isatty():
        text = fitted(text, shutil.get_terminal_size((_WIDTH, 24)).columns)
    typer.echo(text)


def fitted(text: str, width: int) -> str:
    """Return a line as lines of at most so many columns; a word that is longer has a line of its own."""
    return textwrap.fill(
        text, width, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    )


def of_total(done: int, total: int | None, *, grows: bool, turns: int = 1) -> str:
    """Return how many matches are done of how many; the total may be unknown (None) or still grow.

    With ``turns`` in a duplicate set it is how many sets.
    """
    what = "matches" if turns == 1 else f"sets of {turns} matches"
    done //= turns
    if total is None:
        return f"{done} {what}"
    total //= turns
    return f"{done} of {f'at least {max(done, total)}' if grows else total} {what}"


def also(number: int, words: str, turns: int) -> str:
    """Return what is true of so many matches, to go on from `of_total`; empty for none."""
    if not number:
        return ""
    what = "" if turns == 1 else " match" if number == 1 else " matches"  # which sets are not
    return f", {number}{what} {words}"


def status_data(now: Snapshot, folder: Path | None = None) -> dict[str, Any]:
    """Return how far a tournament is, for programs.

    ``matches`` is None when their number is not known beforehand, ``playing`` when another process plays
    them, ``folder`` when a server was asked. What a run is doing is None while there is none.
    """
    return {
        "name": now.name,
        "game": now.game,
        "format": now.format,
        "state": now.state,
        "is_running": now.is_running,
        "matches": now.planned,
        "issued": now.issued,
        "played": now.played,
        "skipped": now.skipped,
        "playing": now.playing,
        "attempts": {how.name.lower(): number for how, number in sorted(now.attempts.items())},
        "taken_back": now.taken_back,
        "matches_per_set": now.turns,
        **_activity_data(now),
        "pace": now.pace and asdict(now.pace),
        "resting": None if now.pace is None else list(now.resting),
        "rulings": ruling_data(now.rulings),
        "owner": now.owner or None,
        "folder": None if folder is None else str(folder),
    }


def activity_lines(now: Snapshot) -> Iterator[str]:
    """Yield what the run is doing: whom it waits for, what is played, how fast, and how long it will take."""
    if (activity := now.activity) is None:
        return
    if activity.awaited:
        names = (f"{each.entry} (for {duration(each.elapsed)})" for each in activity.awaited)
        yield f"waits for: {', '.join(names)}"
    for each in activity.playing:
        who = ", ".join(each.entries)
        yield f"being played: {each.match_id} for {duration(each.elapsed)}: {who}"
    if activity.per_hour is not None:
        rest = "" if now.left is None else f", {'at least ' * _grows(now)}{duration(now.left)} left"
        pace = f"{activity.per_hour:,.0f}" if activity.per_hour >= _MANY else f"{activity.per_hour:.2g}"
        yield f"{pace} matches an hour{rest}"


def after_no_show(plan: Plan) -> str:
    """Return what becomes of the matches of a remote entry that was waited for long enough."""
    if plan.format is Format.LADDER:
        return ""  # who is away is not paired
    if plan.remote.no_show is NoShowPolicy.SKIP:
        return "the match is left out"
    return f"the match begins and is forfeited after {plan.clock.start / SECOND:g} s more (clock.start)"


def some_of(names: Sequence[str]) -> str:
    """Return names in a row, the first five if there are many, as ``a, b, c, d, e and 2 others``."""
    more = len(names) - _MOST_NAMED
    others = f" and {more} other{'s' * (more != 1)}" if more > 0 else ""
    return ", ".join(names[:_MOST_NAMED]) + others


def duration(micros: int) -> str:
    """Return a duration, as ``1:02:03`` or ``2:03``."""
    minutes, seconds = divmod(round(micros / SECOND), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{seconds:02d}" if hours else f"{minutes}:{seconds:02d}"


def _grows(now: Snapshot) -> bool:
    return may_grow(now.format, now.state)


def _activity_data(now: Snapshot) -> dict[str, Any]:
    activity = now.activity
    return {
        "awaited": activity
        and [{"entry": each.entry, "seconds": each.elapsed / SECOND} for each in activity.awaited],
        "being_played": activity
        and [
            {
                "match": each.match_id,
                "attempt": each.attempt,
                "entries": list(each.entries),
                "seconds": each.elapsed / SECOND,
            }
            for each in activity.playing
        ],
        "matches_per_hour": activity and activity.per_hour,
        "seconds_left": None if now.left is None else now.left / SECOND,
    }


def ruling_lines(rulings: Iterable[Adjudication]) -> Iterator[str]:
    """Yield a line for each ruling."""
    for each in rulings:
        attempt = f" (attempt {each.attempt})" if each.attempt and each.attempt > 1 else ""
        struck = ", its results struck" if each.struck else ""
        done = f"{RULED[RulingKind(each.kind)]}{struck}"
        yield one_line(
            f"{each.entry or each.match_id}{attempt}: {done}, by {each.who} at {each.at}: {each.why}"
        )


def how_to_go_on(plan: Plan, file: Path) -> str:
    """Return what plays a tournament on that nobody plays now: a command, or what to do at its server."""
    folder = file.absolute().parent
    home = folder.parent.parent  # of a server, which has one journal for all of its tournaments
    if folder == home / "tournaments" / plan.name and (home / "journal").is_dir():
        return f"start the server again, then: fairdeal tournament start {plan.name} --server ADDRESS"
    group = "ladder" if plan.format is Format.LADDER else "tournament"
    return shlex.join(["fairdeal", group, "run", str(file)])


def warning_of_seed(plan: Plan) -> str | None:
    """Return a warning that a bot could guess the seed of a tournament, None where none could.

    House bots do not guess. All others might, including those that run on this machine.
    """
    is_open = plan.open or plan.format is Format.LADDER
    is_foreign = is_open or any(entry.remote or entry.command for entry in plan.entries)
    if plan.seed is None or len(plan.seed) >= _LONG_SEED or not is_foreign:
        return None
    return (
        "the seed can be guessed: a bot tries thousands a second against the commitment,"
        " and knows all cards then; leave it out, or give"
        f" {_LONG_SEED} random characters (openssl rand -hex 16)"
    )
