"""Who may come to a venue: the bots that it hosts, by tokens made for them, and others by their own."""

import hmac
import secrets

from referee.access import NOT_THIS_ENTRY, Access, Denied, token_digest
from referee.effects import Owner
from referee.updates import Reason

_TOKEN_BYTES = 24


class Admission:
    """Lets each hosted bot in with a token of its own, everybody else as ``others`` decides.

    The token of a hosted bot opens its own seats only: those of one instance of one entry.
    """

    def __init__(self, others: Access) -> None:
        self._others = others
        self._hosted: dict[Owner, bytes] = {}

    def token_for(self, owner: Owner) -> str:
        """Make a token for a hosted bot; one that was made for it before ends with that."""
        token = secrets.token_urlsafe(_TOKEN_BYTES)
        self._hosted[owner] = token_digest(token)
        return token

    def check(self, token: str | None, entry: str, instance: str = "") -> None:
        """Check that the bearer of a token may play as an instance of an entry.

        Raises:
            Denied: as for every `referee.access.Access`.
        """
        digest = token_digest(token) if token is not None else b""
        # all are compared, so that the time it takes does not tell which one is like it
        bearers = [owner for owner, known in self._hosted.items() if hmac.compare_digest(digest, known)]
        if (entry, instance) in bearers:
            return
        if bearers:
            raise Denied(Reason.WRONG_SEAT, NOT_THIS_ENTRY)
        if (entry, instance) in self._hosted:
            if token is None:
                text = "this entry is hosted here and shows its token (authorization: Bearer TOKEN)"
                raise Denied(Reason.MISSING_TOKEN, text)
            raise Denied(Reason.WRONG_SEAT, NOT_THIS_ENTRY)
        self._others.check(token, entry, instance)

    def check_organiser(self, token: str | None) -> None:
        """Check that the bearer of a token may run the referee.

        Raises:
            Denied: as for every `referee.access.Access`.
        """
        self._others.check_organiser(token)
