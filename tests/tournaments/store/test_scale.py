"""A store with many results: what is asked all the time costs what it does in a small one."""

import os
import time
import tracemalloc
from collections.abc import Callable
from functools import partial
from typing import Final

import pytest

from tests.rounds import quickest
from tests.tournaments.store.conftest import StoreLocation
from tournaments.schedule.pairing import Pairing
from tournaments.store import Store
from tournaments.store.rows import attempt_row
from tournaments.store.tables import ATTEMPTS, ISSUED

LONG: Final = os.environ.get("FAIRDEAL_LONG") == "1"
MANY: Final = 100_000 if LONG else 5_000
FEW: Final = 2_000
TO_DO: Final = 150  # after all that are over
SLACK: Final = 3  # a time is a failure only when it is so many times what is expected
ROUNDS: Final = 20
MOST_ROUNDS: Final = 500  # on a machine that does other work besides


def filled(location: StoreLocation, name: str, number: int) -> Store:
    store = Store.open(location.plan(name=name))
    store.issue(Pairing(f"m-{n}", 1 + n // 100, ("ann", "ben")) for n in range(1, number + TO_DO + 1))
    with store._database.writing() as connection:
        for first in range(1, number + 1, 1_000):
            connection.execute(
                ATTEMPTS.insert(),
                [
                    {"tournament": name, "serial": n, **attempt_row(location.result(f"m-{n}"))}
                    for n in range(first, min(first + 1_000, number + 1))
                ],
            )
        over = ISSUED.c.serial <= number
        connection.execute(ISSUED.update().where(ISSUED.c.tournament == name, over).values(decided=True))
    return store


def side_by_side(one: Callable[[], object], other: Callable[[], object]) -> tuple[float, float]:
    """Return what either takes at its quickest, once the other has come close or has had its chances."""

    def took(work: Callable[[], object]) -> float:
        began = time.perf_counter()
        work()
        return time.perf_counter() - began

    quickest_one = quickest_other = float("inf")
    for number in range(1, MOST_ROUNDS + 1):
        quickest_one, quickest_other = min(quickest_one, took(one)), min(quickest_other, took(other))
        if number >= ROUNDS and quickest_other < SLACK * quickest_one:
            break
    return quickest_one, quickest_other


def held_at_most(work: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_many_results(location: StoreLocation) -> None:
    with filled(location, "small", FEW) as small, filled(location, "large", MANY) as large:
        assert (large.prefix(), large.played_count(), len(large.to_do())) == (MANY, MANY, TO_DO)

        # what is asked all the time
        questions: dict[str, Callable[[Store], object]] = {
            "issued_count": Store.issued_count,
            "played_count": Store.played_count,
            "prefix": Store.prefix,
            "to_do": lambda store: store.to_do(limit=100),
            "last_issued": lambda store: store.last_issued(100),
            "results": lambda store: list(store.results(after=store.prefix() - 100)),
            "voids": lambda store: list(store.voids(after=store.prefix() - 100)),
        }
        for name, ask in questions.items():
            in_small, in_large = side_by_side(partial(ask, small), partial(ask, large))
            assert in_large < SLACK * in_small, f"{name}: {in_large * 1000:.2f} ms"

        # all results
        def read(through: int) -> None:
            assert sum(1 for _ in large.results(through=through)) == through

        expected = SLACK * MANY / 10_000
        took, _ = quickest(partial(read, MANY), expected)
        assert took < expected, f"{MANY / took:.0f} results a second"
        few, all_of_them = (held_at_most(lambda n=number: read(n)) for number in (FEW, MANY))
        assert all_of_them < 1.2 * few

        # one more
        def add(serial: int) -> float:
            result = location.result(f"m-{serial}")
            began = time.perf_counter()
            assert large.add(result)
            return time.perf_counter() - began

        least = min(add(serial) for serial in range(MANY + 1, MANY + TO_DO))
        assert least < SLACK * (0.001 if location.url is None else 0.003), f"{least * 1000:.2f} ms"


def test_ids_that_were_issued_are_found_in_the_order_of_the_schedule(
    location: StoreLocation, monkeypatch: pytest.MonkeyPatch
) -> None:
    with filled(location, "cup", 3_000) as store:
        ids = store.issued()
        transactions = []
        reading = store._database.reading
        monkeypatch.setattr(store._database, "reading", lambda: transactions.append(None) or reading())
        assert all(f"m-{n}" in ids for n in range(1, 3_001))
        assert len(transactions) <= 8
