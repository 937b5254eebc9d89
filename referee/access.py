"""Who may speak for an entry."""

import hashlib
import hmac
from collections.abc import Mapping
from typing import Protocol

from referee.updates import Reason


class Denied(Exception):
    """A bot may not play as the entry that it names; the text says why."""

    def __init__(self, reason: Reason, text: str) -> None:
        super().__init__(text)
        self.reason = reason
        self.text = text


class Access(Protocol):
    """Decides who may speak for an entry."""

    def check(self, token: str | None, entry: str) -> None:
        """Check that the bearer of a token may play as an entry.

        Raises:
            Denied: it may not.
        """


class Trusting:
    """Believes every bot its name: for referees that only this machine can reach."""

    def check(self, token: str | None, entry: str) -> None:
        """Let everybody in."""


def token_digest(token: str) -> bytes:
    """Return what is kept of a token."""
    return hashlib.sha256(token.encode()).digest()


class Tokens:
    """Knows the digest of each entry's token."""

    def __init__(self, digests: Mapping[str, bytes]) -> None:
        self._digests = dict(digests)

    def check(self, token: str | None, entry: str) -> None:
        """Check that the token is the entry's.

        Raises:
            Denied: there is no token, nobody has it, or it is another entry's. Which entries there are is
                not told.
        """
        if token is None:
            raise Denied(Reason.MISSING_TOKEN, "this referee wants a token (authorization: Bearer TOKEN)")
        digest = token_digest(token)
        # all are compared, so that the time it takes does not tell which one is like it
        bearers = [name for name, known in self._digests.items() if hmac.compare_digest(digest, known)]
        if not bearers:
            raise Denied(Reason.MISSING_TOKEN, "this referee does not know the token")
        if entry not in bearers:
            raise Denied(Reason.WRONG_SEAT, "the token is not this entry's")
