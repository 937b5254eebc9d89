"""`fairdeal bridge`."""

from collections.abc import Sequence
from typing import Unpack

import typer

from fairdeal import BadSetting, FairdealError, by_hand
from fairdeal.stdio import bridge
from tournaments.cli.failure import Failure


def run_bridge(
    command: Sequence[str],
    address: str | None,
    *,
    events: bool,
    play_forced: bool,
    **options: Unpack[by_hand.Options],
) -> None:
    """Run a program that speaks JSON lines as a bot; ``address`` is None when the environment has it.

    Raises:
        Failure: a setting is wrong, the program cannot be started or ended first, or the session failed.
    """
    try:
        with by_hand.log_shown():
            bridge(
                command,
                address,
                events=events,
                play_forced=play_forced,
                say=typer.echo,
                warn=_warn,
                **options,
            )
    except BadSetting as error:
        raise Failure(f"fairdeal: {error}", 2) from None
    except FairdealError as error:
        raise Failure(f"fairdeal: {error}") from None


def _warn(text: str) -> None:
    typer.echo(f"fairdeal: {text}", err=True)
