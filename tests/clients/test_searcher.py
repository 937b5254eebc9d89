"""The house bot `searcher-1`: what it answers, when it stops, and that it never changes."""

import asyncio
import json
import threading
from collections.abc import Callable
from functools import cache
from itertools import islice
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

import fairdeal
from fairdeal import Answer, Decision, bots, model
from fairdeal.bots.apart import Apart
from fairdeal.bots.searcher_1 import Searcher1, piquet
from fairdeal.bots.searcher_1.search import distinct
from fairdeal.testing import play
from referee.games import actions
from referee.games.registry import GAMES
from referee.games.registry import game as rules_of
from tests.clients.conftest import Tell
from tests.clients.test_bots import hearts

GOLDEN = Path(__file__).parents[1] / "data" / "searcher_1.json"
CHOICES = 12  # of each game, spread over a deal


def standing() -> float:
    return 0.0


class Asked:
    """Plays as greedy does, and asks another bot now and then what it would answer."""

    def __init__(self, other: Callable[[Decision], Answer], numbers: set[int]) -> None:
        self.answers: list[tuple[Decision, Answer]] = []
        self._other = other
        self._greedy = bots.make("greedy")
        self._numbers = numbers
        self._met = 0

    def act(self, decision: Decision) -> Answer:
        self._met += 1
        if self._met in self._numbers:
            self.answers.append((decision, self._other(decision)))
        return self._greedy.act(decision)


def choices(game: str, other: Callable[[Decision], Answer]) -> list[tuple[Decision, Answer]]:
    """Return what a bot would answer at some decisions of a deal of greedy bots."""
    bot = Asked(other, asked_of(game))
    play(game, [bot] * rules_of(game).seats, seed="searcher", deals=1)
    return bot.answers


@cache
def asked_of(game: str) -> set[int]:
    """Return which decisions of a deal are asked: the same number apart, the first among them."""
    bot = Asked(lambda decision: fairdeal.Cards(), set())
    play(game, [bot] * rules_of(game).seats, seed="searcher", deals=1)
    return {1 + place * bot._met // CHOICES for place in range(CHOICES)}


def first(game: str) -> Decision:
    return choices(game, bots.make("greedy").act)[0][0]


def chosen(game: str, share: float = 1.0, solves: bool = False) -> list[str]:
    return [repr(answer) for _, answer in choices(game, Searcher1(24, share, solves, now=standing).act)]


@pytest.mark.parametrize("game", GAMES)
def test_searcher_1_never_changes(game: str) -> None:
    """Figures measured with it are compared for years: a better one is another version."""
    assert chosen(game) == json.loads(GOLDEN.read_text())[game]


def test_which_decisions_it_searches_never_changes() -> None:
    assert chosen("hearts", share=0.5) == json.loads(GOLDEN.read_text())["hearts, half of the decisions"]


def test_how_it_plays_endings_that_it_solves_never_changes() -> None:
    golden = json.loads(GOLDEN.read_text())
    for game in GAMES:
        assert chosen(game, solves=True) == golden[game if game == "hearts" else f"{game}, endings solved"]
    assert golden["euchre, endings solved"] != golden["euchre"]


def test_it_plays_every_game() -> None:
    assert set(Searcher1.games) == set(GAMES)


@pytest.mark.parametrize("game", GAMES)
def test_without_time_it_plays_as_greedy_does(game: str) -> None:
    searcher, greedy = Searcher1(24, 1, False, now=standing), bots.make("greedy")
    for decision, answer in choices(game, lambda decision: searcher.search(decision, until=0)):
        assert answer in (plain := greedy.act(decision), as_play(plain))


def test_it_searches_the_share_of_its_decisions_that_it_is_told() -> None:
    def searched(share: float) -> int:
        looks: list[int] = []

        def now() -> float:
            looks[-1] = 1
            return 0.0

        def search(decision: Decision) -> Answer:
            looks.append(0)
            return searcher.search(decision, until=1)

        searcher = Searcher1(2, share, False, now=now)
        for game in ("hearts", "spades"):
            choices(game, search)
        return sum(looks)

    assert searched(0.0) == 0
    assert searched(1.0) / 3 < searched(0.5) < searched(1.0) * 2 / 3


def as_play(answer: Any) -> Any:
    return fairdeal.PlayCard(answer) if isinstance(answer, fairdeal.Card) else answer


def test_in_piquet_the_other_has_given_away_what_is_worth_little() -> None:
    asked: list[Decision] = []
    choices("piquet", lambda decision: asked.append(decision) or bots.make("greedy").act(decision))
    losses: dict[Any, list[float]] = {model.each_world: [], piquet.deals: []}
    for decision in asked:
        for source, found in losses.items():
            found += [piquet._lost(world.rules, 1 - decision.seat) for world in islice(source(decision), 20)]
    any_deal, likely = map(fmean, losses.values())
    assert 0 < likely < any_deal * 2 / 3


def test_in_piquet_what_a_seat_has_lost_stays_the_same_while_it_plays() -> None:
    state: Any = model.worlds(first("piquet"), 1)[0].rules
    losses: set[tuple[float, float]] = set()
    while due := state.to_act():
        legal = state.legal(due[0])
        if isinstance(legal, actions.Choose):
            state.apply(due[0], actions.ChooseCards(tuple(legal.cards[:4])))  # whatever they are worth
        else:
            state.apply(due[0], legal.at(0) if state.phase == 6 else piquet._talk(state, due[0]))
        if len(state.exchanges) == 2:
            losses.add((piquet._lost(state, 0), piquet._lost(state, 1)))
    [(one, other)] = losses
    assert one > 0 < other


def test_in_piquet_a_deal_is_found_soon_however_unusual_all_are(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(piquet, "_lost", lambda state, seat: asked.append(seat) or 1000.0)
    assert len([*islice(piquet.deals(first("piquet")), 8)]) == 8
    assert len(asked) <= 8 * 20


def test_it_stops_when_half_of_the_time_for_a_decision_is_over() -> None:
    looks: list[float] = []

    def now() -> float:
        looks.append(0.1 * len(looks))  # each look at the clock is a tenth of a second later
        return looks[-1]

    for decision, _ in choices("hearts", Searcher1(10**9, 1, False, now=now).act):
        assert decision.move_time == 2
    assert len(looks) <= CHOICES * 12


def test_what_one_deal_says_is_not_enough() -> None:
    looks: list[float] = []

    def now() -> float:
        looks.append(0)
        return 0.0 if len(looks) < 3 else 9.0  # so only one deal is tried

    for decision, _ in choices("hearts", bots.make("greedy").act):
        looks.clear()
        plain = bots.make("greedy").act(decision)
        assert Searcher1(10**9, 1, False, now=now).act(decision) in (plain, as_play(plain))


def test_a_view_that_contradicts_itself_is_answered_as_greedy_does(tell: type[Tell]) -> None:
    decision = hearts(tell, "2C 5D 9H QS")  # nobody has played, and most cards are nowhere
    assert Searcher1(24, 1, False, now=standing).act(decision) == as_play(bots.make("greedy").act(decision))


@pytest.mark.parametrize(
    ("hand", "special", "left"),
    [
        ("2C 3C 4C 7C 5D", "", "2C 7C 5D"),  # 5C and 6C are somewhere else
        ("JS QS KS AS", "QS", "JS QS KS"),
        ("JS QS KS AS", "", "JS"),
    ],
)
def test_cards_that_are_as_good_as_each_other_are_tried_once(
    tell: type[Tell], hand: str, special: str, left: str
) -> None:
    plays = [fairdeal.PlayCard(card) for card in fairdeal.Cards.parse(hand)]
    found = distinct(plays, hearts(tell, hand).view, frozenset(fairdeal.Cards.parse(special)))
    assert found == [fairdeal.PlayCard(card) for card in fairdeal.Cards.parse(left)]


@pytest.mark.parametrize(
    ("name", "strength"),
    [
        ("searcher-1-light", (32, 1 / 3, False)),
        ("searcher-1", (32, 2 / 3, False)),
        ("searcher-1-strong", (1024, 1, True)),
    ],
)
def test_the_strengths_are_bots_by_name(name: str, strength: tuple[int, float, bool]) -> None:
    bot = bots.make(name)
    assert isinstance(bot, Searcher1)
    assert (bot._playouts, bot._share, bot._solves) == strength
    with pytest.raises(fairdeal.BadSetting, match="takes no blunder"):
        bots.make(name, blunder=0.5)


def test_the_loop_goes_on_while_it_searches_and_time_counts_from_the_question(tell: type[Tell]) -> None:
    went_on, both, untils = threading.Event(), asyncio.Event(), []

    class Slow:
        asked = 0

        def until(self, decision: Decision) -> float:
            self.asked += 1
            if self.asked == 2:
                both.set()
            return self.asked

        def search(self, decision: Decision, until: float) -> Answer:
            untils.append(until)
            assert went_on.wait(30), "the loop stood still"
            return decision.legal.actions[0]  # type: ignore[union-attr]

    async def ask_twice() -> None:
        apart, decision = Apart(Slow()), hearts(tell, "2C 5D")
        acts = [asyncio.create_task(apart.act(decision)) for _ in range(2)]
        await both.wait()  # both are told their time before either is answered
        went_on.set()
        await asyncio.gather(*acts)

    asyncio.run(ask_twice())
    assert untils == [1, 2]


def test_it_plays_at_one_table_in_a_thread_unless_told_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Any] = []
    monkeypatch.setattr(fairdeal, "run", lambda bot, address, **options: given.append((bot, options)))
    bots.play("searcher-1", "here", game="hearts")
    bots.play("searcher-1", "here", game="hearts", tables=3)
    bots.play("greedy", "here", game="hearts")
    assert [options.get("tables") for _, options in given] == [1, 3, None]
    assert [asyncio.iscoroutinefunction(bot) for bot, _ in given] == [True, True, False]
