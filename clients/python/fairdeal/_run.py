"""Running a bot."""

import asyncio
import signal
import sys
import threading
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Unpack

from fairdeal._connection import Connection
from fairdeal._player import AnyBot, OnError, Player, name_of
from fairdeal._settings import (
    DEFAULT_CONNECT_TIMEOUT,
    DEFAULT_RECONNECT_TIMEOUT,
    DEFAULT_TABLES,
    Options,
    Settings,
)
from fairdeal.by_hand import log_shown
from fairdeal.errors import BadAnswer, BadSetting, FairdealError


class RunOptions(Options, total=False):
    """The keyword arguments of `run`."""

    on_error: OnError
    play_forced: bool


def main(bot: AnyBot, address: str | None = None, **options: Unpack[RunOptions]) -> None:
    """Do what `run` does as a whole program: an error prints one line and sets the exit status.

    All lines go to standard error: those of the log ``fairdeal`` as well, such as that the bot is connected,
    unless the program has set up logging. The status is 2 for a wrong setting and 1 for a session that
    failed. Exceptions of the bot itself are raised with ``on_error="stop"``.
    """
    try:
        with log_shown():
            run(bot, address, **options)
    except BadAnswer:
        raise
    except FairdealError as error:
        sys.stderr.write(f"{Path(sys.argv[0]).name}: {error}\n")
        sys.exit(2 if isinstance(error, BadSetting) else 1)


def run(
    bot: AnyBot,
    address: str | None = None,
    *,
    token: str | None = None,
    entry: str | None = None,
    instance: str | None = None,
    games: Iterable[str] = (),
    tables: int | None = DEFAULT_TABLES,
    matches: int | None = None,
    seed: str | None = None,
    ca: str | None = None,
    cert: str | None = None,
    key: str | None = None,
    keep: str | None = None,
    connect_timeout: float = DEFAULT_CONNECT_TIMEOUT,
    reconnect_timeout: float = DEFAULT_RECONNECT_TIMEOUT,
    on_error: OnError = "fault",
    play_forced: bool = False,
) -> None:
    """Run a bot until its matches are over.

    ``bot`` is an object with a method ``act(decision)``, a class of such objects (each match gets one of its
    own, made without arguments), or a function from a decision to its answer. Where methods are coroutine
    functions, they run side by side for all tables; otherwise a slow ``act`` delays the other tables, unless
    there is only one (``tables=1``).

    Settings that are not given come from the environment, where hosted bots find them: ``address``
    (``host:port`` or ``unix:/path``) from FAIRDEAL_ADDRESS or else 127.0.0.1:7447, where `fairdeal serve`
    listens; ``token`` from FAIRDEAL_TOKEN; ``entry`` from FAIRDEAL_ENTRY or else the name of the class or
    function; ``instance`` (which tells several sessions of one entry apart) from FAIRDEAL_INSTANCE; ``seed``
    (what ``decision.chance`` draws from) from FAIRDEAL_SEED; ``ca`` (a file with the certificates to trust,
    for TLS) from FAIRDEAL_CA; ``cert`` and ``key`` (files with the bot's own certificate and key, for mutual
    TLS) from FAIRDEAL_CERT and FAIRDEAL_KEY; ``keep`` (a file to which lines are appended that show
    afterwards what the bot was told and answered, or with a slash at the end a folder of such files; empty:
    none) from FAIRDEAL_KEEP or else a folder of the user, ``~/.local/state/fairdeal/kept/ENTRY/``.

    The bot plays the ``games`` named, by default all, at up to ``tables`` tables at once, until ``matches``
    are finished, by default forever. It waits ``connect_timeout`` seconds for the referee, also while that
    has no room for another session. The first SIGINT or SIGTERM lets the bot finish its matches and take no
    new ones, a second one ends the run with a goodbye to the referee, and a third one ends it at once.

    When the session breaks, the bot comes back by itself and its matches go on: it dials again, after 0.1
    seconds at first and every five in the end, until the referee was gone for ``reconnect_timeout`` seconds
    (0: never again). A decision that is asked again gets the same answer, without another call of ``act``.
    The connection, its loss, the return and that the referee is about to leave are each a line in the log
    ``fairdeal``. A session that the referee ends for good, such as one that a newer session has replaced, is
    not opened again.

    An exception of the bot, an illegal answer included, is logged with its traceback and costs a fault, and
    the bot plays on; with ``on_error="stop"`` it ends the run and is raised here.

    With ``play_forced`` the bot is not asked where one answer is legal: that is played at once.

    Raises:
        BadSetting: one of the settings is wrong.
        CannotConnect: no referee answers.
        ConnectionLost: the session broke, and the referee was not back in time.
        Rejected: the referee refused the session or ended it.
        ProtocolError: the referee sent something invalid.
        BadAnswer: the bot gave an answer that is not legal, with ``on_error="stop"``.
    """
    player = Player(bot, on_error, play_forced=play_forced)
    settings = Settings.from_environment(
        name_of(bot),
        address,
        token=token,
        entry=entry,
        instance=instance,
        games=games,
        tables=tables,
        matches=matches,
        seed=seed,
        ca=ca,
        cert=cert,
        key=key,
        keep=keep,
        connect_timeout=connect_timeout,
        reconnect_timeout=reconnect_timeout,
    )

    async def main(finish: asyncio.Event) -> None:
        await Connection(settings, player, finish).run()

    until_stopped(main)


def until_stopped(
    main: Callable[[asyncio.Event], Awaitable[None]], then: Callable[[], None] = lambda: None
) -> None:
    """Run a coroutine with an event; the first SIGINT or SIGTERM sets it, the second cancels the coroutine.

    Cancelling is not an error. ``then`` is called when cancelling; a third signal has its default effect.
    """
    was_cancelled = False

    async def run_main() -> None:
        loop, task, finish = asyncio.get_running_loop(), asyncio.current_task(), asyncio.Event()
        assert task

        def cancel() -> None:
            nonlocal was_cancelled
            was_cancelled = True
            loop.call_soon_threadsafe(task.cancel)
            then()

        with _on_signals(lambda: loop.call_soon_threadsafe(finish.set), cancel):
            await main(finish)

    try:
        asyncio.run(run_main())
    except asyncio.CancelledError:
        if not was_cancelled:
            raise


async def run_async(
    bot: AnyBot,
    address: str | None = None,
    *,
    on_error: OnError = "fault",
    play_forced: bool = False,
    finish: asyncio.Event | None = None,
    **options: Unpack[Options],
) -> None:
    """Do what `run` does in a running loop; when cancelled, say goodbye to the referee first.

    Signals are left to the caller. Once ``finish`` is set, the bot finishes its matches, takes no new ones,
    and leaves. The ``options`` are those of `run`.
    """
    player = Player(bot, on_error, play_forced=play_forced)
    settings = Settings.from_environment(name_of(bot), address, **options)
    await Connection(settings, player, finish or asyncio.Event()).run()


@contextmanager
def _on_signals(first: Callable[[], object], second: Callable[[], object]) -> Iterator[None]:
    """Call these at the first and the second SIGINT or SIGTERM; further ones have their default effect."""
    if threading.current_thread() is not threading.main_thread():
        yield  # other threads cannot handle signals
        return
    is_first = True

    def handle(number: int, frame: FrameType | None) -> None:
        nonlocal is_first
        if is_first:
            is_first = False
            first()
            return
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        second()

    # handlers of Python, not of the loop, so that a third signal ends a bot that never leaves its `act`
    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
