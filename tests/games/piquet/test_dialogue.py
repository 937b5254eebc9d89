"""Piquet: point, sequence and set, declared, answered, shown and scored."""

from collections.abc import Callable
from typing import Any

import pytest

from referee.cards import Card, Rank, Seat
from referee.games.actions import ChooseCombinations, Declare, LegalActions, PlayCard
from referee.games.combinations import Combination, PointCombination, SequenceCombination, SetCombination
from referee.games.errors import IllegalAction
from referee.games.piquet import GAME
from referee.games.piquet.events import CombinationsShown, Declared, Phase, PiquetAnswer, PiquetRound
from tests.games.piquet.conftest import PiquetTable

E, Y = Seat(0), Seat(1)
GOOD, NOT_GOOD, EQUAL = PiquetAnswer
POINT, SEQUENCE, SET = PiquetRound

# for the rounds of sequence and set: eight sequences and sets in one hand
RICH = "S:AKQ H:AKQ D:KQJ C:QJT"
POOR = "S:T987 H:T987 D:T9 C:98"


# 1.3 and 1.4: what is said, answered and scored


@pytest.mark.parametrize(
    ("elder", "younger", "declared", "said", "answer"),
    [
        # the point: length only, then value when younger's best is as long
        ("S:AKQJT H:AKQJ D:AKQ", "C:AKQJ D:JT98 H:T987", "S", (5, None, None), GOOD),
        ("S:AKQJT H:AKQJ D:AKQ", "C:AKQJ D:JT98 H:T987", "D", (3, None, None), NOT_GOOD),
        ("S:AKQJT H:AKQJ D:AKQ", "C:AKQJ D:JT98 H:T987", "H", (4, 41, None), EQUAL),
        ("S:AKQJT H:KQJT D:AKQ", "C:AKQJ D:JT98 H:987 S:9", "H", (4, 40, None), NOT_GOOD),
        ("S:AKQJT H:AKQJ D:AKQ", "C:KQJT D:JT98 H:T987", "H", (4, 41, None), GOOD),
        ("S:7 H:AKQJ D:AKQJ C:AKQ", "S:AKQJT98 H:T98 D:T9", "S", (1, None, None), NOT_GOOD),
        # younger is judged by its best of equal length
        ("S:AKJ98 H:KJ9 D:T8 C:97", "H:AQT87 C:AKQJT D:97", "S", (5, 48, None), NOT_GOOD),
        ("S:AKJ98 H:KJ9 D:T8 C:97", "H:AQT87 C:KQJT8 D:97", "S", (5, 48, None), EQUAL),
        # sequences
        (RICH, POOR, "S:AKQ", (3, None, None), NOT_GOOD),
        (RICH, "S:T98 H:T98 D:T97 C:987", "S:AKQ", (3, None, Rank.ACE), GOOD),
        (RICH, "S:T97 H:T97 D:T97 C:987", "D:KQJ", (3, None, Rank.KING), GOOD),
        (RICH, "S:T97 H:T97 D:T97 C:A97", "D:KQJ", (3, None, None), GOOD),
        ("S:AKQ H:AKQ D:KQJ C:AKQ", "C:JT9 S:JT98 H:JT9 D:98", "S:AKQ", (3, None, None), NOT_GOOD),
        ("S:JT9 H:AKQ D:KQJ C:AKQ", "C:JT9 S:Q87 H:JT9 D:T98", "S:JT9", (3, None, Rank.JACK), EQUAL),
        ("S:T98 H:AKQ D:KQJ C:AKQ", "C:JT9 S:QJ7 H:JT9 D:T98", "S:T98", (3, None, Rank.TEN), NOT_GOOD),
        ("S:KQJT H:A9 D:A97 C:A97", "H:KQJT D:KQJ C:KQJ S:98", "S:KQJT", (4, None, Rank.KING), EQUAL),
        # sets: number and rank are said together
        ("S:AKQ H:AKQ D:AKQ C:T97", "S:JT9 H:JT9 D:JT9 C:JQ8", "AAA", (3, None, Rank.ACE), NOT_GOOD),
        ("S:AKQ H:AKQ D:AKQ C:T97", "S:JT98 H:JT98 D:JT98", "QQQ", (3, None, Rank.QUEEN), GOOD),
        ("S:AKJ H:AKJ D:AKJ C:T97", "S:QT98 H:QT98 D:QT98", "JJJ", (3, None, Rank.JACK), NOT_GOOD),
        ("S:AK7 H:AK7 D:AK7 C:A87", "S:QT9 H:QT9 D:QT9 C:QT9", "AAAA", (4, None, Rank.ACE), GOOD),
        ("S:AJ7 H:AJ7 D:AJ7 C:AJ7", "S:QT9 H:QT9 D:QT9 C:QT9", "JJJJ", (4, None, Rank.JACK), NOT_GOOD),
        ("S:AJ7 H:AJ7 D:AJ7 C:9J7", "S:QT9 H:Q89 D:QT9 C:T8K", "AAA", (3, None, Rank.ACE), GOOD),
        ("S:AJ7 H:AJ7 D:AJ7 C:9J7", "S:KT9 H:Q89 D:QT9 C:8AK", "AAA", (3, None, Rank.ACE), GOOD),
    ],
)
def test_A10_what_elder_says_and_younger_answers(
    piquet: type[PiquetTable],
    named: Callable[[str], Combination],
    elder: str,
    younger: str,
    declared: str,
    said: tuple[int, int | None, Rank | None],
    answer: PiquetAnswer,
) -> None:
    match = piquet().hold(elder, younger)
    combination = named(declared)
    in_round = {PointCombination: POINT, SequenceCombination: SEQUENCE, SetCombination: SET}[
        type(combination)
    ]
    for _ in range(in_round - 1):
        match.say("-")
    event = match.act(0, Declare(combination))[0]
    assert event == Declared(in_round, combination, *said, answer)


@pytest.mark.parametrize(
    ("elder", "younger", "dialogue", "answers", "after", "in_the_end"),
    [
        pytest.param(
            "S:AKJ98 H:KJ9 D:T8 C:97",
            "H:AQT87 S:QT D:AKJ C:K8",
            "S|-|-",
            (GOOD, None, None),
            (5, 0),
            (6, 0),
            id="value_decides",
        ),
        pytest.param(
            "S:AKQ8 H:AT8 D:KJ9 C:QJ",
            "D:T87 C:T987 H:KQ9 S:J7",
            "S|S:AKQ|-",
            (GOOD, NOT_GOOD, None),
            (4, 0),
            (5, 4),
            id="longer_beats_higher",
        ),
        pytest.param(
            "S:QJT98 H:QJT D:Q7 C:Q7",
            "D:AKJT98 C:KJT H:A9 S:7",
            "S|S:QJT98|QQQQ",
            (NOT_GOOD, GOOD, GOOD),
            (29, 0),
            (30, 6),
            id="point_not_good",
        ),
        pytest.param(
            "S:AJ98 H:AKQJ8 C:J9 D:K",
            "S:QT H:T C:AKQT D:AQJT7",
            "H|H:AKQJ|JJJ",
            (GOOD, GOOD, NOT_GOOD),
            (9, 0),
            (10, 17),
            id="cavendish",
        ),
    ],
)
def test_4_the_worked_scenarios(
    piquet: type[PiquetTable],
    elder: str,
    younger: str,
    dialogue: str,
    answers: Any,
    after: tuple[int, int],
    in_the_end: tuple[int, int],
) -> None:
    match = piquet().hold(elder, younger)
    match.say(dialogue)
    assert tuple(declared.answer for declared in match.view(None).declarations) == answers
    assert match.score() == after
    match.act(0, match.legal().actions[0])
    assert match.score() == in_the_end
    assert match.view(None).bonuses == ()


def test_4_the_value_is_said_and_the_cards_are_shown(
    piquet: type[PiquetTable], held: Callable[[str], list[Card]], named: Callable[[str], Combination]
) -> None:
    match = piquet().hold("S:AKJ98 H:KJ9 D:T8 C:97", "H:AQT87 S:QT D:AKJ C:K8")
    assert match.say("S") == [
        Declared(POINT, named("S"), 5, 48, None, GOOD),
        CombinationsShown(E, POINT, (named("S"),), 5, tuple(sorted(held("S:AKJ98")))),
    ]


def test_4_a_sextet_with_its_tierce_scores_both(
    piquet: type[PiquetTable], held: Callable[[str], list[Card]]
) -> None:
    match = piquet().hold("S:QJT98 H:QJT D:Q7 C:Q7", "D:AKJT98 C:KJT H:A9 S:7")
    match.say("S|S:QJT98 + H:QJT|QQQQ")
    assert match.score() == (32, 0)
    match.act(0, match.legal().actions[0])
    assert (match.score(), match.view(None).bonuses) == ((33, 6), ())


# A8: sinking


@pytest.mark.parametrize(
    ("round_", "passes", "offered"),
    [
        (POINT, "", "C D H S"),
        (SEQUENCE, "-", "C:QJT D:KQJ H:AKQ S:AKQ"),
        (SET, "-|-", "QQQQ KKK"),
    ],
)
def test_A8_elder_may_declare_nothing_or_any_one_combination(
    piquet: type[PiquetTable],
    named: Callable[[str], Combination],
    round_: PiquetRound,
    passes: str,
    offered: str,
) -> None:
    match = piquet().hold(RICH, POOR)
    if passes:
        match.say(passes)
    assert match.state.phase == Phase.DECLARE
    assert match.legal() == LegalActions((Declare(None), *(Declare(named(word)) for word in offered.split())))


@pytest.mark.parametrize("passes", ["", "-", "-|-"])
def test_A26_elder_is_asked_in_each_round_whatever_it_holds(piquet: type[PiquetTable], passes: str) -> None:
    match = piquet().hold("S:AKJT H:AK8 D:987 C:98", "S:Q98 H:QJ7 D:QJT C:QJT")
    if passes:
        match.say(passes)
    assert (match.state.phase, match.turn) == (Phase.DECLARE, E)
    legal = match.legal().actions
    assert legal[0] == Declare(None)
    assert len(legal) == {"": 5, "-": 2, "-|-": 1}[passes]


@pytest.mark.parametrize(
    ("passes", "untrue"),
    [
        ("", "S:AKQJ"),
        ("", "KKK"),
        ("", "D"),
        ("-", "S"),
        ("-", "S:AK"),
        ("-", "S:KQJ"),  # part of a longer one
        ("-", "H:QJT"),
        ("-|-", "QQ"),
        ("-|-", "999"),
        ("-|-", "KKKK"),
        ("-|-", "JJJ"),  # of four
    ],
)
def test_1_4_an_untrue_declaration_is_illegal(
    piquet: type[PiquetTable], named: Callable[[str], Combination], passes: str, untrue: str
) -> None:
    elder = "S:AKQJ9 H:KQJ9 C:KJ9" if untrue == "D" else "S:AKQJ H:KQJ9 D:J C:KJ9"
    match = piquet().hold(elder, "D:AKT987 H:T")
    if passes:
        match.say(passes)
    before = match.view(0)
    with pytest.raises(IllegalAction):
        match.act(0, Declare(named(untrue)))
    assert match.view(0) == before


@pytest.mark.parametrize(
    ("dialogue", "said", "in_the_end"),
    [
        # by passing: younger scores what it has
        ("-|-|-", 0, (1, 4 + 12 + 3)),
        ("S|-|-", 5, (6, 12 + 3)),
        ("S|S:AKQJT|-", 20, (21, 3)),
        ("S|S:AKQJT + H:AKQ|AAAA + KKKK", 51, (51 + 1 + 60, 0)),
        # by declaring less: what is said is what is judged
        ("H|H:AKQ|KKKK", 14, (15, 4 + 12)),
        ("D|S:AKQJT|KKKK", 29, (30, 4)),
        ("D|H:AKQ|AAAA", 14, (15, 4 + 12)),
    ],
)
def test_A8_what_elder_sinks_does_not_score(
    piquet: type[PiquetTable], dialogue: str, said: int, in_the_end: tuple[int, int]
) -> None:
    match = piquet().hold("S:AKQJT H:AKQ D:AK C:AK", "H:T987 D:T987 C:T987")
    match.say(dialogue)
    assert match.score() == (said, 0)
    match.act(0, match.legal().actions[0])
    assert match.score() == in_the_end


# A11: what is shown


@pytest.mark.parametrize("dialogue", ["S", "H", "H|S:AKQ"])
def test_A11_what_is_equal_or_not_good_is_not_shown(piquet: type[PiquetTable], dialogue: str) -> None:
    match = piquet().hold("S:AKQ8 H:AT8 D:KJ9 C:QJ", "D:AQT87 C:T987 H:K9 S:7")
    match.say(dialogue)
    assert GOOD not in [declared.answer for declared in match.view(None).declarations]
    assert match.view(Y).shown == ()


# Default actions


def test_default_actions_of_the_dialogue(
    piquet: type[PiquetTable], named: Callable[[str], Combination]
) -> None:
    match = piquet().hold(RICH, "S:T97 H:T97 D:T97 C:A97")
    assert GAME.default(match.view(0), match.legal()) == Declare(None)
    match.say("-")
    match.act(0, Declare(named("S:AKQ")))
    assert GAME.default(match.view(0), match.legal()) == ChooseCombinations(())
    match.act(0, ChooseCombinations(()))
    match.say("-")
    assert (
        GAME.default(match.view(0), match.legal())
        == match.legal().actions[0]
        == PlayCard(match.view(0).hand[0])
    )
