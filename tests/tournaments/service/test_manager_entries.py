"""Entries of the tournaments at a manager: they register, get their tokens, pause, leave and come back."""

import asyncio
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest

from referee.core.access import Denied, Role
from referee.match.clock import SECOND
from referee.match.messages import Reason
from referee.server.tokens import TokenFile
from tests.tournaments.fake_tournament import DUEL, DUEL_LADDER, DUEL_OPEN, Disk, created, refusal
from tests.workspace import PATIENCE
from tournaments.plan.states import EntryState, TournamentState
from tournaments.running.watch import EntrySnapshot
from tournaments.service.entries import CHANGES_A_MINUTE, Registration
from tournaments.service.manager import Manager


def register(manager: Manager, name: str, entry: str, version: str | None) -> Registration:
    """Take in an entry."""
    return asyncio.run(manager.entries.register(name, entry, version))


def set_state(manager: Manager, name: str, entry: str, state: EntryState, *, by: Role) -> EntrySnapshot:
    """Change whether an entry is paired."""
    return asyncio.run(manager.entries.set_state(name, entry, state, by=by))


def test_an_entry_of_the_file_gets_its_token_once(manager: Manager, disk: Disk, tokens: TokenFile) -> None:
    created(manager, DUEL, "cup")
    first = register(manager, "cup", "away", None)
    tokens.check(first.token, "away")
    assert (first.has_token, first.entry.name, first.entry.version) == (False, "away", "1")
    again = register(manager, "cup", "away", "1")
    assert (again.token, again.has_token, again.entry) == ("", True, first.entry)
    tokens.check(first.token, "away")
    assert disk.opened[0].calls == []


def test_a_referee_without_tokens_gives_none(open_manager: Callable[..., Manager], disk: Disk) -> None:
    manager = open_manager(tokens=None)
    created(manager, DUEL_LADDER, "cup")
    for entry in ("away", "new"):
        given = register(manager, "cup", entry, None)
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
    manager: Manager,
    disk: Disk,
    tokens: TokenFile,
    text: str,
    entry: str,
    version: str | None,
    asked: list[str] | None,
) -> None:
    created(manager, text, "cup")
    if asked is None:
        expected = (
            "it takes only the entries of its file, and new is not one of them:"
            ' registration = "open" there lets others in'
        )
        assert refusal(register, manager, "cup", entry, version) == (Reason.WRONG_STATE, expected)
        assert [kept.name for kept in tokens.list()] == ["boss"]
        return
    given = register(manager, "cup", entry, version)
    assert disk.opened[0].calls == asked
    tokens.check(given.token, entry)
    assert given.entry == manager.entries.of("cup", entry)


@pytest.mark.parametrize(("version", "then"), [(None, "1"), ("2", "2")])
def test_who_has_left_comes_back(manager: Manager, disk: Disk, version: str | None, then: str) -> None:
    created(manager, DUEL_LADDER, "cup")
    set_state(manager, "cup", "away", EntryState.LEFT, by=Role.ORGANISER)
    given = register(manager, "cup", "away", version)
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
    manager: Manager,
    disk: Disk,
    tokens: TokenFile,
    entry: str,
    version: str | None,
    reason: Reason,
    text: str,
) -> None:
    created(manager, DUEL_LADDER, "cup")
    found, told = refusal(register, manager, "cup", entry, version)
    assert found is reason
    assert told.startswith(text)
    assert disk.opened[0].calls == []
    assert [kept.name for kept in tokens.list()] == ["boss"]


def test_another_version_keeps_what_the_file_says_of_an_entry(manager: Manager, disk: Disk) -> None:
    created(manager, DUEL_LADDER.replace('version = "1"', 'version = "1"\nstrength = 7.5'), "cup")
    register(manager, "cup", "away", "2")
    entry = disk.opened[0].store.entries["away"].entry
    assert (entry.version, entry.strength, entry.remote) == ("2", 7.5, True)


def test_tokens_that_cannot_be_kept_are_told(manager: Manager, tmp_path: Path) -> None:
    created(manager, DUEL_LADDER, "cup")
    (tmp_path / "tokens.json").write_text("{")
    text = f"{tmp_path}/tokens.json: is not a file of tokens; put back a copy, or remove it and give out new"
    assert refusal(register, manager, "cup", "new", None) == (Reason.INTERNAL, f"{text} tokens")


def test_an_entry_pauses_leaves_and_comes_back(manager: Manager, disk: Disk) -> None:
    created(manager, DUEL_LADDER, "cup")
    for state in (
        EntryState.ACTIVE,
        EntryState.PAUSED,
        EntryState.PAUSED,
        EntryState.LEFT,
        EntryState.ACTIVE,
    ):
        assert set_state(manager, "cup", "away", state, by=Role.ORGANISER) == manager.entries.of(
            "cup", "away"
        )
        assert manager.entries.of("cup", "away").state is state
    assert disk.opened[0].calls == ["away paused", "away left", "away active"]


@pytest.mark.parametrize("state", [TournamentState.CANCELLED, TournamentState.FINISHED])
def test_what_is_over_keeps_its_entries(
    manager: Manager, disk: Disk, tokens: TokenFile, state: TournamentState
) -> None:
    created(manager, DUEL_LADDER, "cup")
    disk.states["cup"] = state
    expected = (Reason.WRONG_STATE, f"it is {state}, and its entries stay as they are")
    assert refusal(register, manager, "cup", "away", None) == expected
    left = partial(set_state, manager, by=Role.ORGANISER)
    assert refusal(left, "cup", "away", EntryState.LEFT) == expected
    assert [kept.name for kept in tokens.list()] == ["boss"]


def test_an_entry_that_is_not_there(manager: Manager) -> None:
    created(manager, DUEL, "cup")
    text = "no such entry; did you mean away? there are away, house"
    assert refusal(manager.entries.of, "cup", "awy") == (Reason.ENTRY_NOT_FOUND, text)
    for role in Role:
        left = partial(set_state, manager, by=role)
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
def test_a_bot_undoes_what_it_did_itself(manager: Manager, moves: list[tuple[Role, str]], may: bool) -> None:
    created(manager, DUEL_LADDER, "cup")
    *before, (role, state) = moves
    for by, then in before:
        set_state(manager, "cup", "away", EntryState(then), by=by)
    was = manager.entries.of("cup", "away")
    last = partial(set_state, manager, by=role)
    if may:
        assert last("cup", "away", EntryState(state)).state == state
    else:
        reason, text = refusal(last, "cup", "away", EntryState(state))
        assert (reason, "organisers can" in text) == (Reason.WRONG_ROLE, True)
        assert manager.entries.of("cup", "away") == was


def test_what_a_bot_did_is_not_known_after_a_restart(
    open_manager: Callable[..., Manager], disk: Disk
) -> None:
    before, after = open_manager(), open_manager()
    created(before, DUEL_LADDER, "cup")
    set_state(before, "cup", "away", EntryState.PAUSED, by=Role.BOT)
    after.attach(disk.opened[0])
    back = partial(set_state, after, by=Role.BOT)
    told = "away was paused by an organiser, or before the referee began: organisers can end that"
    assert refusal(back, "cup", "away", EntryState.ACTIVE) == (Reason.WRONG_ROLE, told)


@pytest.mark.parametrize("state", EntryState)
def test_no_bot_changes_what_is_hosted(manager: Manager, disk: Disk, state: EntryState) -> None:
    created(manager, DUEL_LADDER, "cup")
    told = "house is hosted by the referee: organisers say whether it is paired"
    by_bot = partial(set_state, manager, by=Role.BOT)
    assert refusal(by_bot, "cup", "house", state) == (Reason.WRONG_ROLE, told)
    assert disk.opened[0].calls == []


# What the loop does meanwhile, and in which order


@pytest.mark.asyncio
async def test_tournaments_are_made_and_tokens_given_out_beside_the_loop(
    open_manager: Callable[..., Manager], disk: Disk, tokens: TokenFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_work: list[int] = []

    def note(owner: Any, name: str) -> None:
        work = getattr(owner, name)

        def noted(*given: Any) -> Any:
            at_work.append(threading.get_ident())
            return work(*given)

        monkeypatch.setattr(owner, name, noted)

    note(tokens, "list")
    note(tokens, "add")
    note(disk, "open")
    manager = open_manager()
    await manager.create(DUEL_LADDER, manager.plan(DUEL_LADDER, "cup"))
    assert (await manager.entries.register("cup", "new", None)).token
    assert len(at_work) == 3
    assert threading.get_ident() not in at_work


@pytest.mark.asyncio
async def test_a_tournament_begins_after_those_who_are_being_registered(manager: Manager, disk: Disk) -> None:
    created(manager, DUEL_OPEN, "cup")
    cup = disk.opened[0]
    cup.held.clear()
    names = ("first", "second")
    registering = [asyncio.create_task(manager.entries.register("cup", name, None)) for name in names]
    async with asyncio.timeout(PATIENCE):
        while not cup.calls:  # noqa: ASYNC110 - of the store's thread nobody is told
            await asyncio.sleep(0)
        starting = asyncio.create_task(manager.start("cup"))
        await asyncio.sleep(0)
        assert cup.calls == ["register first None"]
        cup.held.set()
        await asyncio.gather(*registering, starting, return_exceptions=True)
    assert cup.calls.index("start") > cup.calls.index("register first None")
    assert cup.calls.count("register first None") == 1


@pytest.mark.asyncio
async def test_of_two_who_make_the_same_tournament_one_is_refused(manager: Manager, disk: Disk) -> None:
    plan = manager.plan(DUEL, "cup")
    made = await asyncio.gather(*(manager.create(DUEL, plan) for _ in range(2)), return_exceptions=True)
    assert made[0] is disk.opened[0]
    assert isinstance(made[1], Denied)
    assert (made[1].reason, len(disk.opened)) == (Reason.TOURNAMENT_EXISTS, 1)


# How often, and what is broken off


class MicrosClock:
    """A clock in microseconds that somebody moves."""

    def __init__(self) -> None:
        self.now = 0

    def __call__(self) -> int:
        return self.now


def test_a_bot_says_a_few_times_a_minute_whether_it_is_paired(
    open_manager: Callable[..., Manager], disk: Disk
) -> None:
    clock = MicrosClock()
    manager = open_manager(now=clock)
    created(manager, DUEL_LADDER.replace('"house"\nbot = "greedy"', '"other"\nremote = true'), "cup")
    by_bot = partial(set_state, manager, "cup", by=Role.BOT)
    states = (EntryState.PAUSED, EntryState.ACTIVE)
    for number in range(2 * CHANGES_A_MINUTE):
        by_bot("away", states[number % 2])
    assert len(disk.opened[0].calls) == 2 * CHANGES_A_MINUTE
    too_often = "a bot may say whether it is paired 6 times a minute at most; wait 10 seconds"
    for state in EntryState:  # also what would change nothing
        assert refusal(by_bot, "away", state) == (Reason.RATE_LIMITED, too_often)
    assert refusal(partial(set_state, manager, "nowhere", by=Role.BOT), "away", states[0])[1] == too_often
    assert len(disk.opened[0].calls) == 2 * CHANGES_A_MINUTE
    # others are not concerned, nor organisers
    assert by_bot("other", EntryState.PAUSED).state is EntryState.PAUSED
    for number in range(4 * CHANGES_A_MINUTE):
        set_state(manager, "cup", "away", states[number % 2], by=Role.ORGANISER)
    clock.now = 10 * SECOND - 1
    assert refusal(by_bot, "away", EntryState.LEFT)[0] is Reason.RATE_LIMITED
    clock.now = 10 * SECOND + 60
    assert by_bot("away", EntryState.LEFT).state is EntryState.LEFT


@pytest.mark.asyncio
async def test_who_gives_up_breaks_off_nothing(manager: Manager, disk: Disk) -> None:
    created(manager, DUEL_LADDER, "cup")
    by_bot = partial(manager.entries.set_state, "cup", "away", by=Role.BOT)
    await by_bot(EntryState.PAUSED)
    await by_bot(EntryState.ACTIVE)
    cup = disk.opened[0]
    cup.held.clear()
    pausing = asyncio.create_task(
        manager.entries.set_state("cup", "away", EntryState.PAUSED, by=Role.ORGANISER)
    )
    async with asyncio.timeout(PATIENCE):
        while len(cup.calls) < 3:  # noqa: ASYNC110 - of the store's thread nobody is told
            await asyncio.sleep(0)
        pausing.cancel()
        await asyncio.wait({pausing})
        back = asyncio.create_task(by_bot(EntryState.ACTIVE))  # waits for what the organiser has begun
        cup.held.set()
        with pytest.raises(Denied, match="away was paused by an organiser"):
            await back
    assert cup.calls == ["away paused", "away active", "away paused"]


@pytest.mark.asyncio
async def test_a_desk_that_closes_waits_for_what_changes(manager: Manager, disk: Disk) -> None:
    created(manager, DUEL_LADDER, "cup")
    cup = disk.opened[0]
    cup.held.clear()
    leaving = asyncio.create_task(manager.entries.set_state("cup", "away", EntryState.LEFT, by=Role.BOT))
    async with asyncio.timeout(PATIENCE):
        while not cup.calls:  # noqa: ASYNC110 - of the store's thread nobody is told
            await asyncio.sleep(0)
        closing = asyncio.create_task(manager.close())
        await asyncio.sleep(0)
        assert cup.calls == ["away left"]
        cup.held.set()
        assert (await leaving).state is EntryState.LEFT
        await closing
    assert cup.calls == ["away left", "close"]
