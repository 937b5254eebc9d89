"""OpenSpiel's bots at our tables: whole matches, what is decided without them, and where they do not play."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, Final

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms import mcts
from open_spiel.python.bots import uniform_random

import fairdeal
from fairdeal.adapters import openspiel
from fairdeal.bots import Greedy, Random
from fairdeal.testing import play, serving
from referee.match.clock import PROFILES
from tests.adapters.conftest import AGREED, OTHER_OPTIONS
from tests.workspace import PATIENCE

every_game: Final = pytest.mark.parametrize("game", openspiel.GAMES)


def decision_like(game: str, view: Any) -> Any:
    """Return what a bot looks at in a decision."""
    match = SimpleNamespace(id="m1", game=game, options=AGREED[game], deals=1)
    return SimpleNamespace(match=match, view=view, id=1, legal=None)


def never(_game: Any, _player: int) -> Any:
    raise AssertionError("no bot is asked")


def test_after_a_moon_the_others_get_the_points_without_asking(
    decisions_of: Callable[..., list[fairdeal.Decision]],
) -> None:
    some = decisions_of("hearts", options=AGREED["hearts"], deals=1)[-1]
    table = openspiel.bot(never)()
    moon = decision_like("hearts", replace(some.view, phase=fairdeal.HeartsPhase.MOON))
    assert table.act(moon) is fairdeal.Moon.ADD


def test_nobody_bids_blind() -> None:
    played = play("spades", [openspiel.bot(random_bot)] * 4, seed="s", options={"blind_nil_gap": 0}, deals=3)
    looked = [entry for entry in played.log if type(entry).__name__ == "Looked"]
    bids = [entry for entry in played.log if type(entry).__name__ == "BidMade"]
    assert len(bids) == 12
    assert not any(bid.blind for bid in bids)
    assert looked


def random_bot(_game: Any, player: int) -> Any:
    return uniform_random.UniformRandomBot(player, np.random.RandomState(7))


def compiled_bot(_game: Any, player: int) -> Any:
    return pyspiel.make_uniform_random_bot(player, 7)


def searching_bot(game: Any, _player: int) -> Any:
    chance = np.random.RandomState(7)
    return mcts.MCTSBot(game, 2, 5, mcts.RandomRolloutEvaluator(1, chance), random_state=chance)


def test_partners_that_bid_too_much_are_played_with() -> None:
    class Bold(Random):
        def act(self, decision: fairdeal.Decision) -> fairdeal.Answer:
            bids = [a for a in getattr(decision.legal, "actions", ()) if isinstance(a, fairdeal.Bid)]
            return fairdeal.Bid(9) if bids else super().act(decision)

    played = play("spades", [openspiel.bot(random_bot), *3 * [Bold()]], seed="spring", deals=4)
    assert [faults.total for faults in played.outcome.faults] == [0, 0, 0, 0]


@every_game
@pytest.mark.parametrize("make", [random_bot, compiled_bot, searching_bot])
def test_openspiels_own_bots_play_whole_matches(game: str, make: Callable[..., Any]) -> None:
    deals = 2 if make is searching_bot else None
    for options in (AGREED[game], AGREED[game] | OTHER_OPTIONS[game]):
        bots = [openspiel.bot(make), Greedy(), openspiel.bot(make), Random()]
        played = play(game, bots, seed="spring", options=options, deals=deals)
        assert played.outcome.termination.name == "COMPLETED"
        assert [faults.total for faults in played.outcome.faults] == [0, 0, 0, 0]


@pytest.mark.asyncio
@every_game
async def test_openspiels_bots_play_at_a_referee(game: str, meet: Callable[..., Any]) -> None:
    bots = [openspiel.bot(random_bot), Greedy(), openspiel.bot(compiled_bot), Random()]
    outcome = await meet(game, bots, options=AGREED[game], deals=3)
    assert len(outcome.scores) == (4 if game == "hearts" else 2)


@pytest.mark.parametrize(
    ("game", "options", "text"),
    [
        ("hearts", {}, "any_heart_breaks=false (must be true)"),
        ("hearts", AGREED["hearts"] | {"moon": "subtract"}, "moon=subtract (must be add or choose)"),
        ("hearts", {}, "have it opened with --option hearts.any_heart_breaks=true --option hearts.moon=add"),
        ("spades", {"nil_points": 50}, "nil_points=50 (must be 100)"),
        (
            "spades",
            {"bag_limit": 5, "bag_penalty": 0},
            "bag_limit=5 (must be 10), bag_penalty=0 (must be 100)",
        ),
        ("euchre", {}, "dealer_may_discard_upcard=true (must be false), maker_partner_may_go_alone=true"),
        (
            "piquet",
            {},
            "OpenSpiel has no piquet, only hearts, spades, euchre: give run games=openspiel.GAMES",
        ),
        ("two_handed_spades", {}, "OpenSpiel has no two_handed_spades"),
    ],
)
def test_a_table_with_other_rules_is_refused_at_once(game: str, options: dict[str, Any], text: str) -> None:
    bots = [openspiel.bot(never)] * (2 if game in ("piquet", "two_handed_spades") else 4)
    with pytest.raises(fairdeal.BadSetting) as caught:
        play(game, bots, seed="spring", options=options)
    assert text in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_table_with_other_rules_is_refused_when_the_bot_is_seated(
    decisions_of: Callable[..., list[fairdeal.Decision]],
) -> None:
    match = decisions_of("hearts", deals=1)[0].match
    bot: Any = openspiel.bot(never)()
    with pytest.raises(fairdeal.BadSetting, match="OpenSpiel plays hearts by other rules"):
        bot.on_seated(match)


@pytest.mark.asyncio
async def test_a_table_with_other_rules_ends_the_run() -> None:
    async with serving("hearts", deals=1, clock=PROFILES["debug"]) as served, asyncio.timeout(PATIENCE):
        playing = asyncio.create_task(served.play("a", "b", "c", "d"))
        with pytest.raises(fairdeal.BadSetting, match="OpenSpiel plays hearts by other rules"):
            await fairdeal.run_async(openspiel.bot(never), served.address, entry="a", on_error="stop")
        playing.cancel()


def test_an_action_that_is_not_legal_is_no_answer() -> None:
    class WrongBot:
        def step(self, _state: Any) -> int:
            return 999

    with pytest.raises(
        fairdeal.BadAnswer, match="step returned 999, which is not a legal action of the state"
    ):
        play("spades", [openspiel.bot(lambda _g, _p: WrongBot())] * 4, seed="spring")


def test_what_makes_no_bots_is_refused() -> None:
    number: Any = 7
    with pytest.raises(fairdeal.BadSetting, match=r"7 makes no bots: give a function of a pyspiel.Game"):
        openspiel.bot(number)
