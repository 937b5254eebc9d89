"""The house bots, written with the public parts of `fairdeal` only.

From a terminal: ``python -m fairdeal.bots greedy --game hearts --connect 127.0.0.1:7447``.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple, Protocol, Unpack

import fairdeal
from fairdeal import by_hand
from fairdeal.bots.apart import Apart, Searching
from fairdeal.bots.greedy import Greedy
from fairdeal.bots.random_bot import Random

__all__ = ["NAMES", "SEARCHERS", "Greedy", "HouseBot", "Random", "make", "play"]


class Strength(NamedTuple):
    """About how many deals a bot tries for a decision, which share it searches, whether it solves endings."""

    playouts: int
    share: float
    solves: bool


SEARCHERS: Final[Mapping[str, Strength]] = {
    "searcher-1-light": Strength(32, 1 / 3, solves=False),
    "searcher-1": Strength(32, 2 / 3, solves=False),
    "searcher-1-strong": Strength(1024, 1.0, solves=True),
}
"""The bots that search, the weakest first."""

NAMES: Final = ("random", "greedy", *SEARCHERS)
"""The house bots there are, the weakest first."""


def closest(name: str, known: Iterable[str]) -> str | None:
    """Return the name there is that is most like one there is not, None when none is like it."""
    from difflib import get_close_matches  # on demand: only who is mistaken needs it

    return next(iter(get_close_matches(name, known, n=1)), None)


class HouseBot(Protocol):
    """A house bot; ``games`` are those that it plays, empty for every game."""

    @property
    def games(self) -> tuple[str, ...]:
        """Return the games that it plays, none for every game."""

    def act(self, decision: fairdeal.Decision, /) -> fairdeal.Answer:
        """Return the answer to a decision."""


def make(name: str, *, blunder: float = 0.0) -> HouseBot:
    """Return the house bot of a name; ``blunder`` is the share of decisions that greedy plays at random.

    Raises:
        BadSetting: there is no such bot, or its ``blunder`` is wrong.
    """
    if name not in NAMES:
        near = closest(name, NAMES)
        meant = f"did you mean {near}? " if near else ""
        raise fairdeal.BadSetting(f"{name!r}: no such house bot; {meant}there are {', '.join(NAMES)}")
    if not 0 <= blunder <= 1:
        raise fairdeal.BadSetting(f"blunder {blunder:g}: must be 0 to 1")
    if name == "greedy":
        return Greedy(blunder=blunder)
    if blunder:
        raise fairdeal.BadSetting(f"{name} takes no blunder; only greedy does")
    if name in SEARCHERS:
        from fairdeal.bots.searcher_1 import Searcher1  # on demand: it loads the referee's rules

        return Searcher1(*SEARCHERS[name])
    return Random()


def play(
    name: str,
    address: str | None = None,
    *,
    game: str | None = None,
    blunder: float = 0.0,
    say: Callable[[str], None] | None = None,
    **options: Unpack[by_hand.Options],
) -> None:
    """Run a house bot for one game, or all that it knows, until its matches are over.

    The ``options`` are those of `fairdeal.run`, which finds what is not given in the environment. Where
    neither knows who plays, the entry is the bot's name and the instance a new one, so that several do not
    replace each other. ``matches`` is 0 for no limit; by default one, or no limit for a bot whose address is
    in the environment. ``say`` is called with a line for each match begun and finished. A bot that searches
    plays at one table at a time, unless ``tables`` says otherwise.

    Raises:
        BadSetting: one of the settings is wrong.
        FairdealError: the session failed.
    """
    bot = make(name, blunder=blunder)
    if game is not None and bot.games and game not in bot.games:
        raise fairdeal.BadSetting(f"{name} does not play {game!r}; it plays {', '.join(bot.games)}")
    options["games"] = bot.games if game is None else (game,)
    act: Callable[[fairdeal.Decision], Any] = bot.act
    if isinstance(bot, Searching):
        act = Apart(bot).act
        if options.get("tables") is None:
            options["tables"] = 1
    told = by_hand.Telling(act, say) if say else act
    fairdeal.run(told, address, **by_hand.completed(name, address, options))
