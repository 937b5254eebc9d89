"""The house bots that give pars, each with its signatures: a hash, for each game, of how it plays."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from tournaments.plan.plan import ParBot

SIGNATURES: Final = Path(__file__).with_name("signatures.json")

_KNOWN: Final[Mapping[str, Mapping[str, str]]] = json.loads(SIGNATURES.read_text(encoding="utf-8"))

BOTS: Final = tuple(_KNOWN)
"""The house bots that give pars."""


def named(bot: str, game: str) -> ParBot | None:
    """Return a bot with its signature, as it goes into a plan; None where it gives no par for the game."""
    signature = _KNOWN.get(bot, {}).get(game)
    return None if signature is None else ParBot(bot, signature)
