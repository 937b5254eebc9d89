"""What a bot in a sandbox must not see of the files of a tournament."""

from pathlib import Path
from typing import Final

from tournaments.hosting import sandbox
from tournaments.plan.plan import Plan

_FOLDERS: Final = ("*.fairdeal", "*.fairdeal.season-*")  # how the folders of tournaments are named


def hidden_from(plan: Plan, entry: str) -> tuple[Path, ...]:
    """Return what an entry's bot in a sandbox must not see: the tournament's own files, and other bots'."""
    commands = {each.name: each.command_line for each in plan.entries if not each.remote}
    # other tournaments are there, too, and seasons that are over
    own = [plan.folder, *(path for kind in _FOLDERS for path in plan.base.glob(kind))]
    own += [plan.source] if plan.source else []
    return (*own, *sandbox.of_others(entry, commands, plan.base))
