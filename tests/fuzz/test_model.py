"""Views that contradict themselves against the forward model: one clear error, or deals in which they hold.

Views and seats are bent as messages, field by field, so that a bot could have got each of them.
"""

import copy
import os
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

import pytest

import fairdeal
from fairdeal import _updates, model
from fairdeal.bots import make
from fairdeal.model import _piquet
from fairdeal.model._world import Held
from fairdeal.testing import play
from fairdeal.v1 import play_service_pb2 as pb
from referee.games.registry import GAMES
from tests.choices import Choices

LONG: Final = os.environ.get("FAIRDEAL_LONG") == "1"
BENT: Final = 20_000 if LONG else 60
"""Views of each game."""

EDGES: Final = (0, 1, 2, 3, 4, 5, 13, 14, 26, 52, 53, 255, 2**31 - 1)


@pytest.fixture(autouse=True)
def _few_tries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_piquet, "_TRIES", 50)


@pytest.fixture(scope="module")
def met() -> dict[str, Sequence[fairdeal.Decision]]:
    """Return decisions of each game, of all its phases."""
    return {name: _decisions(name) for name in GAMES}


def _decisions(name: str) -> Sequence[fairdeal.Decision]:
    found: list[fairdeal.Decision] = []
    bot = make("greedy")

    class Noting:
        def act(self, decision: fairdeal.Decision) -> fairdeal.Answer:
            found.append(decision)
            return bot.act(decision)

    options = {"blind_nil_gap": 0} if name == "spades" else {}
    play(name, [Noting() for _ in range(GAMES[name].seats)], seed="bent", deals=2, options=options)
    return found


@pytest.mark.parametrize("name", GAMES)
def test_bent_views_are_one_error_or_hold(name: str, met: dict[str, Sequence[fairdeal.Decision]]) -> None:
    came: Counter[bool] = Counter()
    for number in range(BENT):
        chance = Choices("view", name, number)
        decision = chance.one(met[name])
        message = pb.Decision()
        message.CopyFrom(decision.message)
        for _ in range(chance.one((1, 1, 2, 5))):
            bend(message.view, chance)
        came[holds_or_is_one_error(fairdeal.Decision(decision.match, message, str(number)))] += 1
    assert len(came) == 2


@pytest.mark.parametrize("name", GAMES)
def test_bent_seats_are_one_error_or_hold(name: str, met: dict[str, Sequence[fairdeal.Decision]]) -> None:
    came: Counter[bool] = Counter()
    for number in range(BENT // 3):
        chance = Choices("seat", name, number)
        decision = chance.one(met[chance.one([name, *GAMES])])
        seated = pb.Seated()
        seated.CopyFrom(chance.one(met[name]).match.message)
        if chance.odds(80):
            bend(seated, chance)
        match = _updates.seated(seated)
        came[holds_or_is_one_error(fairdeal.Decision(match, decision.message, str(number)))] += 1
    assert len(came) == 2


@pytest.mark.parametrize("name", GAMES)
def test_any_hypothesis_is_one_error_or_kept(name: str, met: dict[str, Sequence[fairdeal.Decision]]) -> None:
    for number in range(BENT // 3):
        chance = Choices("held", name, number)
        decision = chance.one(met[name])
        pack = fairdeal.ALL_CARDS if chance.odds(50) else fairdeal.ALL_CARDS[-7:]
        seats = range(-1, GAMES[name].seats + 1) if chance.odds(10) else range(GAMES[name].seats)
        held = {chance.one(seats): chance.some(pack, chance.below(4)) for _ in range(chance.between(1, 2))}
        if holds_or_is_one_error(decision, held):
            (state,) = model.worlds(decision, 1, held=held)
            for seat, cards in held.items():
                view: Any = state.view(seat)
                assert {*cards} <= {*view.hand, *_hidden(state, seat)}


def _hidden(state: model.State, seat: int) -> Sequence[fairdeal.Card]:
    """Return what a seat of spades holds and has not looked at."""
    bits = state.rules.hands[seat]
    return [card for card in fairdeal.ALL_CARDS if bits >> card.number - 1 & 1]


def holds_or_is_one_error(decision: fairdeal.Decision, held: Held | None = None) -> bool:
    """Draw a deal, and return whether there was one."""
    try:
        (state,) = model.worlds(decision, 1, held=held or {})
    except fairdeal.BadSetting as error:
        assert str(error).startswith(f"match {decision.match.id}") and "\n" not in str(error)
        return False
    view: Any = decision.view
    assert state.view(view.seat) == view
    model.is_certain(decision)
    points = state.play_out(decision.chance.draw)
    assert len(points) == len(GAMES[decision.match.game].sides)
    return True


def bend(message: Any, chance: Choices) -> None:
    """Change a field of a message, or of one in it."""
    if not (spots := _spots(message)):
        return  # the view of a game that is gone
    within, field = chance.one(spots)
    value = getattr(within, field.name)
    if field.is_repeated:
        _bend_list(value, field, chance)
    elif field.message_type:
        if within.HasField(field.name) and chance.odds(70):
            within.ClearField(field.name)
        else:
            value.SetInParent()
    elif field.type != field.TYPE_BYTES:
        setattr(within, field.name, _other(value, field, chance))


def _spots(message: Any) -> list[tuple[Any, Any]]:
    found = []
    for field in message.DESCRIPTOR.fields:
        if field.containing_oneof and not message.HasField(field.name):
            continue
        found.append((message, field))
        if field.message_type:
            value = getattr(message, field.name)
            for each in value if field.is_repeated else [value] if message.HasField(field.name) else []:
                found += _spots(each)
    return found


def _bend_list(values: Any, field: Any, chance: Choices) -> None:
    how = chance.one(("drop", "twice", "swap", "clear", "add", "change"))
    if how == "add" or not values:
        if field.message_type:
            values.add()
        else:
            values.append(_other(1, field, chance))
        return
    place = chance.below(len(values))
    if how == "drop":
        del values[place]
    elif how == "clear":
        del values[:]
    elif how == "change" and not field.message_type:
        values[place] = _other(values[place], field, chance)
    else:
        items = list(values)
        other = chance.below(len(items))
        items[place], items[other] = items[other], items[place]
        if how == "twice":
            items.insert(place, items[other])
        items = copy.deepcopy(items)
        del values[:]
        values.extend(items)


def _other(value: Any, field: Any, chance: Choices) -> Any:
    """Return another value for a field that is no message."""
    if field.cpp_type == field.CPPTYPE_BOOL:
        return not value
    if field.cpp_type == field.CPPTYPE_STRING:
        return chance.one(("", "x", *GAMES))
    number = chance.one((value + 1, value - 1, chance.one(EDGES)))
    is_unsigned = field.cpp_type in (field.CPPTYPE_UINT32, field.CPPTYPE_UINT64)
    return min(max(0 if is_unsigned else -(2**31), number), 2**31 - 1)
