"""The results of a tournament that is being played, as pages that move: the site of `tournaments.site`.

A page is made when somebody asks for it, of what is stored by then, in a thread: matches go on meanwhile.
However often results come and whoever looks, what the pages share is made no oftener than `PACE` seconds, and
takes a tenth of the time at most; each page is made once of that.
"""

import asyncio
import hashlib
import time
from collections.abc import AsyncGenerator, Callable
from functools import partial
from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from referee.core.access import Denied
from referee.match.messages import Reason
from referee.server.runtime import Referee
from referee.server.watching import NOBODY_WATCHES
from tournaments.running.tournament import Tournament
from tournaments.running.watch import MatchBegun
from tournaments.site import match_pages, paths
from tournaments.site.gather import matches_at, site_of
from tournaments.site.index import MatchIndex
from tournaments.site.matches import ToldMatch, records_here
from tournaments.site.pages import Site
from tournaments.standings import Report
from tournaments.store import StoreError
from tournaments.usage.table import model_table
from tournaments.web.fence import address_of
from tournaments.web.made_once import MadeOnce
from tournaments.web.streams import event, stream

PACE: Final = 1.0
_REST: Final = 10  # times as long as the last time took
_LARGE: Final = 1 << 16  # bytes, of which a digest takes long
_KEPT: Final = 8  # pages of matches, and lists of them
_TYPES: Final = {
    "html": "text/html; charset=utf-8",
    "css": "text/css",
    "js": "text/javascript",
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "gz": "application/gzip",
}
# what is served has more than what lies in a folder
_ADDED: Final = (
    (b"<title>", b'<script src="/assets/follow.js" type="module"></script>\n'),
    (b"</nav>", b'<a href="/tables">Tables</a>\n'),
    (
        b"</body>",
        b"<footer>These pages last as long as the program that serves them."
        b" <code>fairdeal tournament export</code> writes them as files, which stay.</footer>\n",
    ),
)


class ResultPages:
    """The pages of a tournament; ``home`` is added to their menu, and ``now`` is a clock in seconds.

    It follows the tournament until it is closed.
    """

    def __init__(
        self,
        tournament: Tournament,
        referee: Referee,
        *,
        home: bytes = b"",
        pace: float = PACE,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._tournament = tournament
        self._referee = referee
        self._added = ((b"</nav>", home), *_ADDED)
        self._pace = pace
        self._now = now
        self._site: Site | None = None
        self._plan = tournament.plan
        self._index = MatchIndex(self._plan)
        self._is_stale = True
        self._next = 0.0  # when it may be made again
        self._revision = 0
        self._changed = asyncio.Event()  # is set, and replaced, when it is stale or was made
        self._making = asyncio.Lock()
        self._made_pages: dict[str, bytes] = {}  # of the site, by their paths
        self._matches: MadeOnce[bytes] = MadeOnce(_KEPT)  # pages by their digest
        self._told: MadeOnce[list[ToldMatch]] = MadeOnce(_KEPT)  # by revision and folder
        self._lists: MadeOnce[bytes | None] = MadeOnce(_KEPT)  # files that list matches, by revision and path
        self._following = asyncio.get_running_loop().create_task(self._follow())
        self._following.add_done_callback(lambda _over: self._wake())  # its streams end

    def routes(self) -> list[BaseRoute]:
        """Return the routes."""
        return [
            Route("/", self.begin),
            Route("/results/events", self.events),
            Route("/results/{path:path}", self.page),
        ]

    async def close(self) -> None:
        """Follow the tournament no more."""
        self._following.cancel()
        await asyncio.wait({self._following})

    async def begin(self, _request: Request) -> Response:
        """Lead to the overview."""
        return RedirectResponse("/results/index.html")

    async def page(self, request: Request) -> Response:
        """Send what is at a path."""
        path = request.path_params["path"] or "index.html"
        try:
            found = await self._at(path, address_of(request))
        except StoreError as error:
            self._referee.core.observer.failed("a page", error)
            raise HTTPException(503, "The results cannot be read at present: try again.") from None
        if found is None:
            raise HTTPException(404, "There is no such page.")
        kind = path.rpartition(".")[2]
        if kind == "html":
            for place, added in self._added:
                found = found.replace(place, added + place, 1)
        tag = await asyncio.to_thread(_tag, found) if len(found) > _LARGE else _tag(found)
        headers = {"cache-control": "no-cache", "etag": tag}
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=headers)
        return Response(found, media_type=_TYPES[kind], headers=headers)

    async def events(self, request: Request) -> Response:
        """Tell when there is something new; the pages fetch it then."""

        async def told() -> AsyncGenerator[bytes, None]:
            with self._referee.watching.counted(address_of(request)):
                while True:
                    revision = self._revision
                    yield event(
                        "changed", {}
                    )  # the first time, too: something may be new since it was loaded
                    while revision == self._revision:
                        if self._following.done():
                            return
                        if self._is_stale:
                            await asyncio.sleep(max(0.0, self._next - self._now()))
                            await self._fresh()
                        else:
                            await self._changed.wait()

        return await stream(told())

    async def _follow(self) -> None:
        with self._tournament.watch() as changes:
            async for change in changes:
                if not isinstance(change, MatchBegun):
                    self._is_stale = True
                    self._wake()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    async def _at(self, path: str, peer: str) -> bytes | None:
        site = await self._fresh()
        if (at := paths.matches_at(path)) is None:
            return await self._page_of(site, path)
        folder, match_id = at
        if not self._referee.core.limits.watchers:
            raise Denied(Reason.RATE_LIMITED, NOBODY_WATCHES)
        edition = self._revision
        plan, store = self._tournament.plan, self._tournament.store

        async def read() -> list[ToldMatch]:
            return await asyncio.to_thread(matches_at, plan, store, paths.matches_file(folder, "json"))

        some = await self._told.get((edition, folder), read, peer)
        if path.startswith("data/"):
            return await self._lists.get((edition, path), partial(self._list, path, some), peer)
        found = next((match for match in some if match.issued.match_id == match_id), None)
        return await self._of_match(path, found, peer) if found else None

    async def _list(self, path: str, some: list[ToldMatch]) -> bytes | None:
        """Return a file that lists the matches of a folder."""
        if not some:
            return None
        plan = self._tournament.plan
        made = partial(match_pages.files, plan, some, partial(records_here, plan))
        return (await asyncio.to_thread(made)).get(path)

    async def _page_of(self, site: Site, path: str) -> bytes | None:
        """Return a page that is made of what all pages share; large ones take a good part of a second."""
        async with self._making:  # which uses the index, too
            if site is not self._site:  # it was made anew meanwhile: what is kept is of another one
                return await asyncio.to_thread(site.page, path)
            if path not in self._made_pages:
                made = await asyncio.to_thread(site.page, path)
                if made is None or site is not self._site:
                    return made
                self._made_pages[path] = made
            return self._made_pages[path]

    async def _of_match(self, path: str, match: ToldMatch, peer: str) -> bytes | None:
        """Return the page of a match, which is played again in slices, or a record."""
        plan, issued = self._tournament.plan, match.issued
        files = await asyncio.to_thread(records_here, plan, match)
        for attempt, file in files.items():
            if path == paths.record_file(issued.serial, issued.match_id, attempt):
                return await asyncio.to_thread(file.read_bytes)
        if path != paths.match_page(issued.serial, issued.match_id) or not match.has_page:
            return None

        async def make() -> bytes:
            shown = match_pages.shown_record(match)
            record = await asyncio.to_thread(files[shown].read_bytes) if shown in files else None
            making = match_pages.making(plan, self._index.names, match, files, record)
            return await self._referee.slices.run(making, asyncio.to_thread)

        return await self._matches.get(match_pages.digest_of(match, files), make, peer)

    async def _fresh(self) -> Site:
        """Return what the pages show, made again if it may be."""
        async with self._making:
            if self._site is None or (self._is_stale and self._now() >= self._next):
                self._is_stale = False
                began = self._now()
                try:
                    report = await self._tournament.standings()
                    self._site = await asyncio.to_thread(self._made, report)
                    self._made_pages.clear()
                except BaseException:
                    self._is_stale = True
                    raise
                finally:
                    ended = self._now()
                    self._next = ended + max(self._pace, _REST * (ended - began))
                self._revision += 1
                self._wake()
            return self._site

    def _made(self, report: Report) -> Site:
        plan, store = self._tournament.plan, self._tournament.store
        if plan is not self._plan:  # others have entered
            self._plan, self._index = plan, MatchIndex(plan)
        for _news in self._index.news(store):
            pass
        return site_of(plan, store, self._index, report, models=model_table(plan, store))


def _tag(data: bytes) -> str:
    return f'"{hashlib.sha256(data).hexdigest()[:32]}"'
