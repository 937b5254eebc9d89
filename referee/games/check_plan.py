"""What `fairdeal check-bot` plays of a game."""

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any, TypeAlias

from referee.cards import Card, Seat
from referee.games.actions import Action
from referee.values import value_class

Decks: TypeAlias = Mapping[int, tuple[Card, ...]]
"""Decks in the order wanted, by deal from 0; the other deals are dealt by chance."""


@value_class(kw_only=True)
class CheckPlan:
    """How a bot gets asked, as a rule, all that a game asks: by ``deals`` deals, None being whole games.

    ``decks`` are the deals for the seat of the bot; with ``every_seat`` a match is played in each seat.
    ``empty_choice`` are decks with which a bot is asked to choose several of nothing, where a game may do so.
    ``long_options`` let a match go on to the cap on deals; None where a game has an end of its own.
    ``wish`` returns what another seat plays where it may, from the view that it is sent, in which seats count
    from 1, and the seat of the bot, from 0. None: the first legal action.
    """

    deals: int | None = None
    options: Mapping[str, object] = field(default_factory=dict)
    every_seat: bool = False
    decks: Callable[[Seat], Decks] | None = None
    empty_choice: Decks | None = None
    long_options: Mapping[str, object] | None = None
    wish: Callable[[Any, Seat], Action | None] | None = None
