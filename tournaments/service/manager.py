"""The tournaments of one referee by name: created from files, kept in a folder and opened again."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Collection, Coroutine, Hashable
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, Final, TypeVar

from referee.core.access import Denied
from referee.files import atomic, private
from referee.match.messages import Reason
from referee.server.tokens import TokenFile
from tournaments.plan.plan import Plan
from tournaments.plan.states import OVER, Chosen, RulingKind, TournamentState
from tournaments.report import texts
from tournaments.report.texts import TextKind
from tournaments.running import entry_rulings
from tournaments.running.errors import WrongState
from tournaments.running.rulings import rule
from tournaments.running.tournament import Tournament
from tournaments.running.watch import Snapshot
from tournaments.service import archive
from tournaments.service.by_name import Tournaments
from tournaments.service.denials import told
from tournaments.service.entries import Entries
from tournaments.service.owners import Owners
from tournaments.standings import Standing
from tournaments.tournament_file.reader import ConfigError
from tournaments.tournament_file.season import SeasonError, with_season
from tournaments.tournament_file.submitted import plan_of
from tournaments.usage.table import ModelTable

_CHANGES_WITHIN: Final = 5.0  # seconds that changes have to be completed when the server ends
_LEAVING: Final = "the server is about to leave: start the tournament when the server is back"
_UNNAMED: Final = "file"  # the name of a text without a name in problems
_PARTS: Final = 500  # of a list of matches, written in one go
T = TypeVar("T")


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
        self._tokens = tokens
        self.owners = Owners(tokens)
        self._allow_commands = allow_commands
        self._tournaments = Tournaments(folder)
        self.entries = Entries(self._tournaments, tokens, self.unbroken, now)
        self._changes: set[asyncio.Task[Any]] = set()
        self._is_leaving = False

    # Coming and going

    def recover(self) -> tuple[str, ...]:
        """Open all that was created before; return a line for each that cannot be opened."""
        failures: list[str] = []
        for path in sorted(self._tournaments.folder.glob("*/*.toml")):
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
                with told():
                    if tournament.state is TournamentState.RUNNING:
                        tournament.start()
            except Denied as error:
                failures.append(f"tournament {name} cannot go on: {error}")
        return tuple(failures)

    def _recover(self, path: Path) -> None:
        with told():
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

    def leave(self) -> None:
        """Let nobody begin a tournament or go on with one, since the server is about to leave."""
        self._is_leaving = True

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
        return self._tournaments.named(name)

    async def look(self, name: str, *, entries: bool = True) -> Snapshot:
        """Return a snapshot of a tournament without blocking the loop, with or without its ``entries``."""
        tournament = self.tournament(name)
        with told(openly=False):
            return replace(await tournament.look(entries=entries), owner=self.owners.of(name))

    def edition(self, name: str) -> Hashable:
        """Return a cheap value that changes whenever the standings do.

        An attempt without a result does not change it until its match is decided.
        """
        with told(openly=False):
            extent = self.tournament(name).store.extent()
        return extent.decided, extent.taken_back, extent.roster_version

    async def lines(self, name: str, encoded: Callable[[Standing], bytes]) -> list[bytes]:
        """Return the lines of the present standings as bytes, best first; see `PresentStandings.lines`."""
        with told(openly=False):
            return await self.tournament(name).standings.lines(encoded)

    # Running

    def plan(self, text: str, stem: str) -> Plan:
        """Return the plan of a file's text; ``stem`` is its name when the text gives none.

        It may take seconds, and be called in a thread.

        Raises:
            ConfigError: the text describes no tournament that can be played here.
        """
        with told():
            return self._planned(text, stem or _UNNAMED, stem)

    async def create(self, text: str, plan: Plan, owner: str = "") -> Tournament:
        """Make a tournament of an ``owner`` from a text and its plan, after those that are being made.

        Raises:
            Denied: TOURNAMENT_EXISTS.
        """
        path = self._tournaments.file(plan.name)
        async with self._tournaments.making:
            if plan.name in self._tournaments or path.exists():
                raise Denied(Reason.TOURNAMENT_EXISTS, f"there is a tournament {plan.name} here already")
            with told():
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
        plan = archive.in_its_season(self._tournaments.folder, plan)
        atomic.write(path, text.encode())
        return self._open_tournament(plan)

    async def start(self, name: str) -> Tournament:
        """Begin a tournament or go on with it, after the changes of its entries that are under way."""
        async with self.turn(name) as tournament:
            with told():
                await _reach(tournament)
                if self._is_leaving:
                    raise Denied(Reason.SHUTTING_DOWN, _LEAVING)
                tournament.start()
        return tournament

    async def pause(self, name: str) -> Tournament:
        """Pause a tournament; fine when it is not running."""
        tournament = self.tournament(name)
        with told():
            await _reach(tournament)
            if tournament.state is not TournamentState.PAUSED:
                tournament.pause()
        return tournament

    async def cancel(self, name: str) -> Tournament:
        """Cancel a tournament for good; fine when it is cancelled already."""
        tournament = self.tournament(name)
        with told():
            await _reach(tournament)
            if tournament.state is not TournamentState.CANCELLED:
                await tournament.cancel()
        return tournament

    async def delete(self, name: str) -> str:
        """Give up the name of a tournament that is over, and return under which one it is archived.

        Raises:
            Denied: WRONG_STATE, it is not over.
        """
        async with self._tournaments.making, self.turn(name) as tournament:
            with told():
                if tournament.state not in OVER:
                    raise WrongState(f"it is {tournament.state}: cancel it first")
                if not self._tournaments.file(name).exists():
                    raise WrongState("it is kept elsewhere: end this run, and remove its folder")
                await tournament.close()
                await asyncio.to_thread(tournament.store.bring_home)  # whose name is free there then
                del self._tournaments[name]
                self._closed(name)
                self.owners.forget(name)
                self.entries.forget(name)
                return await asyncio.to_thread(archive.put_away, self._tournaments.folder, tournament.plan)

    async def rule(self, name: str, kind: RulingKind, matches: Chosen, why: str, *, by: str) -> Tournament:
        """Annul matches of a tournament, or have them played again; ``by`` is who rules."""
        async with self.turn(name) as tournament:
            with told():
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
        async with self.turn(name) as tournament:
            with told():
                await entry_rulings.rule(tournament, kind, entry, by, why, is_struck=is_struck)
        return tournament

    async def text(
        self,
        name: str,
        kind: TextKind,
        entries: Collection[str],
        models: ModelTable | None,
        *,
        only_faults: bool,
    ) -> AsyncIterator[str]:
        """Yield the parts of a list of matches, or of a report with what ``models`` did.

        Raises:
            Denied: there is no such tournament or entry.
        """
        tournament = self.tournament(name)
        for entry in entries:
            await asyncio.to_thread(self.entries.of, name, entry)
        plan, store = tournament.plan, tournament.store
        with told(openly=False):
            if kind in texts.OF_MATCHES:
                parts = texts.matches(plan, store, kind, entries, only_faults=only_faults, is_here=False)
                while some := await asyncio.to_thread(lambda: "".join(islice(parts, _PARTS))):
                    yield some
            else:
                report = await tournament.standings()
                yield await asyncio.to_thread(texts.report, plan, store, kind, report, models)

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

    def turn(self, name: str) -> AbstractAsyncContextManager[Tournament]:
        """Yield a tournament to begin it, rule on it or change its entries, see `Tournaments.turn`."""
        return self._tournaments.turn(name)

    def _planned(self, text: str, place: str, stem: str) -> Plan:
        plan = plan_of(text, place, stem, self._tournaments.folder, allow_commands=self._allow_commands)
        return replace(plan, source=self._tournaments.file(plan.name))


async def _reach(tournament: Tournament) -> None:
    """Fail if a database cannot be reached, before the loop would wait for it with all that is played."""
    if tournament.plan.store is not None:
        await asyncio.to_thread(tournament.store.extent)
