"""The page that replays a match that is over, made in steps, so that no running match waits for it."""

from functools import partial
from pathlib import Path

from referee.core.steps import Steps
from referee.files.open_files import from_reserve
from referee.verify import trusted
from referee.viewer import page
from referee.viewer.frames import framing


def replaying(path: Path) -> Steps[str]:
    """Make the page of a record.

    Raises:
        OSError: the file cannot be read.
        NotVerified: it is damaged.
    """
    data = yield partial(from_reserve, path.read_bytes)
    match = yield partial(trusted, data)
    shown = yield from framing(match)
    made: str = yield partial(page, shown)
    return made
