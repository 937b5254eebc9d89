"""The pages: routes, what each answers, and what every answer carries.

Nothing here is asked for a rule of a game: what may be clicked comes with each step.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection
from contextlib import aclosing
from importlib import resources
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

from markupsafe import Markup
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import (
    FileResponse,
    HTMLResponse,
    JSONResponse,
    RedirectResponse,
    Response,
)
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp

from referee.cards import Seat
from referee.core.access import ENTRY_NAME, Denied
from referee.games.registry import GAMES
from referee.match.messages import Finished, Reason
from referee.server.played import PastMatches
from referee.server.runtime import Referee
from referee.server.shown_records import ShownRecords
from referee.viewer.live import Step
from tournaments.report.environment import environment
from tournaments.site.assets import assets, viewer_body
from tournaments.web.fence import FencedApp, address_of
from tournaments.web.hall import ANYBODY, HOUSE_BOTS, Hall, Sitting
from tournaments.web.made_once import MadeOnce
from tournaments.web.people import Entrance, Person
from tournaments.web.replay import replaying
from tournaments.web.results import ResultPages
from tournaments.web.seats import PersonSeat
from tournaments.web.shown import end_data, step_data, table_data
from tournaments.web.streams import event, stream
from tournaments.web.tournaments import TournamentPages

_STATUS: Final = {
    Reason.MATCH_NOT_FOUND: 404,
    Reason.TOURNAMENT_NOT_FOUND: 404,
    Reason.RATE_LIMITED: 429,
    Reason.BAD_REQUEST: 400,
    Reason.MALFORMED_ACTION: 400,
}
_BODY: Final = 4096  # bytes of a request
_LISTED: Final = 500  # matches that are being played
_REPLAYS: Final = 8  # matches for the viewer that are kept
_WHAT_NAMES_HAVE: Final = "A name has letters, digits, dots, dashes and underscores, up to 40."
_TYPES: Final = {"js": "text/javascript", "css": "text/css"}
_VIEWER: Final = ("cards.js", "frames.js", "games.js", "table.js", "replay.css")
_OF_SITES: Final = ("site.css", "tables.js", "viewer.js")
_ASSETS: Final = (
    "follow.js",
    "list.js",
    "live.js",
    "play.js",
    "shared.js",
    "streams.js",
    "web.css",
    "words.js",
)

Handler = Callable[[Request], Awaitable[Response]]


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
        self._hall = hall
        self._door = door
        self._results = results
        self._url = url
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
        if self._hall:
            routes += [
                Route("/enter/{key}", self.enter, methods=["GET", "POST"]),
                Route("/play", self.play),
                Route("/play/events", self.play_events),
                Route("/play/table", self.open_table, methods=["POST"]),
                Route("/play/answer", self.answer, methods=["POST"]),
                Route("/play/return", self.come_back, methods=["POST"]),
                Route("/play/leave", self.leave, methods=["POST"]),
            ]
        return routes

    def refusal(self, request: Request, status: int, text: str) -> Response:
        """Return a page that says why there is no answer."""
        response = self._page(request, "error.html.j2", text=text)
        response.status_code = status
        return response

    def _page(self, request: Request, name: str, **data: Any) -> Response:
        person = self._person(request)
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
            found.path, lambda: slices.run(replaying(found.path), asyncio.to_thread)
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
                        yield event(*_told(seen, None))
                except Denied as error:
                    yield event("refused", {"text": error.text})

        return await stream(events())

    async def asset(self, request: Request) -> Response:
        """Send a script or a style."""
        name = request.path_params["name"]
        if name in _VIEWER:
            text = (resources.files("referee.viewer") / "web" / name).read_bytes()
        elif name in _ASSETS:
            text = (resources.files("tournaments.web") / "assets" / name).read_bytes()
        elif name in _OF_SITES:
            text = assets()[f"assets/{name}"]
        else:
            raise HTTPException(404)
        headers = {"cache-control": "no-cache"}
        return Response(text, media_type=_TYPES[name.rpartition(".")[2]], headers=headers)

    async def no_icon(self, _request: Request) -> Response:
        """Say that there is no icon, for which browsers ask by themselves."""
        return Response(status_code=204)

    # Playing

    def _person(self, request: Request) -> Person | None:
        return self._door.known(request.cookies.get(self._door.cookie)) if self._door else None

    def _player(self, request: Request) -> tuple[Hall, Person]:
        """Return who asks; the cookie comes with no request from another site."""
        person = self._person(request)
        if person is None or self._hall is None:
            raise HTTPException(403, "You need a link: ask the organiser for one.")
        self._hall.place(person)
        return self._hall, person

    def _check_origin(self, request: Request) -> None:
        """Refuse what a page of another site sends."""
        site = request.headers.get("origin", "").partition("://")[2]
        if site not in (request.headers.get("host"), urlsplit(self._url).netloc) or not site:
            raise HTTPException(403, "This request comes from another site.")

    async def _json(self, request: Request) -> dict[str, Any]:
        self._check_origin(request)
        kind = request.headers.get("content-type", "").partition(";")[0]
        if kind.strip().lower() != "application/json":
            raise HTTPException(415, "JSON is expected.")
        try:
            data = json.loads(await _body(request))
        except (ValueError, RecursionError):
            data = None
        if not isinstance(data, dict):
            raise HTTPException(400, "This is not a JSON object.")
        return data

    async def enter(self, request: Request) -> Response:
        """Let somebody in who has a link, which is used up by that."""
        assert self._door and self._hall
        key = request.path_params["key"]
        name, wrong = "", ""
        if request.method == "POST":
            self._check_origin(request)
            name = (await _fields(request)).get("name", "")
            wrong = "" if ENTRY_NAME.fullmatch(name) else _WHAT_NAMES_HAVE
            if not (wrong or self._hall.is_free(name)):
                wrong = "Somebody is here by this name, or by one that looks like it: choose another."
        if not self._door.is_invited(key):
            raise HTTPException(404, "This link was used before, or is none: ask the organiser for another.")
        if wrong or request.method == "GET":
            said = wrong or _WHAT_NAMES_HAVE
            return self._page(request, "enter.html.j2", key=key, is_wrong=bool(wrong), said=said)
        person = self._door.enter(key, name)
        self._hall.place(person)
        self.on_entered()
        response = RedirectResponse("/play", status_code=303)
        response.set_cookie(
            self._door.cookie,
            self._door.cookie_of(person),
            max_age=31_536_000,
            httponly=True,
            samesite="strict",
            secure=(self._url or str(request.url)).startswith("https:"),
        )
        return response

    async def play(self, request: Request) -> Response:
        """Show the table of a person, or let the person open one."""
        self._player(request)
        is_open = bool(self._referee.core.open_games)
        return self._page(request, "play.html.j2", games=GAMES.values(), bots=HOUSE_BOTS, is_open=is_open)

    async def play_events(self, request: Request) -> Response:
        """Send a person what the seat knows, and what may be answered."""
        hall, person = self._player(request)

        async def events() -> AsyncGenerator[bytes, None]:
            with hall.shown(person) as place:
                while True:
                    changed, seat = place.changed, place.seat
                    if seat and seat.match_id and not seat.is_over:
                        try:
                            async with aclosing(self._seen(place, seat)) as seen:
                                async for told in seen:
                                    yield told
                        except Denied as error:  # of this page; another one may show the table
                            yield event("refused", {"text": error.text})
                            return
                        continue
                    if seat and seat.waits_for:
                        yield event("waiting", {"game": GAMES[seat.waits_for].title})
                    else:
                        why = (seat.why if seat else "") or place.why
                        yield event("free", {"why": why, "seated": hall.may_come_back(person)})
                    await changed.wait()

        return await stream(events())

    async def _seen(self, place: Sitting, seat: PersonSeat) -> AsyncGenerator[bytes, None]:
        assert seat.seat is not None
        try:
            with (
                self._referee.watching.watch(seat.match_id, Seat(seat.seat)) as watcher,
                place.showing(watcher),
            ):
                yield event("table", table_data(watcher.setup, Seat(seat.seat)))
                async for seen in watcher:
                    kind, data = _told(seen, Seat(seat.seat))
                    seat.hear()  # the decision that belongs to the step
                    decision = seat.decision
                    if decision and isinstance(seen, Step) and seen.decision == decision.decision_id:
                        place.legal = seen.legal
                        seconds = decision.move_time.seconds + decision.bank.seconds
                        data |= {"decision": decision.decision_id, "seconds": seconds}
                    yield event(kind, data)
        except Denied as error:
            if error.reason is not Reason.MATCH_NOT_FOUND:  # else it ended meanwhile
                raise
        seat.is_over = True

    async def open_table(self, request: Request) -> Response:
        """Open a table for a person, or have the person wait for one."""
        hall, person = self._player(request)
        asked = await self._json(request)
        game, deals, bot = str(asked.get("game")), asked.get("deals"), str(asked.get("bot"))
        if deals is not None and type(deals) is not int:
            raise HTTPException(400, "deals: a whole number is expected")
        if bot == ANYBODY:
            hall.wait(person, game)
        else:
            hall.open(person, game, deals, bot)
        return Response(status_code=204)

    async def answer(self, request: Request) -> Response:
        """Answer the open decision of a person."""
        hall, person = self._player(request)
        asked = await self._json(request)
        decision = asked.get("decision")
        if type(decision) is not int:
            raise HTTPException(400, "decision: a whole number is expected")
        hall.answer(person, decision, asked.get("answer"))
        return Response(status_code=204)

    async def come_back(self, request: Request) -> Response:
        """Give a person the seat again whose session was ended."""
        hall, person = self._player(request)
        await self._json(request)
        hall.come_back(person)
        return Response(status_code=204)

    async def leave(self, request: Request) -> Response:
        """Give up the match of a person."""
        hall, person = self._player(request)
        await self._json(request)
        hall.leave(person)
        return Response(status_code=204)


def application(pages: Pages, hosts: Collection[str]) -> ASGIApp:
    """Return the application; requests to another host than one of ``hosts`` are refused, any with none."""

    async def failed(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        if _is_read_by_people(request):
            return pages.refusal(request, error.status_code, error.detail)
        return Response(f"{error.detail}\n", error.status_code, media_type="text/plain")

    async def denied(request: Request, error: Exception) -> Response:
        assert isinstance(error, Denied)
        status = _STATUS.get(error.reason, 409)
        if _is_read_by_people(request):
            return pages.refusal(request, status, f"{error.text[:1].upper()}{error.text[1:]}.")
        return JSONResponse({"text": error.text}, status)

    app = Starlette(routes=pages.routes(), exception_handlers={Denied: denied, HTTPException: failed})
    return FencedApp(app, hosts, pages.failed, pages.calls_per_second)


def _told(seen: Any, seat: Seat | None) -> tuple[str, dict[str, Any]]:
    return ("end", end_data(seen)) if isinstance(seen, Finished) else ("step", step_data(seen, seat))


def _is_read_by_people(request: Request) -> bool:
    return "text/html" in request.headers.get("accept", "")


async def _body(request: Request) -> bytes:
    data = b""
    async for part in request.stream():
        data += part
        if len(data) > _BODY:
            raise HTTPException(413, "This request is too long.")
    return data


async def _fields(request: Request) -> dict[str, str]:
    try:
        return dict(parse_qsl((await _body(request)).decode(), max_num_fields=8))
    except ValueError:
        return {}
