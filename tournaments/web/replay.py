"""A match that is over for the page that replays it, in steps, so that no running match waits for it."""

from functools import partial
from pathlib import Path

from referee.core.steps import Steps
from referee.files.open_files import from_reserve
from referee.verify import trusted
from referee.viewer import packed
from referee.viewer.frames import framing


def replaying(path: Path) -> Steps[str]:
    """Return the match of a record for the page with a viewer.

    Raises:
        OSError: the file cannot be read.
        NotVerified: it is damaged.
    """
    data = yield partial(from_reserve, path.read_bytes)
    match = yield partial(trusted, data)
    shown = yield from framing(match)
    made: str = yield partial(packed, shown)
    return made
