"""The entries of the tournaments of one referee: who registers, who is paired, what their bots printed."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from referee.core.access import Denied, Role
from referee.core.limits import Allowances
from referee.match.messages import Reason
from referee.server.tokens import TokenFile
from tournaments.plan.plan import Format
from tournaments.plan.states import OVER, EntryState
from tournaments.running.errors import WrongState
from tournaments.running.tournament import Tournament
from tournaments.running.watch import EntryKind, EntrySnapshot
from tournaments.service.by_name import Tournaments
from tournaments.service.denials import not_found, told
from tournaments.service.invitations import Invitation, Invitations
from tournaments.service.registration import to_register

T = TypeVar("T")

CHANGES_A_MINUTE: Final = 6
"""How often a minute a bot may change whether it is paired; twice that at once."""


@dataclass(frozen=True, slots=True)
class Registration:
    """An entry that was registered.

    ``token`` cannot be read again later. It is empty when the name ``has_token`` already, and when none is
    needed.
    """

    entry: EntrySnapshot
    token: str
    has_token: bool


class Entries:
    """The entries of tournaments, as organisers and bots see and change them.

    ``tokens`` are those of the referee, None when everybody is believed to be an organiser. ``unbroken``
    completes a change even if its caller gives up. ``now`` is a clock in microseconds that never goes back.
    """

    def __init__(
        self,
        tournaments: Tournaments,
        tokens: TokenFile | None,
        unbroken: Callable[[Coroutine[Any, Any, EntrySnapshot]], Coroutine[Any, Any, EntrySnapshot]],
        now: Callable[[], int],
    ) -> None:
        self._tournaments = tournaments
        self._tokens = tokens
        self._unbroken = unbroken
        self._now = now
        self._asked = Allowances(CHANGES_A_MINUTE)  # by entry; its seconds are minutes here
        self._paused_themselves: set[tuple[str, str]] = set()  # tournaments with entries

    def forget(self, name: str) -> None:
        """Forget a tournament whose name is given up."""
        self._paused_themselves = {each for each in self._paused_themselves if each[0] != name}

    def of(self, name: str, entry: str) -> EntrySnapshot:
        """Return the present state of an entry; it reads the store, and may be called in a thread.

        Raises:
            Denied: ENTRY_NOT_FOUND.
        """
        tournament = self._tournaments.named(name)
        with told(openly=False):
            if found := tournament.entries.find(entry):
                return found
            known = {kept.entry.name for kept in tournament.store.roster()}
        raise Denied(Reason.ENTRY_NOT_FOUND, not_found("entry", entry, known))

    async def output(self, name: str, entry: str) -> tuple[tuple[str, bytes], ...]:
        """Return what the hosted bots of an entry have printed; see `Tournament.output`.

        Raises:
            Denied: ENTRY_NOT_FOUND.
        """
        tournament = self._tournaments.named(name)
        await asyncio.to_thread(self.of, name, entry)
        with told(openly=False):
            return await tournament.output(entry)

    async def register(
        self, name: str, entry: str, version: str | None, *, code: str | None = None
    ) -> Registration:
        """Take in a remote entry and give it its token; ``version`` None: that which it has.

        With the ``code`` of an invitation only a new entry is taken in, and nobody can use the code again.
        Store and tokens are read and written in threads, for one entry after another.

        Raises:
            Denied: see `tournaments.service.registration.to_register` and `Invitations.check`.
        """
        invitations = self._invitations(name)
        async with self._tournaments.making, self._tournaments.turn(name) as tournament:
            with told():
                roles = await asyncio.to_thread(self._roles)
                roster = await asyncio.to_thread(tournament.store.roster)
                role = roles.get(entry)
                if code is not None:
                    await asyncio.to_thread(invitations.check, code, entry, roster, role)
                wanted = to_register(tournament.plan, tournament.state, roster, entry, version, role)
                if code is not None:
                    await asyncio.to_thread(invitations.use, code, entry)
                if wanted is not None:
                    await tournament.entries.register(wanted)
                token = ""
                if self._tokens and role is None:
                    token = await asyncio.to_thread(self._tokens.add, entry, Role.BOT)
            seen = await asyncio.to_thread(self.of, name, entry)
        return Registration(seen, token, has_token=role is not None)

    async def invite(self, name: str, note: str, by: str) -> tuple[Invitation, str]:
        """Make an invitation of an organiser, and return it with its code.

        Raises:
            Denied: WRONG_STATE, nobody can register here with a code; and see `Invitations.make`.
        """
        tournament = self._tournaments.named(name)
        if tournament.plan.format is not Format.LADDER and not tournament.plan.open:
            text = 'it takes only the entries of its file: make a ladder, or write registration = "open"'
            raise Denied(Reason.WRONG_STATE, text)
        return await self._of_invitations(name, lambda kept: kept.make(note, by))

    async def invitations(self, name: str) -> tuple[Invitation, ...]:
        """Return the invitations to a tournament, by number."""
        return await self._of_invitations(name, Invitations.all)

    async def revoke(self, name: str, number: int) -> Invitation:
        """Revoke an invitation.

        Raises:
            Denied: see `Invitations.revoke`.
        """
        return await self._of_invitations(name, lambda kept: kept.revoke(number))

    async def _of_invitations(self, name: str, work: Callable[[Invitations], T]) -> T:
        async with self._tournaments.making:
            self._tournaments.named(name)  # which there may not be
            with told():
                return await asyncio.to_thread(work, self._invitations(name))

    def _invitations(self, name: str) -> Invitations:
        place = self._tournaments.file(name).parent  # of one that is kept elsewhere there is none
        return Invitations(place if place.is_dir() else self._tournaments.named(name).plan.folder)

    def _roles(self) -> dict[str, Role]:
        return {kept.name: kept.role for kept in self._tokens.list()} if self._tokens else {}

    def role(self, token: str | None, entry: str) -> Role:
        """Return the role in which a caller acts for an entry.

        Raises:
            Denied: neither as an organiser nor as the bot of that name.
        """
        if self._tokens is None:
            return Role.ORGANISER
        try:
            self._tokens.check_organiser(token)
        except Denied:
            self._tokens.check(token, entry)
            return Role.BOT
        return Role.ORGANISER

    async def set_state(self, name: str, entry: str, state: EntryState, *, by: Role) -> EntrySnapshot:
        """Change whether an entry is paired, and return its new state; it goes on if the caller gives up.

        A bot may pause and remove its own remote entry, and end a pause that it began itself at this manager;
        only organisers may do more. A bot may call it `CHANGES_A_MINUTE` times a minute.

        Raises:
            Denied: ENTRY_NOT_FOUND; WRONG_ROLE, a bot may not do this; RATE_LIMITED, it asks too often.
        """
        if by is Role.BOT and not self._asked.take(entry, self._now() // 60):
            often = f"{CHANGES_A_MINUTE} times a minute at most"
            text = f"a bot may say whether it is paired {often}; wait {60 // CHANGES_A_MINUTE} seconds"
            raise Denied(Reason.RATE_LIMITED, text)
        # half of it done, nobody would know who has paused the entry
        return await self._unbroken(self._change(name, entry, state, by))

    async def _change(self, name: str, entry: str, state: EntryState, by: Role) -> EntrySnapshot:
        async with self._tournaments.turn(name) as tournament:
            _check_going_on(tournament)
            now = await asyncio.to_thread(self.of, name, entry)
            if by is Role.BOT:
                self._check_bot(name, now, state)
            if now.state is not state:
                with told(openly=by is Role.ORGANISER):
                    now = await tournament.entries.set_standing(entry, state)
            elif by is Role.BOT:
                return now
            if by is Role.BOT and state is EntryState.PAUSED:
                self._paused_themselves.add((name, entry))
            else:
                self._paused_themselves.discard((name, entry))
            return now

    def _check_bot(self, name: str, now: EntrySnapshot, state: EntryState) -> None:
        if now.kind is not EntryKind.REMOTE:
            text = f"{now.name} is hosted by the referee: organisers say whether it is paired"
        elif now.state is EntryState.LEFT and state is not EntryState.LEFT:
            text = f"{now.name} has left: organisers can take it back"
        elif (
            now.state is EntryState.PAUSED
            and state is EntryState.ACTIVE
            and (name, now.name) not in self._paused_themselves
        ):
            text = (
                f"{now.name} was paused by an organiser, or before the referee began: organisers can end that"
            )
        else:
            return
        raise Denied(Reason.WRONG_ROLE, text)


def _check_going_on(tournament: Tournament) -> None:
    with told(openly=False):
        if (state := tournament.state) in OVER:
            raise WrongState(f"it is {state}, and its entries stay as they are")
