"""Who may speak for an entry, and who may run the referee."""

import hashlib
import hmac
from collections.abc import Collection, Mapping
from enum import StrEnum
from typing import Final, Protocol

from referee.updates import Reason

NOT_THIS_ENTRY: Final = "the token is not this entry's; FAIRDEAL_ENTRY names the one that a bot plays as"


class Role(StrEnum):
    """What the bearer of a token may do: play as one entry, or run the referee."""

    BOT = "bot"
    ORGANISER = "organiser"


class Denied(Exception):
    """Somebody may not do what they ask for; the text says why."""

    def __init__(self, reason: Reason, text: str) -> None:
        super().__init__(text)
        self.reason = reason
        self.text = text


class Access(Protocol):
    """Decides who may speak for an entry, and who may run the referee."""

    def check(self, token: str | None, entry: str, instance: str = "") -> None:
        """Check that the bearer of a token may play as an instance of an entry.

        Raises:
            Denied: MISSING_TOKEN, there is no token or nobody has it; WRONG_ROLE, it is an organiser's;
                WRONG_SEAT, it is another entry's.
        """

    def check_organiser(self, token: str | None) -> None:
        """Check that the bearer of a token may run the referee.

        Raises:
            Denied: MISSING_TOKEN, there is no token or nobody has it; WRONG_ROLE, it is a bot's.
        """


class Trusting:
    """Believes every bot its name; everybody is an organiser, too, unless ``organisers`` is False.

    That is for referees that only this machine can reach.
    """

    def __init__(self, *, organisers: bool = True) -> None:
        self._organisers = organisers

    def check(self, token: str | None, entry: str, instance: str = "") -> None:
        """Let everybody in."""

    def check_organiser(self, token: str | None) -> None:
        """Check that everybody may run the referee.

        Raises:
            Denied: nobody may, since anybody could say so.
        """
        if not self._organisers:
            text = "this referee knows no organisers: they need tokens, as fairdeal token add gives them"
            raise Denied(Reason.WRONG_ROLE, text)


def token_digest(token: str) -> bytes:
    """Return what is kept of a token."""
    return hashlib.sha256(token.encode()).digest()


class Tokens:
    """Knows the digests of tokens by name: that of an organiser, or else of the bot of the entry so named.

    Which entries there are is told to nobody.
    """

    def __init__(self, digests: Mapping[str, bytes], organisers: Collection[str] = ()) -> None:
        self._digests = dict(digests)
        self._organisers = frozenset(organisers)

    def check(self, token: str | None, entry: str, instance: str = "") -> None:
        """Check that the token is the entry's, for whatever instance of it.

        Raises:
            Denied: as for every `Access`.
        """
        entries = self._bearers(token) - self._organisers
        if not entries:
            raise Denied(
                Reason.WRONG_ROLE, "the token is an organiser's, and a bot plays with one of its own"
            )
        if entry not in entries:
            raise Denied(Reason.WRONG_SEAT, NOT_THIS_ENTRY)

    def check_organiser(self, token: str | None) -> None:
        """Check that the token is an organiser's.

        Raises:
            Denied: as for every `Access`.
        """
        if not self._bearers(token) & self._organisers:
            raise Denied(Reason.WRONG_ROLE, "the token is a bot's, and this is for organisers")

    def _bearers(self, token: str | None) -> set[str]:
        if token is None:
            raise Denied(
                Reason.MISSING_TOKEN,
                "this referee wants a token: give it in FAIRDEAL_TOKEN (authorization: Bearer TOKEN)",
            )
        digest = token_digest(token)
        # all are compared, so that the time it takes does not tell which one is like it
        bearers = {name for name, known in self._digests.items() if hmac.compare_digest(digest, known)}
        if not bearers:
            raise Denied(Reason.MISSING_TOKEN, "this referee does not know the token")
        return bearers
