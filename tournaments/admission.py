"""Who may come to a venue: the bots that it hosts, by tokens made for them, and others by their own."""

import hmac
import secrets
from collections.abc import Callable, Collection

from referee.access import NOT_THIS_ENTRY, Access, Denied, token_digest
from referee.effects import Owner
from referee.updates import Reason

_TOKEN_BYTES = 24


class Admission:
    """Lets each hosted bot in with a token of its own, everybody else as ``others`` decides.

    The token of a hosted bot opens its own seats only: those of one instance of one entry. Others that would
    wait for ever, since no tournament has a seat for that instance of them, are told so.
    """

    def __init__(self, others: Access) -> None:
        self._others = others
        self._hosted: dict[Owner, bytes] = {}
        self._seats: list[Callable[[str], Collection[str]]] = []

    def token_for(self, owner: Owner) -> str:
        """Make a token for a hosted bot; one that was made for it before ends with that."""
        token = secrets.token_urlsafe(_TOKEN_BYTES)
        self._hosted[owner] = token_digest(token)
        return token

    def expect(self, instances: Callable[[str], Collection[str]]) -> None:
        """Have somebody asked by which instances a remote entry plays; none: it has no such entry now."""
        self._seats.append(instances)

    def check(self, token: str | None, entry: str, instance: str | None = None) -> None:
        """Check that the bearer of a token may play as an instance of an entry; None: speak for the entry.

        Raises:
            Denied: as for every `referee.access.Access`; WRONG_SEAT also where the entry plays by other
                instances alone.
        """
        self._check_bearer(token, entry, instance or "")
        if instance is not None:
            self._check_seat(entry, instance)

    def _check_seat(self, entry: str, instance: str) -> None:
        playing = {each for instances in self._seats for each in instances(entry)}
        if playing and (entry, instance) not in self._hosted and instance not in playing:
            ways = [
                f"with FAIRDEAL_INSTANCE={each}" if each else "without FAIRDEAL_INSTANCE"
                for each in sorted(playing)
            ]
            text = f"{entry} has no seat as this instance: start it {', and once more '.join(ways)}"
            raise Denied(Reason.WRONG_SEAT, text)

    def _check_bearer(self, token: str | None, entry: str, instance: str) -> None:
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
