"""The desk of a referee: several tournaments, made from files, kept in a folder and opened again."""

import logging
import os
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from referee.access import Denied, Role
from referee.server.tokens import TokenError, TokenFile
from referee.updates import Reason
from referee.vault import sync_folder
from tournaments.config import ConfigError
from tournaments.config_shapes import no_such
from tournaments.folder import FolderError
from tournaments.plan import Plan
from tournaments.registration import OVER, to_register
from tournaments.runner import RunFailed
from tournaments.standings import Standing
from tournaments.states import EntryState, State
from tournaments.store import StoreError
from tournaments.submission import plan_of
from tournaments.tournament import Tournament, WrongState
from tournaments.watching import EntryKind, EntrySnapshot, Snapshot

_log: Final = logging.getLogger("referee.tournaments")  # the log of a referee shows what begins so

_EVENT: Final = {"event": "tournament_broken"}  # how `logs` shows it, with its fields
_BROKEN: Final = "the server's store failed; its operator has to put that right"
_UNNAMED: Final = "file"  # what problems call a text without a name


@dataclass(frozen=True, slots=True)
class Registration:
    """An entry that was registered.

    ``token`` is told this once. It is empty when the name ``has_token`` already, and when none is asked for.
    """

    entry: EntrySnapshot
    token: str
    has_token: bool


class Desk:
    """The tournaments of one referee, by name.

    ``open_tournament`` opens one for a plan, on what an earlier run of it left. ``folder`` keeps each that is
    created in a folder of its own, with its file. ``tokens`` are those of the referee, None when everybody is
    believed to be an organiser. Commands in files run only with ``allow_commands``.

    Whatever is asked of a tournament that is not there raises Denied with the reason TOURNAMENT_NOT_FOUND;
    what it cannot do as it is, WRONG_STATE; what the disk or the store does not let it do, INTERNAL. Where
    that was is told to organisers; where others may ask, too, it goes to the log.
    """

    def __init__(
        self,
        open_tournament: Callable[[Plan], Tournament],
        folder: Path,
        tokens: TokenFile | None,
        *,
        allow_commands: bool = False,
    ) -> None:
        self._open_tournament = open_tournament
        self._folder = folder.absolute()
        self._tokens = tokens
        self._allow_commands = allow_commands
        self._tournaments: dict[str, Tournament] = {}
        self._paused_themselves: set[tuple[str, str]] = set()  # tournaments with entries

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
        """Go on with all that was running when it was left; return a line for each that cannot go on."""
        failures: list[str] = []
        for name, tournament in sorted(self._tournaments.items()):
            try:
                with _told():
                    if tournament.snapshot().state is State.RUNNING:
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
            self._tournaments[path.stem] = self._open_tournament(plan)

    def attach(self, tournament: Tournament) -> None:
        """Take in a tournament that is kept elsewhere."""
        self._tournaments[tournament.snapshot().name] = tournament

    async def close(self) -> None:
        """Leave all tournaments; they go on in the next run."""
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
        text = no_such("tournament", name, known) if known else "there are no tournaments here yet"
        raise Denied(Reason.TOURNAMENT_NOT_FOUND, text)

    def snapshot(self, name: str) -> Snapshot:
        """Return how far a tournament is."""
        with _told(openly=False):
            return self.tournament(name).snapshot()

    def edition(self, name: str) -> Hashable:
        """Return what changes with the standings, at less cost.

        It does not change with an attempt without a result, but when its match is decided.
        """
        with _told(openly=False):
            store = self.tournament(name).store
            return store.played_count(), store.roster_version()

    def standings(self, name: str) -> tuple[Standing, ...]:
        """Return the standings of what is played so far, best first."""
        with _told(openly=False):
            return self.tournament(name).standings().standings

    def entry(self, name: str, entry: str) -> EntrySnapshot:
        """Return what an entry is now.

        Raises:
            Denied: ENTRY_NOT_FOUND.
        """
        entries = {each.name: each for each in self.snapshot(name).entries}
        if entry not in entries:
            raise Denied(Reason.ENTRY_NOT_FOUND, no_such("entry", entry, entries))
        return entries[entry]

    # Running

    def plan(self, text: str, stem: str) -> Plan:
        """Return the plan of the text of a file; ``stem`` is its name when the text gives none.

        It may take seconds, and be called in a thread.

        Raises:
            ConfigError: the text describes no tournament that can be played here.
        """
        with _told():
            return self._planned(text, stem or _UNNAMED, stem)

    def create(self, text: str, plan: Plan) -> Tournament:
        """Make a tournament from a text and its plan.

        Raises:
            Denied: TOURNAMENT_EXISTS.
        """
        path = self._file(plan.name)
        if plan.name in self._tournaments or path.exists():
            raise Denied(Reason.TOURNAMENT_EXISTS, f"there is a tournament {plan.name} here already")
        with _told():
            _write(path, text)
            try:
                tournament = self._open_tournament(plan)
            except BaseException:
                path.unlink()  # so that it can be created when what is wrong was put right
                raise
        self._tournaments[plan.name] = tournament
        return tournament

    def start(self, name: str) -> Tournament:
        """Begin a tournament or go on with it."""
        tournament = self.tournament(name)
        with _told():
            tournament.start()
        return tournament

    def pause(self, name: str) -> Tournament:
        """Begin no more matches; fine when none begin anyway."""
        tournament = self.tournament(name)
        with _told():
            if tournament.snapshot().state is not State.PAUSED:
                tournament.pause()
        return tournament

    async def cancel(self, name: str) -> Tournament:
        """End a tournament for good; fine when it is cancelled already."""
        tournament = self.tournament(name)
        with _told():
            if tournament.snapshot().state is not State.CANCELLED:
                await tournament.cancel()
        return tournament

    # Entries

    def register(self, name: str, entry: str, version: str | None) -> Registration:
        """Take in a remote entry and give it its token; ``version`` None: that which it has.

        Raises:
            Denied: as `tournaments.registration.to_register` says.
        """
        tournament = self.tournament(name)
        with _told():
            roles = {kept.name: kept.role for kept in self._tokens.list()} if self._tokens else {}
            roster = tournament.store.roster()
            wanted = to_register(tournament.plan, tournament.state, roster, entry, version, roles.get(entry))
            if wanted is not None:
                tournament.register(wanted)
            token = self._tokens.add(entry, Role.BOT) if self._tokens and entry not in roles else ""
        return Registration(self.entry(name, entry), token, has_token=entry in roles)

    def role(self, token: str | None, entry: str) -> Role:
        """Return as what somebody speaks for an entry.

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

    def set_entry_state(self, name: str, entry: str, state: EntryState, *, by: Role) -> EntrySnapshot:
        """Change whether an entry is paired, and return what it is then.

        A bot may have its own remote entry pause and leave, and end a pause that it began itself at this
        desk; all else is the organisers' matter.

        Raises:
            Denied: ENTRY_NOT_FOUND; WRONG_ROLE, a bot may not do this.
        """
        tournament = self._going_on(name)
        now = self.entry(name, entry)
        if by is Role.BOT:
            self._check_bot(name, now, state)
        if now.state is not state:
            with _told(openly=by is Role.ORGANISER):
                tournament.set_standing(entry, state)
        elif by is Role.BOT:
            return now
        if by is Role.BOT and state is EntryState.PAUSED:
            self._paused_themselves.add((name, entry))
        else:
            self._paused_themselves.discard((name, entry))
        return self.entry(name, entry)

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


@contextmanager
def _told(*, openly: bool = True) -> Iterator[None]:
    """Let what a tournament cannot do be told to whoever asked; ``openly``, where the server fails, too."""
    try:
        yield
        return
    except WrongState as error:
        raise Denied(Reason.WRONG_STATE, str(error)) from None
    except (FolderError, RunFailed, StoreError, TokenError) as error:
        text = str(error)
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        text = f"{place}{error.strerror}; the server's disk or its rights have to be put right"
    if openly:
        raise Denied(Reason.INTERNAL, text)
    _log.error("%(text)s", {"text": text}, extra=_EVENT)
    raise Denied(Reason.INTERNAL, _BROKEN)


def _write(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}")
    with unfinished.open("w", encoding="utf-8", newline="") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)
    sync_folder(path.parent)
