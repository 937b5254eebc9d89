"""A game with one more option, as a later version might have it; its default changes nothing."""

from typing import Any, Final

import pytest

from referee.cards import Seat
from referee.games.base import Game
from referee.games.options import Option, Options, number

LATER: Final = Option(name="later_rule", default=13, minimum=0, maximum=26, help="It came later.")


def add_option(monkeypatch: pytest.MonkeyPatch, game: Game[Any]) -> None:
    """Give a game the option, which its rules look at when a match begins."""
    kind: Any = type(game)
    old = kind.new

    def new(self: Any, options: Options, *, deals: int | None, first: Seat) -> Any:
        number(options, LATER.name)
        return old(self, options, deals=deals, first=first)

    monkeypatch.setattr(kind, "options", (LATER, *kind.options))
    monkeypatch.setattr(kind, "new", new)
