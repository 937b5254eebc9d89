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
"""


class GameError(ValueError):
    """Anything wrong with what a game was given; the state is unchanged."""


class UnknownGame(GameError):
    """A name that no game has; the text lists the names there are."""


class BadOption(GameError):
    """Options that the game does not have or that are out of bounds; the text names each."""


class BadDeck(GameError):
    """A deck that is not a permutation of the game's cards."""


class BadAction(GameError):
    """An answer that cannot be carried out."""


class MalformedAction(BadAction):
    """An answer that is no action at all."""


class IllegalAction(BadAction):
    """A well-formed action that is not legal now."""


class NotYourDecision(BadAction):
    """An action of a seat that is not to act."""
