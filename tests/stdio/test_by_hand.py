"""Who plays, and how much, when a terminal or the environment says part of it."""

import re
from typing import Any

import pytest

from fairdeal import _updates, by_hand
from fairdeal.stdio import _bridge
from fairdeal.v1 import play_service_pb2 as pb


@pytest.mark.parametrize(
    ("given", "environment", "expected"),
    [
        ({}, {}, ("bot", "drawn", 1)),
        ({"address": "h:1"}, {}, ("bot", "drawn", 1)),
        ({}, {"ADDRESS": "h:1"}, ("bot", "drawn", 0)),
        ({"address": "h:2"}, {"ADDRESS": "h:1"}, ("bot", "drawn", 1)),
        ({"matches": 5}, {"ADDRESS": "h:1"}, ("bot", "drawn", 5)),
        ({"matches": 0}, {}, ("bot", "drawn", 0)),
        ({"entry": "e"}, {}, ("e", None, 1)),
        ({"instance": "i"}, {}, ("bot", "i", 1)),
        ({}, {"ENTRY": "e"}, (None, None, 1)),
        ({}, {"INSTANCE": "i"}, ("bot", None, 1)),
    ],
)
def test_settings(
    monkeypatch: pytest.MonkeyPatch, given: Any, environment: dict[str, str], expected: Any
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(f"FAIRDEAL_{name}", value)
    address = given.get("address")
    completed = by_hand.completed("bot", address, given)
    instance = completed.get("instance")
    if instance and re.fullmatch("[0-9a-f]{8}", instance):
        assert instance != by_hand.completed("bot", address, given).get("instance")
        instance = "drawn"
    assert (completed.get("entry"), instance, completed.get("matches")) == expected


@pytest.mark.parametrize(
    ("program", "name"),
    [
        ("perl", "perl"),
        ("./my_bot.awk", "my_bot.awk"),
        ("/opt/my bot/é 1", "--1"),
        ("a" * 60, "a" * 40),
    ],
)
def test_an_entry_is_called_after_the_program_s_file(program: str, name: str) -> None:
    assert _bridge._name([program, "x"]) == name


LATE = pb.FaultCounts(late=2, malformed=1, sessions_lost=4)


@pytest.mark.parametrize(
    ("names", "fields", "line"),
    [
        ((), {"termination": 1, "scores": [5, -7]}, "m: completed, scores by side: 5, -7"),
        ((), {"termination": 4}, "m: void"),
        (
            ("a", "b"),
            {"forfeited": [2], "faults": [{}, LATE]},
            "m: forfeit, b (seat 1) forfeits (1 malformed, 2 late)",
        ),
        (("a", "b"), {"forfeited": [1, 2]}, "m: forfeit, a (seat 0) forfeits, b (seat 1) forfeits"),
        ((), {"forfeited": [1], "faults": [{}]}, "m: forfeit, seat 0 forfeits"),
        ((), {}, "m: forfeit"),
        (
            ("a", "b", "c", "d"),
            {"termination": 1, "scores": [1, 2, 3, 4], "forfeited": [4], "faults": [{}, {}, {}, LATE]},
            "m: completed, scores by side: 1, 2, 3, 4, d (seat 3) forfeits (1 malformed, 2 late)",
        ),
        (("a",), {"forfeited": [0]}, "m: forfeit, seat -1 forfeits"),  # of a referee that makes no sense
    ],
)
def test_how_a_match_ended(names: tuple[str, ...], fields: dict[str, Any], line: str) -> None:
    seated = _updates.seated(pb.Seated(match_id="m", seat=1, entries=names))
    finished = pb.Finished(match_id="m", **{"termination": 2, **fields})
    assert by_hand.ended(_updates.finished(seated, finished)) == line
