"""The tournaments of one referee by name: created from files, kept in a folder and opened again."""

import asyncio
import logging
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Collection, Coroutine, Hashable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, Final, TypeVar

from referee.core.access import Denied, Role
from referee.core.limits import Allowances
from referee.files import atomic, private
from referee.files.open_files import failed
from referee.games.errors import no_such
from referee.match.messages import Reason
from referee.server.tokens import TokenError, TokenFile
from tournaments.folder_lock import FolderError
from tournaments.plan.plan import Format, Plan
from tournaments.plan.states import OVER, EntryState, RulingKind, TournamentState
from tournaments.report import texts
from tournaments.report.texts import TextKind
from tournaments.running import entry_rulings
from tournaments.running.rulings import Chosen, rule
from tournaments.running.runner import RunFailed
from tournaments.running.tournament import Tournament, WrongState
from tournaments.running.watch import EntryKind, EntrySnapshot, Snapshot
from tournaments.service import archive
from tournaments.service.invitations import Invitation, InvitationError, Invitations
from tournaments.service.owners import Owners
from tournaments.service.registration import to_register
from tournaments.standings import Standing
from tournaments.store import StoreError
from tournaments.tournament_file.reader import ConfigError
from tournaments.tournament_file.season import SeasonError, with_season
from tournaments.tournament_file.submitted import plan_of

_log: Final = logging.getLogger("referee.tournaments")  # the prefix of loggers that a referee's log shows

_EVENT: Final = {"event": "tournament_broken"}  # how `logs` shows it, with its fields
_BROKEN: Final = "the server's store failed; its operator has to repair it"
_CHANGES_WITHIN: Final = 5.0  # seconds that changes have to be completed when the server ends
_UNNAMED: Final = "file"  # the name of a text without a name in problems
_PARTS: Final = 500  # of a list of matches, written in one go
_LONGEST_NAME: Final = 40  # longest name for which another one is suggested
_MOST_NAMES: Final = 32  # most names among which one is suggested: more, or longer ones, take long

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


class Manager:
    """The tournaments of one referee, by name.

    ``open_tournament`` opens one for a plan, on what an earlier run of it left: it does what takes long,
    perhaps in a thread, and returns a function that does the rest on the loop. ``folder`` keeps each that is
    created in a folder of its own, with its file; ``closed`` is called with the name of one whose store and
    folder are not needed any more. ``tokens`` are those of the referee, None when everybody is
    believed to be an organiser. Commands in files run only with ``allow_commands``. ``now`` is a clock in
    microseconds that never goes back.

    Whatever is asked of a tournament that is not there raises Denied with the reason TOURNAMENT_NOT_FOUND;
    what it cannot do as it is, WRONG_STATE; what the disk or the store does not let it do, INTERNAL. Where
    that was is told to organisers; where others may ask, too, it goes to the log.
    """

    def __init__(
        self,
        open_tournament: Callable[[Plan], Callable[[], Tournament]],
        folder: Path,
        tokens: TokenFile | None,
        *,
        allow_commands: bool = False,
        closed: Callable[[str], None] = lambda name: None,
        now: Callable[[], int] = lambda: time.monotonic_ns() // 1000,
    ) -> None:
        self._open_tournament = open_tournament
        self._closed = closed
        self._folder = folder.absolute()
        self._tokens = tokens
        self.owners = Owners(tokens)
        self._allow_commands = allow_commands
        self._tournaments: dict[str, Tournament] = {}
        self._paused_themselves: set[tuple[str, str]] = set()  # tournaments with entries
        self._now = now
        self._asked = Allowances(CHANGES_A_MINUTE)  # by entry; its seconds are minutes here
        self._turns: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)  # of changes, by tournament
        self._making = asyncio.Lock()  # of tournaments, and of tokens
        self._changes: set[asyncio.Task[Any]] = set()

    # Coming and going

    def recover(self) -> tuple[str, ...]:
        """Open all that was created before; return a line for each that cannot be opened."""
        failures: list[str] = []
        for path in sorted(self._folder.glob("*/*.toml")):
            name = path.stem
            if name == path.parent.name and name not in self._tournaments:
                try:
                    self._recover(path)
                except (ConfigError, Denied) as error:
                    failures.append(f"tournament {name} cannot be opened: {error}")
        return tuple(failures)

    def resume(self) -> tuple[str, ...]:
        """Resume all that were running when they were left; return a line for each that cannot go on."""
        failures: list[str] = []
        for name, tournament in sorted(self._tournaments.items()):
            try:
                with _told():
                    if tournament.state is TournamentState.RUNNING:
                        tournament.start()
            except Denied as error:
                failures.append(f"tournament {name} cannot go on: {error}")
        return tuple(failures)

    def _recover(self, path: Path) -> None:
        with _told():
            try:
                text = path.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                raise Denied(Reason.INTERNAL, f"{path}: is not UTF-8 text") from None
            plan = self._planned(text, str(path), path.stem)
            if plan.name != path.stem:
                text = f"its name is {plan.name} now: write {path.stem} again"
                raise Denied(Reason.INTERNAL, f"{path}: {text}")
            try:
                self.owners.read(path.stem, path.parent)
                plan = with_season(plan)
            except (ValueError, SeasonError) as error:
                raise Denied(Reason.INTERNAL, str(error)) from None
            self._tournaments[path.stem] = self._open_tournament(plan)()

    def attach(self, tournament: Tournament) -> None:
        """Add a tournament that is kept elsewhere."""
        self._tournaments[tournament.plan.name] = tournament

    async def close(self) -> None:
        """Close all tournaments; they go on in the next run. Changes that wait for a lost store are ended."""
        if self._changes:
            _, waiting = await asyncio.wait(self._changes, timeout=_CHANGES_WITHIN)
            for change in waiting:
                change.cancel()
            if waiting:
                await asyncio.wait(waiting)
        for tournament in self._tournaments.values():
            await tournament.close()

    # Asking

    def names(self) -> tuple[str, ...]:
        """Return the names of the tournaments, in order."""
        return tuple(sorted(self._tournaments))

    def tournament(self, name: str) -> Tournament:
        """Return a tournament."""
        if name in self._tournaments:
            return self._tournaments[name]
        known = self._tournaments
        text = _no_such("tournament", name, known) if known else "there are no tournaments here yet"
        raise Denied(Reason.TOURNAMENT_NOT_FOUND, text)

    async def look(self, name: str, *, entries: bool = True) -> Snapshot:
        """Return a snapshot of a tournament without blocking the loop, with or without its ``entries``."""
        tournament = self.tournament(name)
        with _told(openly=False):
            return replace(await tournament.look(entries=entries), owner=self.owners.of(name))

    def edition(self, name: str) -> Hashable:
        """Return a cheap value that changes whenever the standings do.

        An attempt without a result does not change it until its match is decided.
        """
        with _told(openly=False):
            extent = self.tournament(name).store.extent()
        return extent.decided, extent.taken_back, extent.roster_version

    async def standings(self, name: str) -> tuple[Standing, ...]:
        """Return the present standings, best first."""
        with _told(openly=False):
            return (await self.tournament(name).standings()).standings

    def entry(self, name: str, entry: str) -> EntrySnapshot:
        """Return the present state of an entry; it reads the store, and may be called in a thread.

        Raises:
            Denied: ENTRY_NOT_FOUND.
        """
        tournament = self.tournament(name)
        with _told(openly=False):
            if found := tournament.entry(entry):
                return found
            known = {kept.entry.name for kept in tournament.store.roster()}
        raise Denied(Reason.ENTRY_NOT_FOUND, _no_such("entry", entry, known))

    async def output(self, name: str, entry: str) -> tuple[tuple[str, bytes], ...]:
        """Return what the hosted bots of an entry have printed; see `Tournament.output`.

        Raises:
            Denied: ENTRY_NOT_FOUND.
        """
        tournament = self.tournament(name)
        await asyncio.to_thread(self.entry, name, entry)
        with _told(openly=False):
            return await tournament.output(entry)

    # Running

    def plan(self, text: str, stem: str) -> Plan:
        """Return the plan of a file's text; ``stem`` is its name when the text gives none.

        It may take seconds, and be called in a thread.

        Raises:
            ConfigError: the text describes no tournament that can be played here.
        """
        with _told():
            return self._planned(text, stem or _UNNAMED, stem)

    async def create(self, text: str, plan: Plan, owner: str = "") -> Tournament:
        """Make a tournament of an ``owner`` from a text and its plan, after those that are being made.

        Raises:
            Denied: TOURNAMENT_EXISTS.
        """
        path = self._file(plan.name)
        async with self._making:
            if plan.name in self._tournaments or path.exists():
                raise Denied(Reason.TOURNAMENT_EXISTS, f"there is a tournament {plan.name} here already")
            with _told():
                try:
                    tournament = (await asyncio.to_thread(self._kept, path, text, plan, owner))()
                except BaseException:
                    with suppress(OSError):  # it may not even be there
                        path.unlink()  # so that it can be created when what is wrong was put right
                    raise
            self._tournaments[plan.name] = tournament
            return tournament

    def _kept(self, path: Path, text: str, plan: Plan, owner: str) -> Callable[[], Tournament]:
        private.make_folder(path.parent)
        self.owners.keep(plan.name, path.parent, owner)
        plan = archive.in_its_season(self._folder, plan)
        atomic.write(path, text.encode())
        return self._open_tournament(plan)

    async def start(self, name: str) -> Tournament:
        """Begin a tournament or go on with it, after the changes of its entries that are under way."""
        tournament = self.tournament(name)
        async with self.turn(name):
            with _told():
                tournament.start()
        return tournament

    def pause(self, name: str) -> Tournament:
        """Pause a tournament; fine when it is not running."""
        tournament = self.tournament(name)
        with _told():
            if tournament.state is not TournamentState.PAUSED:
                tournament.pause()
        return tournament

    async def cancel(self, name: str) -> Tournament:
        """Cancel a tournament for good; fine when it is cancelled already."""
        tournament = self.tournament(name)
        with _told():
            if tournament.state is not TournamentState.CANCELLED:
                await tournament.cancel()
        return tournament

    async def delete(self, name: str) -> str:
        """Give up the name of a tournament that is over, and return under which one it is archived.

        Raises:
            Denied: WRONG_STATE, it is not over.
        """
        async with self._making, self.turn(name):
            tournament = self.tournament(name)
            with _told():
                if tournament.state not in OVER:
                    raise WrongState(f"it is {tournament.state}: cancel it first")
                if not (self._file(name)).exists():
                    raise WrongState("it is kept elsewhere: end this run, and remove its folder")
                await tournament.close()
                del self._tournaments[name]
                self._closed(name)
                self.owners.forget(name)
                self._paused_themselves = {each for each in self._paused_themselves if each[0] != name}
                return await asyncio.to_thread(archive.put_away, self._folder, tournament.plan)

    async def rule(self, name: str, kind: RulingKind, matches: Chosen, why: str, *, by: str) -> Tournament:
        """Annul matches of a tournament, or have them played again; ``by`` is who rules."""
        tournament = self.tournament(name)
        with _told():
            await rule(tournament, kind, matches, by, why)
        return tournament

    def check_match(self, match_id: str, token: str | None) -> None:
        """Check that an organiser may end a match.

        Raises:
            Denied: WRONG_ROLE, it belongs to a tournament of somebody else.
        """
        for name, tournament in self._tournaments.items():
            if tournament.plays(match_id):
                self.owners.check(name, token)

    async def rule_on_entry(
        self, name: str, kind: RulingKind, entry: str, why: str, *, is_struck: bool, by: str
    ) -> Tournament:
        """Withdraw or disqualify an entry of a tournament, or bring it back; ``by`` is who rules."""
        tournament = self.tournament(name)
        async with self.turn(name):
            with _told():
                await entry_rulings.rule(tournament, kind, entry, by, why, is_struck=is_struck)
        return tournament

    async def text(
        self, name: str, kind: TextKind, entries: Collection[str], *, only_faults: bool
    ) -> AsyncIterator[str]:
        """Yield the parts of a list of matches, or of a report.

        Raises:
            Denied: there is no such tournament or entry.
        """
        tournament = self.tournament(name)
        for entry in entries:
            await asyncio.to_thread(self.entry, name, entry)
        plan, store = tournament.plan, tournament.store
        with _told(openly=False):
            if kind in texts.OF_MATCHES:
                parts = texts.matches(plan, store, kind, entries, only_faults=only_faults)
                while some := await asyncio.to_thread(lambda: "".join(islice(parts, _PARTS))):
                    yield some
            else:
                report = await tournament.standings()
                yield await asyncio.to_thread(texts.report, plan, store, kind, report)

    def organiser(self, token: str | None) -> str:
        """Return the name of the organiser whose token it is.

        Raises:
            Denied: it is none.
        """
        return (
            "an organiser on the server's machine" if self._tokens is None else self._tokens.organiser(token)
        )

    async def unbroken(self, change: Coroutine[Any, Any, T]) -> T:
        """Return the result of a change, which is completed even if its caller gives up."""
        task = asyncio.create_task(change)
        self._changes.add(task)
        task.add_done_callback(self._changes.discard)
        return await asyncio.shield(task)

    def turn(self, name: str) -> asyncio.Lock:
        """Return what is held while a tournament begins, or its entries change, by one after another."""
        return self._turns[name]

    # Entries

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
        tournament = self.tournament(name)
        async with self._making, self.turn(name):
            with _told():
                roles = await asyncio.to_thread(self._roles)
                roster = await asyncio.to_thread(tournament.store.roster)
                role = roles.get(entry)
                if code is not None:
                    await asyncio.to_thread(invitations.check, code, entry, roster, role)
                wanted = to_register(tournament.plan, tournament.state, roster, entry, version, role)
                if code is not None:
                    await asyncio.to_thread(invitations.use, code, entry)
                if wanted is not None:
                    await tournament.register(wanted)
                token = ""
                if self._tokens and role is None:
                    token = await asyncio.to_thread(self._tokens.add, entry, Role.BOT)
            seen = await asyncio.to_thread(self.entry, name, entry)
        return Registration(seen, token, has_token=role is not None)

    async def invite(self, name: str, note: str, by: str) -> tuple[Invitation, str]:
        """Make an invitation of an organiser, and return it with its code.

        Raises:
            Denied: WRONG_STATE, nobody can register here with a code; and see `Invitations.make`.
        """
        tournament = self.tournament(name)
        if tournament.plan.format is not Format.LADDER and not tournament.plan.open:
            text = 'it takes only the entries of its file: make a ladder, or write registration = "open"'
            raise Denied(Reason.WRONG_STATE, text)
        return await self._of_invitations(name, lambda kept: kept.make(note, by))

    async def invitations(self, name: str) -> tuple[Invitation, ...]:
        """Return the invitations to a tournament, by number."""
        return await self._of_invitations(name, Invitations.all)

    async def revoke_invitation(self, name: str, number: int) -> Invitation:
        """Revoke an invitation.

        Raises:
            Denied: see `Invitations.revoke`.
        """
        return await self._of_invitations(name, lambda kept: kept.revoke(number))

    async def _of_invitations(self, name: str, work: Callable[[Invitations], T]) -> T:
        async with self._making:
            self.tournament(name)  # which there may not be
            with _told():
                return await asyncio.to_thread(work, self._invitations(name))

    def _invitations(self, name: str) -> Invitations:
        place = self._file(name).parent  # of one that is kept elsewhere there is none
        return Invitations(place if place.is_dir() else self.tournament(name).plan.folder)

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

    async def set_entry_state(self, name: str, entry: str, state: EntryState, *, by: Role) -> EntrySnapshot:
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
        return await self.unbroken(self._change_entry(name, entry, state, by))

    async def _change_entry(self, name: str, entry: str, state: EntryState, by: Role) -> EntrySnapshot:
        tournament = self._going_on(name)
        async with self.turn(name):
            now = await asyncio.to_thread(self.entry, name, entry)
            if by is Role.BOT:
                self._check_bot(name, now, state)
            if now.state is not state:
                with _told(openly=by is Role.ORGANISER):
                    now = await tournament.set_standing(entry, state)
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

    def _going_on(self, name: str) -> Tournament:
        tournament = self.tournament(name)
        with _told(openly=False):
            if (state := tournament.state) in OVER:
                raise WrongState(f"it is {state}, and its entries stay as they are")
        return tournament

    def _planned(self, text: str, place: str, stem: str) -> Plan:
        plan = plan_of(text, place, stem, self._folder, allow_commands=self._allow_commands)
        return replace(plan, source=self._file(plan.name))

    def _file(self, name: str) -> Path:
        return self._folder / name / f"{name}.toml"


def _no_such(kind: str, name: str, known: Collection[str]) -> str:
    if len(name) <= _LONGEST_NAME and len(known) <= _MOST_NAMES:
        return no_such(kind, name, sorted(known))
    return f"no such {kind}; there are {len(known)}"


@contextmanager
def _told(*, openly: bool = True) -> Iterator[None]:
    """Turn errors of a tournament into refusals; with ``openly`` the caller sees server failures, too."""
    try:
        yield
        return
    except WrongState as error:
        raise Denied(Reason.WRONG_STATE, str(error)) from None
    except (FolderError, InvitationError, RunFailed, SeasonError, StoreError, TokenError) as error:
        text = str(error)
    except OSError as error:
        text = f"on the server {failed(error, done='used')}"
    if openly:
        raise Denied(Reason.INTERNAL, text)
    _log.error("%(text)s", {"text": text}, extra=_EVENT)
    raise Denied(Reason.INTERNAL, _BROKEN)
