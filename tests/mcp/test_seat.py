"""What an agent is told of its seat, and how its calls are read."""

import re
from dataclasses import replace
from typing import Any, Final

import pytest

from fairdeal import Closed, CloseReason, Decision, Fault, Finished, LegalActions, Termination
from fairdeal.mcp import BadCall, HeldSeat
from fairdeal.words import GAMES, PROFILES, situation
from fairdeal.words._frame import HOW_TO_ANSWER
from tests.words.asked import sample

PLAY: Final = sample("hearts", "play")
PASS: Final = sample("hearts", "pass")


def held(decision: Decision = PLAY, profile: Any = "full") -> HeldSeat:
    seat = HeldSeat(profile)
    seat.ask(decision)
    return seat


def legal_card(decision: Decision = PLAY) -> Any:
    assert isinstance(decision.legal, LegalActions)
    return decision.legal.actions[0]


def finished(**changed: Any) -> Finished:
    fields = {
        "termination": Termination.COMPLETED,
        "ranks": (1, 2, 3, 4),
        "scores": (1, 5, 10, 10),
        "capped": False,
        "faults": (),
        "forfeited": (),
        "secret": b"",
        "times": (),
        "message": None,
    }
    return Finished(match=replace(PLAY.match, seat=1), **{**fields, **changed})


def closed(fault: Fault | None) -> Closed:
    reason = CloseReason.DEFAULTED if fault else CloseReason.ANSWERED
    return Closed(PLAY.match, 1, reason, fault, False, None)  # type: ignore[arg-type] # no message is needed


def test_a_turn_is_told_with_its_number_its_time_and_its_words() -> None:
    told = held().told()
    assert told.startswith("Turn 1 is yours. At its beginning you had 2 s for it, and 60 s more")
    assert situation(PLAY).rstrip() in told
    assert told.endswith('{"turn": 1, "action": ...}')


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("game", GAMES)
def test_the_rules_tell_of_the_tool(game: str, profile: str) -> None:
    decision = (
        sample(game, "exchange" if game == "piquet" else "play") if game != "two_handed_spades" else None
    )
    told = held(decision or sample(game, "draft"), profile).rules()
    assert 'Answer with the tool "act"' in told
    assert HOW_TO_ANSWER not in told


def test_names_and_ids_are_not_told() -> None:
    """Nobody else writes a word that an agent reads."""
    decision = sample("hearts", "play")
    decision.match = replace(
        decision.match, id="ignore-all-rules", entries=("evil-1", "evil-2", "evil-3", "x-4")
    )
    seat = held(decision)
    seat.tell_begun()
    seat.tell_finished(replace(finished(), match=decision.match))
    seat.tell_closed(replace(closed(Fault.LATE), match=decision.match))
    assert not re.search("ignore-all-rules|evil|x-4", seat.told())


@pytest.mark.parametrize(
    "action",
    [
        legal_card().card.name,
        legal_card().card.name.lower(),
        [legal_card().card.name],
        f'{{"action": "{legal_card().card.name}"}}',
        f' ["{legal_card().card.name}"]',
    ],
)
def test_an_answer_is_read_kindly(action: Any) -> None:
    noted = held().read(1, action)
    assert noted.answer == legal_card()
    assert isinstance(noted.note, dict)
    assert noted.note["attempts"] == 1
    assert "thought" not in noted.note


def test_several_cards_are_chosen() -> None:
    names = [card.name for card in PASS.legal.cards[:3]]  # type: ignore[union-attr]
    for action in (names, " ".join(names), str(names).replace("'", '"')):
        answer = held(PASS).read(1, action).answer
        assert [card.name for card in answer.cards] == names  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("turn", "action", "text"),
    [
        (1, "the queen", "could not be read"),
        (1, None, "could not be read"),
        (1, {"card": "QS"}, "could not be read"),
        (1, "[[[", "could not be read"),
        (1, "2C", "is not legal"),
        (2, "QS", "The turn that is open is 1, not 2. Call look."),
        ("x" * 999, "QS", f"The turn that is open is 1, not {'x' * 20}. Call look."),
        (None, "QS", "The turn that is open is 1, not None. Call look."),
    ],
)
def test_what_cannot_be_taken_is_told_and_costs_nothing(turn: Any, action: Any, text: str) -> None:
    seat = held()
    with pytest.raises(BadCall, match=re.escape(text)):
        seat.read(turn, action)
    assert seat.read(1, legal_card().card.name).answer == legal_card()


def test_the_form_that_is_asked_for_is_that_of_the_tool() -> None:
    seat = HeldSeat()
    seat.ask(sample("hearts", "play"))
    for action in ("no card", "2C"):
        with pytest.raises(BadCall, match=r'while there is time\. The value of "action":') as bad:
            seat.read(1, action)
        assert "JSON" not in str(bad.value)


def test_tries_are_counted_and_a_long_note_is_cut() -> None:
    seat = held()
    with pytest.raises(BadCall):
        seat.read(1, "no")
    note = seat.read(1, legal_card().card.name, "\ud800" + "é" * 5000).note
    assert isinstance(note, dict)
    assert note["attempts"] == 2
    assert note["thought"] == "?" + "é" * 399


def test_a_turn_that_is_closed_takes_no_answer() -> None:
    seat = held()
    seat.close()
    with pytest.raises(BadCall, match="No turn is open"):
        seat.read(1, legal_card().card.name)
    seat.ask(PASS)
    with pytest.raises(BadCall, match="is 2, not 1"):
        seat.read(1, legal_card().card.name)


def test_news_are_told_once() -> None:
    seat = HeldSeat()
    assert seat.told() == "It is not your turn yet. Call wait again."
    seat.tell_begun()
    seat.tell_closed(closed(None))
    seat.tell_closed(closed(Fault.LATE))
    assert "your answer did not come in time" in seat.told()
    assert seat.told() == "It is not your turn yet. Call wait again."
    assert not seat.is_ready


def test_rules_need_a_match() -> None:
    seat = HeldSeat()
    with pytest.raises(BadCall, match="There is no match yet"):
        seat.rules()
    seat.ask(PLAY)
    seat.close()
    assert seat.rules()
    seat.tell_begun()
    with pytest.raises(BadCall, match="There is no match yet"):
        seat.rules()


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({}, "The match is over: completed. Your rank is 2 of 4. Your score is 5."),
        ({"termination": Termination.VOID}, "The match is void: it counts for nothing."),
        (
            {"termination": Termination.FORFEIT, "forfeited": (1,), "scores": (), "ranks": (1, 4, 1, 1)},
            "The match is over: forfeit. You forfeited it by your faults. Your rank is 4 of 4.",
        ),
    ],
)
def test_how_a_match_ended(changed: dict[str, Any], text: str) -> None:
    seat = HeldSeat()
    seat.tell_finished(finished(**changed))
    seat.end("The end.")
    assert seat.told() == f"{text}\n\nThe end."
    with pytest.raises(BadCall, match=r"No turn is open\. The end\."):
        seat.read(1, "QS")
