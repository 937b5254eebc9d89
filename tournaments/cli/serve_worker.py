"""One worker of `fairdeal serve --workers`: a process that plays its share of the tables."""

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, replace
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Final

from referee.core.access import Access, Trusting
from referee.core.limits import Limits
from referee.core.observer import Observer, Observers
from referee.core.routes import Homeward, WorkerReport, players_of
from referee.core.running_match import OpenTable
from referee.games.registry import GAMES
from referee.match.effects import MatchSetup, Outcome
from referee.match.messages import Reason
from referee.server.capacity import enough_files
from referee.server.exposure import is_local
from referee.server.logs import Form
from referee.server.metrics import Metrics, metrics_served
from referee.server.runtime import Referee
from referee.server.tls import Tls
from referee.server.tokens import TokenFile
from referee.storage.worker_folders import worker_folder
from tournaments.cli.failure import failure_of
from tournaments.cli.saying import logs, say
from tournaments.cli.signals import Stopped, run_until_stopped
from tournaments.folder_lock import TOKENS, FolderError, owned
from tournaments.serving.open_tables import OpenTables, ServingPart, serve_open_tables
from tournaments.serving.workers import CALL, DRAIN, FAILED, Reporting, worker_address

_TRIES: Final = 100  # to take the folder, which a worker leaves soon whose front was killed
_MOMENT: Final = 0.1  # seconds between two tries


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerSettings:
    """What the workers of a front are told at their start; ``listen`` is the address of the front."""

    folder: Path
    listen: str
    tls: Tls | None
    tables: tuple[OpenTable, ...]
    has_tokens: bool
    limits: Limits
    durable: bool
    drain: float
    metrics_port: int | None
    form: Form
    level: int
    store: str | None = None


def starting(settings: WorkerSettings) -> Callable[[int], tuple[BaseProcess, Connection]]:
    """Return what starts the worker of a number."""
    # a read-only mapping cannot be sent to another process
    tables = tuple(replace(table, options=dict(table.options)) for table in settings.tables)
    settings = replace(settings, tables=tables)

    def start(number: int) -> tuple[BaseProcess, Connection]:
        context = get_context("spawn")
        ours, theirs = context.Pipe()
        name = f"fairdeal-worker-{number}"
        process = context.Process(target=_run, args=(number, settings, theirs), name=name, daemon=True)
        # Ctrl-C is for the front; until the worker says so itself it holds such a signal back
        held = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, held)
            theirs.close()
        return process, ours

    return start


def _run(number: int, settings: WorkerSettings, pipe: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.setsid()  # so that a terminal sends it nothing
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    try:
        run_until_stopped(lambda stopping: _Work(number, settings, pipe).run(stopping))
    except Stopped:
        pass
    except Exception as error:
        if os.environ.get("FAIRDEAL_DEBUG"):
            raise
        with suppress(OSError):  # the front is gone
            pipe.send((FAILED, str(failure_of(error)).removeprefix("fairdeal: ")))
        sys.exit(1)


class _Work:
    def __init__(self, number: int, settings: WorkerSettings, pipe: Connection) -> None:
        self._number = number
        self._settings = settings
        self._pipe = pipe
        self._referee: Referee | None = None
        self._homeward = Homeward([table.game for table in settings.tables])
        self._reporting = Reporting(self._report, self._tell)

    async def run(self, stopping: asyncio.Event) -> None:
        """Serve until the front says so, or is gone."""
        loop = asyncio.get_running_loop()
        for each in (signal.SIGTERM, signal.SIGINT):  # the front may say the same, which is no second signal
            loop.add_signal_handler(each, stopping.set)
        serving = asyncio.create_task(self._serve(stopping))
        is_left = False

        def read() -> None:
            nonlocal is_left
            try:
                order, *what = self._pipe.recv()
            except (EOFError, OSError):
                is_left = True
                loop.remove_reader(self._pipe.fileno())
                serving.cancel()
                return
            if order == DRAIN:
                stopping.set()
            elif order == CALL and self._referee:
                self._homeward.call(self._referee.core.sessions.welcomed, *what)

        loop.add_reader(self._pipe.fileno(), read)
        try:
            await serving
        except asyncio.CancelledError:
            if not is_left:
                raise
        finally:
            loop.remove_reader(self._pipe.fileno())

    async def _serve(self, stopping: asyncio.Event) -> None:
        settings, number = self._settings, self._number
        async with AsyncExitStack() as stack:
            await _hold(worker_folder(settings.folder, number), stack)
            observers = [
                stack.enter_context(logs(settings.form, settings.level, worker=number)),
                _Changes(self._reporting.changed),
            ]
            allowed = stack.enter_context(enough_files(settings.limits))
            if settings.metrics_port is not None:
                metrics = Metrics(GAMES)
                observers.append(metrics)
                port = settings.metrics_port and settings.metrics_port + number
                address = await stack.enter_async_context(metrics_served(metrics, port))
                say(f"metrics of worker {number}: http://{address}/metrics")
            keep = None
            access = access_of(settings.folder, settings.listen, has_tokens=settings.has_tokens)
            if settings.store is not None:
                # on demand: without a store there is no database
                from tournaments.serving.sharing import sharing

                shared = await stack.enter_async_context(sharing(settings.store, settings.folder))
                access, keep = shared.access, shared.keep
            serving = OpenTables(
                folder=settings.folder,
                listen=worker_address(settings.listen, number),
                tls=settings.tls,
                tables=settings.tables,
                access=access,
                keep=keep,
                limits=allowed,
                durable=settings.durable,
                drain=settings.drain,
                observer=Observers(*observers),
                say=say,
                part=ServingPart(number=number, routes=self._homeward, on_listening=self._listening),
            )
            await serve_open_tables(serving, stopping)

    def _listening(self, address: str, referee: Referee) -> None:
        self._referee = referee
        self._reporting.listening(address)

    def _report(self) -> WorkerReport:
        assert self._referee is not None
        core = self._referee.core
        welcomed = core.sessions.welcomed
        players = players_of(welcomed, [table.game for table in self._settings.tables])
        return WorkerReport(len(welcomed), players, frozenset(core.matches.owners))

    def _tell(self, kind: str, what: object) -> None:
        with suppress(OSError):  # the front is gone, and this process ends
            self._pipe.send((kind, what))


class _Changes(Observer):
    """Notices what the front is to know of."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed

    def session_opened(self, entry: str, instance: str, peer: str, agent: str) -> None:
        """Notice that a bot is here."""
        self._changed()

    def session_ended(self, entry: str, instance: str, peer: str, reason: Reason | None) -> None:
        """Notice that a bot is gone."""
        self._changed()

    def match_opened(self, setup: MatchSetup, *, recovered: bool) -> None:
        """Notice who has a seat now."""
        self._changed()

    def match_finished(self, setup: MatchSetup, outcome: Outcome) -> None:
        """Notice who has none any more."""
        self._changed()


def access_of(folder: Path, listen: str, *, has_tokens: bool) -> Access:
    """Return who may come in, by the tokens of a folder or, without any, by the address."""
    # where other machines can reach it, nobody is believed to be its organiser
    return TokenFile(folder / TOKENS) if has_tokens else Trusting(organisers=is_local(listen))


async def _hold(folder: Path, stack: AsyncExitStack) -> None:
    for attempt in range(_TRIES):
        try:
            stack.enter_context(owned(folder))
        except FolderError:
            if attempt == _TRIES - 1:
                raise
            await asyncio.sleep(_MOMENT)
        else:
            return
