"""Piquet's dialogue computed a second time, from the true hands, for many deals."""

from collections.abc import Mapping
from typing import Any

from referee.cards import CARD_NAMES
from referee.games.combinations import Combination, PointCombination, SequenceCombination, SetCombination
from referee.games.registry import GAMES
from tests.properties.conftest import Inputs, KeyedMatch

RANKS = "789TJQKA"
Strength = tuple[int, int]


def points(hand: set[str]) -> dict[str, Strength]:
    value = {**dict.fromkeys("TJQK", 10), "7": 7, "8": 8, "9": 9, "A": 11}
    suits = {suit: [c[0] for c in hand if c[1] == suit] for suit in "CDHS"}
    return {suit: (len(held), sum(value[r] for r in held)) for suit, held in suits.items() if held}


def sequences(hand: set[str]) -> dict[str, Strength]:
    rows = {suit: "".join(r if r + suit in hand else " " for r in RANKS).split() for suit in "CDHS"}
    runs = [(suit, run) for suit, row in rows.items() for run in row if len(run) >= 3]
    return {suit + run: (len(run), RANKS.index(run[-1])) for suit, run in runs}


def sets(hand: set[str]) -> dict[str, Strength]:
    counts = {r: sum(c[0] == r for c in hand) for r in "TJQKA"}
    return {r: (n, RANKS.index(r)) for r, n in counts.items() if n >= 3}


HELD = (points, sequences, sets)


def name_of(combination: Combination) -> str:
    """Return a combination as the functions above name it."""
    match combination:
        case PointCombination(suit):
            return "CDHS"[suit]
        case SequenceCombination(suit, top, length):
            highest = RANKS.index(CARD_NAMES[top][0])
            return "CDHS"[suit] + RANKS[highest + 1 - length : highest + 1]
        case SetCombination(rank, _):
            return CARD_NAMES[rank][0]


def hands_of(deal: Any) -> tuple[int, list[set[str]]]:
    """Return the seat of elder, and what both hold after the exchange."""
    (dealt,) = deal.named("Dealt")
    hands = [set(hand) for hand in dealt.hands]
    for exchanged in deal.named("Exchanged"):
        hands[exchanged.seat] -= set(exchanged.discarded)
        hands[exchanged.seat] |= set(exchanged.drawn)
    assert [len(hand) for hand in hands] == [12, 12]
    return dealt.elder, [{CARD_NAMES[c] for c in hand} for hand in hands]


def said(mine: Strength, theirs: Mapping[str, Strength], *, a_set: bool) -> tuple[str, bool]:
    """Return younger's answer to a declaration, and whether its height was said."""
    best = max(theirs.values(), default=(0, 0))
    answer = "EQUAL" if best == mine else "GOOD" if mine > best else "NOT_GOOD"
    return answer, a_set or best[0] == mine[0]


def check(deal: Any) -> set[str]:
    """Check the dialogue of a deal; return the answers that were given in it."""
    elder, hands = hands_of(deal)
    answers = set()
    assert [declared.round for declared in deal.named("Declared")] == [1, 2, 3]
    for declared, held in zip(deal.named("Declared"), HELD, strict=True):
        mine, theirs = held(hands[elder]), held(hands[1 - elder])
        shown: dict[int, set[str]] = {
            e.seat: set() for e in deal.named("CombinationsShown") if e.round == declared.round
        }
        for event in deal.named("CombinationsShown"):
            if event.round == declared.round:
                shown[event.seat] |= {name_of(one) for one in event.combinations}
        if declared.combination is None:
            assert (declared.length, declared.value, declared.rank, declared.answer) == (0, None, None, None)
            answer = "NOT_GOOD"  # what follows is the same
        else:
            name = name_of(declared.combination)
            answer, height = said(mine[name], theirs, a_set=held is sets)
            assert (declared.length, declared.answer.name) == (mine[name][0], answer)
            assert declared.value == (mine[name][1] if height and held is points else None)
            assert (declared.rank is not None) == (height and held is not points)
            answers.add(f"{answer} {declared.round.name}")
        match answer:
            case "EQUAL":
                assert shown == {}
            case "GOOD":
                assert set(shown) == {elder} and name in shown[elder] <= set(mine)
                assert max(mine[one] for one in shown[elder]) == mine[name]
            case _ if held is points:
                best = max(theirs.values())
                wanted = next(suit for suit in "SHDC" if theirs.get(suit) == best)
                assert shown == {1 - elder: {wanted}}
            case _:
                assert shown == ({1 - elder: set(theirs)} if theirs else {})
    return answers


def test_answers_and_showing_are_true_and_complete(played: type[KeyedMatch], inputs: type[Inputs]) -> None:
    answers: set[str] = set()
    for key in range(inputs.scaled(80)):
        for deal in played(GAMES["piquet"], "dialogue", key).deals():
            answers |= check(deal)
    wanted = {"GOOD", "NOT_GOOD", "EQUAL"}
    assert answers >= {f"{answer} POINT" for answer in wanted} | {f"{answer} SEQUENCE" for answer in wanted}
    assert answers >= {"GOOD SET", "NOT_GOOD SET"}
