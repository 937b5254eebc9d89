"""The calls of TournamentService about entries: registering, invitations, being paired, what bots printed."""

from collections.abc import Callable
from typing import Any

from fairdeal.v1 import tournament_service_pb2 as pb
from referee.core.access import Denied, Role
from referee.match.messages import Reason
from referee.server.caller import token_of
from tournaments.service import codec
from tournaments.service.answers import Answers
from tournaments.service.codec import UnknownMessage
from tournaments.service.manager import Manager


class EntryCalls:
    """Answers the calls about entries; ``answers`` are those of the whole service."""

    def __init__(self, manager: Manager, answers: Answers) -> None:
        self._manager = manager
        self._entries = manager.entries
        self._answers = answers

    def methods(self) -> dict[str, Callable[..., Any]]:
        """Return the methods by the names of their calls."""
        return {
            "RegisterEntry": self.register,
            "GetOutput": self.output,
            "CreateInvitation": self.invite,
            "ListInvitations": self.invitations,
            "RevokeInvitation": self.revoke,
            "AcceptInvitation": self.accept,
            "SetEntryState": self.set_state,
        }

    async def register(self, request: pb.RegisterEntryRequest, context: Any) -> pb.RegisterEntryResponse:
        """Register a remote entry and give it its token."""
        self._manager.owners.check(request.tournament, token_of(context))

        async def answer() -> pb.RegisterEntryResponse:
            given = await self._entries.register(request.tournament, request.entry, request.version or None)
            return pb.RegisterEntryResponse(
                entry=codec.entry(given.entry), token=given.token, has_token=given.has_token
            )

        return await self._manager.unbroken(self._answers.of(request, answer))

    async def invite(self, request: pb.CreateInvitationRequest, context: Any) -> pb.CreateInvitationResponse:
        """Make an invitation to register an entry."""
        self._manager.owners.check(request.tournament, token_of(context))
        by = self._manager.owners.organiser(token_of(context))

        async def answer() -> pb.CreateInvitationResponse:
            made, code = await self._entries.invite(request.tournament, request.note, by)
            return pb.CreateInvitationResponse(invitation=codec.invitation(made), code=code)

        return await self._manager.unbroken(self._answers.of(request, answer))

    async def invitations(
        self, request: pb.ListInvitationsRequest, context: Any
    ) -> pb.ListInvitationsResponse:
        """Return the invitations to a tournament."""
        self._manager.owners.check(request.tournament, token_of(context))
        found = await self._entries.invitations(request.tournament)
        return pb.ListInvitationsResponse(invitations=map(codec.invitation, found))

    async def revoke(self, request: pb.RevokeInvitationRequest, context: Any) -> pb.RevokeInvitationResponse:
        """Revoke an invitation."""
        self._manager.owners.check(request.tournament, token_of(context))
        revoking = self._entries.revoke(request.tournament, request.number)
        revoked = await self._manager.unbroken(revoking)
        return pb.RevokeInvitationResponse(invitation=codec.invitation(revoked))

    async def accept(self, request: pb.AcceptInvitationRequest, _context: Any) -> pb.AcceptInvitationResponse:
        """Register a new entry with an invitation and give it its token."""

        async def answer() -> pb.AcceptInvitationResponse:
            version = request.version or None
            name, entry = request.tournament, request.entry
            given = await self._entries.register(name, entry, version, code=request.code)
            return pb.AcceptInvitationResponse(entry=codec.entry(given.entry), token=given.token)

        return await self._manager.unbroken(self._answers.of(request, answer))

    async def output(self, request: pb.GetOutputRequest, context: Any) -> pb.GetOutputResponse:
        """Return the end of what the hosted bots of an entry have printed."""
        if self._entries.role(token_of(context), request.entry) is not Role.BOT:
            self._manager.owners.check(request.tournament, token_of(context))
        found = await self._entries.output(request.tournament, request.entry)
        outputs = [pb.BotOutput(instance=instance, data=data) for instance, data in found]
        return pb.GetOutputResponse(outputs=outputs)

    async def set_state(self, request: pb.SetEntryStateRequest, context: Any) -> pb.SetEntryStateResponse:
        """Change whether an entry is paired."""
        role = self._entries.role(token_of(context), request.entry)
        if role is not Role.BOT:
            self._manager.owners.check(request.tournament, token_of(context))
        try:
            state = codec.entry_state_of(request.state)
        except UnknownMessage as error:
            raise Denied(Reason.BAD_REQUEST, f"state: {error}") from None
        changed = await self._entries.set_state(request.tournament, request.entry, state, by=role)
        return pb.SetEntryStateResponse(entry=codec.entry(changed))
