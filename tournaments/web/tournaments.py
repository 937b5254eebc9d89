"""The results of all tournaments of a server, each below an address of its own."""

from functools import partial
from typing import Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from referee.server.runtime import Referee
from tournaments.running.tournament import Tournament
from tournaments.service.manager import Manager
from tournaments.service.showing import Outlines
from tournaments.web.results import ResultPages

_HOME: Final = b'<a href="/">All tournaments</a>\n'


class TournamentPages:
    """The pages of a manager's tournaments; those of one are made from when somebody first looks at them.

    ``outlines`` returns the present state of all tournaments by name.
    """

    def __init__(self, manager: Manager, referee: Referee) -> None:
        self._manager = manager
        self._referee = referee
        self._shown: dict[str, tuple[Tournament, ResultPages]] = {}
        self.outlines = Outlines(manager.names, partial(manager.look, entries=False))

    def routes(self) -> list[BaseRoute]:
        """Return the routes but the first page, which lists the tournaments."""
        return [
            Route("/results/index.html", self.begin),
            Route("/tournaments/{name}/events", self.events),
            Route("/tournaments/{name}/{path:path}", self.page),
        ]

    async def close(self) -> None:
        """Follow the tournaments no more."""
        for _tournament, pages in self._shown.values():
            await pages.close()

    async def begin(self, _request: Request) -> Response:
        """Lead to the list of tournaments."""
        return RedirectResponse("/")

    async def page(self, request: Request) -> Response:
        """Send a page of a tournament."""
        return await (await self._of(request)).page(request)

    async def events(self, request: Request) -> Response:
        """Tell when there is something new of a tournament."""
        return await (await self._of(request)).events(request)

    async def _of(self, request: Request) -> ResultPages:
        """Return the pages of the tournament that a request names.

        Raises:
            Denied: TOURNAMENT_NOT_FOUND.
        """
        name = request.path_params["name"]
        before = self._shown.get(name)
        tournament = self._manager.tournament(name) if name in self._manager.names() else None
        if before and before[0] is not tournament:  # its name was given up, and another one may have it now
            del self._shown[name]
            await before[1].close()
        if name not in self._shown:
            tournament = self._manager.tournament(name)
            self._shown[name] = tournament, ResultPages(tournament, self._referee, home=_HOME)
        return self._shown[name][1]
