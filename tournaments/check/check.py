"""Checks one bot from its start to its end."""

from collections.abc import Callable, Collection
from contextlib import AsyncExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from tournaments.check.process import Hosted, Remote
from tournaments.check.results import Ledger, Report, Result
from tournaments.check.run import run
from tournaments.check.stage import ENTRY, INSTANCE, Stage, staged

LOOPBACK = "127.0.0.1:0"


async def check(
    command: tuple[str, ...],
    *,
    patience: float,
    listen: str = LOOPBACK,
    games: Collection[str] = (),
    only: Collection[int] = (),
    on_result: Callable[[Result], None] = lambda result: None,
    on_wanted: Callable[[Stage], None] = lambda stage: None,
) -> Report:
    """Check a bot and return what came of it.

    ``command`` starts it, with the environment of a hosted bot. Without one it is awaited at the address
    ``listen``; ``on_wanted`` is called whenever it is to dial in. The rest is as for `run`; ``patience`` is
    in seconds.

    Raises:
        CannotStart: the command cannot be executed.
        HostFailed: this machine cannot start it now.
        CannotListen: the address is none, is taken, or cannot be had.
        RefereeFailed: the referee cannot go on.
    """
    ledger = Ledger()
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="fairdeal-check-")))
        stage = await stack.enter_async_context(staged(listen, patience, ledger, folder))
        if command:
            stage.bot = Hosted(
                command,
                entry=ENTRY,
                instance=INSTANCE,
                token=stage.token,
                address=stage.address,
                folder=folder,
                settle=patience,
                changed=stage.watch.changed,
            )
        else:
            stage.bot = Remote(lambda: on_wanted(stage))
        await run(stage, games=games, only=only, on_result=on_result)
        hello = stage.watch.line.hello if stage.watch.line else None
        return Report(
            results=tuple(ledger.results.values()),
            command=command,
            entry=ENTRY,
            agent=hello.agent if hello else "",
            games=stage.games,
            printed=stage.bot.printed(),
        )
