"""Access to a referee host: hosted bots by tokens that are made for them, others by their own."""

import hmac
import secrets
from collections.abc import Callable, Collection

from referee.core.access import NOT_THIS_ENTRY, Access, Bearer, Denied, token_digest
from referee.match.effects import Owner
from referee.match.messages import Reason

_TOKEN_BYTES = 24


class Admission:
    """Admits each hosted bot by its own token, and everybody else as ``others`` decides.

    The token of a hosted bot opens only its own seats: those of one instance of one entry. Another bot whose
    instance has no seat in any tournament would wait forever; it is refused instead.
    """

    def __init__(self, others: Access) -> None:
        self._others = others
        self._hosted: dict[Owner, bytes] = {}
        self._seats: list[Callable[[str], Collection[str]]] = []
        self._is_kept: Callable[[str], bool] = lambda entry: False

    def token_for(self, owner: Owner) -> str:
        """Make a token for a hosted bot; it replaces an earlier one."""
        token = secrets.token_urlsafe(_TOKEN_BYTES)
        self._hosted[owner] = token_digest(token)
        return token

    def hosts(self, owner: Owner) -> bool:
        """Return whether an owner's bot is hosted, so that no other bot can use its name."""
        return owner in self._hosted

    def expect(self, instances: Callable[[str], Collection[str]]) -> None:
        """Add a function that returns the instances by which a remote entry plays, none if it is unknown."""
        self._seats.append(instances)

    def keep_names(self, is_kept: Callable[[str], bool]) -> None:
        """Refuse bots without a token by names that others have, as ``is_kept`` says."""
        self._is_kept = is_kept

    def bearer(self, token: str | None) -> Bearer | None:
        """Return who opens a stream with a token; each seat of a hosted entry has a token of its own.

        Raises:
            Denied: as for every `referee.core.access.Access`.
        """
        if owners := self._hosted_with(token):
            return Bearer(owners[0][0], self._hosted[owners[0]])
        return self._others.bearer(token)

    def bearers(self) -> Collection[Bearer]:
        """Return the bearers of all tokens that open a stream now."""
        hosted = {Bearer(entry, digest) for (entry, _instance), digest in self._hosted.items()}
        return hosted.union(self._others.bearers())

    def check(self, token: str | None, entry: str, instance: str | None = None) -> None:
        """Check that the bearer of a token may play as an instance of an entry; None: act for the entry.

        Raises:
            Denied: as for every `referee.core.access.Access`; WRONG_SEAT also where the entry plays by other
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
        bearers = self._hosted_with(token)
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
        if self._is_kept(entry) and self._others.bearer(token) is None:
            text = "a person plays here by this name, or by one that looks like it: choose another"
            raise Denied(Reason.WRONG_SEAT, text)

    def _hosted_with(self, token: str | None) -> list[Owner]:
        digest = token_digest(token) if token is not None else b""
        # all are compared, so that the time it takes does not tell which one is like it
        return [owner for owner, known in self._hosted.items() if hmac.compare_digest(digest, known)]

    def check_organiser(self, token: str | None) -> None:
        """Check that the bearer of a token may run the referee.

        Raises:
            Denied: as for every `referee.core.access.Access`.
        """
        self._others.check_organiser(token)
