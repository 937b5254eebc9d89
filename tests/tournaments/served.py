"""A server of tournaments, as tests have it."""

from collections.abc import Callable
from pathlib import Path

from referee.core.access import Trusting
from referee.core.limits import Limits
from referee.core.observer import UNOBSERVED
from tournaments.plan.plan import Server
from tournaments.serving.many_tournaments import ManyTournaments


def serving(folder: Path, say: Callable[[str], None]) -> ManyTournaments:
    """Return what a server of the tournaments in a folder is to be like; ``say`` is told its lines."""
    return ManyTournaments(
        folder=folder,
        server=Server(),
        access=Trusting(),
        tokens=None,
        limits=Limits(),
        durable=False,
        drain=0,
        allow_commands=False,
        observer=UNOBSERVED,
        say=say,
    )
