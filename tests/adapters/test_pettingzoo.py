"""The training environment: PettingZoo's own tests, the same course as at a table, and what it refuses."""

import functools
import warnings
from collections.abc import Callable
from itertools import pairwise
from typing import Any, Final

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test

import fairdeal
from fairdeal.adapters import pettingzoo
from fairdeal.adapters.pettingzoo._fields import fields_of
from fairdeal.testing import Arena
from referee.dealing.keys import SeededKeys
from referee.games.registry import GAMES
from tests.draws import draw

every_game: Final = pytest.mark.parametrize("game", GAMES)

# of every environment that is not PettingZoo's own and has masks in its observations
KNOWN_WARNINGS: Final = {
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
}


def legal(observation: dict[str, Any]) -> list[int]:
    return [int(action) for action in np.flatnonzero(observation["action_mask"])]


def by_chance(*key: object) -> Callable[[dict[str, Any]], int]:
    """Return a policy that chooses legal actions as a function of the key and what it is shown."""

    def policy(observation: dict[str, Any]) -> int:
        actions = legal(observation)
        return actions[draw(len(actions), *key, observation["observation"].tobytes())]

    return policy


def episode(env: Any, policy: Callable[[dict[str, Any]], int]) -> list[tuple[str, dict[str, Any], int]]:
    """Play an episode from a reset environment; return who was shown what and did what."""
    course = []
    for agent in env.agent_iter():
        observation, _reward, terminated, _truncated, _info = env.last()
        if terminated:
            env.step(None)
            continue
        action = policy(observation)
        course.append((agent, observation, action))
        env.step(action)
    return course


def same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return all(np.array_equal(one[key], other[key]) for key in ("observation", "action_mask"))


def started(game: str, **more: Any) -> Any:
    env = pettingzoo.env(game, **{"seed": "spring", **more})
    env.reset()
    return env


@every_game
@pytest.mark.parametrize("deals", [None, 1])
def test_pettingzoo_finds_nothing_wrong(game: str, deals: int | None) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(pettingzoo.env(game, deals=deals, seed=1), num_cycles=1000)
    assert {str(warning.message) for warning in caught} == KNOWN_WARNINGS


@every_game
def test_pettingzoo_finds_seeds_to_be_kept(game: str) -> None:
    seed_test(functools.partial(pettingzoo.env, game, deals=2), num_cycles=500)


@every_game
def test_it_goes_as_at_a_table(game: str) -> None:
    """Bots with the same policy at a table see the same, do the same, and end with the same scores."""
    seen: list[list[tuple[dict[str, Any], int]]] = [[] for _ in range(GAMES[game].seats)]
    policies = [by_chance(game)] * len(seen)

    def keeping(seat: int) -> Callable[[dict[str, Any]], int]:
        def policy(observation: dict[str, Any]) -> int:
            action = policies[seat](observation)
            seen[seat].append((observation, action))
            return action

        return policy

    bots = [pettingzoo.bot(keeping(seat)) for seat in range(len(seen))]
    arena = Arena(SeededKeys("spring"))
    outcomes = [arena.play(game, bots, match_id=f"match-{n}", deals=3).outcome for n in (1, 2)]
    env = pettingzoo.env(game, deals=3, seed="spring")
    courses, ends = [], []
    for _ in range(2):
        env.reset()
        courses += episode(_Ending(env, ends), by_chance(game))
    for seat, kept in enumerate(seen):
        own = [(observation, action) for agent, observation, action in courses if agent == f"seat_{seat}"]
        assert len(own) == len(kept) > 6
        for (shown, done), (at_table, answered) in zip(own, kept, strict=True):
            assert done == answered
            assert same(shown, at_table)
    assert ends == [outcome.scores for outcome in outcomes]


class _Ending:
    """An environment that keeps the scores by side of the matches that end."""

    def __init__(self, env: Any, ends: list[tuple[int, ...]]) -> None:
        self._env = env
        self._ends = ends

    def __getattr__(self, name: str) -> Any:
        return getattr(self._env, name)

    def step(self, action: int | None) -> None:
        self._env.step(action)
        if all(self._env.terminations.values()) and len(self._env.agents) == len(self._env.possible_agents):
            sides = GAMES[self._env.metadata["name"].split("_", 1)[1].removesuffix("_v0")].sides
            self._ends.append(tuple(self._env.infos[f"seat_{side[0]}"]["score"] for side in sides))


@every_game
def test_whole_games_end_with_rewards_by_rank(game: str) -> None:
    env = started(game, options={"target": 50} if game == "spades" else {})
    rewards: dict[str, float] = {}
    ranks: dict[str, int] = {}
    policy = by_chance("whole", game)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        assert truncated is False
        assert env.observation_space(agent).contains(observation)
        if terminated:
            assert legal(observation) == []
            rewards[agent], ranks[agent] = reward, info["rank"]
            env.step(None)
        else:
            assert (reward, info) == (0, {})
            env.step(policy(observation))
    assert set(rewards) == set(env.possible_agents)
    assert sum(rewards.values()) == pytest.approx(0)
    in_order = sorted(rewards, key=ranks.__getitem__)
    assert all(
        rewards[a] > rewards[b] if ranks[a] < ranks[b] else rewards[a] == rewards[b]
        for a, b in pairwise(in_order)
    )
    assert max(map(abs, rewards.values())) <= 1


@pytest.mark.parametrize(
    ("ranks", "rewards"),
    [
        ((1, 2), (1, -1)),
        ((1, 1), (0, 0)),
        ((4, 1, 2, 3), (-1, 1, 1 / 3, -1 / 3)),
        ((1, 1, 4, 3), (2 / 3, 2 / 3, -1, -1 / 3)),
        ((1, 1, 1, 1), (0, 0, 0, 0)),
    ],
)
def test_rewards_follow_from_ranks(ranks: tuple[int, ...], rewards: tuple[float, ...]) -> None:
    from fairdeal.adapters._matches import reward_of

    assert tuple(reward_of(ranks, side) for side in range(len(ranks))) == pytest.approx(rewards)


@every_game
def test_every_action_and_every_field_comes_up(game: str) -> None:
    """All that can be done and all that can be seen has its place; rare ones may take another match."""
    names, layout = pettingzoo.action_names(game), pettingzoo.layout(game)
    assert len(set(names)) == len(names)
    done: set[int] = set()
    seen: np.ndarray[Any, Any] | None = None
    deals = 100 if game == "euchre" else 20  # where trump is seldom named
    env = pettingzoo.env(game, deals=deals, seed=3, options={"blind_nil_gap": 0} if game == "spades" else {})
    for number in range(2):
        env.reset()
        for _agent, observation, _action in episode(env, by_chance("all", game, number)):
            done |= set(legal(observation))
            there = observation["observation"] != 0
            seen = there if seen is None else seen | there
    assert seen is not None
    rare = ("moon", "blank", "sequence", "set", "declare", "leftovers", "point")
    missing = {names[n] for n in set(range(len(names))) - done}
    assert {name for name in missing if not name.startswith(rare)} == set()
    unseen = {name for name, place in layout.items() if not seen[place].any()}
    assert unseen <= {"bonuses", "blank", "blank_claimed"}
    ends = [place.stop for place in layout.values()]
    assert [place.start for place in layout.values()] == [0, *ends[:-1]]
    assert ends[-1] == len(seen)


def picks_of(env: Any, agent: str) -> list[str]:
    observation = env.observe(agent)["observation"]
    game = env.metadata["name"].split("_", 1)[1].removesuffix("_v0")
    names = pettingzoo.action_names(game)
    return [names[n] for n in np.flatnonzero(observation[pettingzoo.layout(game)["picked"]])]


def test_a_hearts_pass_is_three_picks_that_only_their_seat_sees() -> None:
    env = started("hearts")
    others = {agent: env.observe(agent)["observation"] for agent in env.agents[1:]}
    for picked in range(3):
        observation = env.last()[0]
        assert env.agent_selection == "seat_0"
        assert len(picks_of(env, "seat_0")) == picked
        assert len(legal(observation)) == 13 - picked
        env.step(legal(observation)[0])
        for agent, shown in others.items():
            assert np.array_equal(env.observe(agent)["observation"], shown)
    assert env.agent_selection == "seat_1"
    assert picks_of(env, "seat_0") == []
    own = env.observe("seat_0")["observation"]
    layout = pettingzoo.layout("hearts")
    assert own[layout["hand"]].sum() == 13  # the cards go when the last has chosen
    assert not own[layout["passed"]].any()
    for _ in range(9):
        env.step(legal(env.last()[0])[0])
    assert env.observe("seat_0")["observation"][layout["passed"]].sum() == 3


def test_an_exchange_of_piquet_stops_when_enough_or_as_many_as_can_be_are_picked() -> None:
    names = pettingzoo.action_names("piquet")
    stop = names.index("stop")
    layout = pettingzoo.layout("piquet")
    env = started("piquet", deals=1)

    def phase(observation: dict[str, Any]) -> int:
        return int(np.argmax(observation["observation"][layout["phase"]])) + 1

    while phase(env.last()[0]) != fairdeal.PiquetPhase.EXCHANGE.value:
        env.step(names.index("blank decline"))
    elder = env.agent_selection
    assert stop not in legal(env.last()[0])  # elder must exchange a card
    for picked in range(1, 6):
        env.step(legal(env.last()[0])[0])
        if picked < 5:
            assert env.agent_selection == elder
            assert stop in legal(env.last()[0])
    younger = env.agent_selection
    assert younger != elder
    assert stop in legal(env.last()[0])  # younger need not
    env.step(stop)
    assert phase(env.last()[0]) == fairdeal.PiquetPhase.LEFTOVERS.value
    exchanged = env.observe(elder)["observation"][layout["exchanged"]]
    assert exchanged.tolist() == [5, 0]


def test_what_elder_leaves_younger_may_take() -> None:
    names, layout = pettingzoo.action_names("piquet"), pettingzoo.layout("piquet")
    env = started("piquet", deals=1)
    while "blank decline" in [names[action] for action in legal(env.last()[0])]:
        env.step(names.index("blank decline"))
    elder = env.agent_selection
    env.step(legal(env.last()[0])[0])
    env.step(names.index("stop"))
    younger = env.agent_selection
    for _ in range(7):
        assert env.agent_selection == younger
        env.step(legal(env.last()[0])[0])
    observation = env.observe(elder)
    assert observation["observation"][layout["exchanged"]].tolist() == [1, 7]
    assert env.observation_space(elder).contains(observation)


def test_a_choice_of_nothing_is_only_stopped() -> None:
    """Elder is asked for further combinations even when it has none."""
    names = pettingzoo.action_names("piquet")
    stop, alone = names.index("stop"), 0
    for _agent, observation, _action in episode(started("piquet"), by_chance("further")):
        further = observation["observation"][pettingzoo.layout("piquet")["phase"]].tolist()
        if further.index(1) + 1 == fairdeal.PiquetPhase.FURTHER.value:
            assert stop in legal(observation)
            alone += legal(observation) == [stop]
    assert alone


@every_game
def test_only_who_is_asked_has_legal_actions(game: str) -> None:
    env = started(game, deals=1)
    while not any(env.terminations.values()):
        masks = {agent: bool(legal(env.observe(agent))) for agent in env.agents}
        assert masks == {agent: agent == env.agent_selection for agent in env.agents}
        env.step(legal(env.last()[0])[-1])


def test_seeds() -> None:
    def first(env: Any) -> bytes:
        observation: bytes = env.last()[0]["observation"].tobytes()
        return observation

    one, other = started("hearts", seed=5), started("hearts", seed=5)
    assert first(one) == first(other)
    begun = first(one)
    one.reset()
    assert first(one) != begun  # the next match
    other.reset()
    assert first(one) == first(other)
    one.reset(seed=5)
    assert first(one) == begun
    other.reset(seed=6)
    assert first(other) != begun
    drawn = {first(started("hearts", seed=None)) for _ in range(3)}
    assert len(drawn) == 3


@pytest.mark.parametrize("action", [-1, 53, 999, None])
def test_an_action_that_is_not_legal_is_refused_and_changes_nothing(action: int | None) -> None:
    env = started("hearts")
    before = env.last()[0]
    with pytest.raises(fairdeal.BadAnswer, match=f"seat_0 chose action {action}; legal are"):
        env.step(action)
    assert same(env.last()[0], before)
    env.step(np.int64(legal(before)[0]))


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"game": "bridge"}, "'bridge': no such game"),
        ({"game": "hearts", "options": {"target": -1}}, "target"),
        ({"game": "hearts", "options": {"size": 1}}, "size"),
        ({"game": "hearts", "deals": 0}, "deals 0: must be 1 or more, or None for a whole game"),
        ({"game": "hearts", "seed": "Frühling"}, "seed 'Frühling': .*ASCII"),
    ],
)
def test_what_cannot_be_played_is_refused(settings: dict[str, Any], text: str) -> None:
    with pytest.raises(fairdeal.BadSetting, match=text):
        pettingzoo.env(**settings)


@pytest.mark.parametrize("ask", [pettingzoo.action_names, pettingzoo.layout])
def test_a_game_that_is_not_known_is_refused(ask: Callable[[str], Any]) -> None:
    with pytest.raises(fairdeal.BadSetting, match="'bridge': no such game; there are hearts, "):
        ask("bridge")


def test_a_policy_that_does_wrong_gives_no_answer() -> None:
    bots = [pettingzoo.bot(lambda _observation: 0)] * 2
    with pytest.raises(fairdeal.BadAnswer, match="match m, decision 1: the policy returned 0, the legal"):
        Arena(SeededKeys("s")).play("two_handed_spades", bots, match_id="m")


def test_the_spaces_are_of_the_sizes_that_are_told() -> None:
    sizes = {}
    for game in GAMES:
        env = pettingzoo.env(game)
        assert env.possible_agents == [f"seat_{seat}" for seat in range(GAMES[game].seats)]
        space = env.observation_space("seat_0")
        assert space["observation"].shape == (sum(field.size for field in fields_of(game)),)
        assert space["action_mask"].shape == (env.action_space("seat_0").n,)
        sizes[game] = env.action_space("seat_0").n
    assert sizes == {"hearts": 54, "spades": 68, "euchre": 33, "piquet": 136, "two_handed_spades": 68}


@pytest.mark.asyncio
@every_game
async def test_policies_play_at_a_referee(game: str, meet: Callable[..., Any]) -> None:
    bots = [pettingzoo.bot(by_chance("socket"))] * GAMES[game].seats
    outcome = await meet(game, bots, options={}, deals=1)
    assert len(outcome.scores) == len(GAMES[game].sides)
