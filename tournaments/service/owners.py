"""Whose a tournament is: that of the organiser whose token made it."""

from pathlib import Path
from typing import Final

from referee.core.access import ENTRY_NAME, Denied
from referee.files import atomic
from referee.match.messages import Reason
from referee.server.tokens import TokenFile

_FILE: Final = "owner"  # in the folder of a tournament, with the name of the owner's token


class Owners:
    """The owners of tournaments; those made without tokens, or by an earlier version, have none.

    ``tokens`` are those of the referee, None when everybody is believed to be an organiser.
    """

    def __init__(self, tokens: TokenFile | None) -> None:
        self._tokens = tokens
        self._owners: dict[str, str] = {}

    def of(self, name: str) -> str:
        """Return the name of a tournament's owner, empty when it has none."""
        return self._owners.get(name, "")

    def organiser(self, token: str | None) -> str:
        """Return the name of the organiser whose token it is, empty where there are no tokens.

        Raises:
            Denied: it is none.
        """
        return "" if self._tokens is None else self._tokens.organiser(token)

    def check(self, name: str, token: str | None) -> None:
        """Check that an organiser may change a tournament: its owner, an operator, or any if it has none.

        Raises:
            Denied: WRONG_ROLE, it belongs to somebody else; or the token is no organiser's.
        """
        owner = self._owners.get(name)
        if owner is None or self._tokens is None:
            return
        if self._tokens.organiser(token) != owner and not self._tokens.operates(token):
            text = f"the tournament {name} belongs to {owner}: ask {owner} or an operator to change it"
            raise Denied(Reason.WRONG_ROLE, text)

    def keep(self, name: str, folder: Path, owner: str) -> None:
        """Store whose a new tournament is, in its folder.

        Raises:
            OSError: it cannot be stored.
        """
        if owner:
            atomic.write(folder / _FILE, f"{owner}\n".encode())
            self._owners[name] = owner

    def read(self, name: str, folder: Path) -> None:
        """Read whose a tournament is that was made before.

        Raises:
            OSError: it cannot be read.
            ValueError: the file does not hold a name.
        """
        try:
            owner = (folder / _FILE).read_text(encoding="utf-8").strip()
        except FileNotFoundError:
            return
        if not ENTRY_NAME.fullmatch(owner):
            raise ValueError(f"{folder / _FILE}: is not the name of a token: write one, or remove the file")
        self._owners[name] = owner

    def forget(self, name: str) -> None:
        """Forget whose a tournament was that is gone."""
        self._owners.pop(name, None)
