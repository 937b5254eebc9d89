"""Invitations to a tournament: codes, each of which lets somebody register one entry.

They are kept in a file in the tournament's folder, the codes as hashes.
"""

import hashlib
import hmac
import json
import secrets
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from referee.core.access import Denied, Role
from referee.files import atomic
from referee.match.messages import Reason
from tournaments.store import Registered

FILE: Final = "invitations.json"
MOST: Final = 1000
"""The most invitations of one tournament, used ones included."""

LONGEST_NOTE: Final = 100

_CODE_BYTES: Final = 24
_UNKNOWN: Final = "this is no invitation, or it was used or revoked: ask the organiser for another one"


class InvitationError(Exception):
    """The file of invitations is broken; the text names it and the remedy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Invitation:
    """An invitation: its number, whom the organiser meant, who made it and when, and what became of it.

    ``entry`` is the name that was registered with it; ``sha256`` is that of its code.
    """

    number: int
    sha256: str
    note: str
    by: str
    made: str
    entry: str = ""
    used: str = ""
    revoked: str = ""

    @property
    def is_open(self) -> bool:
        """Return whether it can be used."""
        return not (self.entry or self.revoked)


class Invitations:
    """The invitations in a tournament's folder; one process at a time changes them.

    ``wall`` returns the date and time. Every method raises OSError when the file cannot be read or written,
    and InvitationError when it is broken.
    """

    def __init__(self, folder: Path, wall: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._path = folder / FILE
        self._wall = wall

    def all(self) -> tuple[Invitation, ...]:
        """Return all invitations, by number."""
        try:
            told = json.loads(self._path.read_bytes())["invitations"]
            return tuple(Invitation(**each) for each in told)
        except FileNotFoundError:
            return ()
        except (ValueError, TypeError, KeyError, RecursionError):
            text = "is no file of invitations: put back a copy, or remove it"
            raise InvitationError(f"{self._path}: {text}") from None

    def make(self, note: str, by: str) -> tuple[Invitation, str]:
        """Make an invitation, and return it with its code, which cannot be read again.

        Raises:
            Denied: BAD_REQUEST, the note is no line of text; RATE_LIMITED, there are too many.
        """
        if len(note) > LONGEST_NOTE or not note.isprintable():
            text = f"note: is one line of at most {LONGEST_NOTE} characters"
            raise Denied(Reason.BAD_REQUEST, text)
        known = self.all()
        if len(known) >= MOST:
            raise Denied(Reason.RATE_LIMITED, f"a tournament has at most {MOST} invitations")
        code = secrets.token_urlsafe(_CODE_BYTES)
        made = Invitation(number=len(known) + 1, sha256=_hash(code), note=note, by=by, made=self._now())
        self._write((*known, made))
        return made, code

    def revoke(self, number: int) -> Invitation:
        """Revoke an invitation; fine when it is revoked already.

        Raises:
            Denied: ENTRY_NOT_FOUND, there is none of that number; WRONG_STATE, it was used.
        """
        found = next((each for each in self.all() if each.number == number), None)
        if found is None:
            raise Denied(Reason.ENTRY_NOT_FOUND, f"there is no invitation {number}")
        if found.entry:
            text = f"invitation {number} was used by {found.entry}: remove that entry instead"
            raise Denied(Reason.WRONG_STATE, text)
        return found if found.revoked else self._changed(replace(found, revoked=self._now()))

    def open_with(self, code: str, entry: str) -> Invitation:
        """Return the invitation of a code that may be used for an entry: an open one, or one it has used.

        Raises:
            Denied: WRONG_ROLE, there is none.
        """
        digest = _hash(code)
        # all are compared, so that the time it takes does not tell which one is like it
        found = [each for each in self.all() if hmac.compare_digest(digest, each.sha256)]
        if not found or found[0].revoked or found[0].entry not in ("", entry):
            raise Denied(Reason.WRONG_ROLE, _UNKNOWN)
        return found[0]

    def check(self, code: str, entry: str, roster: Sequence[Registered], role: Role | None) -> None:
        """Check that a code may be used for an entry, which must be new; ``role`` is that of its token.

        Raises:
            Denied: WRONG_ROLE, as for `open_with`; ENTRY_EXISTS, the name is taken.
        """
        invitation = self.open_with(code, entry)
        is_known = any(kept.entry.name == entry for kept in roster)
        if role is not None or (is_known and not invitation.entry):
            raise Denied(Reason.ENTRY_EXISTS, f"{entry} is taken: choose another name")

    def use(self, code: str, entry: str) -> None:
        """Note that a code is used for an entry; another call for the same entry changes nothing."""
        invitation = self.open_with(code, entry)
        if not invitation.entry:
            self._changed(replace(invitation, entry=entry, used=self._now()))

    def _changed(self, changed: Invitation) -> Invitation:
        self._write(tuple(changed if each.number == changed.number else each for each in self.all()))
        return changed

    def _write(self, invitations: tuple[Invitation, ...]) -> None:
        data = {"invitations": [asdict(each) for each in invitations]}
        atomic.write(self._path, json.dumps(data, indent=1).encode())

    def _now(self) -> str:
        return self._wall().isoformat(timespec="seconds")


def _hash(code: str) -> str:
    return hashlib.sha256(code.encode()).hexdigest()
