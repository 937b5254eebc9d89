"""The pages: routes, what each answers, and what every answer carries.

Nothing here is asked for a rule of a game: what may be clicked comes with each step.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Collection
from http import HTTPStatus
from typing import Any, Final

from markupsafe import Markup
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp

from referee.core.access import Denied
from referee.games.registry import GAMES
from referee.match.messages import Reason
from referee.server.played import PastMatches
from referee.server.runtime import Referee
from referee.server.shown_records import ShownRecords
from tournaments.report.environment import environment
from tournaments.site.assets import viewer_body
from tournaments.web.asset_files import asset
from tournaments.web.fence import FencedApp, address_of
from tournaments.web.hall import Hall
from tournaments.web.made_once import MadeOnce
from tournaments.web.people import Entrance
from tournaments.web.replay import replaying
from tournaments.web.results import ResultPages
from tournaments.web.seat_pages import SeatPages
from tournaments.web.shown import table_data, told
from tournaments.web.streams import event, stream
from tournaments.web.tournaments import TournamentPages

_STATUS: Final = {
    Reason.MATCH_NOT_FOUND: 404,
    Reason.TOURNAMENT_NOT_FOUND: 404,
    Reason.RATE_LIMITED: 429,
    Reason.BAD_REQUEST: 400,
    Reason.MALFORMED_ACTION: 400,
}
_LISTED: Final = 500  # matches that are being played
_REPLAYS: Final = 8  # matches for the viewer that are kept


class Pages:
    """What the pages show: the matches of a referee and, where people may play, its ``hall``.

    ``played`` is as for `ShownRecords`, ``url`` as for `WebAddress`.
    """

    def __init__(
        self,
        referee: Referee,
        played: PastMatches | None = None,
        hall: Hall | None = None,
        door: Entrance | None = None,
        *,
        results: ResultPages | TournamentPages | None = None,
        url: str = "",
    ) -> None:
        self._referee = referee
        self._records = ShownRecords(referee, played)
        self._replays: MadeOnce[str] = MadeOnce(_REPLAYS)
        self._results = results
        self._hall = hall
        self._seats: SeatPages | None = None
        if hall and door:
            self._seats = SeatPages(referee, hall, door, self._page, lambda: self.on_entered(), url)
        self.pace = 1.0
        """How many seconds apart changes are told."""
        self.on_entered: Callable[[], None] = lambda: None
        self._pages = environment("tournaments.web")

    def failed(self, what: str, error: BaseException) -> None:
        """Record an error of the pages, whose text is shown to nobody."""
        self._referee.core.observer.failed(what, error)

    @property
    def calls_per_second(self) -> int:
        """Return how often one address may ask for something."""
        return self._referee.core.limits.calls_per_second

    def routes(self) -> list[BaseRoute]:
        """Return the routes; those for playing only where people may."""
        routes: list[BaseRoute] = [
            *([Route("/", self.tournaments)] if isinstance(self._results, TournamentPages) else []),
            *(self._results.routes() if self._results else [Route("/", self.index)]),
            Route("/tables", self.index),
            Route("/events", self.changes),
            Route("/matches/{match_id}", self.match),
            Route("/matches/{match_id}/events", self.match_events),
            Route("/matches/{match_id}/record", self.record),
            Route("/assets/{name}", self.asset),
            Route("/favicon.ico", self.no_icon),
        ]
        return routes + (self._seats.routes() if self._seats else [])

    def refusal(self, request: Request, status: int, text: str) -> Response:
        """Return a page that says why there is no answer."""
        response = self._page(request, "error.html.j2", text=text)
        response.status_code = status
        return response

    def _page(self, request: Request, name: str, **data: Any) -> Response:
        person = self._seats.person(request) if self._seats else None
        menu = [("/tables", "Tables")]
        if isinstance(self._results, TournamentPages):
            menu.insert(0, ("/", "Tournaments"))
        elif self._results:
            menu.insert(0, ("/results/index.html", "Results"))
        if person:
            menu.append(("/play", "Play"))
        page = self._pages.get_template(name)
        return HTMLResponse(page.render(menu=menu, here=request.url.path, person=person, **data))

    async def tournaments(self, request: Request) -> Response:
        """List the tournaments."""
        assert isinstance(self._results, TournamentPages)
        outlines, titles = await self._results.outlines(), {name: game.title for name, game in GAMES.items()}
        return self._page(request, "tournaments.html.j2", outlines=outlines, titles=titles)

    # Watching

    async def index(self, request: Request) -> Response:
        """Show what is being played."""
        setups = sorted(self._referee.core.matches.setups, key=lambda setup: setup.match_id)
        titles = {name: game.title for name, game in GAMES.items()}
        data = {"setups": setups[:_LISTED], "number": len(setups), "titles": titles}
        return self._page(request, "index.html.j2", **data)

    async def changes(self, request: Request) -> Response:
        """Tell when matches begin or end, once in a while."""

        async def events() -> AsyncGenerator[bytes, None]:
            watching = self._referee.watching
            with watching.counted(address_of(request)):
                while True:
                    changed = watching.matches_changed
                    yield event("changed", {})
                    await changed.wait()
                    await asyncio.sleep(self.pace)  # however many matches begin and end meanwhile

        return await stream(events())

    async def match(self, request: Request) -> Response:
        """Show a table while it is played, and the replay of a match that is over."""
        match_id = request.path_params["match_id"]
        if any(setup.match_id == match_id for setup in self._referee.core.matches.setups):
            return self._page(request, "live.html.j2")
        await self._written(match_id)
        found = await self._records.find(match_id)
        slices = self._referee.slices
        replay = await self._replays.get(
            found.path, lambda: slices.run(replaying(found.path), asyncio.to_thread), address_of(request)
        )
        return self._page(request, "replay.html.j2", viewer=Markup(viewer_body()), replay=replay)

    async def _written(self, match_id: str) -> None:
        """Wait until no record of the match is being written, which takes a moment."""
        while any(setup.match_id == match_id for setup in self._referee.being_written.values()):
            await self._referee.watching.matches_changed.wait()

    async def record(self, request: Request) -> Response:
        """Send the record of a match that is over."""
        found = await self._records.find(request.path_params["match_id"])
        return FileResponse(found.path, media_type="application/gzip", filename=found.path.name)

    async def match_events(self, request: Request) -> Response:
        """Send the steps of a table as the public may see them."""
        match_id = request.path_params["match_id"]

        async def events() -> AsyncGenerator[bytes, None]:
            with self._referee.watching.watch(match_id, peer=address_of(request)) as watcher:
                yield event("table", table_data(watcher.setup))
                try:
                    async for seen in watcher:
                        yield event(*told(seen))
                except Denied as error:
                    yield event("refused", {"text": error.text})

        return await stream(events())

    async def asset(self, request: Request) -> Response:
        """Send a script or a style."""
        found = asset(request.path_params["name"])
        if found is None:
            raise HTTPException(404)
        kind, data = found
        return Response(data, media_type=kind, headers={"cache-control": "no-cache"})

    async def no_icon(self, _request: Request) -> Response:
        """Say that there is no icon, for which browsers ask by themselves."""
        return Response(status_code=204)


def application(pages: Pages, hosts: Collection[str]) -> ASGIApp:
    """Return the application; requests to another host than one of ``hosts`` are refused, any with none."""

    async def failed(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        if _is_read_by_people(request):
            is_unsaid = error.detail == HTTPStatus(error.status_code).phrase
            text = "There is no such page." if is_unsaid else error.detail
            return pages.refusal(request, error.status_code, text)
        return Response(f"{error.detail}\n", error.status_code, media_type="text/plain")

    async def denied(request: Request, error: Exception) -> Response:
        assert isinstance(error, Denied)
        status = _STATUS.get(error.reason, 409)
        if _is_read_by_people(request):
            return pages.refusal(request, status, f"{error.text[:1].upper()}{error.text[1:]}.")
        return JSONResponse({"text": error.text}, status)

    app = Starlette(routes=pages.routes(), exception_handlers={Denied: denied, HTTPException: failed})
    return FencedApp(app, hosts, pages.failed, pages.calls_per_second)


def _is_read_by_people(request: Request) -> bool:
    return "text/html" in request.headers.get("accept", "")
