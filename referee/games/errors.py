"""What can be wrong with a game's input.

::

    GameError (ValueError)
    ├── UnknownGame        no game has this name
    ├── BadOption          an option is unknown, of the wrong type or out of bounds
    ├── BadDeck            a deck has doubled, missing or foreign cards
    └── BadAction
        ├── MalformedAction    it cannot be an action of any game: something named twice, no kind set
        ├── IllegalAction      well formed, but not among the legal actions now
        └── NotYourDecision    this seat is not to act

`no_such` is how a name that there is not is told, of a game or of anything else.
"""

from collections.abc import Collection
from difflib import get_close_matches


class GameError(ValueError):
    """A game was given something wrong; its state is unchanged."""


class UnknownGame(GameError):
    """No game has this name; the text lists the names."""


class BadOption(GameError):
    """Options that the game does not have or that are out of bounds; the text names each."""


class BadDeck(GameError):
    """A deck that is not a permutation of the game's cards."""


class BadAction(GameError):
    """An answer that cannot be carried out."""


class MalformedAction(BadAction):
    """An answer that is not an action at all."""


class IllegalAction(BadAction):
    """A well-formed action that is not legal now."""


class NotYourDecision(BadAction):
    """An action of a seat that is not to act."""


def no_such(kind: str, name: str, known: Collection[str]) -> str:
    """Say that there is nothing of a name, what was perhaps meant, and what there is, in its order."""
    meant = did_you_mean(name, known)
    if len(known) == 1:
        return f"no such {kind}; {meant or f'there is only {next(iter(known))}'}"
    return f"no such {kind}; {meant and meant + ' '}there are {', '.join(known)}"


def did_you_mean(name: str, known: Collection[str]) -> str:
    """Ask for the name there is that is most like one there is not; empty when none is like it."""
    close = closest(name, known)
    return f"did you mean {close}?" if close else ""


def closest(name: str, known: Collection[str]) -> str | None:
    """Return the name there is that is most like one there is not, None when none is like it."""
    return next(iter(get_close_matches(name, known, n=1)), None)
