"""Checks one bot from its start to its end."""

from collections.abc import Callable, Collection
from contextlib import AsyncExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from tournaments.check.harness import ENTRY, INSTANCE, Harness, open_harness
from tournaments.check.process import CommandBot, RemoteBot
from tournaments.check.results import CheckReport, CheckResult, CheckResults
from tournaments.check.run import run

LOOPBACK = "127.0.0.1:0"


async def check(
    command: tuple[str, ...],
    *,
    patience: float,
    listen: str = LOOPBACK,
    games: Collection[str] = (),
    only: Collection[int] = (),
    on_result: Callable[[CheckResult], None] = lambda result: None,
    on_wanted: Callable[[Harness], None] = lambda harness: None,
) -> CheckReport:
    """Check a bot and return the results.

    ``command`` starts it, with the environment of a hosted bot. Without one it is awaited at the address
    ``listen``; ``on_wanted`` is called whenever it is to dial in. The rest is as for `run`; ``patience`` is
    in seconds.

    Raises:
        CannotStart: the command cannot be executed.
        HostFailed: this machine cannot start it now.
        CannotListen: the text is not an address, or the address is taken or not available.
        RefereeFailed: the referee cannot go on.
    """
    results = CheckResults()
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="fairdeal-check-")))
        harness = await stack.enter_async_context(open_harness(listen, patience, results, folder))
        if command:
            harness.bot = CommandBot(
                command,
                entry=ENTRY,
                instance=INSTANCE,
                token=harness.token,
                address=harness.address,
                folder=folder,
                settle=patience,
                changed=harness.monitor.changed,
            )
        else:
            harness.bot = RemoteBot(lambda: on_wanted(harness))
        await run(harness, games=games, only=only, on_result=on_result)
        hello = harness.monitor.connection.hello if harness.monitor.connection else None
        return CheckReport(
            results=tuple(results.by_number.values()),
            command=command,
            entry=ENTRY,
            agent=hello.agent if hello else "",
            games=harness.games,
            printed=harness.bot.printed(),
        )
