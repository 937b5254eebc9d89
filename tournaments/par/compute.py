"""Computes the pars of many records, in processes of their own where they are many."""

from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import as_completed
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from pathlib import Path
from typing import Final

from referee.games.base import Result
from referee.storage.record import RecordError
from tournaments.par.play import ParError, par_of_record
from tournaments.worker_pool import worker_pool

Computed = tuple[str, Result | str]
"""The id of an epoch, and its par or why it has none."""

_AT_ONCE: Final = 8  # records that a process is given
_FEW: Final = 64  # records, for which starting processes takes longer than it saves
_NICENESS: Final = 10  # bots that are playing go first


def computed(records: Mapping[str, Path], bot: str, *, workers: int) -> Generator[Computed, None, None]:
    """Yield the par of each record, by the id of its epoch, in any order.

    With more than one of ``workers`` as many processes compute them. Close the iterator to end them.

    Raises:
        ParError: one of the processes was ended from outside.
    """
    if workers < 2 or len(records) < _FEW:
        yield from (_of(epoch, path, bot) for epoch, path in records.items())
        return
    with worker_pool(workers, niceness=_NICENESS) as pool:
        try:
            work = [pool.submit(_of_each, some, bot) for some in _in_batches(records)]
            for done in as_completed(work):
                yield from done.result()
        except BrokenProcessPool:
            raise ParError("a process that computed pars was ended: run the command again to go on") from None


def _in_batches(records: Mapping[str, Path]) -> Iterator[Sequence[tuple[str, Path]]]:
    left = iter(records.items())
    while some := tuple(islice(left, _AT_ONCE)):
        yield some


def _of_each(records: Sequence[tuple[str, Path]], bot: str) -> list[Computed]:
    return [_of(epoch, path, bot) for epoch, path in records]


def _of(epoch: str, path: Path, bot: str) -> Computed:
    try:
        return epoch, par_of_record(path, bot, epoch)
    except (RecordError, ParError) as error:
        return epoch, str(error)
    except Exception as error:  # noqa: BLE001 - the pars of the others are computed all the same
        return epoch, f"{path}: no par can be computed from it ({type(error).__name__})"
