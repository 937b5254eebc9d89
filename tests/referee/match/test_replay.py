"""Matches again from the lines of a journal or a record: what can be read, and what is said of the rest."""

import inspect
import json
from dataclasses import replace
from typing import Any, get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from referee.cards import Seat, card
from referee.games.actions import PlayCard
from referee.games.registry import GAMES
from referee.match.clock import Micros
from referee.match.effects import Append, Input, InputKind
from referee.match.match import Match
from referee.match.messages import Given
from referee.match.replay import Header, ReplayError, apply
from referee.storage.record import header_line, input_line, read_header, read_input
from tests.referee.driven import Driven, KeyedDecks

OWNERS = (("a", ""), ("b", "second"))
LINE = {
    "type": "input",
    "kind": "answer",
    "at": 5,
    "seat": 1,
    "decision_id": 7,
    "answer": {"type": "play_card", "card": "QS"},
}
SEAT, AT = Seat(0), Micros(3)
INPUTS = [
    Input("start", AT),
    Input("back", AT, SEAT),
    Input("lost", AT, SEAT),
    Input("restarted", AT, grace=Micros(40)),
    Input("ready", AT, SEAT),
    Input("decline", AT, SEAT),
    Input("abandon", AT, SEAT),
    Input("resign", AT, SEAT),
    Input("answer", AT, SEAT, 1, PlayCard(card("QS")), note="because"),
    Input("tick", AT),
    Input("cancel", AT),
    Input("void", AT),
]


def through_json(line: Any) -> Any:
    return json.loads(json.dumps(line))


@pytest.fixture
def header(driven: type[Driven], decks: type[KeyedDecks]) -> dict[str, Any]:
    """Return the first line of a match."""
    setup = driven("two_handed_spades", target=200).setup
    rules = GAMES["two_handed_spades"]
    line = header_line(setup, OWNERS, rules, decks.commitment, software="test", started="today")
    read: dict[str, Any] = through_json(line)
    return read


# Headers


def test_a_header_is_read_as_it_was_written(
    header: dict[str, Any], driven: type[Driven], decks: type[KeyedDecks]
) -> None:
    setup = driven("two_handed_spades", target=200).setup
    rules = GAMES["two_handed_spades"]
    setup = replace(setup, instances=("", "second"))
    assert read_header(header) == Header(setup, OWNERS, rules.rules_version, decks.commitment)


def test_a_header_of_the_earlier_scheme_says_so(header: dict[str, Any]) -> None:
    commitment = {**header["commitment"], "scheme": "fairdeal/1"}
    assert read_header(header).setup.scheme == ""
    assert read_header({**header, "commitment": commitment}).setup.scheme == "fairdeal/1"


@pytest.mark.parametrize("field", ["match_id", "attempt", "game", "options", "deals", "entries", "clock"])
@pytest.mark.parametrize("more", [[], ["instances", "faults", "rules_version", "commitment"]])
def test_a_header_without_a_field_is_damaged(header: dict[str, Any], field: str, more: list[str]) -> None:
    for name in (field, *more):
        del header[name]
    with pytest.raises(ReplayError, match=r"^the header is damaged \(KeyError\)$"):
        read_header(header)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("entries", None),
        ("entries", 2),
        ("instances", None),
        ("instances", [""]),
        ("instances", ["", "", ""]),
        ("clock", None),
        ("clock", {}),
        ("clock", {"move": 1, "bank": 2, "minutes": 3}),
        ("faults", []),
        ("faults", {"patience": 3}),
        ("commitment", None),
        ("commitment", {}),
        ("commitment", {"scheme": "fairdeal/1"}),
    ],
)
def test_a_header_with_something_else_in_a_field_is_damaged(
    header: dict[str, Any], field: str, value: Any
) -> None:
    with pytest.raises(ReplayError, match=r"^the header is damaged \(\w+Error\)$"):
        read_header({**header, field: value})


@pytest.mark.parametrize(
    "change",
    [{"commit": "not hexadecimal"}, {"commit": 5}, {"repeatable": 1}, {"epoch_id": None}, {"salt": "00"}],
    ids=str,
)
def test_a_header_with_a_damaged_commitment_is_damaged(header: dict[str, Any], change: Any) -> None:
    with pytest.raises(ReplayError, match=r"^the header is damaged \(PlainError\)$"):
        read_header({**header, "commitment": {**header["commitment"], **change}})


def test_another_line_is_no_header() -> None:
    with pytest.raises(ReplayError, match="the header is damaged"):
        read_header(LINE)


# Inputs


@pytest.mark.parametrize("written", INPUTS, ids=lambda written: written.kind)
def test_an_input_is_read_as_it_was_written(written: Input) -> None:
    assert read_input(through_json(input_line(written))) == written


@pytest.mark.parametrize("kind", get_args(Given), ids=lambda kind: kind.__name__)
@settings(
    max_examples=30,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
def test_every_answer_is_read_as_it_was_written(kind: type, values_of: Any, data: Any) -> None:
    answer = data.draw(values_of(kind))
    written = Input("answer", AT, SEAT, 1, answer)
    read = read_input(through_json(input_line(written)))
    assert read == written
    assert type(read.given) is kind


@pytest.mark.parametrize("field", ["kind", "at"])
def test_an_input_without_a_field_is_damaged(field: str) -> None:
    line = {name: value for name, value in LINE.items() if name != field}
    with pytest.raises(ReplayError, match=r"^an input is damaged \(KeyError\)$"):
        read_input(line)


@pytest.mark.parametrize(
    "answer",
    [
        "QS",
        [],
        {},
        {"type": "outcome"},
        {"type": None},
        {"type": "play_card"},
        {"type": "play_card", "card": "1S"},
        {"type": "play_card", "card": None},
        {"type": "play_card", "card": "QS", "trump": "S"},
        {"type": "bid", "tricks": "3"},
        {"type": "bid", "tricks": True},
        {"type": "draft", "choice": "both"},
        {"type": "draft", "choice": 1},
        {"type": "choose_cards", "cards": "QS"},
        {"type": "choose_cards", "cards": ["QS", 5]},
        {"type": "declare", "combination": {"type": "trick"}},
        {"type": "index", "index": None},
        {"type": "malformed"},
    ],
    ids=json.dumps,
)
def test_an_answer_that_is_none_is_damaged(answer: Any) -> None:
    with pytest.raises(ReplayError, match=r"^an input is damaged \(PlainError\)$") as caught:
        read_input({**LINE, "answer": answer})
    assert caught.value.__cause__ is None and caught.value.__suppress_context__  # its text may name cards


# Steps


def test_every_input_of_a_match_is_known() -> None:
    steps = {
        name: tuple(inspect.signature(step).parameters)
        for name, step in inspect.getmembers(Match, inspect.isfunction)
        if not name.startswith("_") and "now" in inspect.signature(step).parameters
    }
    for name in ("refuse", "reads", "pass_on", "told_decisions"):  # they change nothing, and so are no inputs
        del steps[name]
    del steps["move"]  # the same input as `answer`
    assert set(steps) == {given.kind for given in INPUTS} == set(get_args(InputKind))
    for given_input in INPUTS:
        wanted = set(steps[given_input.kind]) - {"self", "now", "after"}
        held = {"seat": given_input.seat, "decision_id": given_input.decision_id, "given": given_input.given}
        more = {"grace": given_input.grace, "note": given_input.note}
        assert wanted == {n for n, value in (held | more).items() if value is not None}


@pytest.mark.parametrize("given_input", INPUTS, ids=lambda given_input: given_input.kind)
def test_an_input_reaches_the_step_of_its_name(
    given_input: Input, monkeypatch: pytest.MonkeyPatch, driven: type[Driven]
) -> None:
    match = driven("two_handed_spades").match
    signature = inspect.signature(getattr(match, given_input.kind))
    effects: list[Any] = [Append("what came of it")]
    calls = []

    def step(*args: Any, **more: Any) -> list[Any]:
        calls.append(signature.bind(*args, **more).arguments)
        return effects

    monkeypatch.setattr(match, given_input.kind, step)
    assert apply(match, given_input) is effects
    values = {
        "seat": given_input.seat,
        "now": given_input.at,
        "decision_id": given_input.decision_id,
        "given": given_input.given,
        "grace": given_input.grace,
        "note": (given_input.note or "").encode(),
    }
    (call,) = calls
    assert call == {name: values[name] for name in signature.parameters if name != "after"}


@pytest.mark.parametrize("kind", ["finished", "_end", "", "Start", None])
def test_an_unknown_input_changes_nothing(kind: Any, driven: type[Driven]) -> None:
    match = driven("two_handed_spades").begin().match
    with pytest.raises(ReplayError, match=rf"^there is no input {kind!r}$"):
        apply(match, Input(kind, AT, SEAT))
    assert match.outcome is None


def test_a_match_that_fails_again_is_made_void_by_its_next_input(
    driven: type[Driven], decks: type[KeyedDecks]
) -> None:
    class BrokenDecks(decks):
        def deck(self, deal: int) -> Any:
            raise RuntimeError

    match = driven("two_handed_spades", decks=BrokenDecks()).match
    apply(match, Input("ready", AT, Seat(0)))
    with pytest.raises(RuntimeError):
        apply(match, Input("ready", AT, Seat(1)))
    log = [effect.entry for effect in apply(match, Input("void", AT)) if isinstance(effect, Append)]
    # that it was tried stands before its end, as in the journal
    assert [entry.kind for entry in log if isinstance(entry, Input)] == ["ready", "void"]
