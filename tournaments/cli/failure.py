"""What can go wrong for a user, as one line and an exit status."""


class Failure(Exception):
    """Something that the user is told in one line (or a few); status 2 for bad input, else 1."""

    def __init__(self, text: str, status: int = 1) -> None:
        super().__init__(text)
        self.status = status


def failure_of(error: Exception) -> Failure:
    """Return an error as a failure; one that no room below documents is a fault of our own."""
    # imported only now: without an error none of this is needed
    from referee.games.errors import GameError
    from referee.journal import JournalError
    from referee.record import RecordError
    from referee.server.addresses import CannotListen
    from referee.server.credentials import CertificateError
    from referee.server.driver import RefereeFailed
    from referee.server.tokens import TokenError
    from referee.vault import VaultError
    from tournaments.config import ConfigError
    from tournaments.folder import FolderError
    from tournaments.hosting import HostingError
    from tournaments.runner import RunFailed
    from tournaments.store import StoreError
    from tournaments.tournament import WrongState

    if isinstance(error, Failure):
        return error
    if isinstance(error, ConfigError):
        return Failure("\n".join(f"{problem.place}: {problem.text}" for problem in error.problems), 2)
    if isinstance(error, GameError):
        return Failure(f"fairdeal: {error}", 2)
    documented = (
        CannotListen,
        CertificateError,
        FolderError,
        HostingError,
        JournalError,
        RecordError,
        RefereeFailed,
        RunFailed,
        StoreError,
        TokenError,
        VaultError,
        WrongState,
    )
    if isinstance(error, documented):
        return Failure(f"fairdeal: {error}")
    if isinstance(error, OSError) and error.strerror:
        place = f"{error.filename}: " if error.filename else ""
        return Failure(f"fairdeal: {place}{error.strerror}; put that right and start again")
    what = f"{type(error).__name__}: {error}"
    return Failure(
        f"fairdeal: a fault of its own ({what}); with FAIRDEAL_DEBUG=1 it says where: please report"
    )
