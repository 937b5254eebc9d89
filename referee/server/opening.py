"""Puts a referee together: core, keys, journal and records of one folder."""

from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import Any

from referee.core.access import Access
from referee.core.core import Core
from referee.core.limits import DEFAULT, Limits
from referee.core.matches import NewMatch, growing_match
from referee.core.observer import UNOBSERVED, Observer
from referee.core.routes import ALL_HERE, Routes
from referee.core.running_match import OpenTable
from referee.dealing.decks import MatchDeals
from referee.dealing.keys import KeySource
from referee.files import private
from referee.games.base import Game
from referee.match.effects import Deals, MatchSetup, Owner
from referee.server.runtime import SOFTWARE, FinishedMatch, Referee
from referee.storage import record_files
from referee.storage.journal import Journal


def records_of(folder: Path) -> Path:
    """Return the folder of the records inside a referee's folder."""
    return folder / record_files.FOLDER


def open_referee(
    folder: Path,
    keys: KeySource,
    access: Access,
    *,
    durable: bool = False,
    deals: Callable[[MatchSetup, Game[Any]], Deals] | None = None,
    open_tables: Iterable[OpenTable] = (),
    new_match_id: Callable[[str], str] | None = None,
    limits: Limits = DEFAULT,
    observer: Observer = UNOBSERVED,
    blocked: Callable[[], Collection[str]] = frozenset,
    new_match: NewMatch = growing_match,
    routes: Routes = ALL_HERE,
    records: Path | None = None,
    on_arrived: Callable[[Owner], None] = lambda owner: None,
    on_opened: Callable[[MatchSetup], None] = lambda setup: None,
    on_finished: Callable[[FinishedMatch], None] = lambda report: None,
) -> Referee:
    """Open a referee that keeps its journal and records in a folder, which is created if it is missing.

    ``deals`` are by default those of the ``keys``, ``records`` the folder of that name in it. The rest is as
    for `Journal`, `Core` and `Referee`; to go on with what an earlier referee left there, call
    `Referee.recover`.

    Raises:
        JournalError: what the earlier one left cannot be read.
        OSError: the folder cannot be read or written to.
    """
    private.make_folder(folder)
    records = records or records_of(folder)
    private.make_folder(records)
    core = Core(
        deals=deals or (lambda setup, rules: MatchDeals(setup, rules, keys)),
        access=access,
        server=SOFTWARE,
        open_tables=open_tables,
        new_match_id=new_match_id,
        limits=limits,
        observer=observer,
        blocked=blocked,
        new_match=new_match,
        routes=routes,
    )
    return Referee(
        core,
        keys=keys,
        journal=Journal(folder / "journal", durable=durable),
        records=records,
        on_arrived=on_arrived,
        on_opened=on_opened,
        on_finished=on_finished,
    )
