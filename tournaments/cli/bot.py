"""`fairdeal bot`."""

import typer

from fairdeal import BadSetting, FairdealError, by_hand
from fairdeal.bots import play
from tournaments.cli.failure import Failure


def run_bot(
    name: str,
    game: str | None,
    address: str | None,
    matches: int | None,
    blunder: float,
    seed: str | None,
    entry: str | None,
    instance: str | None,
    connect_timeout: float,
    reconnect_timeout: float,
) -> None:
    """Have a house bot play until its matches are over; ``address`` is None when the environment has it.

    Raises:
        Failure: a setting is wrong, or the session failed.
    """
    try:
        with by_hand.log_shown():
            play(
                name,
                game=game,
                address=address,
                entry=entry,
                instance=instance,
                connect_timeout=connect_timeout,
                reconnect_timeout=reconnect_timeout,
                matches=matches,
                blunder=blunder,
                seed=seed,
                say=typer.echo,
            )
    except BadSetting as error:
        raise Failure(f"fairdeal: {error}", 2) from None
    except FairdealError as error:
        raise Failure(f"fairdeal: {error}") from None
