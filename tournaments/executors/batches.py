"""What goes to a worker and what comes back: a batch of matches, and what became of each."""

import io
import pickle
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from referee.match.effects import MatchSetup, Outcome, Owner
from tournaments.plan.plan import Plan
from tournaments.running.hosted import Lost


@dataclass(frozen=True, slots=True)
class Batch:
    """Matches for one worker: their setups with the owners of their seats.

    The bots' own draws follow from ``bot_seed``. ``keys`` are the secrets of the matches by epoch, and
    ``repeatable`` says whether a seed gives them.
    """

    plan: Plan
    bot_seed: str
    keys: Mapping[str, bytes]
    repeatable: bool
    matches: tuple[tuple[MatchSetup, tuple[Owner, ...]], ...]


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """A match that is over, with the bytes of its record; times as in `referee.storage.recorder`."""

    match_id: str
    attempt: int
    outcome: Outcome
    record: bytes
    sha256: str
    started: str
    duration: int


@dataclass(frozen=True, slots=True)
class PlayedBatch:
    """What a worker has played of a batch, and which bots were lost; ``failed`` says why it did not go on.

    ``seconds`` are those from the beginning of its first match.
    """

    matches: tuple[PlayedMatch, ...]
    lost: tuple[Lost, ...]
    failed: str = ""
    seconds: float = 0.0


class GivenKeys:
    """The secrets that came with a batch; their owner keeps them."""

    def __init__(self, keys: Mapping[str, bytes], *, repeatable: bool) -> None:
        self._keys = keys
        self.repeatable = repeatable

    def secret(self, epoch_id: str) -> bytes:
        """Return the secret of an epoch of the batch."""
        return self._keys[epoch_id]

    def forget(self, epoch_id: str) -> None:
        """Do nothing: the batch ends soon."""

    def forget_all_but(self, epoch_ids: Collection[str]) -> None:
        """Do nothing: there was no process before."""


def _unchanging(value: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(value)


class _BatchPickler(pickle.Pickler):
    """Also takes the mappings that nobody can change."""

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, MappingProxyType):
            return _unchanging, (dict(value),)
        return NotImplemented


def packed(value: Batch | PlayedBatch) -> bytes:
    """Return a batch, or what became of one, as bytes for `pickle.loads`."""
    file = io.BytesIO()
    _BatchPickler(file).dump(value)
    return file.getvalue()
