"""Verifies many records, in several processes if it is worth while. Workers import this and no database."""

import os
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import Final

from referee.verify import Discrepancy, Known, Line, Status, Verdict, verify
from tournaments.worker_pool import worker_pool

FEW: Final = 32  # records that one process verifies sooner than others could be started
_CHUNK: Final = 16  # records that a worker is given at a time
_AHEAD: Final = 4  # chunks that wait for each worker
_MOST_WORKERS: Final = 16
_NOT_STORED: Final = "its match is not over in the store, which has no result of it yet"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileToVerify:
    """A file to verify.

    ``known`` is what a store knows of it; ``is_open`` tells of a file that a store does not know whether its
    match is still to be decided, None without a store. ``told`` are lines that bots kept.
    """

    path: Path
    known: Known | None = None
    is_open: bool | None = None
    told: tuple[Line, ...] = ()


def verified(job: FileToVerify) -> Verdict:
    """Return what was found out about a file."""
    try:
        data = job.path.read_bytes()
    except FileNotFoundError:
        return _wrong("the record is missing, although the store has its result" if job.known else "missing")
    except OSError as error:
        return _wrong(f"cannot be read ({error.strerror})")
    try:
        verdict = verify(data, name=job.path.name, known=job.known, told=job.told)
    except Exception as error:  # noqa: BLE001 - the others are verified all the same
        return _wrong(f"this program fails on it ({type(error).__name__}): please report it", Status.UNKNOWN)
    if job.is_open is None or verdict.problem:
        return verdict
    if job.is_open:
        return replace(verdict, notes=(*verdict.notes, _NOT_STORED))
    problem = Discrepancy("the store has no such attempt, or has the result under another name")
    return replace(verdict, status=Status.WRONG, problem=problem)


def all_verified(
    jobs: Iterable[FileToVerify], *, workers: int | None = None
) -> Generator[tuple[FileToVerify, Verdict], None, None]:
    """Yield each file with what was found out about it, in order.

    Many are verified by several processes, by default one for each processor, which end when the generator
    is closed.
    """
    left = iter(jobs)
    few = list(islice(left, FEW + 1))
    if len(few) <= FEW:
        for job in few:
            yield job, verified(job)
        return
    number = workers or min(_MOST_WORKERS, len(os.sched_getaffinity(0)))
    with worker_pool(number) as pool:
        yield from _in_order(pool, number, chain(few, left))


def _in_order(
    pool: ProcessPoolExecutor, workers: int, jobs: Iterator[FileToVerify]
) -> Iterator[tuple[FileToVerify, Verdict]]:
    running: deque[tuple[list[FileToVerify], Future[list[Verdict]]]] = deque()
    while True:
        while len(running) < workers * _AHEAD and (chunk := list(islice(jobs, _CHUNK))):
            running.append((chunk, pool.submit(_all, chunk)))
        if not running:
            return
        chunk, found = running.popleft()
        yield from zip(chunk, found.result(), strict=True)


def _all(jobs: list[FileToVerify]) -> list[Verdict]:
    return [verified(job) for job in jobs]


def _wrong(text: str, status: Status = Status.WRONG) -> Verdict:
    return Verdict(status=status, problem=Discrepancy(text))
