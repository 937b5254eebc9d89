"""Who may speak for an entry, and who may run the referee."""

import hashlib
import hmac
import re
from collections.abc import Collection, Mapping
from enum import StrEnum
from typing import Final, NamedTuple, Protocol

from referee.match.messages import Reason

ENTRY_NAME: Final = re.compile(r"[A-Za-z0-9_.-]{1,40}")
"""What an entry is called, and so its token and its certificate."""

NOT_THIS_ENTRY: Final = "the token is not this entry's; FAIRDEAL_ENTRY names the one that a bot plays as"


class Role(StrEnum):
    """What the bearer of a token may do: play as one entry, or run the referee."""

    BOT = "bot"
    ORGANISER = "organiser"
    OPERATOR = "operator"  # an organiser who may also change what belongs to others


class Denied(Exception):
    """Somebody may not do what they ask for; the text says why."""

    def __init__(self, reason: Reason, text: str) -> None:
        super().__init__(text)
        self.reason = reason
        self.text = text


class Bearer(NamedTuple):
    """The bearer of a token: the entry that it opens. The digest identifies it among the entry's tokens."""

    entry: str
    digest: bytes


class Access(Protocol):
    """Decides who may speak for an entry, and who may run the referee."""

    def bearer(self, token: str | None) -> Bearer | None:
        """Return who opens a stream with a token; None for a stranger, who may still be let in by the hello.

        Raises:
            Denied: MISSING_TOKEN, nobody has the token, or there is none and every bot needs one; WRONG_ROLE,
                it is an organiser's.
        """

    def bearers(self) -> Collection[Bearer]:
        """Return the bearers of all tokens that open a stream now."""

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
    """Believes every bot's name; every caller is an organiser, too, unless ``organisers`` is False.

    This is for referees that only this machine can reach.
    """

    def __init__(self, *, organisers: bool = True) -> None:
        self._organisers = organisers

    def bearer(self, token: str | None) -> None:
        """Return None: tokens mean nothing here."""

    def bearers(self) -> Collection[Bearer]:
        """Return none."""
        return ()

    def check(self, token: str | None, entry: str, instance: str = "") -> None:
        """Let everybody in."""

    def check_organiser(self, token: str | None) -> None:
        """Check that callers may run the referee.

        Raises:
            Denied: they may not, since anybody could claim to be an organiser.
        """
        if not self._organisers:
            text = "this referee has no organisers: give one a token with fairdeal token add"
            raise Denied(Reason.WRONG_ROLE, text)


def token_digest(token: str) -> bytes:
    """Return the digest by which a token is stored."""
    return hashlib.sha256(token.encode()).digest()


class Tokens:
    """Knows the digests of tokens by name, which is an organiser's or that of a bot's entry.

    It reveals to nobody which entries there are. Operators are organisers, too.
    """

    def __init__(
        self,
        digests: Mapping[str, bytes],
        organisers: Collection[str] = (),
        operators: Collection[str] = (),
    ) -> None:
        self._known = [Bearer(name, digest) for name, digest in digests.items()]
        self._operators = frozenset(operators)
        self._organisers = frozenset(organisers) | self._operators
        self._bots = frozenset(each for each in self._known if each.entry not in self._organisers)

    def bearer(self, token: str | None) -> Bearer:
        """Return who opens a stream with a token.

        Raises:
            Denied: as for every `Access`.
        """
        return min(self._bots_with(token))

    def bearers(self) -> Collection[Bearer]:
        """Return the bearers of all tokens that open a stream."""
        return self._bots

    def check(self, token: str | None, entry: str, instance: str = "") -> None:
        """Check that the token is the entry's, for whatever instance of it.

        Raises:
            Denied: as for every `Access`.
        """
        if entry not in {bearer.entry for bearer in self._bots_with(token)}:
            raise Denied(Reason.WRONG_SEAT, NOT_THIS_ENTRY)

    def check_organiser(self, token: str | None) -> None:
        """Check that the token is an organiser's.

        Raises:
            Denied: as for every `Access`.
        """
        if self._bearers(token) <= self._bots:
            raise Denied(Reason.WRONG_ROLE, "the token is a bot's, and this is for organisers")

    def organiser(self, token: str | None) -> str:
        """Return the name of the organiser whose token it is.

        Raises:
            Denied: as for every `Access`.
        """
        self.check_organiser(token)
        return min(each.entry for each in self._bearers(token) - self._bots)

    def operates(self, token: str | None) -> bool:
        """Return whether the token is an operator's.

        Raises:
            Denied: it is no organiser's, as for every `Access`.
        """
        return self.organiser(token) in self._operators

    def _bots_with(self, token: str | None) -> set[Bearer]:
        bots = self._bearers(token) & self._bots
        if not bots:
            raise Denied(
                Reason.WRONG_ROLE, "the token is an organiser's, and a bot plays with one of its own"
            )
        return bots

    def _bearers(self, token: str | None) -> set[Bearer]:
        if token is None:
            raise Denied(
                Reason.MISSING_TOKEN,
                "this referee requires a token: give it in FAIRDEAL_TOKEN (authorization: Bearer TOKEN)",
            )
        digest = token_digest(token)
        # all are compared, so that the time it takes does not tell which one is like it
        bearers = {known for known in self._known if hmac.compare_digest(digest, known.digest)}
        if not bearers:
            raise Denied(Reason.MISSING_TOKEN, "this referee does not know the token")
        return bearers
