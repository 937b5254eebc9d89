"""People who play in a browser: links that let one in once, and cookies that know who came.

A cookie holds a name, an id and a MAC over both by a key in the folder of the referee, so that it is good
after a restart, too. Nothing else is kept of people.
"""

import hashlib
import hmac
import re
import secrets
from pathlib import Path
from typing import Final, NamedTuple

from referee.files import atomic
from referee.match.effects import Owner

KEY_FILE: Final = "web-key"
COOKIE: Final = "fairdeal-seat"
"""How the names of the cookies of all servers begin."""

_INSTANCE: Final = "web-"
_OF_WEB: Final = re.compile(r"web-([0-9a-f]{12})(-[0-9])?")  # of a person, and of a house bot at its table


_ALIKE: Final = str.maketrans({"0": "o", "1": "l", "i": "l", "-": None, "_": None, ".": None})


def look_of(name: str) -> str:
    """Return what names have in common that people could take for each other, such as Bob-1 and bobl."""
    return name.lower().translate(_ALIKE)


class Person(NamedTuple):
    """Somebody at a browser."""

    name: str
    id: str

    @property
    def owner(self) -> Owner:
        """Return as whom the person holds a seat."""
        return self.name, f"{_INSTANCE}{self.id}"

    def house(self, bot: str, seat: int) -> Owner:
        """Return as whom a house bot holds a seat of this person's table."""
        return bot, f"{_INSTANCE}{self.id}-{seat}"


def person_of(owner: Owner) -> Person | None:
    """Return who holds a seat, None where it is nobody at a browser."""
    entry, instance = owner
    found = _OF_WEB.fullmatch(instance)
    return Person(entry, found[1]) if found and not found[2] else None


def is_house(owner: Owner) -> bool:
    """Return whether a house bot at the table of a person holds a seat."""
    found = _OF_WEB.fullmatch(owner[1])
    return found is not None and found[2] is not None


class Entrance:
    """Lets people in: ``invite`` makes a link for one, ``enter`` uses it up, ``known`` reads its ``cookie``.

    Raises:
        OSError: the key in the folder cannot be read or written.
    """

    def __init__(self, folder: Path) -> None:
        file = folder / KEY_FILE
        if not file.exists():
            atomic.write(file, secrets.token_bytes(32))
        self._key = file.read_bytes()
        self.cookie = f"{COOKIE}-{self._mac('', '')[:8]}"
        """How its cookie is called: browsers send a host's cookies to all of its ports."""
        self._invited: set[bytes] = set()

    def invite(self) -> str:
        """Return the key of a new link."""
        key = secrets.token_urlsafe(18)
        self._invited.add(hashlib.sha256(key.encode()).digest())
        return key

    def is_invited(self, key: str) -> bool:
        """Return whether a link can still be used."""
        return hashlib.sha256(key.encode()).digest() in self._invited

    def enter(self, key: str, name: str) -> Person:
        """Use a link up that `is_invited`, and return who comes by it."""
        self._invited.remove(hashlib.sha256(key.encode()).digest())
        return Person(name, secrets.token_hex(6))

    def cookie_of(self, person: Person) -> str:
        """Return the cookie by which a person is known."""
        return f"{person.name}:{person.id}:{self._mac(*person)}"

    def known(self, cookie: str | None) -> Person | None:
        """Return whose cookie it is; None for one that was not made here."""
        parts = (cookie or "").split(":")
        if len(parts) != 3:
            return None
        name, number, mac = parts
        is_own = hmac.compare_digest(mac.encode(), self._mac(name, number).encode())
        return Person(name, number) if is_own else None

    def _mac(self, name: str, number: str) -> str:
        return hmac.new(self._key, f"{name}:{number}".encode(), hashlib.sha256).hexdigest()
