"""What a tournament cannot do, as refusals for those who asked for it over the wire."""

import logging
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Final

from referee.core.access import Denied
from referee.files.open_files import failed
from referee.games.errors import no_such
from referee.match.messages import Reason
from referee.server.tokens import TokenError
from tournaments.folder_lock import FolderError
from tournaments.running.errors import RunFailed, WrongState
from tournaments.service.invitations import InvitationError
from tournaments.store import StoreError
from tournaments.tournament_file.season import SeasonError

_log: Final = logging.getLogger("referee.tournaments")  # the prefix of loggers that a referee's log shows

_EVENT: Final = {"event": "tournament_broken"}  # how `logs` shows it, with its fields
_BROKEN: Final = "the server's store failed; its operator has to repair it"
_LONGEST_NAME: Final = 40  # longest name for which another one is suggested
_MOST_NAMES: Final = 32  # most names among which one is suggested: more, or longer ones, take long


def not_found(kind: str, name: str, known: Collection[str]) -> str:
    """Return the text that says that there is none of this name, with a similar one if there is one."""
    if len(name) <= _LONGEST_NAME and len(known) <= _MOST_NAMES:
        return no_such(kind, name, sorted(known))
    return f"no such {kind}; there are {len(known)}"


@contextmanager
def told(*, openly: bool = True) -> Iterator[None]:
    """Turn errors of a tournament into refusals; with ``openly`` the caller sees server failures, too."""
    try:
        yield
        return
    except WrongState as error:
        raise Denied(Reason.WRONG_STATE, str(error)) from None
    except (FolderError, InvitationError, RunFailed, SeasonError, StoreError, TokenError) as error:
        text = str(error)
    except OSError as error:
        text = f"on the server {failed(error, done='used')}"
    if openly:
        raise Denied(Reason.INTERNAL, text)
    _log.error("%(text)s", {"text": text}, extra=_EVENT)
    raise Denied(Reason.INTERNAL, _BROKEN)
