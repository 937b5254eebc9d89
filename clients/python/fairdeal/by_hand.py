"""What a bot is given that somebody starts: a name, an end, and lines about its session and its matches."""

import logging
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

from fairdeal.updates import Finished, Seated

_FAULTS: Final = ("malformed", "illegal", "disconnected", "late")


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


@contextmanager
def log_shown() -> Iterator[None]:
    """Write what the log ``fairdeal`` tells of the session to standard error while the context lasts.

    Where the program has set up logging, that decides instead.
    """
    log = logging.getLogger("fairdeal")
    if log.hasHandlers():
        yield
        return
    handler, level = logging.StreamHandler(), log.level
    log.addHandler(handler)
    if level == logging.NOTSET:
        log.setLevel(logging.INFO)
    try:
        yield
    finally:
        log.setLevel(level)
        log.removeHandler(handler)


def begun(seated: Seated) -> str:
    """Return a line on where the bot has its seat."""
    names = f" with {', '.join(seated.entries)}" if seated.entries else ""
    return f"{seated.id}: {seated.game}, seat {seated.seat}{names}"


def ended(finished: Finished) -> str:
    """Return a line on how a match ended: the scores, if any, and who forfeited because of which faults."""
    said = [f"{finished.match.id}: {finished.termination.name.lower()}"]
    if finished.scores:
        said.append(f"scores by side: {', '.join(map(str, finished.scores))}")
    said += [f"{_name(finished, seat)} forfeits{_why(finished, seat)}" for seat in finished.forfeited]
    return ", ".join(said)


def _name(finished: Finished, seat: int) -> str:
    names = finished.match.entries
    return f"{names[seat]} (seat {seat})" if seat in range(len(names)) else f"seat {seat}"


def _why(finished: Finished, seat: int) -> str:
    """Return the faults of a seat in brackets; nothing when it has none, such as one that never came."""
    if seat not in range(len(finished.faults)):
        return ""
    counts = finished.faults[seat]
    text = ", ".join(f"{number} {kind}" for kind in _FAULTS if (number := getattr(counts, kind)))
    return f" ({text})" if text else ""
