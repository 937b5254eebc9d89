"""Where a server keeps tournaments whose names were given up: nothing that was played is destroyed.

A tournament is moved to `archive/NAME-SEASON/`, which is laid out as the server's own folder: whoever reads
the tournament's file there reads it as before.
"""

import os
import re
from contextlib import closing
from pathlib import Path
from typing import Final

from referee.files import atomic, private
from tournaments.plan.plan import Plan
from tournaments.store import FILE
from tournaments.store.records import StoredRecords
from tournaments.tournament_file import season

FOLDER: Final = "archive"
"""The folder of archived tournaments inside the folder of a server."""


def put_away(desk: Path, plan: Plan) -> str:
    """Move a tournament, which nobody uses any more, and its records to the archive; return its name there.

    ``desk`` is the folder with the folders of tournaments. Another call completes one that was interrupted.

    Raises:
        StoreError: its store cannot be read.
        OSError: something cannot be moved.
    """
    home, here = desk.parent, desk / plan.name
    kept = home / FOLDER / f"{plan.name}-{plan.season}"
    private.make_folder(kept.parent)
    private.make_folder(kept)
    for folder in sorted(path.parent for path in here.glob(f"*/{FILE}")):  # seasons that are over, too
        with closing(StoredRecords.in_file(folder / FILE)) as stored:
            for each in stored.all():
                if each.path:
                    _move(Path(os.path.normpath(folder / each.path)), home, kept)
    private.make_folder(kept / desk.name)
    here.rename(kept / desk.name / plan.name)
    for changed in (desk, kept / desk.name, kept.parent):
        atomic.sync_folder(changed)
    return kept.name


def in_its_season(desk: Path, plan: Plan) -> Plan:
    """Return the plan of a new tournament as that of the next season of its name, if it was used before.

    Raises:
        OSError: its folder cannot be written.
        SeasonError: it has another season already, which cannot be read.
    """
    number = re.compile(re.escape(plan.name) + r"-([1-9][0-9]{0,8})")
    archive = desk.parent / FOLDER
    names = [path.name for path in archive.iterdir()] if archive.is_dir() else []
    used = [int(found[1]) for name in names if (found := number.fullmatch(name))]
    if used:
        private.make_folder(plan.folder)
        season.write(plan.folder, max(used) + 1, {}, {})
    return season.with_season(plan)


def _move(record: Path, home: Path, kept: Path) -> None:
    """Move a record unless it is moved already, or lies in the folder of the tournament."""
    if record.is_relative_to(home / "records") and record.exists():
        place = kept / record.relative_to(home)
        for folder in reversed(place.relative_to(kept).parents[:-1]):
            private.make_folder(kept / folder)
        record.replace(place)
