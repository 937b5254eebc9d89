"""How language models are hosted: with the command that calls their provider, and what its end means."""

import asyncio
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from fairdeal import FairdealError, llm
from fairdeal.bots.arguments import OUTAGE, REFUSED, parser
from fairdeal.llm.arguments import as_words, taken
from referee.match.effects import Owner
from tournaments.hosting.bot_process import Exit, log_of
from tournaments.plan.models import LLM, Models
from tournaments.plan.plan import Entry
from tournaments.running.errors import RunFailed

FOLDER: Final = "models"
"""The folder of a tournament in which transcripts are kept, and calls are counted."""
MAX_OUTAGES: Final = 3
"""How often a provider may fail in a run before the run ends: matches are void each time."""

_CALLS: Final = "calls"


def is_model(entry: Entry) -> bool:
    """Return whether an entry is a language model that is hosted here."""
    return entry.bot == LLM


def command_of(entry: Entry, owner: Owner, models: Models, folder: Path) -> tuple[str, ...]:
    """Return the command of a hosted entry; that of a language model with where it is reached."""
    if not is_model(entry):
        return entry.command_line
    use = models.uses.get(entry.name)
    if use is None:
        return entry.command_line
    transcript = folder / log_of(*owner).replace(".log", ".jsonl")
    return (
        *entry.command_line,
        *as_words(
            {
                "base_url": use.base_url,
                "key_from": use.key_from,
                "calls": models.calls,
                "folder": folder / _CALLS,
                "transcript": transcript if models.transcripts else None,
                "on_failure": "leave" if models.void else None,
                "no_probe": True,  # the run has done that once for all
            }
        ),
    )


def withheld(entry: Entry, models: Models) -> frozenset[str]:
    """Return the variables of the environment that are keys of other entries."""
    own = models.uses[entry.name].key_from if entry.name in models.uses else None
    return frozenset(use.key_from for use in models.uses.values() if use.key_from) - {own}


async def probe(entries: Iterable[Entry], models: Models) -> None:
    """Send each model one small request, so that a wrong key or name is found before a match begins.

    Raises:
        RunFailed: a model cannot be played with; each is told in a line.
    """
    asked: dict[tuple[str, ...], str] = {}
    for entry in entries:
        if is_model(entry) and (use := models.uses.get(entry.name)):
            of_play = [word for word in entry.arguments if not word.startswith("--prompt=")]
            reached = as_words({"base_url": use.base_url, "key_from": use.key_from})
            asked.setdefault((*of_play, *reached), entry.name)
    wrong = await asyncio.gather(*map(_wrong, asked))
    if lines := [f"{name}: {why}" for name, why in zip(asked.values(), wrong, strict=True) if why]:
        raise RunFailed("no match has begun: " + "\n".join(lines))


async def _wrong(words: tuple[str, ...]) -> str | None:
    """Return why a model, by the words of its command line, cannot be played with."""
    settings, _rest = taken(vars(parser().parse_args([LLM, *words])))
    try:
        await llm.probe(settings)
    except FairdealError as error:
        return str(error)
    return None


def is_refused(entry: Entry, exited: Exit) -> bool:
    """Return whether a bot ended because its provider takes no calls."""
    return is_model(entry) and exited.code == REFUSED


def is_outage(entry: Entry, exited: Exit) -> bool:
    """Return whether a bot ended because its provider did not answer."""
    return is_model(entry) and exited.code == OUTAGE


def last_of(output: Iterable[str]) -> str:
    """Return what a bot said at its end."""
    return next(reversed(tuple(output)), "it said nothing")
