"""Piquet: the combinations of a hand, their order and their points."""

from collections.abc import Callable

import pytest

from referee.cards import CARD_NAMES, Card, hand_of
from referee.games.combinations import Combination
from referee.games.piquet.events import PiquetRound
from referee.games.piquet.holdings import best, cards_in, combinations_of, is_blank, strength, value_of
from referee.games.piquet.scoring import combination_points


@pytest.mark.parametrize(
    ("hand", "blank"),
    [
        ("S:AT987 H:AT98 D:AT7", True),
        ("S:AT987 H:KT98 D:AT7", False),
        ("S:AT987 H:QT98 D:AT7", False),
        ("S:AT987 H:JT98 D:AT7", False),
        ("S:A H:A D:A C:A S:T H:T D:T C:T S:9 H:9 D:9 C:9", True),
    ],
)
def test_A2_a_blank_has_no_king_queen_or_jack_and_an_ace_is_no_court(
    held: Callable[[str], list[Card]], hand: str, blank: bool
) -> None:
    assert is_blank(hand_of(held(hand))) is blank


@pytest.mark.parametrize(
    ("rank", "value"), [("A", 11), ("K", 10), ("Q", 10), ("J", 10), ("T", 10), ("9", 9), ("8", 8), ("7", 7)]
)
def test_1_3_the_value_of_a_card_in_the_point(rank: str, value: int) -> None:
    for suit in "CDHS":
        assert value_of(Card(CARD_NAMES.index(rank + suit))) == value


@pytest.mark.parametrize(
    ("in_round", "hand", "combinations"),
    [
        (PiquetRound.POINT, "S:AKQJT987 H:AKQJ", "H S"),
        (PiquetRound.POINT, "S:AKQ H:AKQ D:AKQ C:AKQ", "C D H S"),
        (PiquetRound.POINT, "S:AKQJT987 H:AKQ D:7", "D H S"),
        (PiquetRound.SEQUENCE, "S:AKQJT987 H:AKQJ", "H:AKQJ S:AKQJT987"),
        (PiquetRound.SEQUENCE, "S:AK H:KQ D:98 C:87 S:JT H:9 C:T", ""),
        (PiquetRound.SEQUENCE, "S:AKQ S:T98 H:987 D:JT9", "D:JT9 H:987 S:T98 S:AKQ"),
        (PiquetRound.SEQUENCE, "S:A D:789T H:KQJT9 S:87", "D:T987 H:KQJT9"),
        (PiquetRound.SEQUENCE, "C:AKQJ D:789 H:AK S:789", "C:AKQJ D:987 S:987"),
        (PiquetRound.SET, "S:AKQ H:AKQ D:AKQ C:AKQ", "QQQQ KKKK AAAA"),
        (PiquetRound.SET, "S:T9 H:T9 D:T9 C:9A S:A H:A D:J C:J", "TTT AAA"),
        (PiquetRound.SET, "S:987 H:987 D:987 C:987", ""),
        (PiquetRound.SET, "S:AK H:AK D:QJ C:QJ S:T9 H:T9", ""),
        (PiquetRound.SET, "S:JT H:JT D:JT C:JT S:9 H:9 D:9 C:9", "TTTT JJJJ"),
    ],
)
def test_1_3_the_combinations_that_a_hand_holds(
    held: Callable[[str], list[Card]],
    named: Callable[[str], Combination],
    in_round: PiquetRound,
    hand: str,
    combinations: str,
) -> None:
    assert combinations_of(hand_of(held(hand)), in_round) == tuple(map(named, combinations.split()))


@pytest.mark.parametrize(
    ("in_round", "hand", "low_to_high"),
    [
        (PiquetRound.POINT, "S:987 H:AK D:AQ C:A S:T", "C H S"),  # more cards
        (PiquetRound.POINT, "S:A97 H:KQJ D:AK7 C:T87", "C S D H"),  # then value
        (PiquetRound.SEQUENCE, "S:AKQ H:T987", "S:AKQ H:T987"),
        (PiquetRound.SEQUENCE, "S:AKQ H:KQJ D:987", "D:987 H:KQJ S:AKQ"),
        (PiquetRound.SET, "S:AT H:AT D:AT C:T", "AAA TTTT"),
        (PiquetRound.SET, "S:AKQJ H:AKQJ D:AKQJ", "JJJ QQQ KKK AAA"),
        (PiquetRound.SET, "S:TJQ H:TJQ D:TJQ C:TJQ", "TTTT JJJJ QQQQ"),
    ],
)
def test_1_3_combinations_compare_by_cards_then_by_height(
    held: Callable[[str], list[Card]],
    named: Callable[[str], Combination],
    in_round: PiquetRound,
    hand: str,
    low_to_high: str,
) -> None:
    bits = hand_of(held(hand))
    order = [strength(bits, named(word)) for word in low_to_high.split()]
    assert order == sorted(set(order))
    assert best(bits, in_round) == named(low_to_high.split()[-1])


@pytest.mark.parametrize(
    ("in_round", "hand"),
    [(PiquetRound.SEQUENCE, "S:AKJT H:AKJT D:AKJT"), (PiquetRound.SET, "S:987 H:987 D:987 C:987")],
)
def test_1_3_a_hand_may_hold_none(
    held: Callable[[str], list[Card]], in_round: PiquetRound, hand: str
) -> None:
    assert best(hand_of(held(hand)), in_round) is None


@pytest.mark.parametrize(
    ("hand", "suit"),
    [
        ("S:AK7 H:AK7 D:AK7 C:AK7", "S"),
        ("S:A97 H:AK7 D:AK7 C:AK7", "H"),
        ("S:A97 H:A97 D:AK7 C:AK7", "D"),
        ("S:A97 H:A97 D:A97 C:AK7", "C"),
    ],
)
def test_A27_of_equal_points_the_first_of_spades_hearts_diamonds_clubs_is_best(
    held: Callable[[str], list[Card]], named: Callable[[str], Combination], hand: str, suit: str
) -> None:
    assert best(hand_of(held(hand)), PiquetRound.POINT) == named(suit)


@pytest.mark.parametrize(
    ("combination", "made_of"),
    [("S", "S:JQKA"), ("H", "H:7A"), ("S:KQJ", "S:JQK"), ("S:AKQJ", "S:JQKA"), ("AAA", "D:A H:A S:A")],
)
def test_A11_the_cards_of_a_combination(
    held: Callable[[str], list[Card]], named: Callable[[str], Combination], combination: str, made_of: str
) -> None:
    hand = hand_of(held("S:AKQJ H:A7 D:AT987 C:K"))
    assert cards_in(hand, named(combination)) == tuple(held(made_of))


@pytest.mark.parametrize(
    ("combination", "length", "points"),
    [
        *(("S", length, length) for length in range(1, 9)),
        ("S:AKQ", 3, 3),
        ("S:AKQJ", 4, 4),
        ("S:AKQJT", 5, 15),
        ("S:AKQJT9", 6, 16),
        ("S:AKQJT98", 7, 17),
        ("S:AKQJT987", 8, 18),
        ("TTT", 3, 3),
        ("AAAA", 4, 14),
    ],
)
def test_1_3_the_points_of_combinations(
    named: Callable[[str], Combination], combination: str, length: int, points: int
) -> None:
    assert combination_points(named(combination), length) == points
