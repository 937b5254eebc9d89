"""A server of tournaments, as tests have it."""

from collections.abc import Callable
from pathlib import Path

from referee.access import Trusting
from referee.limits import Limits
from referee.observer import UNOBSERVED
from tournaments.cli.serve_tournaments import Hosting
from tournaments.plan import Server


def serving(folder: Path, say: Callable[[str], None]) -> Hosting:
    """Return what a server of the tournaments in a folder is to be like; ``say`` is told its lines."""
    return Hosting(
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
