"""Where the secrets of open epochs come from and are kept, apart from journal and records."""

import os
import re
from collections.abc import Collection
from pathlib import Path
from typing import Final, Protocol

from referee.dealing.scheme import SECRET_BYTES, seeded_secret
from referee.files import atomic
from referee.files.open_files import from_reserve

SAFE_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+~-]{0,199}")
"""Ids of matches and epochs, which are part of file names: no separators, and no dot at their head."""

SUFFIX: Final = ".secret"
"""How the file names of secrets end."""


class VaultError(Exception):
    """A stored secret that is damaged; the text names the file and the remedy."""


class KeySource(Protocol):
    """Gives each epoch its secret, the same one until it is forgotten."""

    @property
    def repeatable(self) -> bool:
        """Return whether another run gets the same secrets; then they are not secret."""

    def secret(self, epoch_id: str) -> bytes:
        """Return the secret of an epoch, 32 bytes.

        Raises:
            ValueError: the epoch id cannot be a file name.
            OSError: the secret cannot be read or stored.
            VaultError: what is stored is no secret.
        """

    def forget(self, epoch_id: str) -> None:
        """Drop the secret of an epoch after its reveal; fine when there is none.

        Raises:
            ValueError: the epoch id cannot be a file name.
            OSError: the secret cannot be removed.
        """

    def forget_all_but(self, epoch_ids: Collection[str]) -> None:
        """Drop the secrets that an earlier process left of epochs that are not open any more.

        Raises:
            ValueError: an epoch id cannot be a file name.
            OSError: a secret cannot be removed.
        """


class Vault:
    """Secrets drawn from the operating system, one file each, for one process at a time.

    The folder is made if missing (its parent is not) and closed to all but its owner. A secret is stored
    before it is returned, so that a restart draws no new one for an open epoch; with ``durable`` that holds
    when the machine itself goes down.

    Raises:
        OSError: the folder cannot be made or closed to others.
    """

    repeatable: Final = False

    def __init__(self, folder: Path, *, durable: bool = True) -> None:
        self._folder = folder
        self._durable = durable
        folder.mkdir(mode=0o700, exist_ok=True)
        folder.chmod(0o700)
        if durable:
            # the folder too: the process before may have died between storing a secret and syncing it
            atomic.sync_folder(folder)
            atomic.sync_folder(folder.parent)

    def secret(self, epoch_id: str) -> bytes:
        """Return the stored secret of an epoch, or draw and store one.

        Raises:
            ValueError: the epoch id cannot be a file name.
            OSError: the secret cannot be read or stored.
            VaultError: the stored file is not 32 bytes.
        """
        path = self._path(epoch_id)
        try:
            stored = from_reserve(path.read_bytes)
        except FileNotFoundError:
            return self._draw(path)
        if len(stored) != SECRET_BYTES:
            raise VaultError(
                f"{path}: {len(stored)} bytes where a secret has {SECRET_BYTES}; put back a copy,"
                " or void this attempt at the match and remove the file"
            )
        return stored

    def forget(self, epoch_id: str) -> None:
        """Remove the secret of an epoch after its reveal; fine when there is none.

        Raises:
            ValueError: the epoch id cannot be a file name.
            OSError: the file cannot be removed.
        """
        # not synced: a file that comes back holds a secret that is public by now
        self._path(epoch_id).unlink(missing_ok=True)

    def forget_all_but(self, epoch_ids: Collection[str]) -> None:
        """Remove the secrets of epochs that are not open, and files that were not written whole.

        Raises:
            ValueError: an epoch id cannot be a file name.
            OSError: a file cannot be removed.
        """
        open_epochs = {self._path(epoch_id) for epoch_id in epoch_ids}
        for path in self._folder.glob(f"*{SUFFIX}"):
            if path not in open_epochs:
                path.unlink()

    def _path(self, epoch_id: str) -> Path:
        return self._folder / file_name(epoch_id)

    def _draw(self, path: Path) -> bytes:
        secret = os.urandom(SECRET_BYTES)
        atomic.write(path, secret, durable=self._durable)
        return secret


class SeededKeys:
    """Secrets that follow from a seed, for runs that can be repeated; nothing is stored.

    Raises:
        ValueError: the seed is not ASCII.
    """

    repeatable: Final = True

    def __init__(self, seed: str) -> None:
        if not seed.isascii():
            raise ValueError(f"seed {seed!r} is not ASCII: use letters, digits and signs of ASCII")
        self._seed = seed

    def secret(self, epoch_id: str) -> bytes:
        """Return the secret of an epoch.

        Raises:
            ValueError: the epoch id cannot be a file name, as for a `Vault`.
        """
        return seeded_secret(self._seed, _checked(epoch_id))

    def forget(self, epoch_id: str) -> None:
        """Only check the id: the seed gives the secret again.

        Raises:
            ValueError: the epoch id cannot be a file name, as for a `Vault`.
        """
        _checked(epoch_id)

    def forget_all_but(self, epoch_ids: Collection[str]) -> None:
        """Do nothing: nothing is stored."""


class Revealed:
    """The secret of one epoch after its reveal, as its record holds it."""

    def __init__(self, secret: bytes, *, repeatable: bool) -> None:
        self._secret = secret
        self.repeatable: Final = repeatable

    def secret(self, epoch_id: str) -> bytes:
        """Return the secret that was revealed, whatever the id."""
        return self._secret

    def forget(self, epoch_id: str) -> None:
        """Do nothing: the secret is public."""

    def forget_all_but(self, epoch_ids: Collection[str]) -> None:
        """Do nothing: the secret is public."""


def file_name(epoch_id: str) -> str:
    """Return the name of the file in a `Vault` that holds the secret of an epoch.

    Raises:
        ValueError: the epoch id cannot be a file name.
    """
    return f"{_checked(epoch_id)}{SUFFIX}"


def _checked(epoch_id: str) -> str:
    if not SAFE_ID.fullmatch(epoch_id):
        raise ValueError(
            f"epoch id {epoch_id!r} cannot be a file name: use at most 200 letters, digits and . _ + ~ -,"
            " beginning with a letter or digit"
        )
    return epoch_id
