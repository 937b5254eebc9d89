"""`fairdeal exam`."""

import json
import secrets
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import typer
from rich.console import Console

from referee.games.registry import GAMES, game
from referee.match.clock import PROFILES
from referee.server.exposure import is_local
from tournaments.cli.check_bot import with_python
from tournaments.cli.compare import (
    KnownSoFar,
    check_sandbox,
    failure_of_run,
    folder_name,
    interval_data,
    play_all,
    shown,
)
from tournaments.cli.failure import Failure
from tournaments.cli.signals import run_until_stopped
from tournaments.compare.conduct import Comparison
from tournaments.compare.contenders import BadContender, Contender, contender, remote_contender
from tournaments.compare.exam import EXAM, Exam, score
from tournaments.compare.hosted import Door
from tournaments.compare.sets import BOTS
from tournaments.compare.tally import ERROR, SetTally
from tournaments.plan.plan import Hosting

_COMMAND: Final = "fairdeal exam"
_CLOCK: Final = "standard"

Tallies = Mapping[str, Mapping[str, SetTally]]
"""What is known by game and opponent."""


def run_exam(
    command: Sequence[str],
    *,
    remote: bool,
    listen: str,
    insecure: bool,
    games: Sequence[str],
    sandboxed: bool,
    folder: Path,
    fresh: bool,
    as_json: bool,
    exam: Exam = EXAM,
) -> None:
    """Have a bot sit the exam, and print its scores.

    Raises:
        Failure: an argument is wrong, a bot cannot be played with, or a signal stopped it.
        UnknownGame: there is no such game.
        FolderError, RefereeFailed, CannotListen, VaultError, OSError: see their docstrings.
    """
    names = [game(name).name for name in games] or list(GAMES)
    base = Path.cwd()
    bot = _bot(command, base, remote=remote)
    if not (insecure or is_local(listen)):
        why = "other machines could reach it, without TLS: listen at 127.0.0.1, or add --insecure"
        raise Failure(f"{_COMMAND}: --listen {listen}: {why} if that is intended", 2)
    opponents = {name: contender(name, BOTS[1], base) for name in exam.opponents}
    if sandboxed:
        check_sandbox((bot, *opponents.values()), base, folder)
    door = Door(listen, secrets.token_hex(16), _Asking()) if remote else None
    found: dict[str, dict[str, SetTally]] = {name: {} for name in names}
    console = Console(stderr=True, highlight=False)
    console.print(_announcement(exam, names, bot.text), soft_wrap=True)
    failure: Failure | None = None
    for name, opponent in opponents.items():
        known = KnownSoFar((bot.text, name))
        comparisons = [
            Comparison(
                bots=(bot, opponent),
                game=each,
                deals=1,
                most=exam.sets,
                error=ERROR,
                folder=(folder / folder_name((bot.text, name), each, 1, exam.seed)).absolute(),
                base=base,
                seed=exam.seed,
                clock=PROFILES[_CLOCK],
                hosting=Hosting(sandbox="bubblewrap" if sandboxed else "none"),
                is_exam=True,
                door=door,
            )
            for each in names
        ]
        failure = _play(comparisons, known, console, fresh=fresh)
        for each, tally in known.tallies.items():
            found[each][name] = tally
        if failure:
            break
    if as_json:
        text = json.dumps({**data(exam, bot.text, found), "failure": failure and str(failure)}, indent=2)
        typer.echo(text)
    else:
        typer.echo("\n".join(lines(exam, bot.text, found)))
    if failure:
        raise failure


def _play(
    comparisons: Sequence[Comparison], known: KnownSoFar, console: Console, *, fresh: bool
) -> Failure | None:
    """Play the sets against one opponent, and return what went wrong."""
    try:
        run_until_stopped(lambda stopping: play_all(comparisons, known, console, fresh, stopping))
    except Exception as error:  # noqa: BLE001 - what was played so far is shown before it is told
        return failure_of_run(error, _COMMAND)
    return None


def _bot(command: Sequence[str], base: Path, *, remote: bool) -> Contender:
    if bool(command) == remote:
        wrong = (
            "--remote starts no bot: leave the command out"
            if remote
            else "name the bot's command, or --remote"
        )
        raise Failure(f"{_COMMAND}: {wrong}; see fairdeal exam --help", 2)
    if remote:
        return remote_contender(BOTS[0])
    try:
        bot = contender(shlex.join(with_python(command)), BOTS[0], base)
        return replace(bot, text=shlex.join(command))  # as its author has named it
    except BadContender as error:
        raise Failure(f"{_COMMAND}: {error}", 2) from None


class _Asking:
    """Prints how the author starts a remote bot: the first time with the token."""

    def __init__(self) -> None:
        self._asked: set[str] = set()

    def __call__(self, address: str, token: str, instances: Sequence[str]) -> None:
        if self._asked.issuperset(instances):
            typer.echo("The bot has left: start it again, with the same environment.", err=True)
            return
        self._asked.update(instances)
        times = f"{len(instances)} times" if len(instances) > 1 else "once"
        how = "for each part of the exam, as in a loop, since it leaves after each"
        typer.echo(f"Start your bot {times} with these in its environment, {how}:", err=True)
        typer.echo(f"  FAIRDEAL_ADDRESS={address} FAIRDEAL_ENTRY={BOTS[0]} FAIRDEAL_TOKEN={token}", err=True)
        for instance in instances:
            typer.echo(f"  FAIRDEAL_INSTANCE={instance}", err=True)


def _announcement(exam: Exam, games: Sequence[str], bot: str) -> str:
    which = games[0] if len(games) == 1 else f"{len(games)} games"
    sets = f"{exam.sets} sets of two matches"
    return f"exam {exam.number}: {bot} plays {which}, {sets} against each of {' and '.join(exam.opponents)}"


def _is_complete(exam: Exam, tallies: Mapping[str, SetTally]) -> bool:
    return len(tallies) == len(exam.opponents) and all(each.sets >= exam.sets for each in tallies.values())


def lines(exam: Exam, bot: str, found: Tallies) -> list[str]:
    """Return what is known, for people: a score for each game that was played to its end."""
    said = [
        f"exam {exam.number}: points a deal that {bot} has more than its opponents, with intervals of 95%"
    ]
    for name, tallies in found.items():
        if _is_complete(exam, tallies):
            whole = score(list(tallies.values()))
            said.append(f"{name}: {shown(whole)}")
        else:
            said.append(f"{name}: not complete, the same command goes on")
        said += [f"  {_against(opponent, tally)}" for opponent, tally in tallies.items() if tally.sets]
    return said


def _against(opponent: str, tally: SetTally) -> str:
    faults = f", {tally.faults[0]} faults" if tally.faults[0] else ""
    won = f"wins {100 * tally.won.mean:.3g}%"
    return f"over {opponent} {shown(tally.points)} in {tally.sets} sets, {won}{faults}"


def data(exam: Exam, bot: str, found: Tallies) -> dict[str, Any]:
    """Return what is known as JSON data; what is not known is null."""
    return {
        "exam": exam.number,
        "bot": bot,
        "clock": _CLOCK,
        "games": [
            {
                "game": name,
                "rules_version": game(name).rules_version,
                "score": interval_data(score(list(tallies.values())), exam.sets)
                if _is_complete(exam, tallies)
                else None,
                "opponents": [
                    {
                        "opponent": opponent,
                        "sets": tally.sets,
                        "points": interval_data(tally.points, tally.sets),
                        "won": interval_data(tally.won, tally.sets),
                        "faults": tally.faults[0],
                    }
                    for opponent, tally in tallies.items()
                ],
            }
            for name, tallies in found.items()
        ],
    }
