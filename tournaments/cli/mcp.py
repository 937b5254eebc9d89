"""`fairdeal mcp`."""

from typing import Unpack

from fairdeal import BadSetting, FairdealError, by_hand, mcp
from tournaments.cli.failure import Failure


def run_mcp(
    address: str | None, *, game: str | None, profile: str, **options: Unpack[by_hand.Options]
) -> None:
    """Serve a seat to an agent until its client goes; ``address`` is None when the environment has it.

    Raises:
        Failure: a setting is wrong, the package mcp is missing, or the session failed.
    """
    try:
        with by_hand.log_shown():
            mcp.play(address, game=game, profile=profile, **options)
    except BadSetting as error:
        raise Failure(f"fairdeal: {error}", 2) from None
    except FairdealError as error:
        raise Failure(f"fairdeal: {error}") from None
