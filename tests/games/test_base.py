"""Options, decks, actions, results, tricks, bags and the registry."""

from typing import Any

import pytest

from referee.cards import ALL_CARDS, EMPTY, SUIT_MASKS, Rank, Seat, Suit, cards, hand_of
from referee.games.actions import (
    Bid,
    Choose,
    ChooseCards,
    ChooseCombinations,
    ChooseFurther,
    Draft,
    DraftChoice,
    Legal,
    LegalActions,
    PlayCard,
)
from referee.games.bags import settle
from referee.games.base import Result, check_action, check_deck, check_legal, finish, ranks_of
from referee.games.combinations import SetCombination
from referee.games.errors import (
    BadAction,
    BadDeck,
    BadOption,
    GameError,
    IllegalAction,
    MalformedAction,
    NotYourDecision,
    UnknownGame,
)
from referee.games.options import Option, bind, complete, flag, listed, number, problems, word
from referee.games.registry import GAMES, game
from referee.games.tricks import NO_TRUMP, SPADES_ARE_TRUMP, Ranking, Trick, TrickPlay
from tests.games.conftest import GameTable, HeartsTable

SCHEMA = (
    Option(name="target", default=100, minimum=10, maximum=1000, help="A number."),
    Option(name="jack", default=False, help="A flag."),
    Option(name="moon", default="choose", choices=("choose", "add"), help="A word."),
)


# Options


def test_options_not_given_have_their_defaults() -> None:
    assert dict(bind(SCHEMA, {})) == {"target": 100, "jack": False, "moon": "choose"}


@pytest.mark.parametrize(
    ("name", "value"), [("target", 10), ("target", 1000), ("jack", True), ("moon", "add")], ids=str
)
def test_a_given_option_replaces_the_default(name: str, value: object) -> None:
    bound = bind(SCHEMA, {name: value})
    assert bound[name] == value
    assert set(bound) == {"target", "jack", "moon"}


@pytest.mark.parametrize(
    ("name", "value", "remedy"),
    [
        ("target", 9, "10 to 1000"),
        ("target", 1001, "10 to 1000"),
        ("target", True, "10 to 1000"),
        ("target", 50.0, "10 to 1000"),
        ("target", "50", "10 to 1000"),
        ("target", None, "10 to 1000"),
        ("jack", 1, "true or false"),
        ("jack", "true", "true or false"),
        ("moon", "subtract", "choose or add"),
        ("moon", True, "choose or add"),
        ("moon", ["add"], "choose or add"),
        ("aim", 100, "jack, moon, target"),
    ],
)
def test_a_bad_option_is_refused_with_the_remedy(name: str, value: object, remedy: str) -> None:
    with pytest.raises(BadOption) as caught:
        bind(SCHEMA, {name: value})
    assert name in str(caught.value)
    assert remedy in str(caught.value)


def test_all_bad_options_are_named_at_once() -> None:
    assert set(problems(SCHEMA, {"target": 0, "jack": 2, "aim": 1, "moon": "add"})) == {
        "target",
        "jack",
        "aim",
    }


def test_bound_options_are_read_by_kind() -> None:
    bound = bind(SCHEMA, {"target": 20, "jack": True})
    assert (number(bound, "target"), flag(bound, "jack"), word(bound, "moon")) == (20, True, "choose")


# Decks


@pytest.mark.parametrize("name", GAMES)
def test_a_shuffled_deck_is_taken(name: str) -> None:
    check_deck(GAMES[name], GAMES[name].cards[::-1])


@pytest.mark.parametrize(
    ("deck", "said"),
    [
        ((*ALL_CARDS[:-1], 0), ["doubled [0]", "missing [51]"]),
        (ALL_CARDS[1:], ["missing [0]"]),
        ((*ALL_CARDS, 7), ["doubled [7]"]),
        ((*ALL_CARDS[:-1], 52), ["missing [51]", "foreign [52]"]),
        ((), ["missing [0, 1, 2"]),
    ],
)
def test_a_bad_deck_is_refused(deck: tuple[Any, ...], said: list[str]) -> None:
    with pytest.raises(BadDeck) as caught:
        check_deck(GAMES["hearts"], deck)
    assert all(text in str(caught.value) for text in said)


# Actions

THREE = Choose(cards("2C 3C 4C 5C"), 3, 3)
UP_TO_TWO = Choose(cards("2C 3C 4C"), 0, 2)
PLAYS = LegalActions((PlayCard(cards("2C")[0]), PlayCard(cards("3C")[0])))


@pytest.mark.parametrize(
    ("legal", "action"),
    [
        (PLAYS, PlayCard(cards("3C")[0])),
        (THREE, ChooseCards(cards("5C 2C 3C"))),
        (UP_TO_TWO, ChooseCards(())),
        (UP_TO_TWO, ChooseCards(cards("4C 2C"))),
    ],
)
def test_a_legal_action_is_taken(legal: Legal, action: Any) -> None:
    check_legal(legal, action)


@pytest.mark.parametrize(
    ("legal", "action", "error"),
    [
        (PLAYS, PlayCard(cards("4C")[0]), IllegalAction),
        (PLAYS, Bid(0), IllegalAction),
        (PLAYS, Draft(DraftChoice.KEEP), IllegalAction),
        (PLAYS, ChooseCards(cards("2C")), IllegalAction),
        (PLAYS, ChooseCards(cards("2C 2C")), MalformedAction),
        (THREE, PlayCard(cards("2C")[0]), IllegalAction),
        (THREE, ChooseCards(cards("2C 3C")), IllegalAction),
        (THREE, ChooseCards(cards("2C 3C 4C 5C")), IllegalAction),
        (THREE, ChooseCards(cards("2C 3C 6C")), IllegalAction),
        (THREE, ChooseCards(cards("2C 3C 3C")), MalformedAction),
        (THREE, ChooseCards(()), IllegalAction),
        (UP_TO_TWO, ChooseCards(cards("2C 3C 4C")), IllegalAction),
    ],
)
def test_an_action_that_is_not_legal_is_refused(legal: Legal, action: Any, error: type[GameError]) -> None:
    with pytest.raises(error):
        check_legal(legal, action)


SETS = tuple(SetCombination(rank, 3) for rank in (Rank.TEN, Rank.JACK, Rank.QUEEN))


@pytest.mark.parametrize(
    ("legal", "action", "text"),
    [
        (PLAYS, Bid(0), "not among the legal actions of this decision"),
        (THREE, Bid(0), "this decision is answered by choosing cards"),
        (THREE, ChooseCards(cards("2C 3C 3C")), "a card is chosen twice"),
        (THREE, ChooseCards(cards("2C 3C")), "2 cards are chosen where 3 are asked for"),
        (UP_TO_TWO, ChooseCards(cards("2C 3C 4C")), "3 cards are chosen where 0 to 2 are asked for"),
        (THREE, ChooseCards(cards("2C 3C 6C")), "a card is chosen that cannot be chosen here"),
        (ChooseFurther(SETS, 0, 3), ChooseCards(()), "this decision is answered by choosing combinations"),
        (ChooseFurther(SETS, 0, 3), ChooseCombinations(SETS[:1] * 2), "a combination is chosen twice"),
        (
            ChooseFurther(SETS, 0, 1),
            ChooseCombinations(SETS[:2]),
            "2 combinations are chosen where 0 to 1 are asked for",
        ),
        (
            ChooseFurther(SETS[:2], 0, 2),
            ChooseCombinations(SETS[2:]),
            "a combination is chosen that cannot be chosen here",
        ),
    ],
)
def test_what_is_wrong_with_an_action_is_said_in_its_own_terms(legal: Legal, action: Any, text: str) -> None:
    with pytest.raises(BadAction) as caught:
        check_legal(legal, action)
    assert str(caught.value) == text


def test_a_seat_that_is_not_to_act_is_refused(hearts: type[HeartsTable]) -> None:
    table = hearts().hold("2C")
    with pytest.raises(NotYourDecision, match="seat 1"):
        check_action(table.state, Seat(1), PlayCard(cards("3C")[0]))


@pytest.mark.parametrize("name", GAMES)
def test_an_action_of_no_game_is_refused_by_the_unchecked_door_too(name: str, table: type[GameTable]) -> None:
    match = table(GAMES[name])
    with pytest.raises(IllegalAction, match="NoneType"):
        match.state.apply(Seat(0), None)


# Results


@pytest.mark.parametrize(
    ("scores", "low_wins", "ranks"),
    [
        ((10, 20, 5, 7), True, (3, 4, 1, 2)),
        ((10, 20, 5, 7), False, (2, 1, 4, 3)),
        ((0, 26, 26, 26), True, (1, 2, 2, 2)),
        ((-16, 100, -16, 3), True, (1, 4, 1, 3)),
        ((310, 310), False, (1, 1)),
    ],
)
def test_ranks(scores: tuple[int, ...], low_wins: bool, ranks: tuple[int, ...]) -> None:
    assert ranks_of(scores, low_wins=low_wins) == ranks


@pytest.mark.parametrize(
    ("played", "decided", "deals", "max_deals", "ended", "capped"),
    [
        (3, False, None, 60, False, False),
        (3, True, None, 60, True, False),
        (60, False, None, 60, True, True),
        (60, True, None, 60, True, False),
        (3, True, 4, 60, False, False),
        (4, False, 4, 60, True, False),
        (4, False, 6, 4, False, False),  # a fixed number of deals is not capped
        (6, False, 6, 4, True, False),
    ],
)
def test_finish(
    played: int, decided: bool, deals: int | None, max_deals: int, ended: bool, capped: bool
) -> None:
    result = finish((5, 9), low_wins=True, played=played, decided=decided, deals=deals, max_deals=max_deals)
    assert result == (Result((5, 9), (1, 2), capped) if ended else None)


# Tricks


@pytest.mark.parametrize(
    ("played", "ranking", "winner"),
    [
        ("2C 9C TC 3C", NO_TRUMP, 2),
        ("2C AD AH AS", NO_TRUMP, 0),
        ("2C AD AH AS", SPADES_ARE_TRUMP, 3),
        ("KC AC 2S 3S", SPADES_ARE_TRUMP, 3),
        ("KC 3S AC 2S", SPADES_ARE_TRUMP, 1),
        ("KS AS", SPADES_ARE_TRUMP, 1),
        ("5H 2S", SPADES_ARE_TRUMP, 1),
        ("5H AC", SPADES_ARE_TRUMP, 0),
    ],
)
def test_who_wins_a_trick(played: str, ranking: Ranking, winner: int) -> None:
    trick = cards(played)
    tricks = TrickPlay(tuple(Seat(seat) for seat in range(len(trick))), Seat(0), ranking)
    assert [tricks.play(c) for c in trick][-1] == Trick(Seat(0), trick, Seat(winner))


def test_tricks_pass_round_the_table_and_the_winner_leads() -> None:
    tricks = TrickPlay(tuple(Seat(s) for s in range(4)), Seat(2))
    assert (tricks.turn, tricks.led, tricks.led_cards, tricks.current) == (2, None, EMPTY, None)
    played = [tricks.play(c) for c in cards("5D 9D AD")]
    assert played == [None, None, None]
    assert (tricks.turn, tricks.led, tricks.winning) == (1, Suit.DIAMONDS, 0)
    assert tricks.led_cards == SUIT_MASKS[Suit.DIAMONDS]
    assert tricks.current == Trick(Seat(2), cards("5D 9D AD"))
    first = tricks.play(cards("2S")[0])
    assert first == Trick(Seat(2), cards("5D 9D AD 2S"), Seat(0))
    assert (tricks.turn, tricks.leader, tricks.led, tricks.current) == (0, 0, None, None)
    assert (tricks.led_cards, tricks.winning) == (EMPTY, 0)
    assert tricks.complete == [first]


def test_a_seat_that_does_not_play_is_passed_over() -> None:
    tricks = TrickPlay((Seat(0), Seat(1), Seat(3)), Seat(1))
    turns = []
    for c in cards("5D 9D AD"):
        turns.append(tricks.turn)
        tricks.play(c)
    assert turns == [1, 3, 0]
    assert tricks.complete == [Trick(Seat(1), cards("5D 9D AD"), Seat(0))]
    assert tricks.turn == 0


# Bags


@pytest.mark.parametrize(
    ("bags", "limit", "penalty", "expected"),
    [
        (0, 10, 100, (0, 0)),
        (9, 10, 100, (0, 9)),
        (10, 10, 100, (-100, 0)),
        (11, 10, 100, (-100, 1)),
        (20, 10, 100, (-200, 0)),
        (13, 5, 50, (-100, 3)),
        (3, 1, 7, (-21, 0)),
        (25, 10, 0, (0, 5)),
    ],
)
def test_bags_settle(bags: int, limit: int, penalty: int, expected: tuple[int, int]) -> None:
    assert settle(bags, limit=limit, penalty=penalty) == expected


# Options that came later


@pytest.mark.parametrize(
    ("always", "given", "expected"),
    [
        (("target", "jack", "moon"), {}, {"jack": False, "moon": "choose", "target": 100}),
        (("target",), {}, {"target": 100}),
        (("target",), {"jack": True}, {"jack": True, "target": 100}),
        ((), {}, {}),
        ((), {"target": 20}, {"target": 20}),
    ],
)
def test_an_option_is_listed_always_or_where_it_differs_from_its_default(
    always: tuple[str, ...], given: dict[str, object], expected: dict[str, object]
) -> None:
    found = listed(SCHEMA, always, bind(SCHEMA, given))
    assert list(found.items()) == list(expected.items())
    assert complete(SCHEMA, found) == bind(SCHEMA, given)


def test_an_option_that_is_not_known_stays_in_a_list() -> None:
    assert listed(SCHEMA, (), complete(SCHEMA, {"other": 1})) == {"other": 1}


# Registry


@pytest.mark.parametrize("name", GAMES)
def test_a_game_is_found_by_its_name(name: str) -> None:
    assert game(name) is GAMES[name]
    assert game(name).name == name


def test_an_unknown_game_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(UnknownGame) as caught:
        game("poker")
    assert "'poker'" in str(caught.value)
    assert all(name in str(caught.value) for name in GAMES)


def test_a_game_that_is_nearly_named_is_asked_after() -> None:
    with pytest.raises(UnknownGame, match="'pique': no such game; did you mean piquet\\? there are hearts, "):
        game("pique")


def test_the_games_there_are() -> None:
    assert set(GAMES) == {"hearts", "spades", "euchre", "piquet", "two_handed_spades"}


@pytest.mark.parametrize(
    "legal", [LegalActions(cards=hand_of(cards("2C 3C"))), LegalActions((Bid(1), Bid(2)))]
)
def test_a_position_that_is_not_in_the_list_is_none_at_once(legal: LegalActions) -> None:
    """However great it is: a bot may send any number of 32 bits."""
    assert [legal.at(index) for index in (0, 1)] == list(legal.actions)
    assert [legal.at(index) for index in (-1, 2)] == [None] * 2  # without a bound, the next take hours
    assert [legal.at(index) for index in (2**32 - 1, 10**30)] == [None] * 2
