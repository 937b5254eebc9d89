"""Who plays, and how much, when a terminal or the environment says part of it."""

import re
from typing import Any

import pytest

from fairdeal import by_hand
from fairdeal.stdio import _bridge

NOTHING: dict[str, Any] = {"address": None, "entry": None, "instance": None, "matches": None}


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
    monkeypatch: pytest.MonkeyPatch, given: dict[str, Any], environment: dict[str, str], expected: Any
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(f"FAIRDEAL_{name}", value)
    entry, instance, matches = by_hand.settings("bot", **{**NOTHING, **given})
    if instance and re.fullmatch("[0-9a-f]{8}", instance):
        assert instance != by_hand.settings("bot", **{**NOTHING, **given}).instance
        instance = "drawn"
    assert (entry, instance, matches) == expected


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
