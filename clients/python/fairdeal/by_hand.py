"""Defaults for a bot that is started by hand: a name, an end, and lines about its session and matches."""

import logging
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from fairdeal._settings import Options as Options  # for others to import from here
from fairdeal.updates import Finished, Seated

_FAULTS: Final = ("malformed", "illegal", "disconnected", "late")


def completed(name: str, address: str | None, given: Options) -> Options:
    """Return the given settings, and for the rest defaults for a bot that is started by hand.

    Where neither the caller nor the environment knows who plays, the entry is the bot's name and the instance
    a new one, so that several do not replace each other. It plays one match, or without a limit when its
    address is in the environment.
    """
    options = given.copy()
    if given.get("matches") is None:
        options["matches"] = 0 if address is None and "FAIRDEAL_ADDRESS" in os.environ else 1
    if given.get("entry") is None and "FAIRDEAL_ENTRY" not in os.environ:
        options["entry"] = name
        if given.get("instance") is None and "FAIRDEAL_INSTANCE" not in os.environ:
            options["instance"] = secrets.token_hex(4)
    return options


@contextmanager
def log_shown() -> Iterator[None]:
    """Write the lines of the log ``fairdeal`` to standard error while the context lasts.

    If the program has set up logging, that applies instead.
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


class Telling:
    """A bot that calls ``say`` with a line for each match begun and finished; ``act`` is how it plays."""

    def __init__(self, act: Callable[..., Any], say: Callable[[str], None]) -> None:
        self.act = act
        self._say = say

    def on_seated(self, seated: Seated) -> None:
        """Tell where the bot has its seat."""
        self._say(begun(seated))

    def on_finished(self, finished: Finished) -> None:
        """Tell how a match ended."""
        self._say(ended(finished))


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
    """Return the faults of a seat in brackets; empty when it has none, as a bot that never came."""
    if seat not in range(len(finished.faults)):
        return ""
    counts = finished.faults[seat]
    text = ", ".join(f"{number} {kind}" for kind in _FAULTS if (number := getattr(counts, kind)))
    return f" ({text})" if text else ""
