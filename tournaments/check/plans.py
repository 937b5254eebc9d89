"""The matches that ask a bot each kind of decision of a game."""

from typing import Final

from referee.cards import Seat
from referee.games.registry import GAMES
from tournaments.check.harness import Wanted

WAVES: Final = 4
"""How many more waves are played while a kind of decision was not asked."""


def every_kind(game: str, wave: int) -> list[Wanted]:
    """Return matches in which a bot is asked, as a rule, all that a game asks; other ones in each wave."""
    plan, seats, name = GAMES[game].check_plan, GAMES[game].seats, f"every-{game}-{wave}"
    return [
        Wanted(
            match_id=f"{name}-{turn}" if plan.every_seat else name,
            game=game,
            seat=(seat := (wave + turn) % seats),
            deals=plan.deals,
            options=plan.options,
            decks=plan.decks(Seat(seat)) if plan.decks else {},
        )
        for turn in range(seats if plan.every_seat else 1)
    ]


def empty_choices(game: str, wave: int) -> list[Wanted]:
    """Return matches in which, as a rule, a bot is asked to choose and has nothing to choose from."""
    if not (decks := GAMES[game].check_plan.empty_choice):
        return []
    return [Wanted(match_id=f"empty-{game}-{wave}", game=game, deals=len(decks), decks=decks)]


def long(game: str) -> Wanted:
    """Return a match that ends, as a rule, at the cap on the number of deals."""
    return Wanted(
        match_id=f"long-{game}", game=game, deals=None, options=GAMES[game].check_plan.long_options or {}
    )
