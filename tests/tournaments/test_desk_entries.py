"""Entries of the tournaments at a desk: they register, get their tokens, pause, leave and come back."""

from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest

from referee.access import Role
from referee.server.tokens import TokenFile
from referee.updates import Reason
from tests.tournaments.fake_tournament import DUEL, DUEL_LADDER, DUEL_OPEN, Disk, created, refusal
from tournaments.desk import Desk
from tournaments.states import EntryState, State


def test_an_entry_of_the_file_gets_its_token_once(desk: Desk, disk: Disk, tokens: TokenFile) -> None:
    created(desk, DUEL, "cup")
    first = desk.register("cup", "away", None)
    tokens.check(first.token, "away")
    assert (first.has_token, first.entry.name, first.entry.version) == (False, "away", "1")
    again = desk.register("cup", "away", "1")
    assert (again.token, again.has_token, again.entry) == ("", True, first.entry)
    tokens.check(first.token, "away")
    assert disk.opened[0].calls == []


def test_a_referee_without_tokens_gives_none(open_desk: Any, disk: Disk) -> None:
    desk = open_desk(tokens=None)
    created(desk, DUEL_LADDER, "cup")
    for entry in ("away", "new"):
        given = desk.register("cup", entry, None)
        assert (given.token, given.has_token, given.entry.name) == ("", False, entry)
    assert disk.opened[0].calls == ["register new None"]


JOINING: Final = [
    # the file, entry, version, what the tournament is asked (None: refused)
    (DUEL, "away", None, []),
    (DUEL, "away", "1", []),
    (DUEL, "away", "2", ["register away 2"]),
    (DUEL, "new", None, None),
    (DUEL_OPEN, "new", None, ["register new None"]),
    (DUEL_OPEN, "new", "7", ["register new 7"]),
    (DUEL_LADDER, "new", None, ["register new None"]),
    (DUEL_LADDER, "away", None, []),
    (DUEL_LADDER, "away", "2", ["register away 2"]),
]


@pytest.mark.parametrize(("text", "entry", "version", "asked"), JOINING)
def test_joining(
    desk: Desk,
    disk: Disk,
    tokens: TokenFile,
    text: str,
    entry: str,
    version: str | None,
    asked: list[str] | None,
) -> None:
    created(desk, text, "cup")
    if asked is None:
        expected = (
            "it takes the entries of its file alone, and new is none of them:"
            ' registration = "open" there lets others in'
        )
        assert refusal(desk.register, "cup", entry, version) == (Reason.WRONG_STATE, expected)
        assert [kept.name for kept in tokens.list()] == ["boss"]
        return
    given = desk.register("cup", entry, version)
    assert disk.opened[0].calls == asked
    tokens.check(given.token, entry)
    assert given.entry == desk.entry("cup", entry)


@pytest.mark.parametrize(("version", "then"), [(None, "1"), ("2", "2")])
def test_who_has_left_comes_back(desk: Desk, disk: Disk, version: str | None, then: str) -> None:
    created(desk, DUEL_LADDER, "cup")
    desk.set_entry_state("cup", "away", EntryState.LEFT, by=Role.ORGANISER)
    given = desk.register("cup", "away", version)
    assert disk.opened[0].calls == ["away left", f"register away {then}"]
    assert (given.entry.state, given.entry.version) == (EntryState.ACTIVE, then)


@pytest.mark.parametrize(
    ("entry", "version", "reason", "text"),
    [
        ("house", None, Reason.ENTRY_EXISTS, "house is hosted by the referee, and needs no token"),
        ("boss", None, Reason.ENTRY_EXISTS, "boss is the name of an organiser: choose another one"),
        ("a b", None, Reason.BAD_REQUEST, "the name must be 1 to 40 letters (a-z, A-Z), digits"),
        ("", None, Reason.BAD_REQUEST, "the name must be"),
        ("x" * 41, None, Reason.BAD_REQUEST, "the name must be"),
        ("x\n", None, Reason.BAD_REQUEST, "the name must be"),
        ("x", "ü", Reason.BAD_REQUEST, "the version must be"),
    ],
)
def test_who_cannot_register(
    desk: Desk, disk: Disk, tokens: TokenFile, entry: str, version: str | None, reason: Reason, text: str
) -> None:
    created(desk, DUEL_LADDER, "cup")
    found, told = refusal(desk.register, "cup", entry, version)
    assert found is reason
    assert told.startswith(text)
    assert disk.opened[0].calls == []
    assert [kept.name for kept in tokens.list()] == ["boss"]


def test_another_version_keeps_what_the_file_says_of_an_entry(desk: Desk, disk: Disk) -> None:
    created(desk, DUEL_LADDER.replace('version = "1"', 'version = "1"\nstrength = 7.5'), "cup")
    desk.register("cup", "away", "2")
    entry = disk.opened[0].store.entries["away"].entry
    assert (entry.version, entry.strength, entry.remote) == ("2", 7.5, True)


def test_tokens_that_cannot_be_kept_are_told(desk: Desk, tmp_path: Path) -> None:
    created(desk, DUEL_LADDER, "cup")
    (tmp_path / "tokens.json").write_text("{")
    text = (
        f"{tmp_path}/tokens.json: is no file of tokens; put back a copy, or remove it and give out new tokens"
    )
    assert refusal(desk.register, "cup", "new", None) == (Reason.INTERNAL, text)


def test_an_entry_pauses_leaves_and_comes_back(desk: Desk, disk: Disk) -> None:
    created(desk, DUEL_LADDER, "cup")
    for state in (
        EntryState.ACTIVE,
        EntryState.PAUSED,
        EntryState.PAUSED,
        EntryState.LEFT,
        EntryState.ACTIVE,
    ):
        assert desk.set_entry_state("cup", "away", state, by=Role.ORGANISER) == desk.entry("cup", "away")
        assert desk.entry("cup", "away").state is state
    assert disk.opened[0].calls == ["away paused", "away left", "away active"]


@pytest.mark.parametrize("state", [State.CANCELLED, State.FINISHED])
def test_what_is_over_keeps_its_entries(desk: Desk, disk: Disk, tokens: TokenFile, state: State) -> None:
    created(desk, DUEL_LADDER, "cup")
    disk.states["cup"] = state
    expected = (Reason.WRONG_STATE, f"it is {state}, and its entries stay as they are")
    assert refusal(desk.register, "cup", "away", None) == expected
    left = partial(desk.set_entry_state, by=Role.ORGANISER)
    assert refusal(left, "cup", "away", EntryState.LEFT) == expected
    assert [kept.name for kept in tokens.list()] == ["boss"]


def test_an_entry_that_is_not_there(desk: Desk) -> None:
    created(desk, DUEL, "cup")
    text = "no such entry; did you mean away? there are away, house"
    assert refusal(desk.entry, "cup", "awy") == (Reason.ENTRY_NOT_FOUND, text)
    for role in Role:
        left = partial(desk.set_entry_state, by=role)
        assert refusal(left, "cup", "awy", EntryState.LEFT) == (Reason.ENTRY_NOT_FOUND, text)


# What bots do with their own entries

MOVES: Final = [
    # who sets which states, one after the other; whether the last one may
    ([(Role.BOT, "paused"), (Role.BOT, "active")], True),
    ([(Role.BOT, "paused"), (Role.BOT, "paused"), (Role.BOT, "active")], True),
    ([(Role.BOT, "paused"), (Role.BOT, "left")], True),
    ([(Role.BOT, "left"), (Role.BOT, "left")], True),
    ([(Role.ORGANISER, "paused"), (Role.BOT, "left")], True),
    ([(Role.ORGANISER, "paused"), (Role.BOT, "paused")], True),
    ([(Role.ORGANISER, "left"), (Role.ORGANISER, "active")], True),
    ([(Role.BOT, "left"), (Role.ORGANISER, "active")], True),
    ([(Role.ORGANISER, "left"), (Role.BOT, "active")], False),
    ([(Role.ORGANISER, "left"), (Role.BOT, "paused")], False),
    ([(Role.BOT, "left"), (Role.BOT, "active")], False),
    ([(Role.BOT, "paused"), (Role.ORGANISER, "left"), (Role.BOT, "active")], False),
    ([(Role.ORGANISER, "paused"), (Role.BOT, "active")], False),
    ([(Role.ORGANISER, "paused"), (Role.BOT, "paused"), (Role.BOT, "active")], False),
    ([(Role.BOT, "paused"), (Role.ORGANISER, "paused"), (Role.BOT, "active")], False),
    (
        [
            (Role.BOT, "paused"),
            (Role.ORGANISER, "active"),
            (Role.ORGANISER, "paused"),
            (Role.BOT, "active"),
        ],
        False,
    ),
]


@pytest.mark.parametrize(("moves", "may"), MOVES)
def test_a_bot_undoes_what_it_did_itself(desk: Desk, moves: list[tuple[Role, str]], may: bool) -> None:
    created(desk, DUEL_LADDER, "cup")
    *before, (role, state) = moves
    for by, then in before:
        desk.set_entry_state("cup", "away", EntryState(then), by=by)
    was = desk.entry("cup", "away")
    last = partial(desk.set_entry_state, by=role)
    if may:
        assert last("cup", "away", EntryState(state)).state == state
    else:
        reason, text = refusal(last, "cup", "away", EntryState(state))
        assert (reason, "organisers can" in text) == (Reason.WRONG_ROLE, True)
        assert desk.entry("cup", "away") == was


def test_what_a_bot_did_is_not_known_after_a_restart(open_desk: Any, disk: Disk) -> None:
    before, after = open_desk(), open_desk()
    created(before, DUEL_LADDER, "cup")
    before.set_entry_state("cup", "away", EntryState.PAUSED, by=Role.BOT)
    after.attach(disk.opened[0])
    back = partial(after.set_entry_state, by=Role.BOT)
    told = "away was paused by an organiser, or before the referee began: organisers can end that"
    assert refusal(back, "cup", "away", EntryState.ACTIVE) == (Reason.WRONG_ROLE, told)


@pytest.mark.parametrize("state", EntryState)
def test_no_bot_changes_what_is_hosted(desk: Desk, disk: Disk, state: EntryState) -> None:
    created(desk, DUEL_LADDER, "cup")
    told = "house is hosted by the referee: organisers say whether it is paired"
    by_bot = partial(desk.set_entry_state, by=Role.BOT)
    assert refusal(by_bot, "cup", "house", state) == (Reason.WRONG_ROLE, told)
    assert disk.opened[0].calls == []
