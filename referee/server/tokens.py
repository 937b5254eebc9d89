"""Tokens in a file: given out once, kept as hashes only."""

import fcntl
import hashlib
import json
import logging
import os
import re
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from referee.access import Role, Tokens, token_digest
from referee.vault import sync_folder

_log: Final = logging.getLogger(__name__)

_EVENT: Final = {"event": "tokens_broken"}  # how `logs` shows it, with its fields
_TOKEN_BYTES: Final = 24
_NAME: Final = re.compile(r"[A-Za-z0-9_.-]{1,40}")  # as an entry's

_Stamp = tuple[int, ...] | None


class TokenError(Exception):
    """Tokens that cannot be read, written or given out; the text names the place and the remedy."""


@dataclass(frozen=True, slots=True)
class StoredToken:
    """What is kept of a token: whose it is, what it allows, its hash, when it was given out."""

    name: str
    role: Role
    digest: bytes
    created: datetime


class TokenFile:
    """Tokens by name in a JSON file; a file that is missing holds none.

    As `referee.access.Access` it follows the file: what another process gives out or revokes holds from the
    next check on. If the file breaks meanwhile, what it held before stays valid and the log says so.
    ``wall`` tells date and time.

    Raises:
        TokenError: the file is broken.
    """

    def __init__(self, path: Path, *, wall: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._path = path
        self._wall = wall
        self._stamp = _stamp(path)
        self._access = _access(_read(path))

    # Access

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

    def _current(self) -> Tokens:
        stamp = _stamp(self._path)
        if stamp != self._stamp:
            self._stamp = stamp
            try:
                self._access = _access(_read(self._path))
            except TokenError as error:
                fields = {"text": f"{error}; until then the tokens of before are valid"}
                _log.error("%(text)s", fields, extra=_EVENT)
        return self._access

    # Giving out

    def add(self, name: str, role: Role) -> str:
        """Give out a token, which is told this once.

        Raises:
            TokenError: the name is none or has a token already, or the file cannot be read or written.
        """
        if not _NAME.fullmatch(name):
            raise TokenError(f"{name!r} cannot be the name of a token: use 1 to 40 letters, digits, _ . or -")
        with self._changing() as tokens:
            if name in tokens:
                raise TokenError(f"{name} has a token already: renew it, or revoke it first")
            return self._give(tokens, name, role)

    def renew(self, name: str) -> tuple[Role, str]:
        """Give out another token in place of the one that a name has, and return it with its role, the same.

        Raises:
            TokenError: the name has no token, or the file cannot be read or written.
        """
        with self._changing() as tokens:
            role = self._found(tokens, name).role
            return role, self._give(tokens, name, role)

    def revoke(self, name: str) -> None:
        """Take a name's token away.

        Raises:
            TokenError: the name has no token, or the file cannot be read or written.
        """
        with self._changing() as tokens:
            del tokens[self._found(tokens, name).name]

    def list(self) -> tuple[StoredToken, ...]:
        """Return what is kept of each token, by name.

        Raises:
            TokenError: the file is broken.
        """
        return tuple(stored for _name, stored in sorted(_read(self._path).items()))

    def _give(self, tokens: dict[str, StoredToken], name: str, role: Role) -> str:
        token = secrets.token_urlsafe(_TOKEN_BYTES)
        tokens[name] = StoredToken(name, role, token_digest(token), self._wall())
        return token

    def _found(self, tokens: dict[str, StoredToken], name: str) -> StoredToken:
        if name not in tokens:
            known = ", ".join(sorted(tokens)) or "nobody"
            raise TokenError(f"{name!r} has no token in {self._path}; who has one: {known}")
        return tokens[name]

    @contextmanager
    def _changing(self) -> Iterator[dict[str, StoredToken]]:
        """Yield the tokens by name for changes, which are written when the block ends without an error.

        Processes that change the file at the same time wait for each other.
        """
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with self._path.with_name(f"{self._path.name}.lock").open("a") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                tokens = _read(self._path)
                yield tokens
                _write(self._path, tokens)
        except OSError as error:
            text = f"cannot be written ({error.strerror}); free the disk or change its rights"
            raise TokenError(f"{self._path}: {text}") from None


def _stamp(path: Path) -> _Stamp:
    try:
        found = path.stat()
    except OSError:
        return None  # reading it says why
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _access(tokens: dict[str, StoredToken]) -> Tokens:
    digests = {name: stored.digest for name, stored in tokens.items()}
    return Tokens(digests, [name for name, stored in tokens.items() if stored.role is Role.ORGANISER])


def _read(path: Path) -> dict[str, StoredToken]:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise TokenError(f"{path}: cannot be read ({error.strerror}); change its rights") from None
    try:
        tokens = [_parsed(given) for given in json.loads(data)["tokens"]]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise _broken(path) from None
    found = {stored.name: stored for stored in tokens}
    if len(found) != len(tokens):
        raise _broken(path)
    return found


def _broken(path: Path) -> TokenError:
    return TokenError(f"{path}: is no file of tokens; put back a copy, or remove it and give out new tokens")


def _parsed(given: dict[str, str]) -> StoredToken:
    """Return a token as it stands in the file.

    Raises:
        ValueError, TypeError, KeyError: it is none.
    """
    digest = bytes.fromhex(given["sha256"])
    if not _NAME.fullmatch(given["name"]) or len(digest) != hashlib.sha256().digest_size:
        raise ValueError
    return StoredToken(given["name"], Role(given["role"]), digest, datetime.fromisoformat(given["created"]))


def _write(path: Path, tokens: dict[str, StoredToken]) -> None:
    """Write the file whole or not at all, readable for its owner only."""
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
    unfinished = path.with_name(f".{path.name}")
    unfinished.unlink(missing_ok=True)  # what a crash left
    try:
        with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    except OSError:
        unfinished.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)
