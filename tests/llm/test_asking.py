"""A decision put to a model, without a model: what it is sent, and what its replies come to."""

import json
from typing import Any

import pytest

from fairdeal import Card, Decision, PlayCard
from fairdeal.llm._asking import REPEATED, Asking, Reply, time_for
from fairdeal.llm.settings import ModelSettings
from fairdeal.words import PROFILES, TEXT_HASH, parse, reminder, rules, schema, situation
from referee.games.registry import GAMES
from referee.match.clock import SECOND
from tests.words.asked import asked, position, sample


def settings(**given: Any) -> ModelSettings:
    return ModelSettings(**{"model": "m", "base_url": "http://localhost/v1", **given})


def card_asked() -> Decision:
    return sample("hearts", "play")


def legal(decision: Decision) -> str:
    """Return a legal card by its name."""
    action = decision.legal.actions[0]  # type: ignore[union-attr]
    assert isinstance(action, PlayCard)
    return str(action.card)


def reply(text: str, **more: Any) -> Reply:
    return Reply(**{"text": text, "finish": "stop", "tokens_in": 100, "tokens_out": 10, **more})


def answer(card: str) -> Reply:
    return reply(f'{{"action": "{card}"}}')


def test_the_rules_are_one_message_and_the_situation_another() -> None:
    decision = card_asked()
    system, user = Asking(decision, settings()).messages
    assert system == {"role": "system", "content": rules(decision)}
    assert user == {"role": "user", "content": situation(decision)}


def test_a_prompt_of_one_s_own_comes_first_and_the_profile_is_that_of_the_settings() -> None:
    decision = card_asked()
    system, user = Asking(decision, settings(prompt="Play well.\n\n", words="relabelled")).messages
    assert system["content"] == f"Play well.\n\n{rules(decision, 'relabelled')}"
    assert user["content"] == situation(decision, "relabelled")


def test_a_legal_answer_ends_it() -> None:
    decision = card_asked()
    asking = Asking(decision, settings())
    assert asking.take(answer(legal(decision)), 1.25) is None
    assert asking.is_over
    assert asking.answer == PlayCard(Card(legal(decision)))
    assert asking.note() == {
        "model": "m",
        "words": TEXT_HASH,
        "attempts": 1,
        "tokens_in": 100,
        "tokens_out": 10,
        "seconds": 1.25,
        "finish": "stop",
    }


@pytest.mark.parametrize(
    ("bad", "problem", "reminded"),
    [
        (reply("I would play the queen."), "unreadable", "could not be read: there is no JSON object"),
        (reply('{"move": "QS"}'), "unreadable", 'no key "action"'),
        (reply('{"action": "1X"}'), "unreadable", "is not a card"),
        (reply("  \n"), "empty", "it is empty"),
        (reply('{"action": "2C"', finish="length"), "truncated", "it was cut off"),
    ],
)
def test_each_kind_of_failure_is_counted_apart_and_reminded_of(
    bad: Reply, problem: str, reminded: str
) -> None:
    decision = card_asked()
    asking = Asking(decision, settings())
    assert asking.take(bad, 1.0) == problem
    assert not asking.is_over
    assert reminded in asking.messages[-1]["content"]
    assert asking.take(answer(legal(decision)), 1.0) is None
    note = asking.note()
    assert (note[problem], note["attempts"], note["tokens_in"]) == (1, 2, 200)
    assert "gave_up" not in note


def test_an_illegal_card_has_a_reminder_of_its_own() -> None:
    decision = card_asked()
    held = {str(card) for card in decision.view.hand}  # type: ignore[union-attr]
    foreign = next(card for card in ("2C", "3C", "4C", "5C", "6C", "7C", "8C", "9C") if card not in held)
    asking = Asking(decision, settings())
    assert asking.take(answer(foreign), 1.0) == "illegal"
    assert asking.messages[2:] == [
        {"role": "assistant", "content": f'{{"action": "{foreign}"}}'},
        {"role": "user", "content": reminder(decision, parse(decision, f'{{"action": "{foreign}"}}'))},
    ]
    assert f"not legal: you do not hold {foreign}" in asking.messages[-1]["content"]


def test_after_two_asks_it_is_given_up() -> None:
    asking = Asking(card_asked(), settings())
    asking.take(reply("hm"), 1.0)
    asking.take(reply(""), 1.0)
    assert asking.is_over
    assert asking.answer is None
    note = asking.note()
    assert (note["gave_up"], note["unreadable"], note["empty"]) == ("replies", 1, 1)


def test_what_looks_like_an_answer_in_a_reply_that_was_cut_off_is_none() -> None:
    decision = card_asked()
    asking = Asking(decision, settings())
    cut = reply(f'Perhaps {{"action": "{legal(decision)}"}}? No, bet', finish="length")
    assert asking.take(cut, 1.0) == "truncated"
    assert asking.answer is None


def test_an_empty_reply_is_not_sent_back() -> None:
    """Servers refuse an empty message, and some of them two messages of one speaker."""
    asking = Asking(card_asked(), settings())
    asking.take(reply(""), 1.0)
    assert [message["role"] for message in asking.messages] == ["system", "user"]
    assert asking.messages[1]["content"].endswith(reminder(card_asked(), parse(card_asked(), "")))


def test_a_long_reply_is_repeated_to_the_model_by_its_end_only() -> None:
    asking = Asking(card_asked(), settings())
    asking.take(reply("x" * 1_000_000), 1.0)
    assert len(asking.messages[2]["content"]) == REPEATED


def test_tokens_that_the_server_does_not_count_are_estimated_and_said_to_be() -> None:
    decision = card_asked()
    asking = Asking(decision, settings())
    sent = sum(len(message["content"]) for message in asking.messages)
    asking.take(reply(f'{{"action": "{legal(decision)}"}}', tokens_in=None, tokens_out=None), 1.0)
    note = asking.note()
    assert (note["tokens_in"], note["tokens_out"], note["estimated"]) == (sent // 4, 4, True)


def test_a_note_of_all_that_can_go_wrong_is_short() -> None:
    """A seat of four has 64 KiB for a match, and decides some 160 times."""
    asking = Asking(card_asked(), settings(model="m" * 60, prompt="x", reply="schema", words="relabelled"))
    for _call in range(12):
        asking.failed(3.21, "HTTP status 500: no")
    asking.take(reply("hm", finish="x" * 5000, cost=0.01), 12.34)
    asking.take(reply("", cost=0.02), 12.34)
    note = asking.note()
    assert note["cost"] == 0.03
    assert note["transport"] == 12
    assert len(str(note)) < 400


@pytest.mark.parametrize(("move", "bank", "seconds"), [(180, 1800, 628.0), (2, 60, 15.3), (0.01, 0, 0.009)])
def test_the_asking_ends_within_the_decision_s_clock(move: float, bank: float, seconds: float) -> None:
    game, state = position("hearts", "play")
    decision = asked(game, state, state.to_act()[0], game.bind({}), bank=round(bank * SECOND))
    decision.message.move_time.FromNanoseconds(round(move * 1e9))
    assert time_for(decision) == pytest.approx(seconds)
    assert time_for(decision) < decision.move_time + decision.bank


@pytest.mark.parametrize("name", GAMES)
def test_the_schema_of_every_phase_takes_what_is_legal(name: str) -> None:
    for phase in GAMES[name].phases:
        decision = sample(name, phase)
        for profile in PROFILES:
            wanted = schema(decision, profile)
            if "enum" in wanted:
                [value, *_rest] = wanted["enum"]
            else:
                offered = wanted.get("items", {}).get("enum", [])
                value = offered[: wanted["minItems"]]
            reading = parse(decision, json.dumps({"action": value}), profile)
            assert reading.problem is None, (phase, profile, value, reading)
