"""The token and the address of the caller of an RPC."""

from typing import Any
from urllib.parse import unquote


def token_of(context: Any) -> str | None:
    """Return the token that the caller shows, as ``authorization: Bearer TOKEN``, the scheme in any case."""
    for key, value in context.invocation_metadata() or ():
        scheme, space, token = value.partition(" ")
        if key == "authorization" and space and scheme.lower() == "bearer":
            return str(token).lstrip(" ")
    return None


def address_of(context: Any) -> str:
    """Return the caller's address without its port; `unix` for a Unix socket."""
    peer: str = context.peer()
    kind, _, rest = peer.partition(":")
    return kind if kind == "unix" else unquote(rest).rpartition(":")[0].strip("[]")
