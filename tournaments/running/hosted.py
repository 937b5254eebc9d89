"""What holds for hosted bots, and what is told of those that are lost."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

from tournaments.hosting import cpu_use
from tournaments.plan.models import Models
from tournaments.plan.plan import Hosting


@dataclass(frozen=True, slots=True)
class Lost:
    """A bot that is gone; ``text`` says what happened to it, ``output`` is the end of its output.

    ``log`` is where all of it is. With ``by_host`` it is no fault of the bot: it is started again, and what
    it played is void. With ``restarts_in``, in microseconds, it is started again, and its clock runs
    meanwhile, unless it ``forfeits`` what it played. Otherwise it will not come back. A language model is
    lost ``by_provider`` in an outage, and ``refused`` when its provider takes no calls at all.
    """

    entry: str
    text: str
    output: tuple[str, ...]
    by_host: bool = False
    restarts_in: int | None = None
    log: Path = Path()
    forfeits: bool = False
    by_provider: bool = False
    refused: bool = False

    @property
    def last_words(self) -> str:
        """Return what happened to it and the end of its output, as lines."""
        said = (f"    {self.entry}> {line}" for line in self.output)
        return "\n".join((f"{self.entry}: {self.text} ({self.log})", *said))


async def _first_time(_entry: str) -> int:
    return 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """What holds for all bots of a tournament.

    Commands run in ``base``, output goes to ``logs``; ``seed`` is what their own draws follow from, so that a
    run can be repeated. ``hidden`` tells what an entry's bot in a sandbox must not see. A bot that has no
    session for ``patience`` seconds, in which it could run, is ended. ``starting`` are started at once.
    ``now`` is a clock in microseconds. ``warn`` is called with one line for the organiser to act on.
    ``models`` says how language models are reached, which keep their transcripts in ``models_folder``.
    ``lost_with_supervisor`` counts a loss of an entry's bot with its
    supervisor, and returns how many there were in the tournament. While it ``holds``, a bot that is lost
    forfeits nothing.
    """

    base: Path
    logs: Path
    seed: str
    patience: float
    hosting: Hosting
    hidden: Callable[[str], tuple[Path, ...]] = lambda entry: ()
    starting: int = cpu_use.COUNT
    now: Callable[[], int]
    warn: Callable[[str], None] = lambda text: None
    lost_with_supervisor: Callable[[str], Awaitable[int]] = _first_time
    holds: Callable[[], bool] = lambda: False
    models: Models = field(default_factory=Models)
    models_folder: Path = Path()
