"""Replies of models, read."""

import json
from typing import Final

import pytest

import fairdeal
from fairdeal import (
    Bid,
    Card,
    Cards,
    ChooseCards,
    ChooseCombinations,
    Decision,
    LegalActions,
    LegalChoice,
    LegalCombinations,
    PlayCard,
    TrumpCall,
)
from fairdeal.words import PROFILES, Problem, Profile, parse, reminder, situation
from fairdeal.words._frame import answer_value
from fairdeal.words._names import OTHER, USUAL
from referee.games.registry import GAMES
from tests.words.asked import sample

PHASES: Final = [(name, phase) for name, game in GAMES.items() for phase in game.phases]
PLAY: Final = sample("hearts", "play")
PASS: Final = sample("hearts", "pass")
BID: Final = sample("spades", "bid")
TRUMP: Final = sample("euchre", "trump")
DECLARE: Final = sample("piquet", "declare")
FURTHER: Final = sample("piquet", "further")


def legal_answers(decision: Decision) -> list[object]:
    """Return legal answers, some of them where there are many."""
    match decision.legal:
        case LegalActions(actions):
            return list(actions)
        case LegalChoice(cards, minimum, maximum):
            return [ChooseCards(cards[:minimum]), ChooseCards(cards[:maximum])]
        case LegalCombinations(combinations, minimum, maximum):
            return [ChooseCombinations(combinations[:minimum]), ChooseCombinations(combinations[:maximum])]


def reply(action: object) -> str:
    """Return a reply with an action."""
    return json.dumps({"action": action})


def card_of(decision: Decision) -> Card:
    """Return a card that may be played."""
    assert isinstance(decision.legal, LegalActions)
    action = decision.legal.actions[0]
    assert isinstance(action, PlayCard)
    return action.card


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize(("name", "phase"), PHASES)
def test_every_legal_answer_can_be_read(name: str, phase: str, profile: Profile) -> None:
    for at in (0.0, 0.4, 0.9):
        decision = sample(name, phase, at=at)
        for answer in legal_answers(decision):
            value = answer_value(answer, decision, OTHER if profile == "relabelled" else USUAL)
            read = parse(decision, f"Well. {reply(value)}", profile)
            assert (read.problem, read.why) == (None, "")
            sent = fairdeal._encode.answer(decision, read.answer)
            assert sent == fairdeal._encode.answer(decision, answer)


CARD: Final = card_of(PLAY)
SUIT_LETTER: Final = {"CLUBS": "♣", "DIAMONDS": "♦", "HEARTS": "♥", "SPADES": "♠"}


@pytest.mark.parametrize(
    "text",
    [
        CARD.name,
        CARD.name.lower(),
        f" {CARD.name} ",
        f"{CARD.rank}{SUIT_LETTER[CARD.suit.name]}",
        f"{SUIT_LETTER[CARD.suit.name]}\ufe0f{CARD.rank}",
        f"{CARD.suit}{CARD.rank}",
        f"{CARD.rank.name} of {CARD.suit.name}".lower(),
        f"{CARD.rank.name} of {CARD.suit.name}".title(),
        f"{CARD.rank.name} of {CARD.suit.name.removesuffix('S')}",
        f"{CARD.rank} of {CARD.suit.name.title()}",
    ],
)
def test_cards_are_read_kindly(text: str) -> None:
    assert parse(PLAY, reply(text)).answer == PlayCard(CARD)
    assert parse(PLAY, reply([text])).answer == PlayCard(CARD)


@pytest.mark.parametrize("text", ["10H", "TH", "ten of hearts", "10 of Hearts", "10♥", "HT"])
def test_the_ten_has_two_names(text: str) -> None:
    read = parse(PLAY, reply(text))
    assert (read.problem, read.why) == (Problem.ILLEGAL, "you do not hold TH")


@pytest.mark.parametrize(
    "around",
    [
        "{}",
        "I play it.\n```json\n{}\n```\nDone.",
        "```\n{}\n```",
        'First I thought of {{"action": "2C"}}, but no:\n{}',
        '{{"action": "2C"}} {}',
        "{{{{ not json }} {}",
        '<think>{{"action": ["2C"]}}</think>{}',
        "{} }}}}",
        'A { "half": {}',
    ],
)
def test_the_last_object_counts(around: str) -> None:
    text = around.replace("{}", reply(CARD.name)).replace("{{", "{").replace("}}", "}")
    assert parse(PLAY, text).answer == PlayCard(CARD)


def test_the_end_of_a_long_reply_is_read() -> None:
    long = f"{reply('2C')} {'I think. ' * 2_000}"
    assert parse(PLAY, f"{long}{reply(CARD.name)}").answer == PlayCard(CARD)
    assert parse(PLAY, long).problem is Problem.UNREADABLE


@pytest.mark.parametrize(
    ("text", "problem", "why"),
    [
        ("", Problem.EMPTY, "it is empty"),
        (" \n ", Problem.EMPTY, "it is empty"),
        ("I play QS.", Problem.UNREADABLE, 'there is no JSON object in it; it ends with "I play QS."'),
        ('{"action": ', Problem.UNREADABLE, "there is no JSON object in it"),
        ('["QS"]', Problem.UNREADABLE, "there is no JSON object in it"),
        ('{"card": "QS"}', Problem.UNREADABLE, 'its last JSON object has no key "action"'),
        ('{"action": "QS"} {"done": true}', Problem.UNREADABLE, 'has no key "action"'),
        ('{"action": {"action": "QS"}}', Problem.UNREADABLE, "is not a card"),
        ('{"action": NaN}', Problem.UNREADABLE, "there is no JSON object in it"),
        ('{"action": null}', Problem.UNREADABLE, "is not a card"),
        ('{"action": 3}', Problem.UNREADABLE, '"3" is not a card'),
        ('{"action": "the queen"}', Problem.UNREADABLE, '"the queen" is not a card'),
        ('{"action": ["QS", "KS"]}', Problem.UNREADABLE, "is not a card"),
        ("{" * 100_000, Problem.UNREADABLE, "there is no JSON object in it"),
        ('{"action":' * 10_000, Problem.UNREADABLE, "there is no JSON object in it"),
        ("x" * 5_000_000, Problem.UNREADABLE, "there is no JSON object in it"),
        ('{"action": ' + "9" * 10_000 + "}", Problem.UNREADABLE, "there is no JSON object in it"),
        ("\ud800\x00{", Problem.UNREADABLE, "there is no JSON object in it"),
    ],
)
def test_what_cannot_be_read_is_told(text: str, problem: Problem, why: str) -> None:
    read = parse(PLAY, text)
    assert (read.answer, read.problem) == (None, problem)
    assert why in read.why
    assert len(read.why) < 2000


def test_a_card_that_is_held_but_not_legal_is_illegal() -> None:
    assert PLAY.view is not None
    held = next(card for card in PLAY.view.hand if PlayCard(card) not in legal_answers(PLAY))
    read = parse(PLAY, reply(held.name))
    assert (read.problem, read.why) == (Problem.ILLEGAL, f"{held.name} may not be played now")
    told = reminder(PLAY, read)
    assert told.startswith(f"Your answer is not legal: {held.name} may not be played now.")
    assert "Legal values" in told
    assert "Legal values" not in reminder(PLAY, read, "plain")


def test_the_two_reminders_differ() -> None:
    told = reminder(PLAY, parse(PLAY, "I play QS."))
    assert told.startswith("Your reply could not be read: there is no JSON object in it")
    assert told.endswith('Reply with one JSON object, {"action": ...}. The value of "action": the card.')


@pytest.mark.parametrize("write", [list, " ".join, ", ".join])
def test_several_cards_are_a_list_or_a_text(write: type[list[str]]) -> None:
    assert isinstance(PASS.legal, LegalChoice)
    cards = PASS.legal.cards[1:4]
    assert parse(PASS, reply(write([card.name for card in cards]))).answer == ChooseCards(Cards(cards))


def test_wrong_choices_of_cards_are_illegal() -> None:
    assert isinstance(PASS.legal, LegalChoice)
    a, b, c, d = (card.name for card in PASS.legal.cards[:4])
    foreign = next(card.name for card in fairdeal.ALL_CARDS if card not in PASS.legal.cards)
    assert parse(PASS, reply([a, b])).why == "2 cards are named, and 3 must be"
    assert parse(PASS, reply([a, b, c, d])).why == "4 cards are named, and 3 must be"
    assert parse(PASS, reply([a, a, b])).why == f"{a} is named twice"
    assert parse(PASS, reply([a, b, foreign])).why == f"{foreign} cannot be chosen"
    assert parse(PASS, reply({"a": 1})).problem is Problem.UNREADABLE


@pytest.mark.parametrize(("value", "tricks"), [(0, 0), (3, 3), ("3", 3), ("nil", 0), (13, 13)])
def test_bids_are_numbers(value: object, tricks: int) -> None:
    assert parse(BID, reply(value)).answer == Bid(tricks)


@pytest.mark.parametrize(("value", "problem"), [(14, Problem.ILLEGAL), (-1, Problem.ILLEGAL)])
def test_a_bid_out_of_range_is_illegal(value: object, problem: Problem) -> None:
    assert parse(BID, reply(value)).problem is problem


@pytest.mark.parametrize("value", [True, 3.0, "three or four", None, 10**400])
def test_what_is_no_bid_cannot_be_read(value: object) -> None:
    assert parse(BID, reply(value)).problem is Problem.UNREADABLE


def test_words_are_read_without_regard_to_case() -> None:
    assert isinstance(TRUMP.legal, LegalActions)
    assert parse(TRUMP, reply(" PASS ")).answer is TrumpCall.PASS
    for suit in fairdeal.Suit:
        call = TrumpCall[suit.name]
        for text in (suit.name.title(), str(suit), SUIT_LETTER[suit.name]):
            read = parse(TRUMP, reply(text))
            assert (read.answer is call) == (call in TRUMP.legal.actions)
            assert read.problem in (None, Problem.ILLEGAL)
    assert parse(TRUMP, reply("unknown")).problem is Problem.UNREADABLE
    assert parse(TRUMP, reply("fire")).problem is Problem.UNREADABLE
    assert parse(TRUMP, reply("hearts"), "relabelled").problem is Problem.UNREADABLE


def test_declarations_are_cards_in_any_order_or_none() -> None:
    assert isinstance(DECLARE.legal, LegalActions)
    nothing, something = DECLARE.legal.actions[:2]
    for none in ([], None, "none", "nothing"):
        assert parse(DECLARE, reply(none)).answer == nothing
    value = answer_value(something, DECLARE, USUAL)
    assert isinstance(value, list)
    assert parse(DECLARE, reply(value[::-1])).answer == something
    assert parse(DECLARE, reply(value[1:])).problem is Problem.ILLEGAL


def test_one_further_combination_needs_no_list_around_it() -> None:
    assert isinstance(FURTHER.legal, LegalCombinations)
    all_of_them = ChooseCombinations(FURTHER.legal.combinations[:1])
    value = answer_value(all_of_them, FURTHER, USUAL)
    assert isinstance(value, list)
    assert parse(FURTHER, reply(value)).answer == all_of_them
    assert parse(FURTHER, reply(value[0])).answer == all_of_them
    assert parse(FURTHER, reply(value * 2)).why.endswith("is named twice")
    assert parse(FURTHER, reply("none")).answer == ChooseCombinations(())


def test_the_form_stands_in_the_text() -> None:
    assert 'The value of "action": a list of the three cards.' in situation(PASS)


def test_a_value_of_any_depth_cannot_be_read() -> None:
    """JSON is read some levels deeper than it can be written, so a reply may hold what cannot be shown."""
    decision = sample("hearts", "play")
    for depth in (*range(900, 1010), 100_000):
        reading = parse(decision, '{"action":' + "[" * depth + "]" * depth + "}")
        assert reading.problem is Problem.UNREADABLE, depth
