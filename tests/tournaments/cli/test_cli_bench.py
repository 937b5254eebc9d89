import os

import pytest

import tournaments.cli.bench
from tests.tournaments.conftest import Fairdeal
from tournaments.bench.measure import Load


@pytest.fixture
def one_load(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [(load.streams, load.tables) for load in tournaments.cli.bench.LOADS] == [
        (2, 1),
        (2, 16),
        (16, 1),
        (16, 16),
    ]
    monkeypatch.setattr(tournaments.cli.bench, "LOADS", (Load(2, 2),))


@pytest.mark.process
@pytest.mark.usefixtures("one_load")
def test_figures_for_programs(fairdeal: Fairdeal) -> None:
    done = fairdeal("bench", "--seconds", "0.5", "--repeats", "1", "--json")
    assert done.status == 0
    assert done.err == "load 1 of 1: 2 streams, 2 tables each\n"
    figures = done.json
    assert figures["machine"]["cpus"] == os.cpu_count()
    assert figures["question_bytes"] > figures["answer_bytes"] > 0
    (load,) = figures["loads"]
    assert (load["streams"], load["tables"]) == (2, 2)
    (referee,), (echo,) = load["referee"], load["echo"]
    assert referee > 0
    assert echo > 0
    assert load["ratio"] == pytest.approx(referee / echo)
    assert load["referee_cpu_micros"][0] > 0


@pytest.mark.process
@pytest.mark.usefixtures("one_load")
def test_figures_for_people(fairdeal: Fairdeal) -> None:
    done = fairdeal("bench", "--seconds", "0.5", "--repeats", "1")
    assert done.status == 0
    words = [line.split() for line in done.out.splitlines()]
    (heading,) = (number for number, line in enumerate(words) if line[:2] == ["streams", "tables"])
    assert words[heading + 1][:2] == ["2", "2"]
    assert len(words[heading + 1]) == 8
    assert max(map(len, done.out.splitlines())) <= 80
