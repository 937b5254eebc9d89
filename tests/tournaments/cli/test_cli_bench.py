import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tournaments.cli.bench
from tests.tournaments.conftest import Fairdeal
from tournaments.bench.alone import Memory
from tournaments.bench.hosted import HostedFailed, HostedRun
from tournaments.bench.measure import Figure

SHORT = ("--game", "two_handed_spades", "--seconds", "0.1", "--rounds", "1")


@pytest.fixture
def one_load(monkeypatch: pytest.MonkeyPatch) -> None:
    module = tournaments.cli.bench

    async def weightless(_name: str, _folder: Path) -> Memory:
        return Memory(1024, 2048)

    assert module.LOADS == ((2, 16), (16, 16), (16, 1), (1, 1))
    monkeypatch.setattr(module, "LOADS", ((2, 2),))
    monkeypatch.setattr(module, "SDK_LOADS", ((2, 1),))
    monkeypatch.setattr(module, "measure_memory", weightless)
    monkeypatch.setattr(module, "measure_hosted", lambda _name, _matches, _folder: HostedRun(300, 16200, 6.0))


@pytest.mark.process
@pytest.mark.usefixtures("one_load")
def test_figures_for_programs(fairdeal: Fairdeal) -> None:
    done = fairdeal("bench", *SHORT, "--json")
    assert done.status == 0
    figures = done.json
    assert figures["machine"]["cpus"] == os.cpu_count()
    assert figures["memory"] == {"session": 1024, "table": 2048}
    assert [row["name"].removeprefix("two_handed_spades ") for row in figures["rows"]] == [
        *("2x2", "2x2 events", "2x2 TLS", "2x2 metrics", "2x2 open tables", "2x1 SDK by a bare client")
    ]
    assert figures["hosted"]["name"] == "two_handed_spades hosted"
    for row in figures["rows"]:
        (referee,), (echo,) = row["referee"], row["yardstick"]
        assert row["sizes"]["question"] > row["sizes"]["answer"] > 0
        assert min(referee["rate"], referee["cpu"], referee["client_cpu"], echo["rate"], echo["cpu"]) > 0
    assert [each["game"] for each in figures["alone"]] == ["two_handed_spades"]


@pytest.mark.process
@pytest.mark.usefixtures("one_load")
def test_one_load_is_measured(fairdeal: Fairdeal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tournaments.cli.bench, "SDK_LOADS", ())
    monkeypatch.setattr(tournaments.cli.bench._Bench, "_extras", lambda _bench: {})
    done = fairdeal("bench", *SHORT, "--json")
    assert done.status == 0
    (row,) = done.json["rows"]
    assert min(row["referee"][0]["rate"], row["yardstick"][0]["rate"]) > 0


@pytest.mark.usefixtures("one_load")
def test_figures_for_people(fairdeal: Fairdeal, monkeypatch: pytest.MonkeyPatch) -> None:
    async def measured(*_arguments: object, **_options: object) -> Figure:
        return Figure(rate=12345.6, cpu=123.4, client_cpu=100.0, p50=1234.5, p99=12345.6)

    monkeypatch.setattr(tournaments.cli.bench, "measure_referee", measured)
    monkeypatch.setattr(tournaments.cli.bench, "measure_echo", measured)
    done = fairdeal("bench", *SHORT)
    assert done.status == 0
    words = [line.split() for line in done.out.splitlines()]
    extras = ("events", "TLS", "metrics", "open")
    (row,) = (line for line in words if line[:1] == ["2x2"] and line[1] not in extras)
    assert len(row) == 10
    assert ["two_handed_spades", "2x1", "100", "100", "1.00", "1.00-1.00"] in words
    assert ["two_handed_spades", "20.0", "54", "0.67", "0.67-0.67"] in words  # 54 x 2 x 123.4 us of 20 ms
    assert max(map(len, done.out.splitlines()[1:])) <= 80


@pytest.mark.usefixtures("one_load")
def test_a_tournament_that_fails_is_told_in_one_line(
    fairdeal: Fairdeal, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def measured(*_arguments: object, **_options: object) -> Figure:
        return Figure(rate=1.0, cpu=1.0, client_cpu=1.0, p50=None, p99=None)

    def failing(_name: str, _matches: int, _folder: Path) -> HostedRun:
        raise HostedFailed("no room")

    monkeypatch.setattr(tournaments.cli.bench, "measure_referee", measured)
    monkeypatch.setattr(tournaments.cli.bench, "measure_echo", measured)
    monkeypatch.setattr(tournaments.cli.bench, "measure_hosted", failing)
    done = fairdeal("bench", *SHORT)
    assert done.status == 1
    assert done.err.splitlines()[-1].endswith("the tournament to be measured has failed: no room")


@pytest.fixture
def stored(tmp_path: Path) -> Callable[..., Path]:
    def store(name: str, ratio: float, **more: Any) -> Path:
        row = {"name": "hearts 4x16", "ratios": [ratio, ratio]}
        path = tmp_path / name
        path.write_text(json.dumps({"format": 2, "machine": {}, "rows": [row], "alone": [], **more}))
        return path

    return store


@pytest.mark.parametrize(("ratio", "status", "said"), [(0.4, 1, "hearts 4x16"), (0.6, 0, "nothing")])
def test_what_is_slower_is_named_and_is_a_failure(
    fairdeal: Fairdeal, stored: Callable[..., Path], ratio: float, status: int, said: str
) -> None:
    done = fairdeal("bench", "compare", stored("now", ratio), "--before", stored("before", 0.5))
    assert done.status == status
    assert done.out.splitlines()[-1] == f"slower beyond the noise: {said}"
    assert "another machine" not in done.out


def test_results_of_another_machine_are_told_of(fairdeal: Fairdeal, stored: Callable[..., Path]) -> None:
    done = fairdeal(
        "bench", "compare", stored("now", 0.5, machine={"cpus": 99}), "--before", stored("b", 0.5)
    )
    assert "another machine" in done.out


def test_what_is_no_result_is_bad_input(
    fairdeal: Fairdeal, stored: Callable[..., Path], tmp_path: Path
) -> None:
    for bad in (stored("old", 1.0, format=1), tmp_path / "missing"):
        done = fairdeal("bench", "compare", bad, "--before", stored("before", 0.5))
        assert done.status == 1
        assert str(bad) in done.err


def test_the_baseline_of_this_version_can_be_compared_with(fairdeal: Fairdeal) -> None:
    done = fairdeal("bench", "compare", tournaments.cli.bench.BASELINE)
    assert (done.status, done.out.splitlines()[-1]) == (0, "slower beyond the noise: nothing")
