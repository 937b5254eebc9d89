"""What an RPC tells of who calls it."""

from typing import Any
from urllib.parse import unquote


def token_of(context: Any) -> str | None:
    """Return the token that the caller shows, as ``authorization: Bearer TOKEN``."""
    for key, value in context.invocation_metadata() or ():
        if key == "authorization" and value.startswith("Bearer "):
            token: str = value.removeprefix("Bearer ")
            return token
    return None


def address_of(context: Any) -> str:
    """Return the other end's address without its port; through a Unix socket everybody has the same one."""
    peer: str = context.peer()
    kind, _, rest = peer.partition(":")
    return kind if kind == "unix" else unquote(rest).rpartition(":")[0].strip("[]")
