"""Train a policy in a PettingZoo environment, then have it play at a table against a random bot.

    python examples/train_in_pettingzoo.py 300

A linear softmax policy learns by REINFORCE from single deals of two-handed spades, playing both seats. It
needs `pip install 'fairdeal[pettingzoo]'`.
"""

import argparse
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairdeal.adapters import pettingzoo
from fairdeal.bots import Random
from fairdeal.testing import play

GAME = "two_handed_spades"
Observation = dict[str, NDArray[Any]]
Floats = NDArray[np.float64]


def features(observation: Observation) -> Floats:
    """Return what the policy looks at: which numbers are above or below 0."""
    return np.append(np.sign(observation["observation"]), 1.0)


def chances(weights: Floats, observation: Observation) -> Floats:
    """Return how likely each action is; one that is not legal never is."""
    scores = np.where(observation["action_mask"], features(observation) @ weights, -np.inf)
    likely: Floats = np.exp(scores - scores.max())
    likely /= likely.sum()
    return likely


def train(episodes: int, rate: float = 0.01) -> Floats:
    """Return the weights after so many deals."""
    env = pettingzoo.env(GAME, deals=1, seed=1)
    draws = np.random.default_rng(1)
    seen = max(place.stop for place in pettingzoo.layout(GAME).values())
    actions = len(pettingzoo.action_names(GAME))
    weights: Floats = np.zeros((seen + 1, actions))
    for _ in range(episodes):
        env.reset()
        looks: dict[str, list[Floats]] = {agent: [] for agent in env.possible_agents}
        pulls: dict[str, list[Floats]] = {agent: [] for agent in env.possible_agents}
        change = np.zeros_like(weights)
        for agent in env.agent_iter():
            observation, reward, terminated, _truncated, _info = env.last()
            if terminated or observation is None:
                change += reward * np.array(looks[agent]).T @ np.array(pulls[agent])
                env.step(None)
                continue
            likely = chances(weights, observation)
            action = int(draws.choice(actions, p=likely))
            looks[agent].append(features(observation))
            pulls[agent].append(np.eye(actions)[action] - likely)
            env.step(action)
        weights += rate * change
    return weights


def share_won(weights: Floats, matches: int) -> float:
    """Return the share of matches of one deal that the policy wins, in both seats in turn."""
    bot = pettingzoo.bot(lambda observation: int(chances(weights, observation).argmax()))
    won = 0.0
    for number in range(matches):
        seat = number % 2
        bots = [bot, Random()] if seat == 0 else [Random(), bot]
        ranks = play(GAME, bots, seed=f"match-{number}", deals=1).outcome.ranks
        won += 0.5 if ranks == (1, 1) else ranks[seat] == 1
    return won / matches


def main(deals: int, matches: int) -> None:
    """Print how often the policy wins before and after so many deals."""
    print(f"untrained: wins {share_won(train(0), matches):.0%} of {matches} deals against random")
    print(f"after {deals} deals: wins {share_won(train(deals), matches):.0%}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Train a policy and compare it with random.")
    parser.add_argument("deals", type=int, nargs="?", default=300)
    parser.add_argument("matches", type=int, nargs="?", default=100)
    given = parser.parse_args()
    main(given.deals, given.matches)
