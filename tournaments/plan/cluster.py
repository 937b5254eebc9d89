"""The cluster that plays the matches of a tournament, and what its bots need there."""

import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """What an entry's bot needs of a machine: processors, GPUs, bytes of memory, and labels with amounts."""

    cpus: float = 1.0
    gpus: float = 0.0
    memory: int = 0
    labels: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class RayCluster:
    """The cluster of Ray that plays the matches of entries that are not remote, which changes no result.

    ``address`` is "local" for one of this machine that ends with the run, with so many ``processors`` (None:
    all), "auto" for the one that this machine belongs to, or an address. A worker gets at most ``batch``
    matches at a time. The ``folders`` of bots are "shared", under the same path on all machines, or "sent"
    there. ``needs`` are those of entries, by name.
    """

    address: str = "local"
    batch: int = 10_000
    processors: int | None = None
    folders: str = "shared"
    needs: Mapping[str, Needs] = field(default_factory=dict)


def ray_is_installed() -> bool:
    """Return whether this Python has Ray, without loading it."""
    return importlib.util.find_spec("ray") is not None
