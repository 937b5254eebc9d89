"""How hosted bots share the machine's processors.

Where this process may make control groups, each bot has one with all that it starts: every bot that computes
gets an equal share, however many threads it has, and all bots together at least as much as the referee. That
is so for root on a machine of its own, and in what systemd delegates (``systemd-run --user --scope -p
Delegate=yes fairdeal ...``). Elsewhere the kernel's autogroups do nearly the same, where they are in force:
they share by session, and each bot is one. Else threads compete one by one, behind the referee's.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

NICE: Final = 5
"""How nice bots are to the referee where nothing else shares: a third of a thread's time."""

_REMEDY: Final = "run it by systemd-run --user --scope -p Delegate=yes"


@dataclass(frozen=True, slots=True)
class Share:
    """How hosted bots share the processors: ``group`` is the folder in which each gets its control group."""

    group: Path | None
    text: str

    @property
    def nice(self) -> int | None:
        """Return how nice bots have to be."""
        return None if self.group else NICE


@contextmanager
def shared(controller: str = "cpu") -> Iterator[Share]:
    """Set up how hosted bots share the processors, as well as possible, and undo it when the context ends."""
    own = group_of(controller)
    group = own and _make(own, controller)
    if own and group:
        try:
            yield Share(group, "hosted bots share the processors equally, each in a control group of its own")
        finally:
            _remove(group)
    elif _has_autogroups(own):
        text = f"by session, and a bot may open more than one; for equal shares {_REMEDY}"
        yield Share(None, f"hosted bots share the processors {text}")
    else:
        text = f"by thread: one with many takes the time of others; for equal shares {_REMEDY}"
        yield Share(None, f"hosted bots share the processors {text}")


def group_of(controller: str, process: int | str = "self") -> Path | None:
    """Return the folder of a process's control group in the hierarchy that has a controller."""
    try:
        mounts = [line.split() for line in Path("/proc/self/mountinfo").read_text().splitlines()]
        groups = [line.split(":", 2) for line in Path(f"/proc/{process}/cgroup").read_text().splitlines()]
    except OSError:  # not on Linux
        return None
    for _number, controllers, path in groups:
        for words in mounts:
            kind, _source, options = words[words.index("-") + 1 :][:3]
            versions = {
                "cgroup": controller in controllers.split(",") and controller in options.split(","),
                "cgroup2": not controllers,  # the second version, which comes last
            }
            if versions.get(kind):
                return Path(words[4]) / path[1:]
    return None


def _make(own: Path, controller: str) -> Path | None:
    """Make a group for all bots, in which each gets its own; return None where that is not allowed."""
    group = own / f"fairdeal-{os.getpid()}"
    for left in own.glob("fairdeal-*"):  # left by a run that was killed
        if not Path("/proc", left.name.removeprefix("fairdeal-")).exists():
            _remove(left)
    try:
        if (own / "cgroup.subtree_control").exists():
            _hand_out(own, controller)
        group.mkdir()
        if (group / "cgroup.subtree_control").exists():
            (group / "cgroup.subtree_control").write_text(f"+{controller}")
    except OSError:
        with suppress(OSError):
            group.rmdir()
        return None
    return group


def _remove(group: Path) -> None:
    """Remove the group of all bots, with those of bots that were lost with their supervisors."""
    for each in (*group.glob("*/"), group):
        with suppress(OSError):  # a bot that could not be ended may still be in it
            each.rmdir()


def _hand_out(own: Path, controller: str) -> None:
    """Give groups within our own a controller, which requires that no process is in our own group itself.

    Raises:
        OSError: it is not allowed, or there are other processes.
    """
    control = own / "cgroup.subtree_control"
    if controller in control.read_text().split():
        return
    with suppress(OSError):
        control.write_text(f"+{controller}")
        return
    aside, process = own / "fairdeal", str(os.getpid())
    aside.mkdir(exist_ok=True)
    try:
        (aside / "cgroup.procs").write_text(process)
        control.write_text(f"+{controller}")
    except OSError:
        (own / "cgroup.procs").write_text(process)
        aside.rmdir()
        raise


def _has_autogroups(own: Path | None) -> bool:
    """Return whether the kernel shares the processors among sessions, as it does outside of groups."""
    try:
        is_on = Path("/proc/sys/kernel/sched_autogroup_enabled").read_text().strip() == "1"
        return is_on and (own is None or is_outside(own, Path("/proc/self/cgroup").read_text()))
    except OSError:
        return False


def is_outside(own: Path, groups: str) -> bool:
    """Return whether a process is in no group with a share; ``groups`` is the kernel's list of its groups."""
    lines = [line.split(":", 2) for line in groups.splitlines()]
    if any("cpu" in controllers.split(",") and path != "/" for _number, controllers, path in lines):
        return False
    return not any((each / "cpu.weight").exists() for each in (own, *own.parents))
