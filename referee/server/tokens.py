"""Tokens, by default in a file: shown once when they are created, stored only as hashes."""

import hashlib
import json
import secrets
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from referee.core.access import ENTRY_NAME, Bearer, Role, Tokens, token_digest
from referee.files import atomic
from referee.files.open_files import failed, from_reserve
from referee.server import shared_files

_TOKEN_BYTES: Final = 24


class TokenError(Exception):
    """Tokens cannot be read, written or created; the text names the place and the remedy."""


@dataclass(frozen=True, slots=True)
class StoredToken:
    """What is stored of a token: whose it is, what it allows, its hash, when it was created."""

    name: str
    role: Role
    digest: bytes
    created: datetime


class TokenBook:
    """Tokens that are created, renewed and revoked, as `referee.core.access.Access`.

    Subclasses keep them in a ``place``; ``wall`` returns the date and time.
    """

    def __init__(self, place: str, wall: Callable[[], datetime]) -> None:
        self._place = place
        self._wall = wall

    def _stored(self) -> dict[str, StoredToken]:
        """Return what is stored of each token, by name."""
        raise NotImplementedError

    def _changing(self) -> AbstractContextManager[dict[str, StoredToken]]:
        """Return the tokens by name to be changed; they are written when the block ends without an error.

        Processes that change them at the same time wait for each other.
        """
        raise NotImplementedError

    def _current(self) -> Tokens:
        """Return who may come in now."""
        raise NotImplementedError

    def bearer(self, token: str | None) -> Bearer:
        """Return who opens a stream with a token.

        Raises:
            Denied: as for every `Access`.
        """
        return self._current().bearer(token)

    def bearers(self) -> Collection[Bearer]:
        """Return the bearers of all tokens that open a stream now."""
        return self._current().bearers()

    def check(self, token: str | None, entry: str, instance: str = "") -> None:
        """Check that the token is the entry's, for whatever instance of it.

        Raises:
            Denied: as for every `Access`.
        """
        self._current().check(token, entry, instance)

    def check_organiser(self, token: str | None) -> None:
        """Check that the token is an organiser's.

        Raises:
            Denied: as for every `Access`.
        """
        self._current().check_organiser(token)

    def organiser(self, token: str | None) -> str:
        """Return the name of the organiser whose token it is.

        Raises:
            Denied: as for every `Access`.
        """
        return self._current().organiser(token)

    def operates(self, token: str | None) -> bool:
        """Return whether the token is an operator's.

        Raises:
            Denied: it is no organiser's, as for every `Access`.
        """
        return self._current().operates(token)

    def add(self, name: str, role: Role) -> str:
        """Create a token and return it; it cannot be read again later.

        Raises:
            TokenError: the name is not allowed or has a token already, or the place cannot be used.
        """
        if not ENTRY_NAME.fullmatch(name):
            raise TokenError(f"{name!r} cannot be the name of a token: use 1 to 40 letters, digits, _ . or -")
        with self._changing() as tokens:
            if name in tokens:
                raise TokenError(f"{name} has a token already: renew it, or revoke it first")
            return self._give(tokens, name, role)

    def renew(self, name: str) -> tuple[Role, str]:
        """Replace the token of a name by a new one, and return it with its role, which stays the same.

        Raises:
            TokenError: the name has no token, or the place cannot be read or written.
        """
        with self._changing_of(name) as (tokens, stored):
            return stored.role, self._give(tokens, name, stored.role)

    def revoke(self, name: str) -> None:
        """Revoke a name's token.

        Raises:
            TokenError: the name has no token, or the place cannot be read or written.
        """
        with self._changing_of(name) as (tokens, _stored):
            del tokens[name]

    def list(self) -> tuple[StoredToken, ...]:
        """Return what is stored of each token, by name.

        Raises:
            TokenError: the place is broken.
        """
        return tuple(stored for _name, stored in sorted(self._stored().items()))

    def _give(self, tokens: dict[str, StoredToken], name: str, role: Role) -> str:
        token = secrets.token_urlsafe(_TOKEN_BYTES)
        tokens[name] = StoredToken(name, role, token_digest(token), self._wall())
        return token

    def _found(self, tokens: dict[str, StoredToken], name: str) -> StoredToken:
        if name in tokens:
            return tokens[name]
        known = f"; these names have one: {', '.join(sorted(tokens))}"
        who = known if tokens else ": no name has one there; name the referee's folder"
        raise TokenError(f"{name!r} has no token in {self._place}{who}")

    @contextmanager
    def _changing_of(self, name: str) -> Iterator[tuple[dict[str, StoredToken], StoredToken]]:
        """Yield the tokens to be changed, and that of a name; if it has none, nothing is made or written."""
        self._found(self._stored(), name)
        with self._changing() as tokens:
            yield tokens, self._found(tokens, name)


class TokenFile(TokenBook):
    """Tokens by name in a JSON file; a file that is missing holds none.

    As `referee.core.access.Access` it follows the file: a token that another process creates or revokes
    counts from the next check on. If the file breaks meanwhile, the tokens from before stay valid and the log
    says so. ``wall`` returns the date and time.

    Raises:
        TokenError: the file is broken.
    """

    def __init__(self, path: Path, *, wall: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        super().__init__(str(path), wall)
        self._path = path
        until = "until then the earlier tokens stay valid"
        self._held = shared_files.FollowedFile(
            path, lambda path: tokens_of(_read(path)), TokenError, event="tokens_broken", until=until
        )

    def _current(self) -> Tokens:
        return self._held.now()

    def _stored(self) -> dict[str, StoredToken]:
        return _read(self._path)

    @contextmanager
    def _changing(self) -> Iterator[dict[str, StoredToken]]:
        try:
            with shared_files.locked(self._path):
                tokens = _read(self._path)
                yield tokens
                _write(self._path, tokens)
        except OSError as error:
            raise TokenError(failed(error, done="written", what=f"{self._path}:")) from None


def tokens_of(tokens: Mapping[str, StoredToken]) -> Tokens:
    """Return who may come in with some tokens."""
    digests = {name: stored.digest for name, stored in tokens.items()}
    named = {role: [name for name, stored in tokens.items() if stored.role is role] for role in Role}
    return Tokens(digests, named[Role.ORGANISER], named[Role.OPERATOR])


def _read(path: Path) -> dict[str, StoredToken]:
    try:
        data = from_reserve(path.read_bytes)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise TokenError(failed(error, done="read", what=f"{path}:")) from None
    try:
        tokens = [_parsed(given) for given in json.loads(data)["tokens"]]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise _broken(path) from None
    found = {stored.name: stored for stored in tokens}
    if len(found) != len(tokens):
        raise _broken(path)
    return found


def _broken(path: Path) -> TokenError:
    return TokenError(
        f"{path}: is not a file of tokens; put back a copy, or remove it and give out new tokens"
    )


def _parsed(given: dict[str, str]) -> StoredToken:
    """Return a token from its form in the file.

    Raises:
        ValueError, TypeError, KeyError: it is not a token.
    """
    digest = bytes.fromhex(given["sha256"])
    if not ENTRY_NAME.fullmatch(given["name"]) or len(digest) != hashlib.sha256().digest_size:
        raise ValueError
    return StoredToken(given["name"], Role(given["role"]), digest, datetime.fromisoformat(given["created"]))


def _write(path: Path, tokens: dict[str, StoredToken]) -> None:
    """Write the file whole or not at all, readable only by its owner."""
    listed = [
        {
            "name": stored.name,
            "role": stored.role,
            "sha256": stored.digest.hex(),
            "created": stored.created.isoformat(timespec="seconds"),
        }
        for _name, stored in sorted(tokens.items())
    ]
    data = json.dumps({"tokens": listed}, indent=2).encode() + b"\n"
    atomic.write(path, data)
