"""Piquet: tricks, cards and capot, repique and pique, and the score of a deal."""

from typing import Any

import pytest

from referee.cards import Seat, cards
from referee.games.actions import PlayCard
from referee.games.errors import IllegalAction
from referee.games.events import CardPlayed, DealScored, TrickTaken
from referee.games.piquet.events import Bonus, BonusScored, CombinationsShown, Phase, PiquetAnswer
from referee.games.piquet.scoring import reaches, repique, trick_bonus, trick_points
from referee.games.tricks import Trick
from tests.games.piquet.conftest import PiquetTable

E, Y = Seat(0), Seat(1)
REPIQUE, PIQUE, CARDS, CAPOT = Bonus

CAVENDISH = ("S:AJ98 H:AKQJ8 C:J9 D:K", "S:QT H:T C:AKQT D:AQJT7")
LINES = "AH TH KH 7D QH TD JH JD 8H QD KD AD AC 9C KC JC QC 8S TC 9S QS AS JS TS"
FULL = "S:AKQJT H:AKQ D:AK C:AK"  # 51 in hand
LOW = "H:T987 D:T987 C:T987"  # a blank


def bonuses(match: Any) -> list[Bonus]:
    return [scored.bonus for scored in match.view(None).bonuses]


def play_high(match: Any) -> None:
    """Play the deal out: leads and follows high, hearts and spades first; throws away low."""
    while match.state.to_act():
        plays = [play.card for play in match.legal().actions]
        trick = match.view(None).trick
        throws = trick is not None and plays[0] // 13 != trick.cards[0] // 13
        match.act(match.turn, PlayCard(min(plays) if throws else max(plays)))


# 1.5 Play


@pytest.mark.parametrize(
    ("younger", "led", "legal"),
    [
        ("D:7 C:AQJT987 H:T987", "KD", "7D"),
        ("C:AQJT987 S:987 H:98", "KD", "7C 8C 9C TC JC QC AC 8H 9H 7S 8S 9S"),
        ("D:AQ7 C:AQJT98 S:987", "KD", "7D QD AD"),
        ("D:AQ7 C:AQJT98 S:987", "KC", "8C 9C TC JC QC AC"),
    ],
)
def test_1_5_follow_suit_if_able_else_play_any_card(
    piquet: type[PiquetTable], younger: str, led: str, legal: str
) -> None:
    match = piquet().hold("D:KJ C:K S:AKQJT H:AKQJ", younger)
    match.say("-|-|-")
    assert (match.state.phase, match.turn) == (Phase.PLAY, E)
    assert len(match.legal().actions) == 12
    match.play(led)
    assert (match.turn, match.legal_cards()) == (Y, legal)


def test_4_a_card_of_another_suit_is_illegal_to_a_hand_that_can_follow(piquet: type[PiquetTable]) -> None:
    match = piquet().hold("D:KJ C:K S:AKQJT H:AKQJ", "D:7 C:AQJT987 H:T987")
    match.say("-|-|-")
    match.play("KD")
    with pytest.raises(IllegalAction):
        match.play("AC")


def test_1_5_the_higher_card_of_the_suit_led_takes_the_trick_and_its_player_leads(
    piquet: type[PiquetTable],
) -> None:
    match = piquet().hold(*CAVENDISH)
    match.say("H|H:AKQJ|JJJ")
    match.play(LINES)
    winners = [trick.winner for trick in match.view(None).tricks]
    assert winners == [E] * 5 + [Y] * 5 + [E, E]
    assert [trick.leader for trick in match.view(None).tricks] == [E] * 6 + [Y] * 5 + [E]


def test_1_5_there_are_no_trumps(piquet: type[PiquetTable]) -> None:
    match = piquet().hold("D:7 S:AKQJT98 H:AKQJ", "C:AKQJT987 D:98 H:98")
    match.say("-|-|-")
    events = match.play("AS AC")
    assert TrickTaken(E) in events


# 1.6 Points in play


@pytest.mark.parametrize(("winner", "points"), [(E, 1), (Y, 2)])
def test_1_6_a_trick_is_1_to_who_led_it_and_2_to_the_other(winner: Seat, points: int) -> None:
    assert trick_points(Trick(E, cards("KD 7D"), winner)) == points


def test_1_6_elder_scores_1_for_leading_at_once(piquet: type[PiquetTable]) -> None:
    match = piquet().hold(FULL, LOW)
    match.say("-|-|AAAA")
    assert match.score() == (14, 0)
    match.play("KD")
    assert match.score()[0] == 15


def test_4_and_A14_cavendishs_deal_card_by_card(piquet: type[PiquetTable]) -> None:
    match = piquet().hold(*CAVENDISH)
    match.say("H|H:AKQJ|JJJ")
    scores = []
    for i, name in enumerate(LINES.split()):
        match.play(name)
        if i % 2 or i == 0:
            scores.append(match.score())
    in_play = [(10, 17), (11, 17), (12, 17), (13, 17), (14, 17), (15, 17)]
    in_play += [(15, 19), (15, 20), (15, 21), (15, 22), (15, 23), (17, 23)]
    assert scores[:-1] == in_play
    assert scores[-1] == (28, 23)
    assert match.events[-2:] == [BonusScored(E, CARDS, 10), DealScored(1, (28, 23), (28, 23))]


def test_A15_the_last_trick_has_no_point_of_its_own(piquet: type[PiquetTable]) -> None:
    match = piquet().hold(*CAVENDISH)
    match.say("H|H:AKQJ|JJJ")
    match.play(LINES[:-6])
    before = match.score()
    match.play("JS TS")
    assert match.score() == (before[0] + 1 + 10, before[1])


@pytest.mark.parametrize(
    ("taken", "bonus"),
    [*((taken, None) for taken in range(7)), *((taken, CARDS) for taken in range(7, 12)), (12, CAPOT)],
)
def test_1_6_cards_and_capot(taken: int, bonus: Bonus | None) -> None:
    assert trick_bonus(taken) is bonus


@pytest.mark.parametrize(
    ("elder", "younger", "won", "last"),
    [
        (FULL, LOW, 12, [BonusScored(E, CAPOT, 40)]),
        ("S:AKQJT9 H:A D:A C:AKQJ", "S:87 H:K987 D:K987 C:98", 12, [BonusScored(E, CAPOT, 40)]),
        ("S:AKQJT9 H:QJT987", "H:AK S:87 D:AKQJT987", 6, []),
        ("S:AKQJT98 H:QJT98", "H:AK S:7 D:AKQJT987 C:A", 7, [BonusScored(E, CARDS, 10)]),
        ("S:AKQJT H:QJT987", "H:AK S:87 D:AKQJT987", 5, [BonusScored(Y, CARDS, 10)]),
        ("S:QJT987 H:QJT987", "S:AK H:AK D:AKQJ C:AKQJ", 0, [BonusScored(Y, CAPOT, 40)]),
    ],
)
def test_4_who_takes_the_tricks_scores_cards_or_capot(
    piquet: type[PiquetTable], elder: str, younger: str, won: int, last: list[Any]
) -> None:
    match = piquet().hold(elder, younger)
    match.say("-|-|-")
    play_high(match)
    assert sum(trick.winner == E for trick in match.view(None).tricks) == won
    assert [scored for scored in match.view(None).bonuses if scored.bonus in (CARDS, CAPOT)] == last
    assert isinstance(match.events[-1], DealScored)


def test_the_points_of_a_deal_are_told_when_it_ends(piquet: type[PiquetTable]) -> None:
    match = piquet().hold(*CAVENDISH)
    match.say("H|H:AKQJ|JJJ")
    assert match.play(LINES)[-1] == DealScored(1, (28, 23), (28, 23))
    assert match.view(0).totals == (28, 23)
    match.hold("S:AKQ", "S:987")
    assert (match.view(0).points, match.view(0).totals) == ((0, 0), (28, 23))
    match.default_out()
    scored = match.events[-1]
    assert scored.deal == 2
    assert scored.totals == (28 + scored.points[0], 23 + scored.points[1])


# 1.7 Repique and pique


@pytest.mark.parametrize(
    ("categories", "seat"),
    [
        (((0, 0), (7, 0), (15, 0), (8, 0)), E),  # 30 in the last category
        (((0, 0), (7, 0), (15, 0), (7, 0)), None),  # 29
        (((0, 0), (7, 0), (22, 0), (3, 0)), E),  # the arithmetic of the source: 32
        (((0, 10), (7, 0), (22, 0), (3, 0)), None),  # a blank of the other blocks it
        (((10, 0), (5, 0), (15, 0), (0, 0)), E),  # one's own counts
        (((0, 0), (0, 5), (16, 0), (14, 0)), None),
        (((0, 0), (6, 0), (0, 3), (28, 0)), None),
        (((0, 0), (8, 0), (22, 0), (0, 3)), E),  # reached before the other scores
        (((0, 0), (8, 0), (18, 0), (0, 14)), None),
        (((0, 0), (0, 8), (0, 22), (0, 0)), Y),
        (((0, 0), (0, 8), (0, 22), (14, 0)), Y),
        (((0, 0), (5, 0), (0, 18), (0, 28)), None),
        (((0, 10), (0, 8), (0, 12), (0, 0)), Y),
        (((0, 0), (0, 0), (0, 0), (31, 0)), E),
        (((0, 0), (0, 0), (0, 0), (0, 0)), None),
    ],
)
def test_1_7_and_A18_repique_is_thirty_in_order_before_the_other_has_any(
    categories: Any, seat: Seat | None
) -> None:
    assert repique(categories) == seat


@pytest.mark.parametrize(
    ("account", "reached"), [((30, 0), True), ((29, 0), False), ((30, 1), False), ((90, 0), True)]
)
def test_A18_thirty_against_nothing_suffices(account: tuple[int, int], reached: bool) -> None:
    assert reaches(account, E) is reached
    assert reaches(account[::-1], Y) is reached


@pytest.mark.parametrize(
    ("elder", "younger", "dialogue", "score", "scored"),
    [
        # repique at the point, sequences or sets
        ("S:AKQJT987 H:AKQJ", "H:T98 D:KQ98 C:KQJ98", "S|S:AKQJT987 + H:AKQJ|-", (30 + 61, 0), [REPIQUE]),
        ("S:AKQJT987 H:AKQJ", "H:T98 D:KQ98 C:KQJ98", "S|S:AKQJT987|-", (26 + 1, 0), []),
        (FULL, LOW, "S|S:AKQJT|AAAA", (34 + 61, 0), [REPIQUE]),
        (FULL, LOW, "S|S:AKQJT|-", (20 + 1, 3), []),
        # what younger scores later does not block it, what it scores before does
        ("S:AKQJT987 H:AKQJ", "H:T9 D:TQ987 C:TQ987", "S|S:AKQJT987 + H:AKQJ|-", (91, 3), [REPIQUE]),
        ("S:QJT98 H:QJT D:Q7 C:Q7", "D:AKJT98 C:KJT H:A9 S:7", "S|S:QJT98 + H:QJT|QQQQ", (33, 6), []),
        # younger's repique, which elder's point for leading does not prevent
        (
            "H:QJ987 D:QJ98 C:QJ7",
            "S:AKQJT987 H:AK D:A C:A",
            "-|-|-",
            (1, 8 + 18 + 14 + 60),
            [REPIQUE],
        ),
        # and elder's combinations do
        ("H:AKQT987 D:987 C:98", "S:KQJT98 H:J D:AJ C:AQJ", "H|-|-", (7 + 1, 16 + 14), []),
        # pique at the lead: 29 and 1
        ("S:AKQJT987 H:A D:A C:78", "H:KQJ9 D:KQJ9 C:KQJ9", "S|S:AKQJT987|AAA", (29 + 1 + 30, 0), [PIQUE]),
    ],
)
def test_1_7_bonuses_at_elders_lead(
    piquet: type[PiquetTable],
    elder: str,
    younger: str,
    dialogue: str,
    score: tuple[int, int],
    scored: list[Bonus],
) -> None:
    match = piquet().hold(elder, younger)
    match.say(dialogue)
    assert bonuses(match) == []
    match.act(0, match.legal().actions[0])
    assert (match.score(), bonuses(match)) == (score, scored)


def test_1_7_pique_in_play_comes_with_the_trick_that_makes_thirty(piquet: type[PiquetTable]) -> None:
    match = piquet().hold("S:AKQJT987 H:AK D:A C:A", "H:QJT987 D:KQJ C:KQJ")
    match.say("S|-|-")
    match.play("AC")
    assert (match.score(), bonuses(match)) == ((9, 16 + 6 + 6), [])  # combinations of younger block it

    match = piquet().hold("S:AKQJT987 H:AK D:A C:A", "H:QJT98 D:KQ98 C:KJ9")
    match.say("S|S:AKQJT987|-")  # 26, sinking four aces; younger has nothing in the sets
    match.play("AC 9C AD 9D")
    assert (match.score(), bonuses(match)) == ((29, 0), [])
    assert match.play("AH 8H")[-2:] == [TrickTaken(E), BonusScored(E, PIQUE, 30)]
    assert match.score() == (60, 0)
    match.play_out("to the end")
    assert bonuses(match).count(PIQUE) == 1


def test_1_7_a_trick_of_younger_blocks_pique(piquet: type[PiquetTable]) -> None:
    match = piquet().hold("S:AKQJT987 H:K D:A C:A9", "H:AQT98 D:KQJ9 C:KJ8")
    match.say("S|S:AKQJT987|-")
    match.play("KH AH")
    assert match.score() == (27, 2)
    match.play("KD AD")
    match.play("AC 8C AS 8H KS 9H QS TH")
    assert match.score()[0] > 29
    assert bonuses(match) == []


def test_A16_elders_point_for_leading_counts_towards_pique_and_not_against_repique(
    piquet: type[PiquetTable],
) -> None:
    match = piquet().hold("H:QJ987 D:QJ98 C:QJ7", "S:AKQJT987 H:AK D:A C:A")
    match.say("-|-|-")
    match.act(0, match.legal().actions[0])
    assert bonuses(match) == [REPIQUE]


def test_A17_equal_combinations_do_not_save_from_repique(piquet: type[PiquetTable]) -> None:
    match = piquet().hold("S:KQJT9 H:KQJ D:KJ9 C:J", "C:AKQT8 H:A98 D:A87 S:8")
    match.say("S|S:KQJT9 + H:KQJ|JJJJ")
    assert match.view(None).declarations[0].answer == PiquetAnswer.EQUAL
    match.act(0, match.legal().actions[0])
    assert (match.score(), bonuses(match)) == ((18 + 14 + 61, 0), [REPIQUE])


@pytest.mark.parametrize("blank", ["claim", "decline"])
def test_4_a_blank_blocks_repique_and_pique(piquet: type[PiquetTable], blank: str) -> None:
    match = piquet().hold(FULL, LOW, blank=blank)
    match.say("S|S:AKQJT + H:AKQ|AAAA + KKKK")
    for name in ["AS", "KS", "QS", "JS", "TS", "AH", "KH", "QH", "AD", "KD", "AC", "KC"]:
        match.play(name)
        match.act(match.turn, match.legal().actions[0])
    last = match.events[-1]
    if blank == "claim":
        assert (last.points, bonuses(match)) == ((104, 10), [CAPOT])
    else:
        assert (last.points, bonuses(match)) == ((104 + 60, 0), [REPIQUE, CAPOT])


def test_A17_elders_blank_counts_towards_repique(piquet: type[PiquetTable]) -> None:
    match = piquet().dealt("S:AT987 H:AT98 D:A98", "H:KQJ7 D:KQJ C:KQJ98", "S:KQJ C:A7")
    match.blanks(elder="claim")
    match.exchange("H:T98 D:98")
    match.exchange("")
    match.leftovers()
    match.say("S|S:AKQJT987|-")
    assert match.score() == (36, 0)
    match.act(0, match.legal().actions[0])
    assert (match.score(), bonuses(match)) == ((97, 9), [REPIQUE])  # younger has three trios


def test_A18_after_a_repique_there_is_no_pique(piquet: type[PiquetTable]) -> None:
    match = piquet().hold(FULL, LOW)
    match.say("S|S:AKQJT + H:AKQ|AAAA + KKKK")
    match.play_out("no pique")
    assert PIQUE not in bonuses(match)


def test_A17_cards_and_capot_do_not_count(piquet: type[PiquetTable]) -> None:
    match = piquet().hold("S:AKQJ H:AKQ D:AKQ C:AK", "S:T97 H:J87 D:J87 C:Q87")
    match.say("S|S:AKQJ|-")
    play_high(match)
    assert match.events[-1].points == (4 + 4 + 1 + 12 + 40, 0)
    assert bonuses(match) == [CAPOT]


def test_A24_and_A28_younger_shows_in_the_order_of_the_rounds_then_bonuses_follow(
    piquet: type[PiquetTable],
) -> None:
    match = piquet().hold("H:QJ987 D:QJ98 C:QJ7", "S:AKQJT987 H:AK D:A C:A")
    match.say("-|-|-")
    events = match.play("7H")
    assert [type(event) for event in events] == [CardPlayed, *[CombinationsShown] * 3, BonusScored]
    assert [event.round for event in events[1:4]] == [1, 2, 3]


def test_A25_there_is_no_carte_rouge_and_no_point_of_nought(piquet: type[PiquetTable]) -> None:
    # every card of elder counts in a combination
    match = piquet().hold("S:AKQJ H:AKQJ D:AKQJ", "S:T987 H:T987 C:T987")
    match.say("S|S:AKQJ + H:AKQJ + D:AKQJ|AAA + KKK + QQQ + JJJ")
    assert match.score() == (4 + 12 + 12, 0)
