"""Piquet: the further combinations that are shown after a sequence or a set is good, and equal ones."""

from collections.abc import Callable

import pytest

from referee.cards import Card, Seat
from referee.games.actions import ChooseCombinations, ChooseFurther, Declare, PlayCard
from referee.games.combinations import Combination
from referee.games.errors import IllegalAction, MalformedAction
from referee.games.events import CardPlayed
from referee.games.piquet import GAME
from referee.games.piquet.events import CombinationsShown, Phase, PiquetAnswer, PiquetRound
from tests.games.piquet.conftest import PiquetTable

E, Y = Seat(0), Seat(1)
GOOD, NOT_GOOD, EQUAL = PiquetAnswer
POINT, SEQUENCE, SET = PiquetRound

# for the rounds of sequence and set: eight sequences and sets in one hand
RICH = "S:AKQ H:AKQ D:KQJ C:QJT"


# 1.3 and 1.4: what is said, answered and scored


# Further combinations


@pytest.mark.parametrize(
    ("dialogue", "declared", "others"),
    [
        ("-", "S:AKQ", "C:QJT D:KQJ H:AKQ"),  # the equal one of hearts may be added
        ("-", "H:AKQ", "C:QJT D:KQJ S:AKQ"),
        ("-", "D:KQJ", "C:QJT"),
        ("-", "C:QJT", ""),
        ("-|-", "QQQQ", "KKK"),
        ("-|-", "KKK", ""),
    ],
)
def test_A8_further_ones_do_not_outrank_the_one_declared(
    piquet: type[PiquetTable], named: Callable[[str], Combination], dialogue: str, declared: str, others: str
) -> None:
    match = piquet().hold(RICH, "S:T97 H:T97 D:T97 C:A97")
    match.say(dialogue)
    match.act(0, Declare(named(declared)))
    offered = tuple(map(named, others.split()))
    assert (match.state.phase, match.turn) == (Phase.FURTHER, E)
    assert match.legal() == ChooseFurther(offered, 0, len(offered))


@pytest.mark.parametrize(
    ("chosen", "points"),
    [("", 0), ("D:KQJ", 3), ("H:AKQ C:QJT", 6), ("D:KQJ C:QJT H:AKQ", 9)],
)
def test_1_4_further_ones_are_shown_and_scored(
    piquet: type[PiquetTable],
    named: Callable[[str], Combination],
    held: Callable[[str], list[Card]],
    chosen: str,
    points: int,
) -> None:
    match = piquet().hold(RICH, "S:T97 H:T97 D:T97 C:A97")
    match.say("-")
    match.act(0, Declare(named("S:AKQ")))
    assert match.score() == (3, 0)
    events = match.act(0, ChooseCombinations(tuple(map(named, chosen.split()))))
    made_of = tuple(sorted(held(chosen)))
    in_order = tuple(sorted(map(named, chosen.split())))
    assert events == ([CombinationsShown(E, SEQUENCE, in_order, points, made_of)] if chosen else [])
    assert match.score() == (3 + points, 0)
    assert (match.state.phase, len(match.view(0).declarations)) == (Phase.DECLARE, 2)


@pytest.mark.parametrize(
    ("chosen", "error"),
    [
        ("S:AKQ", IllegalAction),
        ("KKK", IllegalAction),
        ("D:KQJ D:KQJ", MalformedAction),
        ("C:QJT S:KQJ", IllegalAction),
    ],
)
def test_1_4_only_further_ones_that_are_held_may_be_chosen(
    piquet: type[PiquetTable], named: Callable[[str], Combination], chosen: str, error: type[Exception]
) -> None:
    match = piquet().hold(RICH, "S:T97 H:T97 D:T97 C:A97")
    match.say("-")
    match.act(0, Declare(named("S:AKQ")))
    with pytest.raises(error):
        match.act(0, ChooseCombinations(tuple(map(named, chosen.split()))))


@pytest.mark.parametrize(
    ("passes", "declared", "phase"),
    [
        ("", "S", Phase.DECLARE),
        ("-", "S:AKQ", Phase.FURTHER),
        ("-|-", "KKK", Phase.FURTHER),
    ],
)
def test_A26_further_ones_are_asked_for_after_good_in_sequence_and_set_even_with_none(
    piquet: type[PiquetTable], named: Callable[[str], Combination], passes: str, declared: str, phase: Phase
) -> None:
    match = piquet().hold("S:AKQ98 H:KJ9 D:KJ C:98", "S:JT H:QT87 D:A98 C:QT7")
    if passes:
        match.say(passes)
    match.act(0, Declare(named(declared)))
    assert match.view(0).declarations[-1].answer == GOOD
    assert match.state.phase == phase
    if phase == Phase.FURTHER:
        assert match.legal() == ChooseFurther((), 0, 0)
        assert match.act(0, ChooseCombinations(())) == []


@pytest.mark.parametrize("dialogue", ["-", "-|-", "-|C:T98", "-|-|-"])
def test_1_4_no_further_ones_are_asked_for_unless_good(piquet: type[PiquetTable], dialogue: str) -> None:
    match = piquet().hold("S:AKQT H:T98 D:T9 C:T98", "H:KQJ7 D:KQJ7 C:KQJA")
    match.say(dialogue)
    assert match.state.phase in (Phase.DECLARE, Phase.PLAY)


# Event 13


def test_1_2_younger_identifies_its_combinations_after_elders_lead_and_before_its_card(
    piquet: type[PiquetTable], held: Callable[[str], list[Card]], named: Callable[[str], Combination]
) -> None:
    match = piquet().hold("S:AJ98 H:AKQJ8 C:J9 D:K", "S:QT H:T C:AKQT D:AQJT7")
    match.say("-|-|JJJ")
    assert not any(shown.seat == Y for shown in match.view(None).shown)
    lead = match.legal().actions[0]
    assert isinstance(lead, PlayCard)
    assert match.act(0, lead) == [
        CardPlayed(E, lead.card),
        CombinationsShown(Y, POINT, (named("D"),), 5, tuple(sorted(held("D:AQJT7")))),
        CombinationsShown(
            Y, SEQUENCE, (named("C:AKQ"), named("D:QJT")), 6, tuple(sorted(held("C:AKQ D:QJT")))
        ),
        CombinationsShown(
            Y, SET, (named("TTTT"), named("QQQ")), 17, tuple(sorted(held("S:QT D:QT C:QT H:T")))
        ),
    ]
    assert match.turn == Y
    assert match.score() == (1, 28)


def test_A9_younger_answers_truly_and_shows_all_without_being_asked(piquet: type[PiquetTable]) -> None:
    match = piquet().hold("S:AJ98 H:AKQJ8 C:J9 D:K", "S:QT H:T C:AKQT D:AQJT7")
    asked = []
    while match.state.phase in (Phase.DECLARE, Phase.FURTHER):
        asked.append(match.turn)
        match.act(0, GAME.default(match.view(0), match.legal()))
    assert asked == [E] * 3
    match.act(0, match.legal().actions[0])
    assert match.score()[1] == 5 + 6 + 17


def test_A9_younger_shows_once_only(piquet: type[PiquetTable]) -> None:
    match = piquet().hold("S:AJ98 H:AKQJ8 C:J9 D:K", "S:QT H:T C:AKQT D:AQJT7")
    match.say("-|-|-")
    match.play_out("once")
    assert [shown.round for shown in match.view(None).shown] == [POINT, SEQUENCE, SET]


@pytest.mark.parametrize(
    ("younger", "suit", "points"),
    [
        ("S:Q98 H:Q98 D:QJT C:QJT", "D", 3),  # 30 in diamonds and in clubs: diamonds first
        ("S:QT8 H:QT8 D:Q98 C:Q98", "S", 3),
        ("S:QT8 H:QJ8 D:Q98 C:Q98", "S", 3),
        ("S:Q98 H:QT8 D:QT8 C:Q98", "H", 3),
        ("S:987 H:QT8 D:JT C:QJT9", "C", 4),
    ],
)
def test_A27_younger_shows_one_point(
    piquet: type[PiquetTable], named: Callable[[str], Combination], younger: str, suit: str, points: int
) -> None:
    match = piquet().hold(younger=younger)
    match.say("-|-|-")
    match.act(0, match.legal().actions[0])
    (shown,) = (shown for shown in match.view(None).shown if shown.round == POINT)
    assert (shown.seat, shown.combinations, shown.points) == (Y, (named(suit),), points)


# Equal ones


@pytest.mark.parametrize(
    ("younger", "answer"),
    [
        ("H:AQT87 D:AKQJT C:K8", NOT_GOOD),
        ("H:AQT87 D:KJT8 C:K8 S:J", EQUAL),
        ("H:QT987 D:KJT8 C:K8 S:J", GOOD),
    ],
)
def test_A12_elder_is_judged_by_what_it_declares_younger_by_its_best(
    piquet: type[PiquetTable], younger: str, answer: PiquetAnswer
) -> None:
    match = piquet().hold("S:AKQ87 H:KJ D:97 C:J97", younger)
    match.say("S")
    assert match.view(None).declarations[0].answer == answer


def test_1_4_an_equal_point_scores_for_nobody_and_is_not_shown(piquet: type[PiquetTable]) -> None:
    match = piquet().hold("S:AKQ87 H:KJ D:97 C:J97", "H:AQT87 D:KJT8 C:K8 S:J")
    match.say("S|-|-")
    match.act(0, match.legal().actions[0])
    assert not any(shown.round == POINT for shown in match.view(None).shown)
    assert match.score() == (1, 0)


def test_A13_equal_sequences_nullify_all_sequences_of_both(piquet: type[PiquetTable]) -> None:
    match = piquet().hold("S:AKQJ H:KQJ D:97 C:987", "C:AKQJ D:QJT H:T98 S:98")
    match.say("-|S:AKQJ|-")
    assert match.view(None).declarations[1].answer == EQUAL
    match.act(0, match.legal().actions[0])
    assert not any(shown.round == SEQUENCE for shown in match.view(None).shown)


def test_A13_the_declared_sequence_is_judged_against_youngers_best(piquet: type[PiquetTable]) -> None:
    match = piquet().hold("S:AKQJ H:KQJ D:97 C:987", "C:KQJ D:QJT H:T98 S:T98")
    match.say("-|H:KQJ|-")  # elder sank its quart: equal
    match.act(0, match.legal().actions[0])
    assert not any(shown.round == SEQUENCE for shown in match.view(None).shown)


def test_A12_a_point_of_three_cards_scores(piquet: type[PiquetTable]) -> None:
    match = piquet().hold("S:AK7 H:AK7 D:AK7 C:AK7", "S:J98 H:J98 D:J98 C:J98")
    match.say("D|-|-")
    assert match.score() == (3, 0)
