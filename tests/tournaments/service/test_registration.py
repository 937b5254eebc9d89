"""Who may register: one rule for the wire and for the folder."""

from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from referee.core.access import Denied, Role
from referee.match.messages import Reason
from tournaments.plan.plan import Entry, Plan
from tournaments.plan.states import EntryState, TournamentState
from tournaments.service.registration import to_register
from tournaments.store import Registered
from tournaments.tournament_file.reader import parse

ENTRIES: Final = """
[[entries]]
name = "house"
bot = "greedy"
[[entries]]
name = "away"
version = "1"
strength = 7
remote = true
"""
HEADS: Final = {
    "closed": "",
    "open": 'registration = "open"\n',
    "ladder": 'format = "ladder"\n',
}
AWAY: Final = Entry(name="away", version="1", strength=7.0, remote=True)
SECOND: Final = replace(AWAY, version="2")
NEW: Final = Entry(name="new", remote=True)


def plan_of(kind: str) -> Plan:
    return parse(f'game = "two_handed_spades"\n{HEADS[kind]}{ENTRIES}', "cup.toml", "cup", Path("/tmp"))


def asked(
    kind: str,
    state: TournamentState,
    name: str,
    version: str | None,
    away: EntryState,
    role: Role | None = None,
) -> Any:
    """Return the entry to register, None for nothing, or the reason of the refusal."""
    plan = plan_of(kind)
    states = {"house": EntryState.ACTIVE, "away": away}
    roster = [Registered(entry, states[entry.name], True, "") for entry in plan.entries]
    try:
        return to_register(plan, state, roster, name, version, role)
    except Denied as denied:
        return denied.reason


@pytest.mark.parametrize("kind", HEADS)
@pytest.mark.parametrize("state", TournamentState)
@pytest.mark.parametrize("away", EntryState)
@pytest.mark.parametrize(
    ("name", "version"), [("away", None), ("away", "1"), ("away", "2"), ("new", None), ("new", "3")]
)
def test_who_may_register(
    kind: str, state: TournamentState, away: EntryState, name: str, version: str | None
) -> None:
    expected: Any
    is_over = state in (TournamentState.CANCELLED, TournamentState.FINISHED)
    grows = kind == "ladder" or state is TournamentState.CREATED
    if name == "new":
        expected = replace(NEW, version=version) if grows and kind != "closed" else Reason.WRONG_STATE
    elif version == "2":
        expected = SECOND if grows else Reason.WRONG_STATE
    elif away is EntryState.LEFT:
        expected = AWAY if grows else Reason.WRONG_STATE
    else:
        expected = None
    assert asked(kind, state, name, version, away) == (Reason.WRONG_STATE if is_over else expected)


@pytest.mark.parametrize("kind", HEADS)
@pytest.mark.parametrize(
    ("name", "version", "role", "reason"),
    [
        ("house", None, None, Reason.ENTRY_EXISTS),
        ("away", None, Role.ORGANISER, Reason.ENTRY_EXISTS),
        ("new", None, Role.ORGANISER, Reason.ENTRY_EXISTS),
        ("n/w", None, None, Reason.BAD_REQUEST),
        ("", None, None, Reason.BAD_REQUEST),
        ("away", "ü", None, Reason.BAD_REQUEST),
    ],
)
def test_names_that_cannot_be(
    kind: str, name: str, version: str | None, role: Role | None, reason: Reason
) -> None:
    assert asked(kind, TournamentState.CREATED, name, version, EntryState.ACTIVE, role) is reason


def test_a_token_of_its_own_hinders_nobody() -> None:
    assert asked("ladder", TournamentState.RUNNING, "new", None, EntryState.ACTIVE, Role.BOT) == NEW


def test_the_name_of_a_team_is_no_name_for_an_entry() -> None:
    text = 'game = "euchre"\npartners = "fixed"\nregistration = "open"\n'
    text += "".join(f'[[entries]]\nname = "{name}"\nremote = true\n' for name in "abcd")
    text += '[[teams]]\nname = "us"\nentries = ["a", "b"]\n[[teams]]\nname = "them"\nentries = ["c", "d"]\n'
    plan = parse(text, "cup.toml", "cup", Path("/tmp"))
    with pytest.raises(Denied, match="us is the name of a team: choose another one") as caught:
        to_register(plan, TournamentState.CREATED, (), "us", None, None)
    assert caught.value.reason is Reason.ENTRY_EXISTS
