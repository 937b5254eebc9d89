"""The environment of texts: one seat by replies, the others by bots."""

import json
import re
from typing import Any, Final

import pytest

from fairdeal import BadSetting, Card, Decision
from fairdeal.adapters.text import TextEnv, TextTurn
from fairdeal.bots import make
from fairdeal.testing import play
from fairdeal.words import GAMES, schema

GREEDY: Final = make("greedy")


def asked(env: TextEnv) -> Decision:
    decision = env._decision
    assert decision is not None
    return decision


def simple(env: TextEnv) -> str:
    """Reply with the first legal answer, of which its schema tells."""
    told: Any = schema(asked(env))
    value = told["items"]["enum"][: told["minItems"]] if "minItems" in told else told["enum"][0]
    return json.dumps({"action": value})


def greedy(env: TextEnv) -> str:
    """Reply with what greedy plays in hearts."""
    given: Any = GREEDY.act(asked(env))
    return json.dumps({"action": given.name if isinstance(given, Card) else [card.name for card in given]})


def played(env: TextEnv, reply: Any = simple, **reset: Any) -> tuple[list[str], TextTurn]:
    """Play a match; return the texts and the last turn."""
    turn, texts = env.reset(**reset), []
    while not turn.done:
        texts.append(turn.text)
        assert turn.reward == 0
        turn = env.step(reply(env))
    return texts, turn


@pytest.mark.parametrize("game", GAMES)
def test_a_match_is_played_to_its_result_without_faults(game: str) -> None:
    texts, last = played(TextEnv(game, deals=1, seed=7, seat=1))
    assert all(text.startswith("# Rules") for text in texts)
    assert last.text == "The match is over."
    assert -1 <= last.reward <= 1
    assert last.info.keys() == {"game", "seat", "faults", "rank", "score"}
    assert (last.info["game"], last.info["seat"], last.info["faults"]) == (game, 1, 0)


@pytest.mark.parametrize("seat", range(4))
def test_it_is_the_match_that_is_played_at_a_table(seat: int) -> None:
    at_table = play("hearts", [GREEDY] * 4, seed="7", deals=1, match_id="match-1").outcome
    _texts, last = played(TextEnv("hearts", deals=1, seed=7, seat=seat), greedy)
    assert (last.info["score"], last.info["rank"]) == (at_table.scores[seat], at_table.ranks[seat])
    worse = sum(rank > last.info["rank"] for rank in at_table.ranks)
    better = sum(rank < last.info["rank"] for rank in at_table.ranks)
    assert last.reward == (worse - better) / 3


def test_a_seed_gives_the_same_matches_and_one_without_gives_others() -> None:
    env = TextEnv("euchre", deals=1, seed=7, opponents="random")
    first, second = played(env)[0], played(env)[0]
    assert first != second
    assert played(env, seed=7)[0] == first
    assert played(TextEnv("euchre", deals=1, seed="7", opponents="random"))[0] == first
    assert played(TextEnv("euchre", deals=1, opponents="random"))[0] != first


def test_a_reply_that_cannot_be_taken_is_told_and_the_last_one_costs_a_fault() -> None:
    env = TextEnv("hearts", deals=1, seed=7, tries=2)
    first = env.reset()
    again = env.step("The queen.")
    assert again.text.startswith(f"{first.text}\nYour reply could not be read: ")
    assert again.info["faults"] == 0
    decision = asked(env)
    after = env.step('{"action": ["QS"]}')
    assert after.info["faults"] == 1
    assert asked(env) is not decision
    assert after.text.startswith("# Rules")
    assert "could not be read" not in after.text


def test_a_message_without_content_is_an_empty_reply() -> None:
    env = TextEnv("hearts", deals=1, seed=7)
    env.reset()
    assert "Your reply could not be read: it is empty." in env.step(None).text


def test_a_match_of_faults_ends_too() -> None:
    _texts, last = played(TextEnv("piquet", deals=1, seed=7, tries=1), lambda _env: "")
    assert last.info["faults"] > 10


def test_names_and_seeds_are_not_told() -> None:
    texts, _last = played(TextEnv("hearts", deals=1, seed="sesame"))
    assert not [text for text in texts if re.search("sesame|match-1|seat[0-3]", text)]


def test_only_a_match_that_is_played_takes_replies() -> None:
    env = TextEnv("hearts", deals=1)
    with pytest.raises(BadSetting, match=r"call reset\(\) first"):
        env.step("{}")
    played(env)
    with pytest.raises(BadSetting, match=r"call reset\(\) first"):
        env.step("{}")


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"game": "bridge"}, "'bridge': no such game"),
        ({"deals": 0}, "deals 0: must be 1 or more"),
        ({"seat": 4}, "seat 4: must be 0 to 3"),
        ({"tries": 0}, "tries 0: must be 1 or more"),
        ({"profile": "short"}, "profile 'short': must be full or plain or relabelled"),
        ({"opponents": "expert"}, "'expert': no such house bot"),
        ({"opponents": [GREEDY]}, "opponents: 1 are given, and there are 3 other seats"),
        ({"opponents": [type(GREEDY)] * 3}, "opponents: must be objects or functions"),
        ({"seed": "é"}, "seed 'é'"),
        ({"options": {"moon": "sun"}}, "moon"),
    ],
)
def test_what_is_wrong_is_named(given: dict[str, Any], text: str) -> None:
    with pytest.raises(BadSetting, match=re.escape(text)):
        TextEnv(**given)
