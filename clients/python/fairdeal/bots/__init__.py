"""The house bots: made of nothing but what `fairdeal` gives to everybody.

From a terminal: ``python -m fairdeal.bots greedy --game hearts --connect 127.0.0.1:7447``.
"""

from collections.abc import Callable
from typing import Final, Protocol

import fairdeal
from fairdeal import by_hand
from fairdeal.bots.greedy import Greedy
from fairdeal.bots.random_bot import Random

__all__ = ["NAMES", "Greedy", "HouseBot", "Random", "make", "play"]

NAMES: Final = ("random", "greedy")
"""The house bots there are."""


class HouseBot(Protocol):
    """A house bot; ``games`` are those that it plays, empty for every game."""

    @property
    def games(self) -> tuple[str, ...]:
        """Return the games that it plays, none for every game."""

    def act(self, decision: fairdeal.Decision, /) -> fairdeal.Answer:
        """Return the answer to a decision."""


def make(name: str, *, blunder: float = 0.0) -> HouseBot:
    """Return the house bot of a name; ``blunder`` is how often greedy plays at random, 0 to 1.

    Raises:
        BadSetting: there is no such bot, or it cannot blunder so.
    """
    if name not in NAMES:
        raise fairdeal.BadSetting(f"{name!r}: no such house bot; there are {', '.join(NAMES)}")
    if not 0 <= blunder <= 1:
        raise fairdeal.BadSetting(f"blunder {blunder:g}: must be 0 to 1")
    if name == "greedy":
        return Greedy(blunder=blunder)
    if blunder:
        raise fairdeal.BadSetting(f"{name} takes no blunder; only greedy does")
    return Random()


def play(
    name: str,
    *,
    game: str | None = None,
    address: str | None = None,
    entry: str | None = None,
    instance: str | None = None,
    tables: int = 64,
    matches: int | None = None,
    blunder: float = 0.0,
    seed: str | None = None,
    connect_timeout: float = 30.0,
    reconnect_timeout: float = 60.0,
    say: Callable[[str], None] | None = None,
) -> None:
    """Have a house bot play one game, or all that it knows, until its matches are over.

    Like `fairdeal.run`, it finds what is not given in the environment. Where neither knows who plays, the
    entry is the bot's name and the instance a new one, so that several do not replace each other.
    ``matches`` is 0 for no limit; by default one, or no limit for a bot whose address is in the
    environment. ``say`` is called with a line for each match begun and finished.

    Raises:
        BadSetting: one of the settings cannot be.
        FairdealError: the session failed.
    """
    bot = make(name, blunder=blunder)
    if game is not None and bot.games and game not in bot.games:
        raise fairdeal.BadSetting(f"{name} does not play {game!r}; it plays {', '.join(bot.games)}")
    settings = by_hand.settings(name, address=address, entry=entry, instance=instance, matches=matches)
    fairdeal.run(
        _Telling(bot, say) if say else bot,
        address,
        entry=settings.entry,
        instance=settings.instance,
        games=bot.games if game is None else (game,),
        tables=tables,
        matches=settings.matches,
        seed=seed,
        connect_timeout=connect_timeout,
        reconnect_timeout=reconnect_timeout,
    )


class _Telling:
    """A house bot that says what it plays."""

    def __init__(self, bot: HouseBot, say: Callable[[str], None]) -> None:
        self.act = bot.act
        self._say = say

    def on_seated(self, seated: fairdeal.Seated) -> None:
        """Say where the bot has its seat."""
        self._say(by_hand.begun(seated))

    def on_finished(self, finished: fairdeal.Finished) -> None:
        """Say how a match ended."""
        self._say(by_hand.ended(finished))
