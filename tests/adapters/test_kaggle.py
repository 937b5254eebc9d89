"""Kaggle-style agents at our tables: what they are told, what they may answer, and agents in files."""

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import pytest

import fairdeal
from fairdeal.adapters import kaggle
from fairdeal.bots import Random
from fairdeal.testing import play
from referee.games.registry import GAMES

every_game: Final = pytest.mark.parametrize("game", GAMES)


def first(observation: Any, _configuration: Any) -> Any:
    """Return the first of what may be answered."""
    some = observation.legal
    return some[0] if observation.choose is None else some[: observation.choose[0]]


def last_of_most(observation: Any) -> Any:
    """Return the last of what may be answered, and as much as may be."""
    some = observation["legal"]
    return some[-1] if observation["choose"] is None else some[len(some) - observation["choose"][1] :]


def answer(decision: fairdeal.Decision, agent: Callable[..., Any]) -> Any:
    act: Any = kaggle.bot(agent)
    return act(decision)


def always(item: Any) -> Callable[[Any], Any]:
    return lambda _observation: item


def seats(game: str) -> int:
    return GAMES[game].seats


@every_game
@pytest.mark.parametrize("agent", [first, last_of_most])
def test_an_agent_plays_whole_matches(game: str, agent: Callable[..., Any]) -> None:
    played = play(game, [kaggle.bot(agent), *[Random()] * (seats(game) - 1)], seed="spring")
    assert played.outcome.termination.name == "COMPLETED"
    assert {faults.total for faults in played.outcome.faults} == {0}


@every_game
def test_what_an_agent_is_told_is_what_json_has(
    game: str, decisions_of: Callable[..., list[fairdeal.Decision]]
) -> None:
    kinds = set()
    for decision in decisions_of(game, deals=12):
        for told in (kaggle.observation(decision), kaggle.configuration(decision.match)):
            assert json.loads(json.dumps(told)) == told
        told = kaggle.observation(decision)
        assert told["view"]["hand"] == [card.name for card in decision.view.hand]
        assert told["phase"] == told["view"]["phase"] == decision.view.phase.name.lower()
        kinds.add(told["phase"])
    assert kinds >= set(GAMES[game].phases) - {"moon", "blind", "leftovers"}


@every_game
def test_every_item_stands_for_another_legal_answer(
    game: str, decisions_of: Callable[..., list[fairdeal.Decision]]
) -> None:
    """An answer to each item is what the item is of, and the referee takes it."""
    for decision in decisions_of(game, deals=3):
        told = kaggle.observation(decision)
        legal = decision.legal
        if isinstance(legal, fairdeal.LegalActions):
            assert told["choose"] is None
            for item, action in zip(told["legal"], legal.actions, strict=True):
                assert answer(decision, always(item)) == action
        else:
            assert told["choose"] == [legal.minimum, legal.maximum]
            some = legal.cards if isinstance(legal, fairdeal.LegalChoice) else legal.combinations
            assert answer(decision, lambda observation: observation.legal) == list(some)


def test_a_decision_of_hearts_is_told_in_full(decisions_of: Callable[..., list[fairdeal.Decision]]) -> None:
    decisions = [d for d in decisions_of("hearts", deals=1) if d.seat == 2]
    told = kaggle.observation(decisions[5])
    view: Any = decisions[5].view
    assert set(told) == {"step", "remainingOverageTime", "player", "phase", "view", "legal", "choose"}
    assert (told["step"], told["player"], told["phase"], told["choose"]) == (5, 2, "play", None)
    assert told["remainingOverageTime"] == decisions[5].bank > 0
    assert told["legal"] == [action.card.name for action in decisions[5].legal.actions]
    assert told["view"]["direction"] == "left"
    assert told["view"]["tricks"][0] == {
        "leader": view.tricks[0].leader,
        "cards": [card.name for card in view.tricks[0].cards],
        "winner": view.tricks[0].winner,
    }
    assert set(told["view"]) == set(view.__dataclass_fields__)


def test_a_match_is_told_in_full(decisions_of: Callable[..., list[fairdeal.Decision]]) -> None:
    match = decisions_of("spades", deals=1, options={"target": 300})[0].match
    told = kaggle.configuration(match)
    assert told == {
        "actTimeout": match.clock.move,
        "game": "spades",
        "options": dict(match.options),
        "deals": 1,
        "match": "arena",
        "entries": ["seat0", "seat1", "seat2", "seat3"],
        "seats": 4,
        "sides": [[0, 2], [1, 3]],
        "maxFaults": match.max_faults,
    }
    assert told["options"]["target"] == 300
    assert told["actTimeout"] > 0


def decision_like(*actions: fairdeal.Action) -> Any:
    """Return a decision between actions."""
    match = SimpleNamespace(
        id="m1", game="piquet", clock=SimpleNamespace(move=1.0), options={}, deals=None, entries=(), sides=()
    )
    match.max_faults = 3
    legal = fairdeal.LegalActions(actions)
    return SimpleNamespace(match=match, id=7, seat=1, bank=2.5, legal=legal, view=None)


@pytest.mark.parametrize(
    ("action", "item"),
    [
        (fairdeal.PlayCard(fairdeal.Card("QS")), "QS"),
        (fairdeal.Bid(0), 0),
        (fairdeal.Draft.KEEP, "keep"),
        (fairdeal.TrumpCall.PASS, "pass"),
        (fairdeal.Declare(None), "nothing"),
        (fairdeal.Declare(fairdeal.PointCombination(fairdeal.Suit.HEARTS)), {"suit": "hearts"}),
        (
            fairdeal.Declare(fairdeal.SequenceCombination(fairdeal.Suit.CLUBS, fairdeal.Rank.TEN, 4)),
            {"suit": "clubs", "top": "ten", "length": 4},
        ),
        (fairdeal.Declare(fairdeal.SetCombination(fairdeal.Rank.ACE, 3)), {"rank": "ace", "count": 3}),
    ],
)
def test_an_action_is_an_item(action: Any, item: Any) -> None:
    decision = decision_like(action)
    assert kaggle.observation(decision)["legal"] == [item]
    act: Any = kaggle.bot(lambda _observation: item)
    assert act(decision) == action


def test_what_this_version_does_not_know_is_left_out() -> None:
    message: Any = None
    decision = decision_like(fairdeal.OtherAction(message), fairdeal.Bid(3))
    told = kaggle.observation(decision)
    assert (told["legal"], told["view"], told["phase"]) == ([3], None, None)
    act: Any = kaggle.bot(first)
    assert act(decision) == fairdeal.Bid(3)


def test_a_struct_has_attributes_at_any_depth() -> None:
    struct = kaggle.Struct({"a": {"b": [{"c": 1}]}, "legal": ["QS"]})
    assert struct.a.b[0].c == struct["a"]["b"][0]["c"] == 1
    struct.mine = 3
    assert struct["mine"] == 3
    assert json.dumps(struct) == '{"a": {"b": [{"c": 1}]}, "legal": ["QS"], "mine": 3}'
    with pytest.raises(AttributeError, match="there is no 'd', only a, legal, mine"):
        _ = struct.d


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (lambda _o: "QX", r"answered 'QX', but the legal answers are \['keep', 'refuse'\]"),
        (lambda _o: None, "answered None, but the legal answers are"),
        (lambda _o: ["keep"], "answered .'keep'., but the legal answers are"),
    ],
)
def test_an_answer_that_is_none_of_the_items_is_bad(answer: Any, text: str) -> None:
    with pytest.raises(fairdeal.BadAnswer, match=text) as caught:
        play("two_handed_spades", [kaggle.bot(answer), Random()], seed="spring")
    assert str(caught.value).startswith("match arena, decision 1: the agent answered ")


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("2C", "a list of 3 to 3 of .* is asked for"),
        (["2C", "QX", "3C"], "'(2C|QX|3C)' is not among"),
        ([], "3 cards are to be chosen"),
    ],
)
def test_a_choice_that_cannot_be_is_bad(answer: Any, text: str) -> None:
    with pytest.raises(fairdeal.BadAnswer, match=text):
        play("hearts", [kaggle.bot(lambda _o: answer), *3 * [Random()]], seed="spring")


def test_what_an_agent_raises_reaches_the_run() -> None:
    def broken(_observation: Any) -> Any:
        raise LookupError("no idea")

    with pytest.raises(LookupError, match="no idea"):
        play("two_handed_spades", [kaggle.bot(broken), Random()], seed="spring")


def only_observation(observation: Any) -> Any:
    return [observation]


def with_spare(observation: Any, configuration: Any, spare: int = 7) -> Any:
    return [observation, configuration, spare]


def with_named(observation: Any, *, configuration: Any = None) -> Any:
    return [observation, configuration]


def anything(*told: Any) -> Any:
    return list(told)


class Agent:
    def __call__(self, observation: Any, configuration: Any) -> Any:
        return [observation, configuration]


@pytest.mark.parametrize(
    ("agent", "takes"),
    [(only_observation, 1), (with_spare, 2), (with_named, 1), (anything, 2), (Agent(), 2)],
)
def test_an_agent_is_given_as_much_as_it_takes(agent: Any, takes: int) -> None:
    """It answers with what it was told, which is no legal answer and stands in the error."""
    act: Any = kaggle.bot(agent)
    with pytest.raises(fairdeal.BadAnswer) as caught:
        act(decision_like(fairdeal.Bid(1)))
    text = str(caught.value)
    assert "'remainingOverageTime': 2.5" in text
    assert ("'maxFaults': 3" in text) == (takes == 2)


def test_an_entry_is_called_as_its_agent(beside: Path) -> None:
    path = beside / "careful.py"
    path.write_text(AGENT)
    assert [bot.__name__ for bot in (kaggle.bot(first), kaggle.bot(path))] == ["first", "careful"]


AGENT: Final = """
import helper_beside_it

count = 0

def pick(legal, choose, first):
    return legal[first] if choose is None else legal[: choose[0]]

def agent(observation, configuration):
    global count
    count += 1
    assert count == observation.step + 1, "another match has counted here"
    return helper_beside_it.same(pick(observation.legal, observation.choose, 0))
"""


@pytest.fixture
def beside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a module that agents in it import."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "helper_beside_it", raising=False)
    (tmp_path / "helper_beside_it.py").write_text("def same(answer):\n    return answer\n")
    return tmp_path


def test_the_last_callable_of_a_file_is_the_agent_of_a_match(beside: Path) -> None:
    """Both seats play the same file, each with variables of its own."""
    path = beside / "submission.py"
    path.write_text(AGENT)
    bot = kaggle.bot(str(path))
    played = play("two_handed_spades", [bot, bot], seed="spring", deals=1)
    assert {faults.total for faults in played.outcome.faults} == {0}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def agent(o, c:\n", "is not Python: "),
        ("x = 1\n", "holds no function agent(observation, configuration)"),
        ("import no_such_thing\n", "failed when it was run: ModuleNotFoundError"),
        ("import sys\nsys.exit()\n", "failed when it was run: SystemExit()"),
        ("def agent():\n    pass\n", "agent is not an agent: it takes no observation"),
        (None, "cannot be read: No such file or directory"),
    ],
)
def test_a_file_that_holds_no_agent_is_refused_at_once(text: str | None, message: str, beside: Path) -> None:
    path = beside / "bad.py"
    if text is not None:
        path.write_text(text)
    with pytest.raises(fairdeal.BadSetting) as caught:
        kaggle.bot(path)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_is_no_agent_is_refused() -> None:
    number: Any = 7
    with pytest.raises(
        fairdeal.BadSetting, match="7 is not an agent: give a function, or the path of a file"
    ):
        kaggle.bot(number)


@pytest.mark.asyncio
@every_game
async def test_agents_play_at_a_referee(game: str, meet: Callable[..., Any], beside: Path) -> None:
    path = beside / "submission.py"
    path.write_text(AGENT)
    bots: Sequence[Any] = [kaggle.bot(path), kaggle.bot(first), kaggle.bot(last_of_most), Random()]
    outcome = await meet(game, bots[: seats(game)], options={}, deals=1)
    assert len(outcome.scores) == len(GAMES[game].sides)
