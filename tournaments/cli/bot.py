"""`fairdeal bot`."""

from typing import Any, Unpack

import typer

from fairdeal import BadSetting, FairdealError, by_hand, llm
from fairdeal.bots import play
from fairdeal.llm import arguments
from tournaments.cli.failure import Failure


def run_bot(
    name: str,
    address: str | None,
    of_model: dict[str, Any],
    *,
    game: str | None,
    blunder: float,
    **options: Unpack[by_hand.Options],
) -> None:
    """Run a house bot or a language model until its matches are over.

    ``address`` is None when the environment has it; ``of_model`` are the options that only a model has.

    Raises:
        Failure: a setting is wrong, or the session failed.
    """
    try:
        with by_hand.log_shown():
            if name == llm.NAME:
                settings, rest = arguments.taken({**of_model, "blunder": blunder})
                llm.play(settings, address, game=game, say=typer.echo, **rest, **options)
            else:
                arguments.refuse(of_model, name)
                play(name, address=address, game=game, blunder=blunder, say=typer.echo, **options)
    except BadSetting as error:
        raise Failure(f"fairdeal: {error}", 2) from None
    except FairdealError as error:
        raise Failure(f"fairdeal: {error}") from None
