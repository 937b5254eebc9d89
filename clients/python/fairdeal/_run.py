"""Running a bot."""

import asyncio
import signal
import sys
import threading
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TypedDict, Unpack

from fairdeal._connection import Connection
from fairdeal._player import AnyBot, OnError, Player, name_of
from fairdeal._settings import settle
from fairdeal.by_hand import log_shown
from fairdeal.errors import BadAnswer, BadSetting, FairdealError


class RunOptions(TypedDict, total=False):
    """The keyword arguments of `run`."""

    token: str | None
    entry: str | None
    instance: str | None
    games: Iterable[str]
    tables: int
    matches: int | None
    seed: str | None
    ca: str | None
    cert: str | None
    key: str | None
    connect_timeout: float
    reconnect_timeout: float
    on_error: OnError


def main(bot: AnyBot, address: str | None = None, **options: Unpack[RunOptions]) -> None:
    """Do what `run` does as a whole program: what goes wrong is one line, and an exit status.

    All lines go to standard error: those of the log ``fairdeal`` as well, such as that the bot is connected,
    unless the program has set up logging. The status is 2 for a wrong setting and 1 for a session that
    failed. What the bot itself raises, with ``on_error="stop"``, is raised here, too.
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
    tables: int = 64,
    matches: int | None = None,
    seed: str | None = None,
    ca: str | None = None,
    cert: str | None = None,
    key: str | None = None,
    connect_timeout: float = 30.0,
    reconnect_timeout: float = 60.0,
    on_error: OnError = "fault",
) -> None:
    """Have a bot play until its matches are over.

    ``bot`` is an object with a method ``act(decision)``, a class of such objects (each match gets one of its
    own, made without arguments), or a function from a decision to its answer. Where methods are coroutine
    functions, they run side by side for all tables; otherwise a slow ``act`` delays the other tables, unless
    there is but one (``tables=1``).

    What is not given comes from the environment, as hosted bots find it: ``address`` (``host:port`` or
    ``unix:/path``) from FAIRDEAL_ADDRESS or else 127.0.0.1:7447, where `fairdeal serve` listens; ``token``
    from FAIRDEAL_TOKEN; ``entry`` from FAIRDEAL_ENTRY or else the name of the class or function;
    ``instance`` (which tells several sessions of one entry apart) from FAIRDEAL_INSTANCE; ``seed`` (what
    ``decision.chance`` draws from) from FAIRDEAL_SEED; ``ca`` (a file with the certificates to trust, for
    TLS) from FAIRDEAL_CA; ``cert`` and ``key`` (files with the bot's own certificate and key, for mutual TLS)
    from FAIRDEAL_CERT and FAIRDEAL_KEY.

    The bot plays the ``games`` named, by default all, at up to ``tables`` tables at once, until ``matches``
    are finished, by default for ever. The referee is waited for ``connect_timeout`` seconds. SIGINT and
    SIGTERM end the run with a goodbye to the referee; a second one ends it at once.

    When the session breaks, the bot comes back by itself and its matches go on: it dials again, after 0.1
    seconds at first and every five in the end, until the referee was gone for ``reconnect_timeout`` seconds
    (0: never again). What it is asked again it answers as before, without another call of ``act``. The
    connection, its loss, the return and that the referee is about to leave are each a line in the log
    ``fairdeal``. A session that the referee ends for good, such as
    one that a newer session has replaced, is not dialled for again.

    An exception of the bot, an illegal answer included, is logged with its traceback and costs a fault, and
    the bot plays on; with ``on_error="stop"`` it ends the run and is raised here.

    Raises:
        BadSetting: one of the settings cannot be.
        CannotConnect: no referee answers.
        ConnectionLost: the session broke, and the referee was not back in time.
        Rejected: the referee refused the session or ended it.
        ProtocolError: the referee sent what makes no sense.
        BadAnswer: the bot answered what is not legal, with ``on_error="stop"``.
    """

    async def main() -> None:
        await run_async(
            bot,
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
            connect_timeout=connect_timeout,
            reconnect_timeout=reconnect_timeout,
            on_error=on_error,
        )

    until_stopped(main)


def until_stopped(main: Callable[[], Awaitable[None]], then: Callable[[], None] = lambda: None) -> None:
    """Run a coroutine; the first SIGINT or SIGTERM cancels it, which is no error, and calls ``then``."""
    stopped = False

    async def run_main() -> None:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task

        def stop() -> None:
            nonlocal stopped
            stopped = True
            loop.call_soon_threadsafe(task.cancel)
            then()

        with _on_signal(stop):
            await main()

    try:
        asyncio.run(run_main())
    except asyncio.CancelledError:
        if not stopped:
            raise


async def run_async(
    bot: AnyBot,
    address: str | None = None,
    *,
    token: str | None = None,
    entry: str | None = None,
    instance: str | None = None,
    games: Iterable[str] = (),
    tables: int = 64,
    matches: int | None = None,
    seed: str | None = None,
    ca: str | None = None,
    cert: str | None = None,
    key: str | None = None,
    connect_timeout: float = 30.0,
    reconnect_timeout: float = 60.0,
    on_error: OnError = "fault",
) -> None:
    """Do what `run` does in a running loop; when cancelled, say goodbye to the referee first.

    Signals are left to the caller.
    """
    player = Player(bot, on_error)
    settings = settle(
        name=name_of(bot),
        address=address,
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
        connect_timeout=connect_timeout,
        reconnect_timeout=reconnect_timeout,
    )
    await Connection(settings, player).run()


@contextmanager
def _on_signal(stop: Callable[[], None]) -> Iterator[None]:
    """Call ``stop`` at the first SIGINT or SIGTERM; those that follow do what they do by default."""
    if threading.current_thread() is not threading.main_thread():
        yield  # elsewhere signals cannot be handled
        return

    def handle(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        stop()

    # handlers of Python, not of the loop, so that a second signal ends a bot that never leaves its `act`
    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
