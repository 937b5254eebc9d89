"""The house bots."""

import dataclasses
import subprocess
import sys
from typing import Any

import pytest

import fairdeal
from fairdeal import (
    Bid,
    Card,
    Cards,
    Decision,
    Draft,
    LegalActions,
    Moon,
    PlayCard,
    Rank,
    SetCombination,
    _updates,
    bots,
)
from fairdeal.bots.random_bot import random_answer
from fairdeal.testing import play as play_match
from fairdeal.v1 import actions_pb2, views_pb2
from fairdeal.v1 import play_service_pb2 as play
from referee.games.registry import GAMES
from tests.clients.conftest import Tell
from tests.workspace import PATIENCE

SEAT_0, SEAT_1 = 1, 2


def asked(tell: Any, update: play.Update, *, seed: str = "", **seat: Any) -> Decision:
    game = update.decision.view.WhichOneof("game") or "hearts"
    return Decision(_updates.seated(tell.seated(**{"game": game, **seat}).seated), update.decision, seed)


def hearts(tell: Any, hand: str, **view: Any) -> Decision:
    """Ask for a card in hearts, where the whole hand may be played."""
    shown = tell.hearts_view(phase=views_pb2.HEARTS_PHASE_PLAY, hand=tell.numbers(hand), **view)
    return asked(tell, tell.plays(hand, view=shown))


def spades(tell: Any, hand: str, legal: str | None = None, **view: Any) -> Decision:
    """Ask seat 0 for a card in two-handed spades; without ``legal`` the whole hand may be played."""
    fields = {"phase": views_pb2.TWO_HANDED_SPADES_PHASE_PLAY, "seat": SEAT_0, "taken": [0, 0], **view}
    shown = tell.two_handed_spades_view(hand=tell.numbers(hand), **fields)
    return asked(tell, tell.plays(legal or hand, view=shown), game="two_handed_spades")


def bids(mine: int, other: int) -> list[dict[str, int]]:
    return [{"seat": SEAT_0, "tricks": mine}, {"seat": SEAT_1, "tricks": other}]


def greedy(decision: Decision) -> Any:
    answer = bots.make("greedy").act(decision)
    legal = decision.legal
    if isinstance(legal, LegalActions):
        assert answer in legal.actions or PlayCard(answer) in legal.actions
    return answer


# Random


def test_random_answers_lists_and_choices_from_the_decision_s_generator(tell: type[Tell]) -> None:
    listed = tell.plays("2C 3C 4C 5C 6C")
    choice = tell.choose("2C 3C 4C 5C 6C", 1, 3)
    for seed in map(str, range(20)):
        chance = asked(tell, listed, seed=seed).chance
        expected = Cards.parse("2C 3C 4C 5C 6C")[chance.draw(5)]
        assert random_answer(asked(tell, listed, seed=seed)) == PlayCard(expected)
        chance = asked(tell, choice, seed=seed).chance
        chosen = chance.choose(Cards.parse("2C 3C 4C 5C 6C"), 1, 3)
        assert bots.make("random").act(asked(tell, choice, seed=seed)) == chosen


def test_random_chooses_combinations_as_it_chooses_cards(tell: type[Tell]) -> None:
    sets: list[dict[str, Any]] = [{"set": {"rank": rank, "count": 3}} for rank in (9, 10, 11, 12, 13)]
    choice = actions_pb2.ChooseCombinations(combinations=sets, minimum=1, maximum=4)
    update = tell.decision(actions_pb2.Legal(choose_combinations=choice))
    offered = [SetCombination(rank, 3) for rank in (Rank.TEN, Rank.JACK, Rank.QUEEN, Rank.KING, Rank.ACE)]
    for seed in map(str, range(20)):
        chosen = asked(tell, update, seed=seed).chance.choose(offered, 1, 4)
        assert random_answer(asked(tell, update, seed=seed)) == chosen
    none = tell.decision(actions_pb2.Legal(choose_combinations={}))
    assert random_answer(asked(tell, none)) == []


# Blunders


def test_a_blunder_is_drawn_before_the_random_answer(tell: type[Tell]) -> None:
    update = tell.plays("2C 9D KH AS", view=tell.hearts_view(hand=tell.numbers("2C 9D KH AS"), phase=2))
    blunders = 0
    for seed in map(str, range(40)):
        chance = asked(tell, update, seed=seed).chance
        expected: Any = greedy(asked(tell, update, seed=seed))
        if chance.happens(0.5):
            blunders += 1
            expected = chance.choice(asked(tell, update).legal.actions)
        assert bots.make("greedy", blunder=0.5).act(asked(tell, update, seed=seed)) == expected
    assert 10 < blunders < 30


@pytest.mark.parametrize(
    ("name", "blunder", "text"),
    [
        (
            "gready",
            0.0,
            f"'gready': no such house bot; did you mean greedy? there are {', '.join(bots.NAMES)}",
        ),
        ("greedy", 1.5, "blunder 1.5: must be 0 to 1"),
        ("greedy", -0.1, "blunder -0.1: must be 0 to 1"),
        ("greedy", float("nan"), "blunder nan: must be 0 to 1"),
        ("random", 0.5, "random takes no blunder; only greedy does"),
    ],
)
def test_a_house_bot_that_cannot_be_is_refused(name: str, blunder: float, text: str) -> None:
    with pytest.raises(fairdeal.BadSetting) as caught:
        bots.make(name, blunder=blunder)
    assert str(caught.value) == text


def test_greedy_refuses_games_that_it_does_not_know(tell: type[Tell]) -> None:
    decision = asked(tell, tell.plays("2C", view=views_pb2.View()), game="skat")
    with pytest.raises(
        ValueError, match="greedy does not play skat; it plays euchre, hearts, piquet, spades"
    ):
        greedy(decision)


# Greedy at hearts


@pytest.mark.parametrize(
    ("hand", "passed"),
    [
        ("2C 3C 4C 5C 2D 3D 4D 2H 3H 4H QS KS AS", "QS KS AS"),
        ("2C 3C 4C 5C 6C 2H 3H 2S 3S 4S 5S QS AH", "AH"),
        ("2C 3C 4C 5C 6C 7C 8C QD KD 2S 3S 4S 5S", "QD KD"),
    ],
)
def test_greedy_passes_what_takes_points(tell: type[Tell], hand: str, passed: str) -> None:
    view = tell.hearts_view(phase=views_pb2.HEARTS_PHASE_PASS, hand=tell.numbers(hand))
    update = tell.choose(hand, 3, 3)
    update.decision.view.CopyFrom(view)
    answer = greedy(asked(tell, update))
    assert len(answer) == 3
    assert set(answer) >= set(Cards.parse(passed))
    assert (Card("QS") in answer) == ("QS" in passed.split())


@pytest.mark.parametrize(
    ("hand", "trick", "card"),
    [
        ("2H 9H KH", "TH", "9H"),  # ducks as high as it can
        ("3S QS", "KS", "QS"),  # drops the queen under the king
        ("JH KH", "TH", "JH"),  # must beat it: stays low while others may go higher
        ("JH KH", "TH 2H 3H", "KH"),  # takes it with the highest, as it takes it anyway
        ("2D AD", "9D 3D 4D", "AD"),  # a trick without points gets rid of the ace
        ("2D AD", "9D 3D 4H", "2D"),
        ("3S QS KS", "2S 4S 5S", "KS"),  # takes it, but not with the queen
        ("QS", "2S 4S", "QS"),
        ("3H QS AC", "9D", "QS"),  # throws the queen away
        ("2H KH AC KS", "9D", "KS"),  # then what may take her
        ("2H KH 3C", "9D", "KH"),
    ],
)
def test_greedy_ducks_and_throws(tell: type[Tell], hand: str, trick: str, card: str) -> None:
    leader = 4 - len(trick.split())
    assert greedy(hearts(tell, hand, trick=tell.trick(leader, trick))) == Card(card)


@pytest.mark.parametrize(
    ("hand", "card"),
    [
        ("2H AH", "2H"),  # somebody goes over it
        ("AS KS 2D", "2D"),  # the queen may fall on the others
        ("QS 2D", "2D"),
        ("KD 4S", "4S"),  # may draw the queen out
    ],
)
def test_greedy_leads_out_of_harm_s_way(tell: type[Tell], hand: str, card: str) -> None:
    assert greedy(hearts(tell, hand)) == Card(card)


@pytest.mark.parametrize(
    ("totals", "deals", "choice"),
    [
        ([20, 80, 50, 60], 0, Moon.ADD),  # 80 + 26 ends it, and 20 is the lowest
        ([70, 80, 30, 40], 0, Moon.SUBTRACT),  # it would end it, and lose
        ([76, 80, 50, 50], 0, Moon.SUBTRACT),  # it would end it, and only tie
        ([20, 50, 50, 60], 0, Moon.SUBTRACT),  # it would not end it
        ([20, 80, 50, 60], 4, Moon.SUBTRACT),  # the number of deals is fixed
    ],
)
def test_greedy_adds_the_moon_where_that_wins(
    tell: type[Tell], totals: list[int], deals: int, choice: Moon
) -> None:
    view = tell.hearts_view(phase=views_pb2.HEARTS_PHASE_MOON, totals=totals, points=[26, 0, 0, 0])
    legal = actions_pb2.Legal(actions={"actions": [{"moon": 1}, {"moon": 2}]})
    update = tell.decision(legal, view=view)
    seat = {"deals": deals, "options": [tell.option("target", number=100)]}
    assert greedy(asked(tell, update, **seat)) is choice


# Greedy at two-handed spades


@pytest.mark.parametrize(
    ("card", "choice"),
    [("AS", Draft.KEEP), ("2S", Draft.KEEP), ("AH", Draft.KEEP), ("2H", Draft.REFUSE), ("TC", Draft.REFUSE)],
)
def test_greedy_keeps_what_is_above_the_average(tell: type[Tell], card: str, choice: Draft) -> None:
    view = tell.two_handed_spades_view(
        phase=views_pb2.TWO_HANDED_SPADES_PHASE_DRAFT, offered=Card(card).number, seat=SEAT_0
    )
    legal = actions_pb2.Legal(actions={"actions": [{"draft": 1}, {"draft": 2}]})
    assert greedy(asked(tell, tell.decision(legal, view=view))) is choice


@pytest.mark.parametrize(
    ("hand", "least", "most"),
    [
        ("AS KS QS JS TS 9S 8S 7S 6S 5S 4S 3S 2S", 10, 13),
        ("2C 3C 4C 5C 6C 7C 8C 9C 2D 3D 4D 5D 6D", 1, 1),
        ("2C 3C 4C AC 2D 3D KD 2H 3H AH 2S 9S AS", 2, 5),
    ],
)
def test_greedy_bids_what_the_hand_is_worth(tell: type[Tell], hand: str, least: int, most: int) -> None:
    view = tell.two_handed_spades_view(
        phase=views_pb2.TWO_HANDED_SPADES_PHASE_BID, hand=tell.numbers(hand), seat=SEAT_0
    )
    legal = actions_pb2.Legal(actions={"actions": [{"bid": tricks} for tricks in range(14)]})
    answer = greedy(asked(tell, tell.decision(legal, view=view)))
    assert isinstance(answer, Bid)
    assert least <= answer.tricks <= most


@pytest.mark.parametrize(
    ("hand", "trick", "view", "card"),
    [
        ("2D 9D KD AD", "TD", {"bids": bids(3, 3)}, "KD"),  # wins as cheaply as it can
        ("2D 9D", "TD", {"bids": bids(3, 3)}, "2D"),  # loses the lowest
        ("9C 2S 5S", "TD", {"bids": bids(3, 3)}, "2S"),  # ruffs low
        ("2D 9D KD", "TD", {"bids": bids(3, 3), "taken": [3, 3]}, "9D"),  # wants no more
        ("9C 2S", "TD", {"bids": bids(3, 3), "taken": [3, 3]}, "9C"),
        ("KD AD", "TD", {"bids": bids(3, 3), "taken": [3, 3]}, "AD"),  # cannot help it, and gets rid of it
        ("2D 9D KD", "TD", {"bids": bids(0, 3)}, "9D"),  # nil
        ("2D KD", "TD", {"bids": bids(3, 9), "taken": [3, 7]}, "KD"),  # makes the other's bid fail
    ],
)
def test_greedy_takes_its_bid_and_no_more(
    tell: type[Tell], hand: str, trick: str, view: dict[str, Any], card: str
) -> None:
    led = Card(trick).suit
    legal = str(Cards.parse(hand).of(led)) or hand
    assert greedy(spades(tell, hand, legal, trick=tell.trick(1, trick), **view)) == Card(card)


@pytest.mark.parametrize(
    ("hand", "view", "card"),
    [
        ("2D AD KC", {"bids": bids(3, 3)}, "AD"),  # cashes what wins
        (
            "2D KC JC",
            {"bids": bids(3, 3), "discarded": [Card("AC").number]},
            "KC",
        ),  # it holds the ace's place
        ("3D JC 2S", {"bids": bids(3, 3)}, "3D"),  # nothing wins: the lowest
        ("2D AD KC", {"bids": bids(3, 3), "taken": [3, 3]}, "2D"),
    ],
)
def test_greedy_leads_for_tricks_or_against_them(
    tell: type[Tell], hand: str, view: dict[str, Any], card: str
) -> None:
    assert greedy(spades(tell, hand, **view)) == Card(card)


# Whole matches


@pytest.mark.parametrize("game", bots.Greedy.games)
def test_greedy_beats_random(game: str) -> None:
    best = 0
    sides = GAMES[game].sides
    for number in range(8):
        own = number % len(sides)
        table = [bots.make("greedy" if seat in sides[own] else "random") for seat in range(GAMES[game].seats)]
        played = play_match(game, table, seed=f"strength/{number}", deals=4)
        best += played.outcome.ranks[own] == 1
    assert best >= 7


@pytest.mark.parametrize(
    ("game", "options"),
    [
        *((game, {}) for game in bots.Greedy.games),
        ("spades", {"blind_nil_gap": 0, "target": 5000, "floor": -5000, "max_deals": 10}),
        ("euchre", {"stick_the_dealer": False, "dealer_may_discard_upcard": False}),
        ("euchre", {"defenders_may_go_alone": False, "maker_partner_may_go_alone": False}),
    ],
)
@pytest.mark.parametrize("blunder", [0.0, 0.3])
def test_greedy_answers_every_decision_of_a_game_legally(
    game: str, options: dict[str, Any], blunder: float
) -> None:
    # the arena raises what a bot raises, and so what it answers against the rules
    for number in range(2):
        table = [bots.make("greedy", blunder=blunder) for _ in range(GAMES[game].seats)]
        played = play_match(game, table, seed=f"legal/{number}", options=options)
        assert not any(count for faults in played.outcome.faults for count in dataclasses.astuple(faults))


@pytest.mark.parametrize("game", bots.Greedy.games)
def test_the_same_seed_gives_the_same_match(game: str) -> None:
    def log(seed: str) -> tuple[Any, ...]:
        names = ["greedy", *["random"] * (GAMES[game].seats - 1)]
        table = [bots.make(name, blunder=0.3 if name == "greedy" else 0.0) for name in names]
        return play_match(game, table, seed=seed, deals=2).log

    assert log("a") == log("a")
    assert log("a") != log("b")


# From a terminal


def entered(monkeypatch: pytest.MonkeyPatch, **settings: Any) -> dict[str, Any]:
    """Return what a house bot is run with."""
    found: dict[str, Any] = {}

    def run(bot: Any, address: str | None, **settings: Any) -> None:
        found.update(settings, bot=bot, address=address)

    monkeypatch.setattr(fairdeal, "run", run)
    bots.play(**settings)
    return found


def test_a_house_bot_by_hand_is_one_of_many_and_plays_one_match(monkeypatch: pytest.MonkeyPatch) -> None:
    one = entered(monkeypatch, name="greedy", address="a:1")
    other = entered(monkeypatch, name="greedy", address="a:1")
    assert (one["entry"], one["matches"], one["games"]) == ("greedy", 1, bots.Greedy.games)
    assert one["instance"] != other["instance"]
    assert entered(monkeypatch, name="random", address="a:1")["games"] == ()
    assert entered(monkeypatch, name="random", address="a:1", game="euchre")["games"] == ("euchre",)
    assert entered(monkeypatch, name="random", address="a:1", matches=0)["matches"] == 0
    assert entered(monkeypatch, name="random", reconnect_timeout=5)["reconnect_timeout"] == 5


def test_a_hosted_house_bot_is_who_its_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAIRDEAL_ADDRESS", "unix:/somewhere")
    monkeypatch.setenv("FAIRDEAL_ENTRY", "weak")
    settings = entered(monkeypatch, name="greedy", blunder=0.5)
    assert (settings.get("entry"), settings.get("instance"), settings["matches"]) == (None, None, 0)


def test_an_entry_given_by_hand_is_one_instance(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = entered(monkeypatch, name="greedy", address="a:1", entry="mine")
    assert (settings["entry"], settings.get("instance")) == ("mine", None)


def test_a_game_that_a_house_bot_does_not_play_is_refused() -> None:
    with pytest.raises(fairdeal.BadSetting, match="greedy does not play 'skat'; it plays euchre, hearts, pi"):
        bots.play("greedy", game="skat")


def terminal(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "fairdeal.bots", *arguments], capture_output=True, text=True, timeout=PATIENCE
    )


@pytest.mark.process
@pytest.mark.parametrize(
    ("arguments", "status", "error"),
    [
        (["gready"], 2, "invalid choice: 'gready'"),
        (["greedy", "--connect", ""], 2, "python -m fairdeal.bots: the address is empty: give one, such as"),
        (["greedy", "--blunder", "2", "--connect", "a:1"], 2, "python -m fairdeal.bots: blunder 2: must be"),
    ],
)
def test_wrong_usage_is_one_clear_line(arguments: list[str], status: int, error: str) -> None:
    ended = terminal(*arguments)
    assert ended.returncode == status
    assert error in ended.stderr
    assert "Traceback" not in ended.stderr
