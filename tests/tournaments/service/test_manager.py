"""Several tournaments on one referee: made, run, kept, and opened again."""

import asyncio
import os
import stat
import threading
from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from referee.core.access import Denied, Role
from referee.match.messages import Reason
from tests.tournaments.fake_tournament import DUEL, DUEL_LADDER, Disk, FakeTournament, created, refusal
from tests.workspace import ALONE
from tournaments.folder_lock import FolderError
from tournaments.plan.states import Chosen, EntryState, RulingKind, TournamentState
from tournaments.running.errors import RunFailed, WrongState
from tournaments.service import manager as of_managers
from tournaments.service.manager import Manager
from tournaments.store import StoreError
from tournaments.tournament_file import reader
from tournaments.tournament_file.reader import ConfigError


def problems(call: Callable[..., Any], *args: Any) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        call(*args)
    return list(map(str, caught.value.problems))


# Creating


@pytest.mark.parametrize(
    ("text", "stem", "name"),
    [
        (DUEL, "cup", "cup"),
        (f'name = "spring"\n{DUEL}', "cup", "spring"),
        (f'name = "spring"\n{DUEL}', "", "spring"),
    ],
)
def test_a_tournament_is_made_from_a_text_and_kept_as_a_file(
    manager: Manager, disk: Disk, tmp_path: Path, text: str, stem: str, name: str
) -> None:
    made = created(manager, text, stem)
    assert made is disk.opened[0]
    assert manager.names() == (name,)
    assert manager.tournament(name) is made
    file = tmp_path / "desk" / name / f"{name}.toml"
    assert file.read_text() == text
    # with the file, the other commands can read the tournament
    assert made.plan == reader.load(file)
    assert made.plan.folder == file.parent / f"{name}.fairdeal"


@pytest.mark.parametrize("umask", [0o000, 0o077])
def test_the_folder_of_a_tournament_is_private_in_every_umask(
    manager: Manager, tmp_path: Path, umask: int
) -> None:
    before = os.umask(umask)
    try:
        created(manager, DUEL, "cup")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "desk" / "cup").stat().st_mode) == 0o700


def test_line_ends_and_letters_are_kept(manager: Manager, tmp_path: Path) -> None:
    text = DUEL.replace("\n", "\r\n") + "# Übung\r\n"
    created(manager, text, "cup")
    assert (tmp_path / "desk/cup/cup.toml").read_bytes() == text.encode()


def test_tournaments_are_listed_by_name(manager: Manager) -> None:
    for name in ("b", "c", "a"):
        created(manager, DUEL, name)
    assert manager.names() == ("a", "b", "c")


def test_a_name_is_given_once(
    manager: Manager, open_manager: Callable[..., Manager], disk: Disk, tmp_path: Path
) -> None:
    created(manager, DUEL, "cup")
    expected = (Reason.TOURNAMENT_EXISTS, "there is a tournament cup here already")
    assert refusal(created, manager, DUEL_LADDER, "cup") == expected
    assert (
        refusal(created, open_manager(), DUEL_LADDER, "cup") == expected
    )  # nor one that was not opened again
    assert (tmp_path / "desk/cup/cup.toml").read_text() == DUEL
    assert len(disk.opened) == 1


def test_all_that_is_wrong_is_told_with_its_place(manager: Manager, disk: Disk, tmp_path: Path) -> None:
    text = DUEL.replace("two_handed_spades", "chess").replace('"greedy"', '"greedier"') + "colour = 1\n"
    assert [one.partition(": ")[0] for one in problems(created, manager, text, "cup")] == [
        "cup:1",
        "cup:6",
        "cup:12",
    ]
    assert (disk.opened, manager.names()) == ([], ())
    assert not (tmp_path / "desk").exists()


@pytest.mark.parametrize(
    ("text", "stem", "told"),
    [
        ("game = ", "cup", "cup:1: not TOML: game has no value"),
        ("game = ", "", "file:1: not TOML: game has no value"),
        (f"a = {'[' * 5000}", "cup", "cup:1: nested too deeply"),
        (DUEL, "", "file:1: name: the file's name, \"\", cannot be the tournament's: write name = ..."),
        (DUEL, "../up", '../up:1: name: the file\'s name, "../up", cannot be'),
        (f'name = "../up"\n{DUEL}', "cup", "cup:1: name: must be 1 to 60 of a-z, 0-9, _ and -, is"),
        (f'name = "."\n{DUEL}', "cup", "cup:1: name: must be 1 to 60 of a-z, 0-9, _ and -, is"),
        (f"name = 1\n{DUEL}", "cup", "cup:1: name: must be 1 to 60 of a-z, 0-9, _ and -, is 1"),
    ],
)
def test_a_text_that_is_no_tournament(
    manager: Manager, tmp_path: Path, text: str, stem: str, told: str
) -> None:
    found = problems(created, manager, text, stem)
    assert found[0].startswith(told)
    assert list(tmp_path.rglob("*.toml")) == []


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("durability", '"disk"'),
        ("executor", '"local"'),
        ("folder", '"/etc"'),
        ("limits", "{ sessions = 1 }"),
        ("ray", '{ address = "10.0.0.1:6379" }'),
        ("server", '{ listen = "0.0.0.0:1", certificate = "/etc/passwd" }'),
        ("store", '"postgresql://elsewhere/db"'),
    ],
)
def test_what_is_the_server_s_own_is_refused(manager: Manager, tmp_path: Path, key: str, value: str) -> None:
    found = problems(created, manager, f"rounds = 1\n{key} = {value}\n{DUEL}", "cup")
    assert found == [f"cup:2: {key}: is decided by the server: leave it out"]
    assert not (tmp_path / "desk").exists()


def test_the_deals_of_a_server_stay_secret(manager: Manager) -> None:
    found = problems(created, manager, DUEL.replace("concurrency = 2", "seed = 1"), "cup")
    assert found == ["cup:2: seed: would make the deals known, which a server keeps secret: leave it out"]


def test_commands_of_others_run_only_where_they_may(
    manager: Manager, open_manager: Callable[..., Manager], disk: Disk, tmp_path: Path
) -> None:
    text = DUEL + '\n[[entries]]\nname = "c"\ncommand = ["sh", "-c", "true"]\n' + 'folder = "x"\n'
    text = f'store = "sqlite://"\n{text}'
    other = DUEL.replace('bot = "greedy"', 'command = ["/no/such/program"]')
    refused = (
        'this server does not run commands of others: write bot = "greedy", for example, or remote = true'
    )
    *told, beside = problems(created, manager, text, "cup")
    assert told == [
        "cup:1: store: is decided by the server: leave it out",
        f"cup:16: entries[2].command: {refused}",
    ]
    assert beside.startswith("cup:17: entries[2].folder: is a key of the file")
    # whether there is such a program here is nobody's business
    assert problems(created, manager, other, "cup") == [f"cup:6: entries[0].command: {refused}"]
    allowing = open_manager(allow_commands=True)
    assert "/no/such/program" in problems(created, allowing, other, "cup")[0]
    created(allowing, other.replace("/no/such/program", "sh"), "cup")
    assert disk.opened[0].plan.entries[0].command is not None


@pytest.mark.parametrize("name", ["../up", "/{}/up", "."])
def test_a_bad_name_leads_nowhere_else(
    open_manager: Callable[..., Manager], tmp_path: Path, name: str
) -> None:
    manager = open_manager(allow_commands=True)
    found = problems(created, manager, f'name = "{name.format(tmp_path)}"\n{DUEL}', "cup")
    assert found[0].startswith("cup:1: name: must be")
    assert {path.name for path in tmp_path.rglob("*")} <= {"desk", "tokens.json", "tokens.json.lock"}


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (StoreError("x: is no store"), "x: is no store"),
        (FolderError("x: is held"), "x: is held"),
        (RunFailed("x: goes on there"), "x: goes on there"),
        (
            PermissionError(13, "Permission denied", "/x"),
            "on the server /x cannot be used (Permission denied); change its rights",
        ),
    ],
)
def test_what_cannot_be_opened_can_be_created_later(
    manager: Manager, disk: Disk, tmp_path: Path, error: Exception, text: str
) -> None:
    disk.failing["cup"] = error
    assert refusal(created, manager, DUEL, "cup") == (Reason.INTERNAL, text)
    assert (manager.names(), list(tmp_path.rglob("*.toml"))) == ((), [])
    del disk.failing["cup"]
    created(manager, DUEL, "cup")
    assert manager.names() == ("cup",)


def test_a_fault_of_its_own_is_not_told_as_the_disk_s(manager: Manager, disk: Disk, tmp_path: Path) -> None:
    disk.failing["cup"] = KeyError("queen of spades")
    with pytest.raises(KeyError):
        created(manager, DUEL, "cup")
    assert list(tmp_path.rglob("*.toml")) == []


def test_a_folder_that_cannot_be_written_is_told(manager: Manager, tmp_path: Path) -> None:
    (tmp_path / "desk").write_text("a file")
    reason, text = refusal(created, manager, DUEL, "cup")
    assert reason is Reason.INTERNAL
    assert text == f"on the server {tmp_path}/desk/cup cannot be used (Not a directory); fix that"


# Opening again


def test_all_is_opened_again_and_what_was_running_goes_on(
    open_manager: Callable[..., Manager], disk: Disk
) -> None:
    before = open_manager()
    states = {state.value: state for state in TournamentState}
    for name in states:
        created(before, DUEL, name)
    disk.states.update(states)
    disk.opened.clear()
    after = open_manager()
    assert after.recover() == ()
    assert after.names() == tuple(sorted(states))
    assert not any(one.calls for one in disk.opened)  # nobody can dial in yet
    assert after.resume() == ()
    assert {one.plan.name: one.calls for one in disk.opened} == {
        name: ["start"] if name == "running" else [] for name in states
    }
    for name in states:
        assert after.tournament(name).plan == before.tournament(name).plan


def test_what_cannot_go_on_holds_up_nothing_else(
    open_manager: Callable[..., Manager], disk: Disk, tmp_path: Path
) -> None:
    before = open_manager(allow_commands=True)
    commands = DUEL.replace('bot = "greedy"', 'command = ["sh"]')
    for name, text in {"a": DUEL, "b": DUEL, "c": commands, "d": DUEL, "e": DUEL, "f": DUEL}.items():
        created(before, text, name)
    folder = tmp_path / "desk"
    (folder / "a/a.toml").write_text("game = ")
    (folder / "d/d.toml").write_bytes(b"\xff")
    (folder / "f/f.toml").write_text(f'name = "other"\n{DUEL}')
    disk.failing["b"] = StoreError("b: is no store")
    disk.states["e"] = TournamentState.RUNNING
    (folder / "x").mkdir()
    (folder / "x/y.toml").write_text("another's")
    (folder / "e/.e.toml").write_text("unfinished")
    after = open_manager()
    failures = after.recover()
    assert after.resume() == ()
    assert after.names() == ("e",)
    assert after.tournament("e").snapshot().state is TournamentState.RUNNING
    expected = [
        f"a cannot be opened: {folder}/a/a.toml:1: not TOML: game has no value",
        "b cannot be opened: b: is no store",
        f"c cannot be opened: {folder}/c/c.toml:6: entries[0].command: this server does not run commands",
        f"d cannot be opened: {folder}/d/d.toml: is not UTF-8 text",
        f"f cannot be opened: {folder}/f/f.toml: its name is other now: write f again",
    ]
    for failure, beginning in zip(failures, expected, strict=True):
        assert failure.startswith(f"tournament {beginning}")


def test_a_tournament_kept_elsewhere_is_taken_in(manager: Manager, disk: Disk, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(DUEL)
    mine = FakeTournament(reader.load(file), disk)
    manager.attach(mine)
    assert manager.tournament("mine") is mine
    assert refusal(created, manager, DUEL, "mine")[0] is Reason.TOURNAMENT_EXISTS


def test_what_cannot_be_started_holds_up_nothing_else(
    manager: Manager, disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b"):
        created(manager, DUEL_LADDER, name)
        disk.states[name] = TournamentState.RUNNING

    def fail() -> None:
        raise WrongState("it cannot be played as it is")

    monkeypatch.setattr(disk.opened[0], "start", fail)
    assert manager.resume() == ("tournament a cannot go on: it cannot be played as it is",)
    assert disk.opened[1].calls == ["start"]


@pytest.mark.asyncio
async def test_at_the_end_all_are_left(manager: Manager, disk: Disk) -> None:
    for name in ("a", "b"):
        created(manager, DUEL, name)
    await manager.close()
    assert [one.calls for one in disk.opened] == [["close"], ["close"]]


@pytest.mark.asyncio
async def test_at_the_end_a_change_that_waits_for_a_lost_store_is_ended(
    manager: Manager, disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(of_managers, "_CHANGES_WITHIN", 0.0)
    created(manager, DUEL, "a")
    has_begun = asyncio.Event()

    async def waits() -> None:
        has_begun.set()
        await asyncio.Event().wait()

    asking = asyncio.create_task(manager.unbroken(waits()))
    await has_begun.wait()
    await asyncio.wait_for(manager.close(), ALONE)
    assert [one.calls for one in disk.opened] == [["close"]]
    with pytest.raises(asyncio.CancelledError):
        await asking


# Running


RUNNING: Final = [
    # state, what is asked, whether the tournament is asked, the state then (None: refused)
    (TournamentState.CREATED, "start", True, TournamentState.RUNNING),
    (TournamentState.RUNNING, "start", True, TournamentState.RUNNING),
    (TournamentState.PAUSED, "start", True, TournamentState.RUNNING),
    (TournamentState.CANCELLED, "start", True, None),
    (TournamentState.FINISHED, "start", True, None),
    (TournamentState.CREATED, "pause", True, None),
    (TournamentState.RUNNING, "pause", True, TournamentState.PAUSED),
    (TournamentState.PAUSED, "pause", False, TournamentState.PAUSED),
    (TournamentState.CANCELLED, "pause", True, None),
    (TournamentState.FINISHED, "pause", True, None),
    (TournamentState.CREATED, "cancel", True, TournamentState.CANCELLED),
    (TournamentState.RUNNING, "cancel", True, TournamentState.CANCELLED),
    (TournamentState.PAUSED, "cancel", True, TournamentState.CANCELLED),
    (TournamentState.CANCELLED, "cancel", False, TournamentState.CANCELLED),
    (TournamentState.FINISHED, "cancel", True, None),
]


@pytest.mark.parametrize(("state", "what", "is_asked", "then"), RUNNING)
@pytest.mark.asyncio
async def test_running(
    manager: Manager,
    disk: Disk,
    state: TournamentState,
    what: str,
    is_asked: bool,
    then: TournamentState | None,
) -> None:
    created(manager, DUEL, "cup")
    disk.states["cup"] = state
    ask = getattr(manager, what)
    if then is None:
        with pytest.raises(Denied) as caught:
            await ask("cup")
        assert (caught.value.reason, caught.value.text) == (Reason.WRONG_STATE, f"it is {state}")
        assert disk.states["cup"] is state
    else:
        assert await ask("cup") is disk.opened[0]
        assert disk.states["cup"] is then
    assert disk.opened[0].calls == ([what] if is_asked else [])


@pytest.mark.parametrize("what", ["start", "pause", "cancel"])
@pytest.mark.asyncio
async def test_a_database_that_does_not_answer_is_asked_beside_the_loop(
    manager: Manager, disk: Disk, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    created(manager, DUEL, "cup")
    (cup,) = disk.opened
    cup.plan = replace(cup.plan, store="postgresql://u@h/d")
    cup.store.failing = StoreError("postgresql://u@h/d: cannot be used")
    asked_in: list[threading.Thread] = []
    extent = cup.store.extent
    monkeypatch.setattr(cup.store, "extent", lambda: asked_in.append(threading.current_thread()) or extent())
    with pytest.raises(Denied) as caught:
        await getattr(manager, what)("cup")
    assert (caught.value.reason, caught.value.text) == (Reason.INTERNAL, str(cup.store.failing))
    assert (cup.calls, asked_in == [threading.main_thread()]) == ([], False)


@pytest.mark.parametrize("what", ["start", "pause", "tournament"])
def test_what_is_not_there(manager: Manager, what: str) -> None:
    ask = getattr(manager, what)
    assert refusal(ask, "cup") == (Reason.TOURNAMENT_NOT_FOUND, "there are no tournaments here yet")
    created(manager, DUEL, "cup")
    created(manager, DUEL, "other")
    text = "no such tournament; did you mean cup? there are cup, other"
    assert refusal(ask, "cap") == (Reason.TOURNAMENT_NOT_FOUND, text)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "change",
    [
        lambda manager: manager.start("cup"),
        lambda manager: manager.rule("cup", RulingKind.REPLAY, Chosen(["cup-1"]), "why", by="olga"),
        lambda manager: manager.rule_on_entry(
            "cup", RulingKind.WITHDRAW, "away", "why", is_struck=False, by="olga"
        ),
        lambda manager: manager.entries.set_state("cup", "away", EntryState.PAUSED, by=Role.ORGANISER),
    ],
    ids=["start", "rule", "rule_on_entry", "set_state"],
)
async def test_what_waits_for_a_tournament_that_gives_up_its_name_finds_none(
    manager: Manager, disk: Disk, change: Callable[[Manager], Coroutine[Any, Any, Any]]
) -> None:
    created(manager, DUEL, "cup")
    (manager._tournaments.folder / "cup" / "cup.fairdeal").mkdir()
    await manager.cancel("cup")
    async with manager.turn("cup"):
        deleting = asyncio.create_task(manager.delete("cup"))
        await asyncio.sleep(0)
        waiting = asyncio.create_task(change(manager))
        for _ in range(3):
            await asyncio.sleep(0)
    assert await deleting == "cup-1"
    with pytest.raises(Denied) as caught:
        await waiting
    assert caught.value.reason is Reason.TOURNAMENT_NOT_FOUND
    assert disk.opened[0].calls == ["cancel", "close"]
