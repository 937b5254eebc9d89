"""The games as a PettingZoo environment to train in, and what was trained there at a fairdeal table.

::

    from fairdeal.adapters import pettingzoo

    env = pettingzoo.env("hearts", deals=1, seed=7)
    env.reset()
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        env.step(None if terminated else env.action_space(agent).sample(observation["action_mask"]))

It is an AEC environment: the referee's own rules and dealing, without clocks and faults. An episode is a
match, and its agents are the seats, ``seat_0`` and so on. Where several are asked at once, as for the pass in
hearts, they answer one after the other and see nothing of each other's answers.

**Actions** are numbers, the same ones throughout a game; `action_names` lists what they mean. Cards that are
chosen together (the hearts pass, both piquet exchanges, the euchre discard) and further combinations are
picked one by one, by the same agent until the choice is complete: when as many were picked as may be or,
once enough were, by the action ``stop``. Their order says nothing. An action that is not legal raises
`BadAnswer`.

**Observations** are dicts. ``action_mask`` has a 1 for each legal action, none for agents that are not asked.
``observation`` is a vector of int32, of one length in a game, made of the agent's own view and of what it has
picked so far, and of nothing else; `layout` describes the parts. Seats in it are counted from the agent's
own, clockwise, and its own side comes first, so that one policy fits all seats.

**Rewards** are 0 until the match is over. Then they follow from the ranks of the sides, evenly from 1 for a
sole best to -1 for a sole worst: equal ones get the same, partners too, and all sides' sum to 0. The match's
``rank`` and ``score`` are in ``infos``. For shorter episodes give ``deals=1``.

**Chance**: a seed gives the same matches in every run. ``reset(seed=...)`` begins the first match of that
seed, a ``reset()`` without one the next match of the seed given last; without any, the seed is drawn.

A trained policy plays at a table by ``fairdeal.main(pettingzoo.bot(policy))``; it is a function from such an
observation to an action.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from fairdeal._player import Bot
from fairdeal.adapters._extras import load
from fairdeal.adapters.pettingzoo._actions import items_of, name_of
from fairdeal.adapters.pettingzoo._fields import layout_of
from fairdeal.updates import OptionValue

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pettingzoo import AECEnv

__all__ = ["action_names", "bot", "env", "layout"]


def env(
    game: str = "hearts",
    *,
    options: "Mapping[str, OptionValue] | None" = None,
    deals: int | None = None,
    seed: int | str | None = None,
) -> "AECEnv[str, dict[str, NDArray[Any]], int | None]":
    """Return an environment whose episodes are matches of a game with ``deals`` deals (None: whole games).

    Raises:
        NotInstalled: PettingZoo is not installed.
        BadSetting: the game is unknown, or an option, the number of deals or the seed is wrong.
    """
    load("pettingzoo", "pettingzoo")
    from fairdeal.adapters.pettingzoo._env import make

    return make(game, options or {}, deals, seed)


def bot(policy: "Callable[[dict[str, NDArray[Any]]], int]") -> Bot:
    """Return the bot that plays at a table by a policy: a function from an observation to a legal action.

    Raises:
        NotInstalled: NumPy is not installed.
    """
    load("numpy", "pettingzoo")
    from fairdeal.adapters.pettingzoo._bot import make

    return make(policy)


def action_names(game: str) -> tuple[str, ...]:
    """Return the name of each action of a game, such as ``"QS"``, ``"bid 3"`` or ``"stop"``.

    Raises:
        BadSetting: the game is unknown.
    """
    return tuple([name_of(item) for item in items_of(game)])


def layout(game: str) -> dict[str, slice]:
    """Return the parts of the observations of a game and their places.

    Raises:
        BadSetting: the game is unknown.
    """
    return layout_of(game)
