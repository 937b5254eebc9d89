"""The toys played in process: by bots of the SDK, told, recorded, shown and trained."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fairdeal import Card, Decision
from fairdeal.adapters import kaggle, pettingzoo
from fairdeal.bots import Greedy, make
from fairdeal.testing import play
from referee import transcript as shown
from referee.games.base import Game
from referee.games.registry import GAMES
from referee.match.messages import Commitment
from referee.storage import record
from tests.toy.tree import TOYS
from tournaments.cli.games import show_games

COMMITMENT = Commitment(
    scheme="fairdeal/1", epoch_id="m.1", commit=bytes(32), manifest=bytes(32), repeatable=True
)

every_toy = pytest.mark.parametrize("toy", TOYS)


class WatchingBot:
    """A house bot, which keeps what it was told."""

    def __init__(self, bot: str) -> None:
        self.events: list[Any] = []
        self.views: list[Any] = []
        self._bot = make(bot)

    def act(self, decision: Decision) -> Any:
        self.views.append(decision.view)
        return self._bot.act(decision)

    def on_event(self, happened: Any) -> None:
        self.events.append(happened.event)


@every_toy
def test_a_whole_match_is_played_in_the_arena(toy: str) -> None:
    bots = [WatchingBot("random"), WatchingBot("random")]
    played = play(toy, bots, seed="spring")
    assert sum(played.outcome.ranks) in (2, 3)
    assert not any(count for faults in played.outcome.faults for count in (faults.illegal, faults.malformed))
    assert played.log == play(toy, [make("random"), make("random")], seed="spring").log
    for bot in bots:
        assert {type(event).__name__ for event in bot.events} >= {"CardPlayed", "DealScored"}


def test_bots_are_told_of_a_game_whose_dataclasses_are_made_from_its_messages() -> None:
    bot = WatchingBot("random")
    play("bury", [bot, make("random")], seed="spring", deals=1)
    view = bot.views[0]
    assert (type(view).__name__, view.phase.name, view.deal, view.seat) == ("BuryView", "BURY", 1, 0)
    assert (len(view.hand), view.buried, view.tricks, view.trick) == (6, None, (), None)
    assert all(isinstance(card, Card) and str(card.suit) == "H" for card in view.hand)
    started, buried, *_ = bot.events
    assert (type(started).__name__, started.hand, started.first) == ("BuryDealStarted", view.hand, view.first)
    assert (type(buried).__name__, buried.card) == ("CardBuried", bot.views[1].buried)


def test_greedy_beats_random() -> None:
    assert "bury" in Greedy.games
    won = 0
    for number in range(40):
        bots = [make("greedy"), make("random")]
        ranks = play("bury", bots[:: 1 if number % 2 else -1], seed=str(number)).outcome.ranks
        won += ranks == ((1, 2) if number % 2 else (2, 1))
    assert won > 30


@every_toy
def test_it_is_trained_in_pettingzoo(toy: str) -> None:
    env = pettingzoo.env(toy, deals=2, seed=7)
    env.reset()
    for agent in env.agent_iter():
        observation, _reward, terminated, _truncated, _info = env.last()
        assert env.observation_space(agent).contains(observation)
        legal = np.flatnonzero(observation["action_mask"])
        env.step(None if terminated else int(legal[0]))
    assert len(pettingzoo.action_names(toy)) == len(GAMES[toy].cards)
    assert {"phase", "deal", "hand", "played", "table"} <= set(pettingzoo.layout(toy))
    assert ("buried" in pettingzoo.layout(toy)) == (toy == "bury")


@every_toy
def test_what_was_trained_plays_at_a_table(toy: str) -> None:
    trained = pettingzoo.bot(lambda observation: int(observation["action_mask"].argmax()))
    agent = kaggle.bot(_first)
    played = play(toy, [trained, agent], seed="spring", deals=2)
    assert [faults.total for faults in played.outcome.faults] == [0, 0]


def _first(observation: Any) -> Any:
    return observation.legal[:1] if observation.choose else observation.legal[0]


def test_a_record_is_shown(bury: Game[Any], tmp_path: Path) -> None:
    played = play("bury", [make("random"), make("random")], seed="spring", deals=1)
    owners = [(entry, "") for entry in played.setup.entries]
    header = record.header_line(played.setup, owners, bury, COMMITMENT, software="test", started="2026-11-21")
    path = tmp_path / "m.jsonl.gz"
    path.write_bytes(record.encode(header, played.log, bytes(32)))
    text = "\n".join(shown.lines(record.read(path)))
    assert re.search(r"Deal 1: seat \d seat\d leads, .H is left over", text)
    assert len(re.findall(r"seat \d seat\d buries .H", text)) == 2


def test_the_command_line_tells_of_it(bury: Game[Any], capsys: pytest.CaptureFixture[str]) -> None:
    show_games("bury", as_json=False)
    told = capsys.readouterr().out
    assert bury.deck in " ".join(told.split())
    assert "sweep_points = 3  (0 to 100)" in told
