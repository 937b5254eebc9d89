"""`fairdeal tournament export`, and the site that `fairdeal tournament run --export` keeps."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.console import Console

from tournaments.cli.failure import Failure
from tournaments.cli.interrupt import interruptible
from tournaments.cli.live_line import LiveLine
from tournaments.cli.par import luck_taken_out
from tournaments.plan.plan import Plan
from tournaments.store import Store
from tournaments.tournament_file import reader

if TYPE_CHECKING:
    from tournaments.site.writer import Written


def export_file(file: Path, folder: Path, *, follow: bool) -> None:
    """Write the site of a tournament to a folder, and with ``follow`` keep it up to date until that is over.

    Raises:
        ConfigError, StoreError: the file or its store cannot be used.
        Failure: the folder cannot hold it.
    """
    plan = reader.load(file, to_run=False)
    if follow:
        _follow(plan, folder)
    export(plan, folder)


def export(plan: Plan, folder: Path) -> None:
    """Write the site of a tournament to a folder, and say where it begins.

    Raises:
        StoreError: the store cannot be used.
        Failure: the folder cannot hold it.
    """
    written = write_site(plan, folder)
    typer.echo(f"{_said(written)}; open {folder / 'index.html'}", err=True)


def write_site(plan: Plan, folder: Path) -> "Written":
    """Write the site of a tournament to a folder, with its progress, and return what was written.

    Raises:
        StoreError: the store cannot be used.
        Failure: the folder cannot hold it.
    """
    # on demand: pages need templates, and replays the rules
    from tournaments.site.gather import site_now
    from tournaments.site.writer import SiteError, SiteWriter

    try:
        with interruptible(), Store.read(plan) as store, LiveLine(Console(stderr=True)) as line:

            def tell(done: int, total: int) -> None:
                line.show(lambda: f"pages: {done:,} of {total:,} matches")

            return SiteWriter(plan, folder).update(
                store, lambda index: site_now(plan, store, index, luck_taken_out(plan, store)), tell
            )
    except SiteError as error:
        raise Failure(f"fairdeal: {error}") from None


@contextmanager
def exported(plan: Plan, folder: Path | None) -> Iterator[None]:
    """Keep a site up to date while the context lasts, and bring it up to date at its end; None: no site.

    Raises:
        StoreError: the store cannot be used.
        Failure: the folder cannot hold it.
    """
    if folder is None:
        yield
        return
    from tournaments.site.follow import following
    from tournaments.site.writer import SiteError, claim

    try:
        claim(plan, folder)  # before anything is played
    except SiteError as error:
        raise Failure(f"fairdeal: {error}") from None
    with following(plan, folder) as site:
        typer.echo(f"pages of it: {folder / 'index.html'}", err=True)
        yield
        if site.done() and (failed := site.exception()):
            typer.echo(f"fairdeal: {failed}: the pages are written at the end", err=True)
    export(plan, folder)


def _follow(plan: Plan, folder: Path) -> None:
    from tournaments.site.follow import follow
    from tournaments.site.writer import SiteError

    def tell(written: "Written") -> None:
        if written.files:
            typer.echo(_said(written), err=True)

    try:
        with interruptible():
            follow(plan, folder, on_update=tell)
    except SiteError as error:
        raise Failure(f"fairdeal: {error}") from None


def _said(written: "Written") -> str:
    if not written.files:
        return "nothing has changed"
    number = "a file" if written.files == 1 else f"{written.files:,} files"
    return f"wrote {number}, {written.bytes / 1e6:.1f} MB"
