"""Compares two bots in one game from start to end: folder, players, sets."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from referee.dealing.keys import KeySource, SeededKeys, Vault
from referee.games.registry import game as rules_of
from referee.match.clock import ClockSettings
from tournaments.compare.comparison import SetPlayer, compare
from tournaments.compare.contenders import Contender
from tournaments.compare.hosted import Door, hosted
from tournaments.compare.in_process import InProcess
from tournaments.compare.kept import Forgotten, What, kept
from tournaments.compare.sets import BOTS
from tournaments.compare.tally import SetTally
from tournaments.par import lineup
from tournaments.plan.plan import Hosting
from tournaments.running.hosted import Lost


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What is compared, and how: matches of ``deals`` deals, at most ``most`` sets.

    ``error`` is how often equal bots may be told apart. ``folder`` keeps its files, commands run in ``base``.
    With ``seed`` the deals can be repeated, and are not secret. With ``is_exam`` all sets are played, by
    processes alone, so that the deals are the same whoever plays. ``door`` is where a remote bot comes in.
    """

    bots: tuple[Contender, Contender]
    game: str
    deals: int
    most: int
    error: float
    folder: Path
    base: Path
    seed: str | None
    clock: ClockSettings
    hosting: Hosting
    is_exam: bool = False
    door: Door | None = None

    @property
    def is_in_process(self) -> bool:
        """Return whether both are house bots, which play in this process and leave no records."""
        return not self.is_exam and all(bot.house for bot in self.bots)

    @property
    def what(self) -> What:
        """Return what its file of sets is of."""
        first, second = self.bots
        return What(
            game=self.game,
            deals=self.deals,
            bots=(first.text, second.text),
            versions=(_version(first, self.game), _version(second, self.game)),
            seed=self.seed,
            rules_version=rules_of(self.game).rules_version,
            clock=self.clock,
            sandbox=self.hosting.sandbox,
        )


def _version(bot: Contender, game: str) -> str:
    """Return what tells a bot from how it was before; of a house bot also how this fairdeal has it play."""
    known = lineup.named(bot.entry.bot, game) if bot.entry.bot else None
    return f"{bot.version}.{known.signature}" if known else bot.version


async def conduct(
    comparison: Comparison,
    *,
    fresh: bool,
    on_opened: Callable[[SetTally, Forgotten | None], None],
    on_tally: Callable[[SetTally], None],
    on_lost: Callable[[Lost], None],
    warn: Callable[[str], None],
    stopping: asyncio.Event,
) -> SetTally:
    """Play what is left of a comparison, and return what is known then.

    ``fresh`` begins anew. ``on_opened`` is called with the sets of earlier runs, and with those that do not
    count; ``on_tally`` after each set, ``on_lost`` with each process that is lost, ``warn`` with what to look
    at.

    Raises:
        FolderError, KeptError: the folder cannot be used.
        PlayFailed: a bot cannot be played with.
        RefereeFailed, CannotListen, VaultError, OSError: it cannot go on.
    """
    tally = SetTally(comparison.error)
    with kept(comparison.folder, comparison.what, fresh=fresh) as store:
        for result in store.results:
            tally.add(result)
        on_opened(tally, store.forgotten)
        if tally.sets >= comparison.most or (tally.is_decided and not comparison.is_exam):
            return tally

        async with _player(comparison, on_lost, warn) as player:
            await compare(
                player,
                tally,
                most=comparison.most,
                all_of_them=comparison.is_exam,
                on_set=store.add,
                on_tally=on_tally,
                stopping=stopping,
            )
    return tally


@asynccontextmanager
async def _player(
    comparison: Comparison, on_lost: Callable[[Lost], None], warn: Callable[[str], None]
) -> AsyncIterator[SetPlayer]:
    seed = comparison.seed or secrets.token_hex(16)
    if comparison.is_in_process:
        makers = {name: bot.house for name, bot in zip(BOTS, comparison.bots, strict=True) if bot.house}
        yield InProcess(comparison.game, comparison.deals, makers, seed)
        return
    keys: KeySource = (
        SeededKeys(seed) if comparison.seed else Vault(comparison.folder / "secrets", durable=False)
    )
    async with hosted(
        dict(zip(BOTS, comparison.bots, strict=True)),
        comparison.game,
        comparison.deals,
        folder=comparison.folder,
        base=comparison.base,
        keys=keys,
        seed=seed,
        clock=comparison.clock,
        rule=comparison.hosting,
        door=comparison.door,
        on_lost=on_lost,
        warn=warn,
    ) as player:
        yield player
