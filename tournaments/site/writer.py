"""The folder of a site: written once, and then only where something has changed.

Each file is written whole or not at all. A page of a match names in its head what it was made of, so that it
is made again only when that changes, also by another run; all other files are compared. Broken off, it goes
on with the next update.
"""

import json
import re
from collections.abc import Callable, Set
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, TypeAlias

from referee.core.steps import at_once
from referee.files import atomic
from tournaments.plan.plan import Plan
from tournaments.site import match_pages, paths
from tournaments.site.index import MatchIndex
from tournaments.site.matches import ToldMatch, records_here
from tournaments.site.pages import Site
from tournaments.store import Store

OnProgress: TypeAlias = Callable[[int, int], None]
"""Called with how many of the matches have been looked at, and how many there are."""

_MARKER: Final = "site.json"
_FILE_MODE: Final = 0o644  # a web server, which may be another user, reads it
_FOLDER_MODE: Final = 0o755
_HEAD: Final = 400  # bytes of a page that name its digest
_WRITTEN: Final = re.compile(r"(?:entries|data|matches)/.+\.(?:html|csv|json|jsonl\.gz)")


class SiteError(Exception):
    """A folder cannot hold a site."""


@dataclass(slots=True)
class Written:
    """What an update did: how many files it wrote, and how many bytes."""

    files: int = 0
    bytes: int = 0


def claim(plan: Plan, folder: Path) -> None:
    """Note in a folder whose site it is to hold; it is made if it is not there.

    Raises:
        SiteError: it holds something else, or cannot be written to.
    """
    text = json.dumps({"site": 1, "tournament": plan.name, "game": plan.game}).encode() + b"\n"
    mark = folder / _MARKER
    try:
        if mark.exists():
            if mark.read_bytes() != text:
                raise SiteError(f"{folder}: holds the site of another tournament: choose another folder")
            return
        folder.mkdir(mode=_FOLDER_MODE, parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise SiteError(f"{folder}: holds other files: choose a folder that is empty or not there")
        atomic.write(mark, text, mode=_FILE_MODE, durable=False)
    except OSError as error:
        raise SiteError(
            f"{error.filename}: cannot be written: {error.strerror}; choose another folder"
        ) from None


class SiteWriter:
    """Keeps the site of a tournament in a folder; one process at a time may write to it."""

    def __init__(self, plan: Plan, folder: Path) -> None:
        self._plan = plan
        self._folder = folder
        self._index = MatchIndex(plan)
        self._folders: set[Path] = set()  # that are there
        self._of_matches: set[str] = set()  # the paths of their pages and records
        self._to_list: set[int] = set()  # folders of matches whose lists are to be written
        self._is_cleaned = False  # an earlier run may have left what is not there any more
        self._written = Written()

    def update(
        self,
        store: Store,
        site: Callable[[MatchIndex], Site],
        on_progress: OnProgress = lambda done, total: None,
    ) -> Written:
        """Bring the folder up to date with the store, and return what was written.

        ``site`` is called when the index has taken what is stored. After a StoreError the next update
        writes what this one has not.

        Raises:
            SiteError: the folder holds something else, or cannot be written to.
            StoreError: the store cannot be read.
        """
        self._written = Written()
        try:
            claim(self._plan, self._folder)
            self._update_matches(store, on_progress)
            made = site(self._index)
            before = {folder - 1 for folder in self._to_list if folder}  # whose last page leads to the next
            for folder in sorted(self._to_list | before):
                self._put(paths.list_page(folder), made.page(paths.list_page(folder)))
            for path in made.paths():
                self._put(path, made.page(path))
            self._to_list.clear()
            if not self._is_cleaned:
                self._remove_others({*made.paths(), *made.lists(), *self._of_matches})
                self._is_cleaned = True
        except OSError as error:
            mended = "once that is mended, run it again, and it goes on"
            raise SiteError(f"{error.filename}: {error.strerror}: {mended}") from None
        return self._written

    def _update_matches(self, store: Store, on_progress: OnProgress) -> None:
        """Write the pages of matches, and note the folders in which something is new."""
        total = store.issued_count()
        for news in self._index.news(store):
            if news.new:  # the index tells it only once
                self._to_list.add(news.folder)
            for match in news.new:
                if match.has_page:
                    self._put_match(match)
                on_progress(match.issued.serial, total)
            if news.new:
                records = partial(records_here, self._plan)
                for path, data in match_pages.files(self._plan, news.matches, records).items():
                    self._put(path, data)

    def _put_match(self, match: ToldMatch) -> None:
        """Write the page of a match and its records, unless they are there."""
        serial, match_id = match.issued.serial, match.issued.match_id
        files = records_here(self._plan, match)
        path = paths.match_page(serial, match_id)
        self._of_matches.add(path)
        self._of_matches.update(paths.record_file(serial, match_id, attempt) for attempt in files)
        digest = match_pages.digest_of(match, files)
        with suppress(FileNotFoundError), (self._folder / path).open("rb") as page:
            if digest.encode() in page.read(_HEAD):
                return
        for attempt, file in files.items():
            self._put(paths.record_file(serial, match_id, attempt), file.read_bytes())
        shown = match_pages.shown_record(match)
        record = files[shown].read_bytes() if shown in files else None
        making = match_pages.making(self._plan, self._index.names, match, files, record)
        self._put(path, at_once(making))

    def _remove_others(self, ours: Set[str]) -> None:
        """Remove pages and files that an earlier run wrote and that are not there any more."""
        for path in self._folder.glob("*/**/*"):
            name = path.relative_to(self._folder).as_posix()
            if _WRITTEN.fullmatch(name) and name not in ours:
                path.unlink()

    def _put(self, path: str, data: bytes | None) -> None:
        """Write a file, unless it is there as it should be."""
        assert data is not None, path
        file = self._folder / path
        if file.parent not in self._folders:
            file.parent.mkdir(mode=_FOLDER_MODE, parents=True, exist_ok=True)
            self._folders.add(file.parent)
        with suppress(FileNotFoundError):
            if file.read_bytes() == data:
                return
        atomic.write(file, data, mode=_FILE_MODE, durable=False)
        self._written.files += 1
        self._written.bytes += len(data)
