"""MatchService: what the referee tells about its games."""

from typing import Any, Final

import grpc
from google.protobuf.message import DecodeError

from fairdeal.v1 import match_service_pb2 as pb
from referee import wire
from referee.games.registry import GAMES
from referee.server.refusal import refuse
from referee.updates import Reason

PAGE_SIZE: Final = 50


class MatchService:
    """Tells about games."""

    NAME: Final = "fairdeal.v1.MatchService"

    def handler(self) -> grpc.GenericRpcHandler:
        """Return what a server registers."""
        list_games: Any = grpc.unary_unary_rpc_method_handler(
            # requests stay bytes until here: of a broken one gRPC would pass on what the decoder says
            self.list_games,
            response_serializer=pb.ListGamesResponse.SerializeToString,
        )
        return grpc.method_handlers_generic_handler(self.NAME, {"ListGames": list_games})

    async def list_games(self, data: bytes, context: Any) -> pb.ListGamesResponse:
        """Return the games by name; a page token is the last name of the page before."""
        try:
            request = pb.ListGamesRequest.FromString(data)
        except DecodeError:
            await refuse(context, Reason.PROTOCOL_VIOLATION, "the request is no ListGamesRequest")
        names = sorted(name for name in GAMES if name > request.page_token)
        size = min(request.page_size or PAGE_SIZE, PAGE_SIZE)
        response = pb.ListGamesResponse()
        for name in names[:size]:
            wire.fill_game(response.games.add(), GAMES[name])
        if len(names) > size:
            response.next_page_token = names[size - 1]
        return response
