"""Errors as the user sees them: one line and an exit status."""

from pathlib import Path


class Failure(Exception):
    """An error that the user is told in one line (or a few); status 2 for bad input, else 1."""

    def __init__(self, text: str, status: int = 1) -> None:
        super().__init__(text)
        self.status = status


def write_file(command: str, path: Path, text: str) -> None:
    """Write a file that a command was asked for.

    Raises:
        Failure: it cannot be written.
    """
    from referee.files.open_files import remedy

    try:
        path.write_text(text, encoding="utf-8")
    except FileNotFoundError:
        why = f"the folder {path.parent} does not exist: make it, or name another one"
        raise Failure(f"{command}: {path}: cannot be written: {why}") from None
    except OSError as error:
        why = f"{error.strerror}; {remedy(error)} and start again"
        raise Failure(f"{command}: {path}: cannot be written: {why}") from None


def failure_of(error: Exception) -> Failure:
    """Return an error as a failure; an error that is not documented is reported as a bug."""
    if isinstance(error, Failure):
        return error
    # imported only now, since nothing of this is needed without such an error
    from referee.dealing.keys import VaultError
    from referee.files.open_files import remedy
    from referee.games.errors import GameError
    from referee.server.addresses import CannotListen
    from referee.server.blocked import BlockedError
    from referee.server.runtime import RefereeFailed
    from referee.server.tls import CertificateError
    from referee.server.tokens import TokenError
    from referee.storage.journal import JournalError
    from referee.storage.record import RecordError
    from tournaments.backup.archive import BackupError
    from tournaments.compare.kept import KeptError
    from tournaments.folder_lock import FolderError
    from tournaments.hosting.bot_process import HostingError
    from tournaments.running.errors import RunFailed, WrongState
    from tournaments.serving.many_tournaments import CannotServe
    from tournaments.serving.workers import WorkerFailed
    from tournaments.store import StoreError
    from tournaments.tournament_file.reader import ConfigError

    if isinstance(error, ConfigError):
        return Failure("\n".join(f"{problem.place}: {problem.text}" for problem in error.problems), 2)
    if isinstance(error, GameError):
        return Failure(f"fairdeal: {error}", 2)
    documented = (
        BackupError,
        BlockedError,
        CannotListen,
        CannotServe,
        CertificateError,
        FolderError,
        HostingError,
        JournalError,
        KeptError,
        RecordError,
        RefereeFailed,
        RunFailed,
        StoreError,
        TokenError,
        VaultError,
        WorkerFailed,
        WrongState,
    )
    if isinstance(error, documented):
        return Failure(f"fairdeal: {error}")
    if isinstance(error, OSError) and error.strerror:
        place = f"{error.filename}: " if error.filename else ""
        return Failure(f"fairdeal: {place}{error.strerror}; {remedy(error)} and start again")
    what = f"{type(error).__name__}: {error}"
    return Failure(
        f"fairdeal: internal error ({what}): please report it, with the traceback that FAIRDEAL_DEBUG=1 shows"
    )
