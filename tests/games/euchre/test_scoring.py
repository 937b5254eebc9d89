"""Euchre: what a deal is worth, as data, over whole deals, and counted again by other means."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from referee.cards import CARD_NAMES
from referee.games.actions import AloneChoice, TrumpCall, UpcardCall
from referee.games.base import Result
from referee.games.euchre import GAME
from referee.games.euchre.events import AloneChosen, Dealt, Phase, TrumpCalled, UpcardCalled
from referee.games.euchre.scoring import deal_points
from referee.games.events import CardPlayed, DealScored, TrickTaken
from tests.games.conftest import GameTable

# The tricks of the makers; whether one of them, and of their opponents, played alone; the points of both.
TABLE = [
    (3, False, False, 1, 0),
    (4, False, False, 1, 0),
    (5, False, False, 2, 0),
    (3, True, False, 1, 0),
    (4, True, False, 1, 0),
    (5, True, False, 4, 0),
    (3, False, True, 1, 0),
    (4, False, True, 1, 0),
    (5, False, True, 2, 0),  # against a loner it is no more
    (2, False, False, 0, 2),
    (1, False, False, 0, 2),
    (0, False, False, 0, 2),  # A12
    (2, True, False, 0, 2),  # A11: a lone maker fails
    (1, True, False, 0, 2),
    (0, True, False, 0, 2),
    (2, False, True, 0, 2),  # A11: a lone defender takes three or four
    (1, False, True, 0, 2),
    (0, False, True, 0, 4),
    (3, True, True, 1, 0),  # A10: two loners
    (4, True, True, 1, 0),
    (5, True, True, 4, 0),
    (2, True, True, 0, 2),
    (1, True, True, 0, 2),
    (0, True, True, 0, 4),
]


@pytest.mark.parametrize(("made", "makers_alone", "others_alone", "makers", "others"), TABLE)
def test_1_6_A10_A11_and_A12_the_whole_table(
    made: int, makers_alone: bool, others_alone: bool, makers: int, others: int
) -> None:
    assert deal_points(0, (made, 5 - made), (makers_alone, others_alone)) == (makers, others)
    assert deal_points(1, (5 - made, made), (others_alone, makers_alone)) == (others, makers)


def test_1_6_the_table_is_whole() -> None:
    assert len({row[:3] for row in TABLE}) == 6 * 2 * 2


@pytest.mark.parametrize(
    ("won", "as_maker", "as_defender"),
    [(0, (0, 4), (0, 4)), (1, (0, 2), (0, 1)), (2, (0, 2), (0, 1)),
     (3, (1, 0), (2, 0)), (4, (1, 0), (2, 0)), (5, (4, 0), (4, 0))],
)  # fmt: skip
def test_A10_two_loners_over_whole_deals(
    won: int,
    as_maker: tuple[int, int],
    as_defender: tuple[int, int],
    table: type[GameTable],
    duel: Callable[..., list[Any]],
) -> None:
    for maker, points in ((0, as_maker), (1, as_defender)):
        match = table(GAME)
        assert duel(match, maker, won)[-1] == DealScored(1, points, points)
        assert match.view(None).taken == (won, 5 - won)


def test_A13_the_makers_partner_alone_takes_five(
    table: type[GameTable], duel: Callable[..., list[Any]]
) -> None:
    match = table(GAME)
    assert duel(match, 2, 5)[-1] == DealScored(1, (4, 0), (4, 0))
    match = table(GAME)
    assert duel(match, 3, 0)[-1] == DealScored(1, (0, 4), (0, 4))


def test_A13_the_makers_partner_alone_against_two(
    euchre: Callable[..., GameTable], say: Callable[..., list[Any]]
) -> None:
    match = euchre("9C TC 9D TD 9S", "QC KC QD KD TS", "JH JD AH KH QH", "JC AC AD QS KS", upcard="9H")
    say(match, "accept JC together together alone together")
    while match.state.to_act():
        match.act(match.turn, match.legal().actions[-1])
    assert match.events[-1] == DealScored(1, (4, 0), (4, 0))


@pytest.mark.parametrize(
    ("alone", "points"), [("together together together together", 2), ("alone together together", 4)]
)
def test_1_6_five_tricks_together_and_alone(
    alone: str, points: int, euchre: Callable[..., GameTable], say: Callable[..., list[Any]]
) -> None:
    match = euchre("JH JD AH KH QH", "QC KC QD KD TS", "9C TC 9D TD 9S", "JC AC AD QS KS", upcard="9H")
    say(match, f"accept 9H {alone}")
    while match.state.to_act():
        match.act(match.turn, match.legal().actions[0])
    assert match.events[-1] == DealScored(1, (points, 0), (points, 0))


# 1.7 The end


def test_1_7_the_first_side_with_ten_wins(table: type[GameTable], duel: Callable[..., list[Any]]) -> None:
    match = table(GAME)
    for won in (5, 0, 5, 3, 1):  # 4:0 4:4 8:4 9:4 9:6
        duel(match, 0, won)
        assert match.state.result() is None and match.state.needs_deck
    assert duel(match, 0, 3)[-1] == DealScored(6, (1, 0), (10, 6))
    assert match.state.result() == Result((10, 6), (1, 2))
    assert not GAME.low_wins
    assert not match.state.needs_deck
    assert match.state.to_act() == ()


def test_1_7_the_other_side_wins_with_twelve_not_clamped(
    table: type[GameTable], duel: Callable[..., list[Any]]
) -> None:
    match = table(GAME)
    for _ in range(3):
        assert match.state.result() is None
        duel(match, 1, 0)
    assert match.state.result() == Result((0, 12), (2, 1))


@pytest.mark.parametrize(("target", "deals"), [(1, 1), (4, 1), (5, 2), (8, 2), (9, 3), (12, 3), (13, 4)])
def test_option_target(
    target: int, deals: int, table: type[GameTable], duel: Callable[..., list[Any]]
) -> None:
    match = table(GAME, target=target)
    while match.state.result() is None:
        duel(match, 0, 5)
    assert match.state.deal_number == deals
    assert match.state.result() == Result((4 * deals, 0), (1, 2), capped=False)


def test_a_fixed_number_of_deals_is_played_out_and_may_be_drawn(
    table: type[GameTable], duel: Callable[..., list[Any]]
) -> None:
    match = table(GAME, deals=6, target=3, max_deals=1)
    for won in (5, 0, 5, 0, 5):
        duel(match, 0, won)
        assert match.state.result() is None
    duel(match, 0, 0)
    assert match.state.result() == Result((12, 12), (1, 1), capped=False)


@pytest.mark.parametrize(("wons", "result"), [
    ((5, 0), Result((4, 4), (1, 1), capped=True)),
    ((3, 1), Result((1, 2), (2, 1), capped=True)),
    ((5, 5), Result((8, 0), (1, 2), capped=True)),
])  # fmt: skip
def test_option_max_deals_decides_by_the_scores(
    wons: tuple[int, ...], result: Result, table: type[GameTable], duel: Callable[..., list[Any]]
) -> None:
    match = table(GAME, max_deals=2)
    for won in wons:
        assert match.state.result() is None
        duel(match, 0, won)
    assert match.state.result() == result


def test_a_game_won_in_the_last_deal_allowed_is_not_capped(
    table: type[GameTable], duel: Callable[..., list[Any]]
) -> None:
    match = table(GAME, max_deals=2, target=8)
    duel(match, 0, 5)
    duel(match, 0, 5)
    assert match.state.result() == Result((8, 0), (1, 2), capped=False)


def test_options_default_to_a_game_of_ten_points_and_sixty_deals() -> None:
    assert GAME.bind({}) == {
        "target": 10,
        "stick_the_dealer": True,
        "defenders_may_go_alone": True,
        "maker_partner_may_go_alone": True,
        "dealer_may_discard_upcard": True,
        "max_deals": 60,
    }


# An independent count, from the events and the names of the cards

COLOUR = {"C": "black", "S": "black", "D": "red", "H": "red"}


def strength(name: str, trump: str, led: str) -> int:
    """Return how strong a card is in a trick; 0 when it can win nothing."""
    rank, suit = name[0], name[1]
    if rank == "J" and COLOUR[suit] == COLOUR[trump]:
        return 200 if suit == trump else 199
    if suit == trump:
        return 100 + "9TJQKA".index(rank)
    return 1 + "9TJQKA".index(rank) if suit == led else 0


def suit_in_play(name: str, trump: str) -> str:
    """Return the suit that a card belongs to."""
    return trump if strength(name, trump, "") >= 100 else name[1]


def count(events: list[Any]) -> tuple[tuple[int, int], tuple[Any, ...]]:
    """Return the points of a deal, counted from its events, and what kind of deal it was."""
    maker, trump, upcard = None, "", ""
    loners: list[int] = []
    plays: list[tuple[int, str]] = []
    said: list[int] = []
    for event in events:
        match event:
            case Dealt():
                upcard = CARD_NAMES[event.upcard]
            case UpcardCalled(seat, UpcardCall.ACCEPT):
                maker, trump = seat, upcard[1]
            case TrumpCalled(seat, call) if call != TrumpCall.PASS:
                maker, trump = seat, call.name[0]
            case AloneChosen(seat, AloneChoice.ALONE):
                loners.append(seat)
            case CardPlayed(seat, c):
                plays.append((seat, CARD_NAMES[c]))
            case TrickTaken(seat):
                said.append(seat)
    if maker is None:
        return (0, 0), ("void",)
    size = 4 - len(loners)
    assert len(plays) == 5 * size
    winners = []
    for i in range(0, len(plays), size):
        trick = plays[i : i + size]
        led = suit_in_play(trick[0][1], trump)
        winners.append(max(trick, key=lambda play: strength(play[1], trump, led))[0])
    assert winners == said
    makers = sum(winner % 2 == maker % 2 for winner in winners)
    makers_alone = any(seat % 2 == maker % 2 for seat in loners)
    others_alone = any(seat % 2 != maker % 2 for seat in loners)
    row = next(row for row in TABLE if row[:3] == (makers, makers_alone, others_alone))
    return (row[3], row[4]) if maker % 2 == 0 else (row[4], row[3]), row[:3]


@pytest.mark.parametrize("stick_the_dealer", [True, False])
def test_an_independent_count_of_random_deals_agrees(stick_the_dealer: bool, table: type[GameTable]) -> None:
    kinds: Counter[tuple[Any, ...]] = Counter()
    match = table(GAME, deals=600, stick_the_dealer=stick_the_dealer)
    totals = [0, 0]
    for deal in range(1, 601):
        began = len(match.events)
        match.step("count", stick_the_dealer)
        while match.state.to_act():
            if deal % 20 == 0 and match.state.phase <= Phase.TRUMP:  # or hardly ever would all pass
                seat = match.turn
                match.act(seat, GAME.default(match.view(seat), match.legal()))
            else:
                match.step("count", stick_the_dealer)
        points, kind = count(match.events[began:])
        kinds[kind] += 1
        totals = [totals[0] + points[0], totals[1] + points[1]]
        assert match.events[-1] == DealScored(deal, points, tuple(totals))
    assert match.state.result().scores == tuple(totals)
    assert set(kinds) == {row[:3] for row in TABLE} | (set() if stick_the_dealer else {("void",)})
