"""Who plays, and how long, where neither the caller nor the environment says it."""

import os
import secrets
from typing import NamedTuple


class Guest(NamedTuple):
    """What is passed on to `fairdeal.run`; None is looked for in the environment."""

    entry: str | None
    instance: str | None
    matches: int


def guest(
    name: str, *, address: str | None, entry: str | None, instance: str | None, matches: int | None
) -> Guest:
    """Return what is given, and for the rest what suits a bot that somebody starts by hand.

    The entry then is the bot's name and the instance a new one, so that several do not replace each other,
    and the bot plays one match; one whose address is in the environment plays without a limit.
    """
    if matches is None:
        matches = 0 if address is None and "FAIRDEAL_ADDRESS" in os.environ else 1
    if entry is None and "FAIRDEAL_ENTRY" not in os.environ:
        entry = name
        if instance is None and "FAIRDEAL_INSTANCE" not in os.environ:
            instance = secrets.token_hex(4)
    return Guest(entry, instance, matches)
