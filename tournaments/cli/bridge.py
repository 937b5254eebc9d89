"""`fairdeal bridge`."""

from collections.abc import Sequence

import typer

from fairdeal import BadSetting, FairdealError, by_hand
from fairdeal.stdio import bridge
from tournaments.cli.failure import Failure


def run_bridge(
    command: Sequence[str],
    *,
    address: str | None,
    entry: str | None,
    instance: str | None,
    games: Sequence[str],
    tables: int,
    matches: int | None,
    seed: str | None,
    connect_timeout: float,
    reconnect_timeout: float,
    events: bool,
) -> None:
    """Have a program play that speaks JSON lines; ``address`` is None when the environment has it.

    Raises:
        Failure: a setting is wrong, the program cannot be started or ended first, or the session failed.
    """
    try:
        with by_hand.log_shown():
            bridge(
                command,
                address,
                entry=entry,
                instance=instance,
                games=games,
                tables=tables,
                matches=matches,
                seed=seed,
                events=events,
                connect_timeout=connect_timeout,
                reconnect_timeout=reconnect_timeout,
                say=typer.echo,
                warn=_warn,
            )
    except BadSetting as error:
        raise Failure(f"fairdeal: {error}", 2) from None
    except FairdealError as error:
        raise Failure(f"fairdeal: {error}") from None


def _warn(text: str) -> None:
    typer.echo(f"fairdeal: {text}", err=True)
