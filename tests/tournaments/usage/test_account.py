"""The accounts of language models, from the lines of records."""

import json
from typing import Any

import pytest

from tournaments.plan.models import Prices
from tournaments.usage.account import Account, accounts_of


def answer(seat: int, decision: int = 1, **note: Any) -> dict[str, Any]:
    """Return the line of an answer with the note of a model."""
    text = json.dumps({"attempts": 1, "tokens_in": 100, "tokens_out": 10, "seconds": 1.5, **note})
    return {"type": "input", "kind": "answer", "seat": seat, "decision_id": decision, "note": text}


def default(seat: int, fault: str | None) -> dict[str, Any]:
    return {"type": "substituted", "seat": seat, **({"fault": fault} if fault else {})}


def test_what_a_model_did_in_a_match() -> None:
    lines = [
        {"type": "dealt"},
        answer(0),
        answer(0, attempts=2, illegal=1, seconds=2.5, waited=0.25),
        answer(0, attempts=2, empty=1, truncated=1, gave_up="replies"),
        default(0, "malformed"),
        answer(0, transport=3, estimated=True),
        default(0, "late"),  # of which no note tells
        answer(0, attempts=0, tokens_in=0, tokens_out=0, seconds=0, transport=2, gave_up="provider"),
        default(0, "malformed"),
        default(0, None),  # after a forfeit, which asks nobody
    ]
    assert accounts_of(("a", "b"), lines) == {
        "a": Account(
            matches=1,
            asked=6,
            first=2,
            defaults=3,
            calls=11,
            illegal=1,
            empty=1,
            truncated=1,
            transport=5,
            tokens_in=400,
            tokens_out=40,
            estimated=1,
            seconds=7.0,
            waited=0.25,
        )
    }


def test_both_seats_of_an_entry_are_one_account_and_who_notes_nothing_has_none() -> None:
    lines = [answer(0), answer(2), default(1, "late"), {**answer(1), "note": '{"thought": "hm"}'}]
    found = accounts_of(("a", "b", "a", "b"), lines)
    assert set(found) == {"a"}
    assert (found["a"].matches, found["a"].asked, found["a"].tokens) == (1, 2, 220)


@pytest.mark.parametrize("note", ["", "x", "[1]", "3", '{"attempts": 1}', "[" * 100_000, None, 3])
def test_a_note_of_another_kind_is_none_of_a_model(note: Any) -> None:
    assert accounts_of(("a",), [{**answer(0), "note": note}]) == {}


def test_what_a_note_says_is_not_believed_beyond_all_bounds() -> None:
    wild = {"attempts": True, "tokens_in": -5, "tokens_out": 1e300, "seconds": "long", "cost": float("nan")}
    [account] = accounts_of(("a",), [answer(0, **wild)]).values()
    assert account == Account(matches=1, asked=1)


@pytest.mark.parametrize("seat", [-1, 2, "0", None])
def test_lines_of_no_seat_are_passed_over(seat: Any) -> None:
    assert accounts_of(("a",), [{**answer(0), "seat": seat}]) == {}


@pytest.mark.parametrize(
    ("account", "why"),
    [
        (Account(asked=30, calls=30), ()),
        (Account(asked=19, calls=19), ("calls",)),
        (Account(asked=30, calls=30, transport=3), ()),
        (Account(asked=30, calls=30, transport=4), ("provider",)),
        (Account(asked=30, calls=30, defaults=6), ()),
        (Account(asked=30, calls=30, defaults=7), ("defaults",)),
        (Account(), ("calls",)),
    ],
)
def test_results_are_provisional_where_too_few_decisions_were_its_own(
    account: Account, why: tuple[str, ...]
) -> None:
    assert account.provisional == why


def test_money_is_counted_by_prices_or_as_the_server_says() -> None:
    account = Account(tokens_in=2_000_000, tokens_out=500_000, cost=7.0)
    assert account.cost_by(Prices(0.25, 2.0)) == 1.5
    assert account.cost_by(None) == 7.0
    assert Account().cost_by(None) is None
    assert Account().cost_by(Prices(1, 1)) == 0.0
