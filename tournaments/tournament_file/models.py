"""What is wrong with what a tournament file says of language models."""

import os
from collections.abc import Iterator
from typing import Final

from tournaments.plan.models import LLM, OF_PLAY
from tournaments.plan.toml_lines import KeyPath
from tournaments.tournament_file.schema import EntryShape, FileShape

OF_MODEL: Final = (*OF_PLAY, "base_url", "key_from", "prices", "max_tokens", "max_cost")
"""All keys of an entry that only a language model has."""


def wrong(shape: FileShape, *, to_run: bool) -> Iterator[tuple[KeyPath, str]]:
    """Yield what is wrong; ``to_run``: also that a key is missing from the environment."""
    for index, entry in enumerate(shape.entries):
        for key, text in _of_entry(entry, to_run=to_run):
            yield ("entries", index, key), text
    if shape.models.max_cost is not None:
        for index, entry in enumerate(shape.entries):
            if entry.bot == LLM and entry.prices is None:
                yield ("entries", index), "has no prices, by which max_cost is counted: write prices = ..."


def _of_entry(entry: EntryShape, *, to_run: bool) -> Iterator[tuple[str, str]]:
    given = entry.model_fields_set
    if entry.bot != LLM:
        for key in OF_MODEL:
            if key in given:
                yield key, 'is for language models: leave it out, or write bot = "llm"'
        return
    if "arguments" in given:
        yield "arguments", "are not for a language model: write keys, such as model and base_url"
    if entry.model is None:
        yield "bot", "needs a model: write model = ..., as its server calls it"
    if entry.base_url is None:
        yield "bot", 'needs a server: write base_url = "http://127.0.0.1:11434/v1", for example'
    if entry.reply != "json" and entry.words == "plain":
        yield "reply", f'{entry.reply} lists what is legal, which plain leaves out: take words = "full"'
    if entry.max_cost is not None and entry.prices is None:
        yield "max_cost", "is counted by prices: write prices = { tokens_in = ..., tokens_out = ... }"
    if to_run and entry.key_from is not None and not os.environ.get(entry.key_from, "").strip():
        yield "key_from", f"{entry.key_from} is not set: put the key into the environment"
