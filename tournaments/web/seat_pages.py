"""Seats for people: who is let in, what they are shown, and what they answer."""

import json
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from referee.cards import Seat
from referee.core.access import ENTRY_NAME, Denied
from referee.games.registry import GAMES
from referee.match.messages import Reason
from referee.server.runtime import Referee
from referee.viewer.live import Step
from tournaments.web.hall import ANYBODY, HOUSE_BOTS, Hall, Sitting
from tournaments.web.people import Entrance, Person
from tournaments.web.seats import PersonSeat
from tournaments.web.shown import table_data, told
from tournaments.web.streams import event, stream

_BODY: Final = 4096  # bytes of a request
_WHAT_NAMES_HAVE: Final = "A name has letters, digits, dots, dashes and underscores, up to 40."


class SeatPages:
    """The pages by which people play in a ``hall``.

    ``page`` returns the page of a template; ``on_entered`` is called when a link was used up.
    """

    def __init__(
        self,
        referee: Referee,
        hall: Hall,
        door: Entrance,
        page: Callable[..., Response],
        on_entered: Callable[[], None],
        url: str,
    ) -> None:
        self._referee = referee
        self._hall = hall
        self._door = door
        self._page = page
        self._on_entered = on_entered
        self._url = url

    def routes(self) -> list[BaseRoute]:
        """Return the routes."""
        return [
            Route("/enter/{key}", self.enter, methods=["GET", "POST"]),
            Route("/play", self.play),
            Route("/play/events", self.events),
            Route("/play/table", self.open_table, methods=["POST"]),
            Route("/play/answer", self.answer, methods=["POST"]),
            Route("/play/return", self.come_back, methods=["POST"]),
            Route("/play/leave", self.leave, methods=["POST"]),
        ]

    def person(self, request: Request) -> Person | None:
        """Return who asks; the cookie comes with no request from another site."""
        return self._door.known(request.cookies.get(self._door.cookie))

    def _player(self, request: Request) -> Person:
        person = self.person(request)
        if person is None:
            raise HTTPException(403, "You need a link: ask the organiser for one.")
        self._hall.place(person)
        return person

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
        key = request.path_params["key"]
        name, wrong = "", ""
        if request.method == "POST":
            self._check_origin(request)
            name = (await _fields(request)).get("name", "")
            wrong = "" if ENTRY_NAME.fullmatch(name) else _WHAT_NAMES_HAVE
            if not (wrong or self._hall.is_free(name)):
                wrong = "This name, or one that looks like it, is taken: choose another."
        if not self._door.is_invited(key):
            raise HTTPException(404, "This link was used before, or is none: ask the organiser for another.")
        if wrong or request.method == "GET":
            said = wrong or _WHAT_NAMES_HAVE
            return self._page(request, "enter.html.j2", key=key, is_wrong=bool(wrong), said=said)
        person = self._door.enter(key, name)
        self._hall.place(person)
        self._on_entered()
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

    async def events(self, request: Request) -> Response:
        """Send a person what the seat knows, and what may be answered."""
        person = self._player(request)

        async def events() -> AsyncGenerator[bytes, None]:
            with self._hall.shown(person) as place:
                while True:
                    changed, seat = place.changed, place.seat
                    if seat and seat.match_id and not seat.is_over:
                        try:
                            async with aclosing(self._seen(place, seat)) as seen:
                                async for each in seen:
                                    yield each
                        except Denied as error:  # of this page; another one may show the table
                            yield event("refused", {"text": error.text})
                            return
                        continue
                    if seat and seat.waits_for:
                        yield event("waiting", {"game": GAMES[seat.waits_for].title})
                    else:
                        why = (seat.why if seat else "") or place.why
                        yield event("free", {"why": why, "seated": self._hall.may_come_back(person)})
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
                    kind, data = told(seen, Seat(seat.seat))
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
        person = self._player(request)
        asked = await self._json(request)
        game, deals, bot = str(asked.get("game")), asked.get("deals"), str(asked.get("bot"))
        if deals is not None and type(deals) is not int:
            raise HTTPException(400, "deals: a whole number is expected")
        if bot == ANYBODY:
            self._hall.wait(person, game)
        else:
            self._hall.open(person, game, deals, bot)
        return Response(status_code=204)

    async def answer(self, request: Request) -> Response:
        """Answer the open decision of a person."""
        person = self._player(request)
        asked = await self._json(request)
        decision = asked.get("decision")
        if type(decision) is not int:
            raise HTTPException(400, "decision: a whole number is expected")
        self._hall.answer(person, decision, asked.get("answer"))
        return Response(status_code=204)

    async def come_back(self, request: Request) -> Response:
        """Give a person the seat again whose session was ended."""
        person = self._player(request)
        await self._json(request)
        self._hall.come_back(person)
        return Response(status_code=204)

    async def leave(self, request: Request) -> Response:
        """Give up the match of a person."""
        person = self._player(request)
        await self._json(request)
        self._hall.leave(person)
        return Response(status_code=204)


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
