"""`fairdeal bot`."""

from typing import Unpack

import typer

from fairdeal import BadSetting, FairdealError, by_hand
from fairdeal.bots import play
from tournaments.cli.failure import Failure


def run_bot(
    name: str, address: str | None, *, game: str | None, blunder: float, **options: Unpack[by_hand.Options]
) -> None:
    """Run a house bot until its matches are over; ``address`` is None when the environment has it.

    Raises:
        Failure: a setting is wrong, or the session failed.
    """
    try:
        with by_hand.log_shown():
            play(name, address=address, game=game, blunder=blunder, say=typer.echo, **options)
    except BadSetting as error:
        raise Failure(f"fairdeal: {error}", 2) from None
    except FairdealError as error:
        raise Failure(f"fairdeal: {error}") from None
