"""MatchService: lists games and matches, and lets organisers cancel matches.

Its rules say who may call what; they are checked before any of this.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

import grpc

from fairdeal.v1 import match_service_pb2 as pb
from referee.codec import proto
from referee.games.registry import GAMES
from referee.match.messages import Reason
from referee.server.permissions import Caller, Rule
from referee.server.runtime import Referee
from referee.server.status import refuse

PAGE_SIZE: Final = 50


class MatchService:
    """Lists games and matches, and cancels matches."""

    NAME: Final = "fairdeal.v1.MatchService"
    RULES: Final[Mapping[str, Rule]] = {
        "ListGames": Rule(Caller.ANYBODY),
        "ListMatches": Rule(Caller.ORGANISER),
        "CancelMatch": Rule(Caller.ORGANISER),
    }

    def __init__(self, referee: Referee) -> None:
        self._referee = referee

    def handler(self) -> grpc.GenericRpcHandler:
        """Return the handlers that a server registers."""
        methods: dict[str, tuple[Any, type[Any], type[Any]]] = {
            "ListGames": (self.list_games, pb.ListGamesRequest, pb.ListGamesResponse),
            "ListMatches": (self.list_matches, pb.ListMatchesRequest, pb.ListMatchesResponse),
            "CancelMatch": (self.cancel_match, pb.CancelMatchRequest, pb.CancelMatchResponse),
        }
        handlers: dict[str, Any] = {
            name: grpc.unary_unary_rpc_method_handler(
                behaviour,
                request_deserializer=request.FromString,
                response_serializer=response.SerializeToString,
            )
            for name, (behaviour, request, response) in methods.items()
        }
        return grpc.method_handlers_generic_handler(self.NAME, handlers)

    async def list_games(self, request: pb.ListGamesRequest, _context: Any) -> pb.ListGamesResponse:
        """Return the games by name; a page token is the last name of the page before."""
        names, token = page(GAMES, request.page_size, request.page_token)
        response = pb.ListGamesResponse(next_page_token=token)
        for name in names:
            proto.fill_game(response.games.add(), GAMES[name])
        return response

    async def list_matches(self, request: pb.ListMatchesRequest, _context: Any) -> pb.ListMatchesResponse:
        """Return the matches being played by id; a page token is the last id of the page before."""
        setups = {setup.match_id: setup for setup in self._referee.core.matches.setups}
        ids, token = page(setups, request.page_size, request.page_token)
        response = pb.ListMatchesResponse(next_page_token=token)
        for match_id in ids:
            setup = setups[match_id]
            response.matches.add(
                match_id=match_id,
                attempt=setup.attempt,
                game=setup.game,
                entries=setup.entries,
                deals=setup.deals or 0,
            )
        return response

    async def cancel_match(self, request: pb.CancelMatchRequest, context: Any) -> pb.CancelMatchResponse:
        """End a match without a result; a match that is not being played is refused."""
        if not self._referee.cancel(request.match_id):
            await refuse(context, Reason.MATCH_NOT_FOUND, "no match of this id is being played")
        return pb.CancelMatchResponse()


def page(keys: Iterable[str], size: int, after: str) -> tuple[list[str], str]:
    """Return one page of keys in order, and the token of the next one: empty at the end."""
    left = sorted(key for key in keys if key > after)
    size = min(size or PAGE_SIZE, PAGE_SIZE)
    return left[:size], left[size - 1] if len(left) > size else ""
