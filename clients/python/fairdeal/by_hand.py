"""What a bot is given that somebody starts from a terminal: a name, an end, and lines about its matches."""

import os
import secrets
from typing import NamedTuple

from fairdeal.updates import Finished, Seated


class Settings(NamedTuple):
    """Who plays, and how much; what is None, `fairdeal.run` finds in the environment."""

    entry: str | None
    instance: str | None
    matches: int


def settings(
    name: str, *, address: str | None, entry: str | None, instance: str | None, matches: int | None
) -> Settings:
    """Return what is given, and for the rest what suits a bot that somebody starts.

    Where neither the caller nor the environment knows who plays, the entry is the bot's name and the instance
    a new one, so that several do not replace each other. It plays one match, or without a limit when its
    address is in the environment.
    """
    if matches is None:
        matches = 0 if address is None and "FAIRDEAL_ADDRESS" in os.environ else 1
    if entry is None and "FAIRDEAL_ENTRY" not in os.environ:
        entry = name
        if instance is None and "FAIRDEAL_INSTANCE" not in os.environ:
            instance = secrets.token_hex(4)
    return Settings(entry, instance, matches)


def begun(seated: Seated) -> str:
    """Return a line on where the bot has its seat."""
    names = f" with {', '.join(seated.entries)}" if seated.entries else ""
    return f"{seated.id}: {seated.game}, seat {seated.seat}{names}"


def ended(finished: Finished) -> str:
    """Return a line on how a match ended."""
    scores = ", ".join(map(str, finished.scores))
    return f"{finished.match.id}: {finished.termination.name.lower()}, scores by side: {scores}"
