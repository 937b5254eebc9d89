"""MatchService: lists games and matches, sends records, shows matches, and lets organisers cancel them.

Its rules say who may call what; they are checked before any of this.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from typing import Any, Final

import grpc

from fairdeal.v1 import match_service_pb2 as pb
from fairdeal.v1 import play_service_pb2 as play_pb
from referee.codec import proto
from referee.core.access import Denied
from referee.games.registry import GAMES
from referee.match.effects import MatchSetup
from referee.match.messages import Finished, Reason
from referee.server import played as files
from referee.server.caller import address_of, token_of
from referee.server.permissions import Caller, Rule
from referee.server.played import KeptRecord, PastMatches
from referee.server.runtime import Referee
from referee.server.shown_records import IS_PLAYED, ShownRecords
from referee.server.status import refuse
from referee.viewer.live import Step

PAGE_SIZE: Final = 50

# the same whether there is such a match or not
_NO_RECORD: Final = "there is no record of such a match in which this entry sat"
_IS_OPEN: Final = (
    "other matches are still to be played with the same deals: the record is sent when all of them are over;"
    " name an entry for what it knew"
)


class MatchService:
    """Lists games and matches, sends records, shows matches, and cancels them.

    ``played`` knows of matches that are over; by default only what their records say. ``check`` is given a
    match and an organiser's token, and raises Denied when it may not be cancelled so.
    """

    NAME: Final = "fairdeal.v1.MatchService"
    RULES: Final[Mapping[str, Rule]] = {
        "ListGames": Rule(Caller.ANYBODY),
        "ListMatches": Rule(Caller.ENTRY),
        "GetRecord": Rule(Caller.ENTRY),
        "WatchMatch": Rule(Caller.ANYBODY),
        "CancelMatch": Rule(Caller.ORGANISER),
    }

    def __init__(
        self,
        referee: Referee,
        played: PastMatches | None = None,
        check: Callable[[str, str | None], None] = lambda match_id, token: None,
    ) -> None:
        self._referee = referee
        self._records = ShownRecords(referee, played)
        self._check = check

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
        handlers["GetRecord"] = grpc.unary_stream_rpc_method_handler(
            self.get_record,
            request_deserializer=pb.GetRecordRequest.FromString,
            response_serializer=pb.GetRecordResponse.SerializeToString,
        )
        handlers["WatchMatch"] = grpc.unary_stream_rpc_method_handler(
            self.watch_match,
            request_deserializer=pb.WatchMatchRequest.FromString,
            response_serializer=pb.WatchMatchResponse.SerializeToString,
        )
        return grpc.method_handlers_generic_handler(self.NAME, handlers)

    async def list_games(self, request: pb.ListGamesRequest, _context: Any) -> pb.ListGamesResponse:
        """Return the games by name; a page token is the last name of the page before."""
        names, token = page(GAMES, request.page_size, request.page_token)
        response = pb.ListGamesResponse(next_page_token=token)
        for name in names:
            proto.fill_game(response.games.add(), GAMES[name])
        return response

    async def list_matches(self, request: pb.ListMatchesRequest, _context: Any) -> pb.ListMatchesResponse:
        """Return the matches being played by id, where a page token is the last id of the page before.

        Or those that are over, where a page token is what `PastMatches.over` returned.
        """
        if request.over:
            size = min(request.page_size or PAGE_SIZE, PAGE_SIZE)
            found, token = await asyncio.to_thread(
                self._records.played.over, request.entry, size, request.page_token
            )
        else:
            setups = {
                setup.match_id: setup
                for setup in self._referee.core.matches.setups
                if not request.entry or request.entry in setup.entries
            }
            ids, token = page(setups, request.page_size, request.page_token)
            found = [setups[match_id] for match_id in ids]
        return pb.ListMatchesResponse(matches=map(_listed, found), next_page_token=token)

    async def get_record(self, request: pb.GetRecordRequest, context: Any) -> None:
        """Send the record of a match that is over, or what a seat knew of it while its decks are played.

        Raises:
            Denied: MATCH_NOT_FOUND, there is no such record, or the entry did not sit in the match;
                WRONG_STATE, it is too early.
        """
        for setup in self._records.unwritten():
            if setup.match_id == request.match_id and request.attempt in (0, setup.attempt):
                if request.entry and request.entry not in setup.entries:
                    raise Denied(Reason.MATCH_NOT_FOUND, _NO_RECORD)
                raise Denied(Reason.WRONG_STATE, IS_PLAYED)
        found, is_open = await asyncio.to_thread(
            self._records.look, request.match_id, request.attempt, request.entry
        )
        if found is None:
            raise Denied(Reason.MATCH_NOT_FOUND, _NO_RECORD)
        setup = found.setup
        is_open |= self._records.is_played(setup.epoch)
        if is_open and not request.entry:
            raise Denied(Reason.WRONG_STATE, _IS_OPEN)
        if is_open:
            seat = setup.entries.index(request.entry)
            data = await self._referee.slices.run(files.view(found.path, seat), asyncio.to_thread)
            for offset in range(0, len(data), files.PART):
                part = data[offset : offset + files.PART]
                await context.write(pb.GetRecordResponse(attempt=setup.attempt, data=part, view=True))
            return
        async for data in _parts(found):
            await context.write(pb.GetRecordResponse(attempt=setup.attempt, data=data))

    async def watch_match(self, request: pb.WatchMatchRequest, context: Any) -> None:
        """Show a match that is being played as the public may see it, or send the record of one that is over.

        Raises:
            Denied: as for `Watching.watch` and `MatchWatcher`; WRONG_STATE, it is too early for the record.
        """
        if any(setup.match_id == request.match_id for setup in self._referee.core.matches.setups):
            with self._referee.watching.watch(request.match_id, peer=address_of(context)) as watcher:
                delay = self._referee.core.limits.watch_delay
                shown = pb.WatchedMatch(match=_listed(watcher.setup), delay=delay)
                await context.write(pb.WatchMatchResponse(match=shown))
                async for seen in watcher:
                    await context.write(_watched(seen))
            return
        async for data in _parts(await self._records.find(request.match_id)):
            await context.write(pb.WatchMatchResponse(record=data))

    async def cancel_match(self, request: pb.CancelMatchRequest, context: Any) -> pb.CancelMatchResponse:
        """End a match without a result; a match that is not being played is refused."""
        self._check(request.match_id, token_of(context))
        if not self._referee.cancel(request.match_id):
            await refuse(context, Reason.MATCH_NOT_FOUND, "no match of this id is being played")
        return pb.CancelMatchResponse()


async def _parts(found: KeptRecord) -> AsyncIterator[bytes]:
    offset = 0
    while data := await asyncio.to_thread(files.part, found.path, offset):
        yield data
        offset += len(data)


def _watched(seen: Step | Finished) -> pb.WatchMatchResponse:
    if isinstance(seen, Finished):
        return pb.WatchMatchResponse(finished=play_pb.Update.FromString(proto.encode(seen)).finished)
    step: Any = pb.PublicStep(text=seen.text)
    step.to_act.extend([seat + 1 for seat in seen.to_act])
    step.view.ParseFromString(proto.view_bytes(seen.view))
    return pb.WatchMatchResponse(step=step)


def _listed(setup: MatchSetup) -> pb.Match:
    return pb.Match(
        match_id=setup.match_id,
        attempt=setup.attempt,
        game=setup.game,
        entries=setup.entries,
        deals=setup.deals or 0,
    )


def page(keys: Iterable[str], size: int, after: str) -> tuple[list[str], str]:
    """Return one page of keys in order, and the token of the next one: empty at the end."""
    left = sorted(key for key in keys if key > after)
    size = min(size or PAGE_SIZE, PAGE_SIZE)
    return left[:size], left[size - 1] if len(left) > size else ""
