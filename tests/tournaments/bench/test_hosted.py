"""A tournament of hosted bots that is measured; the processes of a real one are not what is tested here."""

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from referee.games.registry import GAMES
from tournaments.bench import hosted
from tournaments.bench.hosted import HostedFailed, HostedRun, measure_hosted
from tournaments.schedule.length import length
from tournaments.tournament_file.reader import load


def test_the_file_of_each_game_is_a_tournament_of_so_many_single_deals(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plans = []

    def run(words: Sequence[Any], **_options: object) -> subprocess.CompletedProcess[str]:
        plans.append(load(words[-1]))
        return subprocess.CompletedProcess(words, 0, "", "")

    monkeypatch.setattr(hosted.subprocess, "run", run)
    for game in GAMES:
        measure_hosted(game, 12, tmp_path / game)
    assert [plan.game for plan in plans] == list(GAMES)
    for plan in plans:
        assert (plan.deals, plan.concurrency, length(plan)) == (1, 8, 12)
        assert {entry.bot for entry in plan.entries} == {"random"}


def test_what_went_wrong_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ended = subprocess.CompletedProcess([], 1, "", "one line\nand the last\n")
    monkeypatch.setattr(hosted.subprocess, "run", lambda *_words, **_options: ended)
    with pytest.raises(HostedFailed, match=r"^and the last$"):
        measure_hosted("hearts", 12, tmp_path / "bench")


@pytest.mark.process
def test_all_processes_are_counted_and_the_answers_of_all_matches(tmp_path: Path) -> None:
    found = measure_hosted("two_handed_spades", 2, tmp_path / "bench")
    assert (found.matches, found.answers) == (2, 2 * 54)
    assert isinstance(found, HostedRun)
    assert found.cpu > 0.1  # an interpreter with gRPC does not start for less
