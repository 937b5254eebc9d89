"""`fairdeal record ask`."""

import asyncio
import json
import os
import shlex
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import typer

from fairdeal.bots import NAMES, arguments
from fairdeal.llm import NAME as LLM
from referee.cards import CARD_NAMES
from referee.codec.json import tagged
from referee.games.actions import Action, LegalActions, PlayCard
from referee.games.errors import did_you_mean
from referee.server.runtime import RefereeFailed
from referee.storage import record, record_files
from referee.storage.record import RecordError
from referee.transcript import action_text, are_of_deal, hand_text
from referee.verify import Past, past
from tournaments.check.ask import Interview, ask, time_to_connect
from tournaments.check.asked_again import NO_ANSWER, Reply, Then
from tournaments.check.process import CannotStart
from tournaments.cli.check_bot import with_python
from tournaments.cli.failure import Failure
from tournaments.cli.record import seat_of
from tournaments.cli.signals import Stopped, run_until_stopped, unless_stopped
from tournaments.hosting.bot_process import HostFailed
from tournaments.plan.plan import Entry
from tournaments.running.hosted_bots import bot_seed
from tournaments.store import FILE, StoreError
from tournaments.store.records import StoredRecords
from tournaments.text import one_line

WIDTH: Final = 80


def ask_bot(
    file: Path, command: Sequence[str], *, seat: str, deal: int | None, seconds: float | None, as_json: bool
) -> int:
    """Ask a bot what a seat was asked, print where it answers otherwise, and return the exit status.

    It is 0 if all answers are the same, 1 if not, as that of `diff`.

    Raises:
        Failure: the bot could not be asked, with status 2.
    """
    words = command_of(command)
    file = record_files.found(file)
    match, number = past_of("record ask", file, seat, deal)
    if not as_json:
        typer.echo("\n".join(_head(match, number, command)))

    def tell(reply: Reply) -> None:
        if not (as_json or reply.is_same):
            typer.echo("\n".join(_difference(match, number, reply)))

    interview = _interview(match, number, words, deal, seconds, _seed(file, match, number), tell)
    if interview.problem:
        printed = "".join(f"\n  {line}" for line in interview.printed)
        text = f"after {len(interview.replies)} answers: {interview.problem}"
        raise Failure(f"fairdeal record ask: {text}{': it printed' + printed if printed else ''}", 2)
    if not interview.replies:
        where = "in this match" if deal is None else f"in deal {deal}"
        raise Failure(f"fairdeal record ask: seat {number} had nothing to decide {where}", 2)
    if as_json:
        typer.echo(json.dumps(_data(file, number, interview), indent=2))
    else:
        typer.echo("\n".join(_summary(file, number, interview)))
    return int(not all(reply.is_same for reply in interview.replies))


def command_of(command: Sequence[str]) -> tuple[str, ...]:
    """Return the command that starts a bot; the first word may be a house bot, as in `fairdeal compare`.

    Raises:
        Failure: the arguments are none of the house bot.
    """
    if command[0] not in (*NAMES, LLM):
        return with_python(command)
    if wrong := arguments.problem(command[0], command[1:]):
        raise Failure(f"fairdeal record ask: {command[0]}: {wrong}", 2)
    return Entry(name=command[0], bot=command[0], arguments=tuple(command[1:])).command_line


def past_of(command: str, file: Path, seat: str, deal: int | None = None) -> tuple[Past, int]:
    """Return the match of a record, in which there is such a deal, and the seat that `seat_of` finds.

    Raises:
        Failure: there is not, or the file is not a complete record, or does not verify.
    """
    try:
        whole = record.read(file)
        number = seat_of(command, whole, seat)
        are_of_deal(whole, deal)
        return past(file.read_bytes(), name=file.name), number
    except RecordError as error:
        text = str(error).removeprefix(f"{file}: ")
        raise Failure(f"fairdeal {command}: {file}: {text}", 2) from None


def _interview(
    match: Past,
    seat: int,
    command: Sequence[str],
    deal: int | None,
    seconds: float | None,
    seed: str,
    tell: Any,
) -> Interview:
    async def asked(stopping: asyncio.Event) -> Interview | None:
        return await unless_stopped(
            ask(
                match,
                seat,
                tuple(command),
                deal=deal,
                seconds=seconds,
                connect=time_to_connect(seconds),
                seed=seed,
                on_reply=tell,
            ),
            stopping,
        )

    try:
        interview = run_until_stopped(asked)
    except CannotStart as error:
        meant = did_you_mean(command[0], NAMES)
        raise Failure(f"fairdeal record ask: {meant and meant + ' '}{error}", 2) from None
    except (HostFailed, RefereeFailed) as error:
        raise Failure(f"fairdeal record ask: {error}", 2) from None
    except Stopped:
        raise Failure("fairdeal record ask: stopped", 2) from None
    assert interview is not None
    return interview


def _seed(file: Path, match: Past, seat: int) -> str:
    """Return the seed of the bot's draws: that of the environment, or the one that the tournament gave it."""
    if (given := os.environ.get("FAIRDEAL_SEED")) is not None:
        return given
    store = record_files.folder_of(file.resolve()).parent / FILE
    if not store.is_file():
        return ""
    try:
        with closing(StoredRecords.in_file(store)) as stored:
            return bot_seed(stored.bot_seed, match.header.setup.entries[seat])
    except StoreError:
        return ""


# What is printed


def _head(match: Past, seat: int, command: Sequence[str]) -> Iterator[str]:
    setup = match.header.setup
    yield from _wrapped("", f"{setup.match_id}, attempt {setup.attempt}: {match.game.title}", "  ")
    yield from _wrapped("", f"seat {seat} was {setup.entries[seat]}; asked now: {shlex.join(command)}", "  ")


def _difference(match: Past, seat: int, reply: Reply) -> Iterator[str]:
    view, legal = reply.decision.view, reply.decision.legal
    plays = isinstance(legal, LegalActions) and isinstance(legal.actions[0], PlayCard)
    where = f"trick {len(view.tricks) + 1}" if plays else view.phase.name.lower().replace("_", " ")
    yield ""
    yield f"Deal {view.deal}, {where} (line {reply.then.line})"
    yield from _wrapped("hand", hand_text([CARD_NAMES[card] for card in view.hand]) if view.hand else "-")
    if plays:
        yield from _wrapped("table", _table(match, seat, view.trick))
    if isinstance(legal, LegalActions) and len(legal.actions) <= len(match.game.cards):
        yield from _wrapped("legal", ", ".join(map(_said, legal.actions)))
    yield from _wrapped("then", _then(reply.then, reply.old))
    yield from _wrapped("now", reply.wrong if reply.new is None else _said(reply.new))


def _table(match: Past, seat: int, trick: Any) -> str:
    if trick is None:
        return "empty: this seat leads"
    # with partners who sit out, seats cannot be counted from the leader's
    cards = " ".join(CARD_NAMES[card] for card in trick.cards)
    return f"{cards}, led by seat {trick.leader} {match.header.setup.entries[trick.leader]}"


def _then(then: Then, old: Action | None) -> str:
    if old is not None:
        return _said(old)
    fault = then.fault.name.lower() if then.fault else "fault"
    said = f"{fault}: {action_text(tagged(then.given))}" if then.given is not None else f"{fault}, no answer"
    default = f"; played for it was {action_text(dict(then.default))}" if then.default else ""
    return f"{said}{default}"


def _said(action: Action) -> str:
    return action_text(tagged(action))


def _wrapped(name: str, text: str, indent: str = "") -> list[str]:
    first = f"  {name:<6} " if name else ""
    rest = " " * len(first) or indent
    clean = one_line(text)
    return textwrap.wrap(
        clean, WIDTH, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False
    ) or [first]


def _counts(replies: Sequence[Reply]) -> Counter[str]:
    counts = Counter("same" if reply.is_same else _kind(reply) for reply in replies)
    counts["choices"] = sum(reply.is_choice for reply in replies)
    return counts


def _kind(reply: Reply) -> str:
    if reply.new is not None:
        return "otherwise"
    return "no_answer" if reply.wrong == NO_ANSWER else "not_legal"


def _summary(file: Path, seat: int, interview: Interview) -> Iterator[str]:
    replies = interview.replies
    counts = _counts(replies)
    number = len(replies)
    yield ""
    chosen = _answers([reply for reply in replies if reply.is_choice])
    told = [f"{number} decision{'s' * (number != 1)}", f"of the {counts['choices']} with a choice, {chosen}"]
    forced = [reply for reply in replies if not reply.is_choice]
    if not all(reply.is_same for reply in forced):
        told.append(f"of the {len(forced)} without one, {_answers(forced)}")
    yield from _wrapped("", "; ".join(told), "  ")
    if counts["same"] < number:
        yield "Whatever it answered, the match went on as it did then."
        first = next(reply for reply in replies if not reply.is_same)
        yield "What the seat knew:"
        deal = first.decision.view.deal
        yield f"  fairdeal record show --seat {seat} --deal {deal} {shlex.quote(str(file))}"
    if any(counts[name] for name in _WRONG) and interview.printed:
        yield "The end of the bot's log:"
        yield from (f"  {line}" for line in interview.printed)


def _answers(replies: Sequence[Reply]) -> str:
    """Return how many answers are the same, differ, and are wrong, in words."""
    counts = _counts(replies)
    told = [f"{counts['same']} answered as before", f"{counts['otherwise']} differently"]
    told += [f"{counts[name]} {text}" for name, text in _WRONG.items() if counts[name]]
    return f"{', '.join(told[:-1])} and {told[-1]}"


_WRONG: Final = {"not_legal": "not legally", "no_answer": "not in time"}


def _data(file: Path, seat: int, interview: Interview) -> dict[str, Any]:
    replies = interview.replies
    counts = _counts(replies)
    return {
        "file": str(file),
        "seat": seat,
        "decisions": len(replies),
        **{name: counts[name] for name in ("choices", "same", "otherwise", *_WRONG)},
        "replies": [_reply_data(reply) for reply in replies],
        "printed": list(interview.printed),
    }


def _reply_data(reply: Reply) -> dict[str, Any]:
    then = reply.then
    return {
        "decision_id": reply.decision.decision_id,
        "deal": reply.decision.view.deal,
        "line": then.line,
        "is_choice": reply.is_choice,
        "same": reply.is_same,
        "then": tagged(reply.old) if reply.old is not None else None,
        "fault": then.fault.name.lower() if then.fault else None,
        "played": dict(then.default) if then.default else None,
        "now": tagged(reply.new) if reply.new is not None else None,
        "wrong": reply.wrong or None,
    }
