"""What standings take of processor time and memory; the whole size with FAIRDEAL_LONG=1."""

import gc
import os
import tracemalloc
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from referee.core.steps import Steps
from tests.results import drawn, fill
from tests.rounds import quickest
from tests.sample_report import plan
from tournaments.plan.plan import Format, Plan
from tournaments.standings import Live, Standings, current
from tournaments.standings.shapes import Report
from tournaments.store import Store

LONG: Final = os.environ.get("FAIRDEAL_LONG") == "1"
SLACK: Final = 3  # an absolute time is a failure only when it is so many times what is expected
MORE: Final = 176 * 1024  # bytes: six histories until they are full, and each kind of ending once


def ladder(folder: Path, entries: int) -> Plan:
    names = [f"entry-{number:03}" for number in range(entries)]
    return plan(names, "piquet", format=Format.LADDER, folder=folder)


def test_three_thousand_results_a_second_are_folded(tmp_path: Path) -> None:
    of = ladder(tmp_path, 100)
    number = 30_000 if LONG else 2_000
    matches = [drawn(of, serial) for serial in range(1, number + 1)]

    def fold() -> None:
        standings = Standings(of)
        for match in matches:
            standings.add(*match)

    expected = SLACK * number / 3_000
    took, _ = quickest(fold, expected)
    assert took <= expected, f"{number / took:.0f} results a second"


def test_a_full_store_gives_its_standings_from_a_warm_checkpoint_in_two_seconds(tmp_path: Path) -> None:
    of = ladder(tmp_path, 100)
    number = 100_000 if LONG else 1_050
    told: list[int] = []
    with Store.open(of) as store:
        fill(store, of, number)
        current(store, of, lambda done, _: told.append(done))
        fill(store, of, 400)  # about as many as there may be after a checkpoint

    def read() -> Report:
        with Store.read(of) as store:
            return current(store, of)

    took, warm = quickest(read, SLACK * 2.0)
    with Store.read(of) as store:
        assert current(store, of, rebuild=True) == warm
    assert len(told) == number // 1_000 + 1
    assert sum(each.matches for each in warm.standings) == 2 * (number + 400)
    assert took <= SLACK * 2.0


# Memory


def held(work: Callable[[], object]) -> int:
    """Return how many bytes are held by what some work returns."""
    tracemalloc.start()
    try:
        kept = work()
        gc.collect()  # each match that is rated leaves cycles behind
        size, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept is not None
    return size


@pytest.mark.parametrize("game", ["piquet", "hearts"] if LONG else ["piquet"])
def test_standings_of_ten_times_the_matches_take_no_more_memory(tmp_path: Path, game: str) -> None:
    of = plan("abcdef", game, folder=tmp_path)
    few, many = (1_000, 10_000) if LONG else (60, 600)
    matches = [drawn(of, serial) for serial in range(1, many + 1)]

    def fold(number: int) -> Standings:
        standings = Standings(of)
        for match in matches[:number]:
            standings.add(*match)
        standings.report()
        return standings

    fold(few)  # what is cached once
    assert held(lambda: fold(many)) <= held(lambda: fold(few)) + MORE


def test_live_standings_of_ten_times_the_matches_take_no_more_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of = ladder(tmp_path, 6)
    few, many = (1_000, 10_000) if LONG else (60, 600)
    with Store.open(of) as store:
        monkeypatch.setattr(store, "keep", lambda checkpoint: None)  # the text of one is of bounded size
        fill(store, of, few)
        current(store, of)  # what is cached once

        def live() -> Live:
            standings = Live(store, of)
            standings.report()
            return standings

        before = held(live)
        fill(store, of, many - few)
        assert held(live) <= before + MORE


def test_live_standings_behind_an_endless_match_keep_few_states(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of = ladder(tmp_path, 6)
    copied: list[weakref.ref[Standings]] = []
    most = 0
    copying = Standings.copying

    def counted(standings: Standings) -> Steps[Standings]:
        nonlocal most
        new = yield from copying(standings)
        copied.append(weakref.ref(new))
        most = max(most, sum(each() is not None for each in copied))
        return new

    with Store.open(of) as store:
        fill(store, of, 2_500)
        monkeypatch.setattr(store, "prefix", lambda: 2)  # as if the third one went on and on
        monkeypatch.setattr(Standings, "copying", counted)
        Live(store, of).report()
    assert most <= 12
