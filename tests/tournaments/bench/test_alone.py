"""What a bench measures in its own process."""

from pathlib import Path
from random import Random

import pytest

from referee.games.registry import GAMES
from tournaments.bench import alone
from tournaments.bench.alone import Memory, measure_alone, measure_memory


@pytest.mark.parametrize("game", GAMES)
def test_a_deal_is_played_to_its_end(game: str) -> None:
    decisions, seconds = alone._play_deal(game, Random(1))
    assert decisions >= 10
    assert seconds >= 0


def test_each_round_measures_all_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alone, "_rate", lambda work, seconds, number: seconds + number)
    monkeypatch.setattr(alone, "_pyspiel", lambda name: lambda draw: (1, 1.0))
    assert measure_alone("hearts", 1.0, 2) == alone.GameRates("hearts", (1.0, 2.0), (1.0, 2.0), (1.0, 2.0))
    monkeypatch.setattr(alone, "_pyspiel", lambda name: None)
    assert measure_alone("hearts", 1.0, 2).theirs == ()


@pytest.mark.asyncio
async def test_memory_is_that_of_one_session_and_of_one_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(alone, "_SESSIONS", 4)
    allocated = iter([1000, 1400, 2300])
    monkeypatch.setattr(alone, "_allocated", lambda: next(allocated))
    # two seats: four idle sessions at two tables, besides the two bots that were there before
    assert await measure_memory("two_handed_spades", tmp_path / "referee") == Memory(100, 300)
