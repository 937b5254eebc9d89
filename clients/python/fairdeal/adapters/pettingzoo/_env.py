"""The environment."""

import operator
from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from fairdeal.adapters._matches import Variant, keys_of, reward_of
from fairdeal.adapters.pettingzoo._actions import Offer, items_of
from fairdeal.adapters.pettingzoo._fields import fields_of
from fairdeal.adapters.pettingzoo._observation import Observation, observe
from fairdeal.adapters.pettingzoo._table import EnvMatch
from fairdeal.errors import BadAnswer
from fairdeal.updates import OptionValue
from referee.dealing.keys import SeededKeys
from referee.games.base import Result


def make(
    game: str, options: Mapping[str, OptionValue], deals: int | None, seed: int | str | None
) -> AECEnv[str, Observation, int | None]:
    """Return the environment, which refuses calls in a wrong order."""
    return OrderEnforcingWrapper(Environment(Variant(game, options, deals), keys_of(seed)))


class Environment(AECEnv[str, Observation, int | None]):
    """Matches of a game, one after the other."""

    def __init__(self, variant: Variant, keys: SeededKeys) -> None:
        game = variant.game
        self.metadata = {"name": f"fairdeal_{game.name}_v0", "render_modes": [], "is_parallelizable": False}
        self.render_mode = None
        self.possible_agents = [f"seat_{seat}" for seat in range(game.seats)]
        self._seen = {agent: _observations(game.name) for agent in self.possible_agents}
        self._done = {agent: spaces.Discrete(len(items_of(game.name))) for agent in self.possible_agents}
        self._open: list[int] = []
        self._picked: list[int] = []
        self._variant = variant
        self._keys = keys
        self._matches = 0

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's observations."""
        return self._seen[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's actions."""
        return self._done[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin the first match of a seed or, without one, the next match. There are no ``options``."""
        if seed is not None:
            self._keys, self._matches = keys_of(seed), 0
        self._matches += 1
        self._table = EnvMatch(self._variant, self._keys, self._matches)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self._ask()

    def observe(self, agent: str) -> Observation:
        """Return what an agent knows now and its legal actions, if it is asked."""
        game = self._variant.game.name
        if agent == self.agent_selection and self._table.result is None:
            return observe(game, self._view, self._picked, self._open)
        view, _legal = self._table.told(self._seat(agent))
        return observe(game, view, (), ())

    def step(self, action: int | None) -> None:
        """Take the action of the agent that is asked, None once the match is over.

        Raises:
            BadAnswer: the action is not legal.
        """
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        if action is None or (number := operator.index(action)) not in self._open:
            raise BadAnswer(f"{agent} chose action {action}; legal are {self._open}, as in its action_mask")
        if number != self._question.stop:
            self._picked.append(number)
        if self._question.is_complete(self._picked, number):
            self._table.answer(self._seat(agent), self._question.places(self._picked))
            if result := self._table.result:
                self._end(result)
            else:
                self._ask()
        else:
            self._open = self._question.open(self._picked)

    def _seat(self, agent: str) -> int:
        return self.possible_agents.index(agent)

    def _ask(self) -> None:
        """Ask the next decision."""
        seat = self._table.turn
        self.agent_selection = self.possible_agents[seat]
        self._view, legal = self._table.told(seat)
        self._question = Offer.of(self._variant.game.name, legal)
        self._picked = []
        self._open = self._question.open(self._picked)

    def _end(self, result: Result) -> None:
        for side, seats in enumerate(self._variant.game.sides):
            for seat in seats:
                agent = self.possible_agents[seat]
                self.rewards[agent] = reward_of(result.ranks, side)
                self.infos[agent] = {"rank": result.ranks[side], "score": result.scores[side]}
                self.terminations[agent] = True
        self._accumulate_rewards()
        self.agent_selection = self.agents[0]


def _observations(game: str) -> spaces.Dict:
    fields = fields_of(game)
    low = np.concatenate([np.full(field.size, field.low, np.int32) for field in fields])
    high = np.concatenate([np.full(field.size, field.high, np.int32) for field in fields])
    return spaces.Dict(
        {
            "observation": spaces.Box(low, high, dtype=np.int32),
            "action_mask": spaces.Box(0, 1, (len(items_of(game)),), dtype=np.int8),
        }
    )
