"""Serve one seat of a game as an OpenEnv environment, to train language models in.

    pip install openenv .        # in an environment of its own: it brings some 90 packages
    python examples/openenv_server.py --game hearts --port 8000

Each client gets a match of its own. From another terminal:

    from openenv.core import GenericEnvClient

    with GenericEnvClient(base_url="http://127.0.0.1:8000").sync() as env:
        turn = env.reset(seed=7)
        while not turn.done:
            turn = env.step({"reply": model(turn.observation["text"])})
        print(turn.reward, turn.observation["info"])
"""

import argparse
from typing import Any
from uuid import uuid4

import uvicorn
from openenv.core.env_server import Action, Environment, Observation, State, create_fastapi_app

from fairdeal.adapters.text import TextEnv, TextTurn


class Reply(Action):
    """What the model replied."""

    reply: str


class Turn(Observation):
    """What the seat is told, a text to reply to; ``done`` and ``reward`` are those of every environment."""

    text: str
    info: dict[str, Any]


class Seat(Environment[Reply, Turn, State]):
    """One seat against house bots."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, game: str, opponents: str) -> None:
        super().__init__()
        self._env = TextEnv(game, opponents=opponents, deals=1)
        self._state = State()

    def reset(self, seed: int | None = None, episode_id: str | None = None, **_: Any) -> Turn:
        """Begin a match."""
        self._state = State(episode_id=episode_id or str(uuid4()))
        return self._told(self._env.reset(seed))

    def step(self, action: Reply, timeout_s: float | None = None, **_: Any) -> Turn:
        """Take a reply."""
        self._state.step_count += 1
        return self._told(self._env.step(action.reply))

    @property
    def state(self) -> State:
        """Return how far the match is."""
        return self._state

    def _told(self, turn: TextTurn) -> Turn:
        return Turn(text=turn.text, done=turn.done, reward=turn.reward, info=dict(turn.info))


def main() -> None:
    """Serve until Ctrl-C."""
    line = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    line.add_argument("--game", default="hearts")
    line.add_argument("--opponents", default="greedy", help="the house bot in the other seats")
    line.add_argument("--port", type=int, default=8000)
    given = line.parse_args()
    app = create_fastapi_app(lambda: Seat(given.game, given.opponents), Reply, Turn, max_concurrent_envs=64)
    uvicorn.run(app, host="127.0.0.1", port=given.port)


if __name__ == "__main__":
    main()
