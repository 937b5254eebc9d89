"""What a bench stores, and what it calls slower."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from tournaments.bench.alone import GameRates, Memory
from tournaments.bench.hosted import HostedRun
from tournaments.bench.measure import Figure, Load, Sizes
from tournaments.bench.results import BenchResults, HostedRow, Quartiles, Row, changes, quartiles


def figures(*cpu: float) -> tuple[Figure, ...]:
    return tuple(Figure(1000.0, each, 2 * each, None, None) for each in cpu)


def row(cpu: Sequence[float], *, client: str = "cheap", extra: str = "") -> Row:
    load, sizes = Load("hearts", 4, 16), Sizes(200, 20)
    return Row(load, sizes, figures(*cpu), figures(*[10.0] * len(cpu)), client, extra)


def hosted(*cpu: float) -> HostedRow:
    played = tuple(HostedRun(matches=10, answers=500, cpu=each / 1000) for each in cpu)
    return HostedRow("hearts", played, figures(*[10.0] * len(cpu)))


def data(cpu: Sequence[float]) -> Any:
    alone = GameRates("hearts", (9.0, 9.0), (1.0, 2.0), (4.0, 4.0))
    results = BenchResults(
        {"cpus": 2}, (row(cpu), row(cpu, client="sdk")), (alone,), Memory(1, 2), hosted(*cpu)
    )
    return json.loads(json.dumps(results.data()))


def test_quartiles_of_rounds() -> None:
    assert quartiles([1.0, 2.0, 3.0, 4.0, 5.0]) == Quartiles(2.0, 3.0, 4.0)
    assert quartiles([7.0]) == Quartiles(7.0, 7.0, 7.0)


def test_a_ratio_is_of_the_same_round_and_for_the_sdk_of_its_bots() -> None:
    assert row([20.0, 5.0]).ratios == (0.5, 2.0)
    assert row([20.0, 5.0], client="sdk").ratios == (0.5, 2.0)  # of the clients' CPU, twice the servers'
    assert hosted(20.0, 5.0).ratios == (0.5, 2.0)


def test_rows_are_told_apart() -> None:
    rows = (row([1.0]), row([1.0], client="sdk"), row([1.0], extra="TLS"))
    assert [each.name for each in rows] == [
        "hearts 4x16",
        "hearts 4x16 SDK by a bare client",
        "hearts 4x16 TLS",
    ]


@pytest.mark.parametrize(
    ("now", "verdict"),
    [
        ([20.0, 21.0, 22.0], ""),
        ([20.5, 22.0, 90.0], ""),
        ([30.0, 31.0, 90.0], "slower"),
        ([1, 2, 3], "faster"),
    ],
    ids=["the same", "within the noise", "slower", "faster"],
)
def test_slower_is_what_does_not_meet_the_middle_half_of_before(now: Sequence[float], verdict: str) -> None:
    found = {each.name: each.verdict for each in changes(data([20.0, 21.0, 22.0]), data(now))}
    assert found == {
        "hearts 4x16": verdict,
        "hearts 4x16 SDK by a bare client": verdict,
        "hearts hosted": verdict,
        "hearts in process": "",
        "hearts rules, of pyspiel": "",
    }


@pytest.mark.parametrize(
    "other", [{}, {"format": 1}, {"format": 2}, {"format": 2, "rows": [{}], "alone": []}]
)
def test_what_is_no_result_is_refused(other: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="it is not what"):
        changes(data([1.0]), other)


def test_results_of_before_tournaments_were_measured_can_be_compared() -> None:
    before = data([1.0])
    del before["hosted"]
    assert "hearts hosted" not in {each.name for each in changes(before, data([1.0]))}


def test_results_that_name_no_format_are_refused() -> None:
    other = data([1.0])
    del other["format"]
    with pytest.raises(ValueError, match="it is not what"):
        changes(data([1.0]), other)
