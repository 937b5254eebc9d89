"""`fairdeal entry` on files: who takes part, and the tokens that remote entries get."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from referee.core.access import Denied, Role
from referee.server.tokens import TokenFile
from tournaments import schedule
from tournaments.plan.plan import Plan
from tournaments.plan.states import EntryState, TournamentState
from tournaments.store import FILE, Store
from tournaments.tournament_file.reader import load

Run = Callable[..., Any]

HEAD: Final = 'game = "two_handed_spades"\n'
ENTRIES: Final = """[[entries]]
name = "house"
bot = "greedy"
[[entries]]
name = "alice"
remote = true
"""
CUP: Final = HEAD + ENTRIES
OPEN: Final = f'{HEAD}registration = "open"\n{ENTRIES}'
LADDER: Final = f'{HEAD}format = "ladder"\n{ENTRIES}'


def write(text: str) -> Plan:
    """Write the file of a tournament where commands run."""
    Path("cup.toml").write_text(text)
    return load(Path("cup.toml"))


def roster(plan: Plan) -> dict[str, tuple[str | None, EntryState]]:
    """Return who is known, in which version and state."""
    with Store.read(plan) as store:
        return {kept.entry.name: (kept.entry.version, kept.state) for kept in store.roster()}


def tokens(plan: Plan) -> TokenFile:
    return TokenFile(plan.folder / "tokens.json")


def opens(plan: Plan, token: str, entry: str) -> bool:
    """Return whether a token opens an entry's seats."""
    try:
        tokens(plan).check(token, entry)
    except Denied:
        return False
    return True


def begun(plan: Plan) -> None:
    with Store.open(plan) as store:
        store.set_state(TournamentState.RUNNING)


# Tokens


@pytest.mark.parametrize("text", [CUP, OPEN, LADDER], ids=["closed", "open", "ladder"])
def test_an_entry_of_the_file_gets_its_token_once(fairdeal: Run, text: str) -> None:
    plan = write(text)
    done = fairdeal("entry", "add", "cup.toml", "alice")
    token = done.out.strip()
    assert (done.status, done.out) == (0, f"{token}\n")
    assert len(token) == 32
    assert done.err == (
        "this token is shown only now: the bot of alice gets it as FAIRDEAL_TOKEN, with"
        " FAIRDEAL_ENTRY=alice, and the address as FAIRDEAL_ADDRESS\n"
    )
    assert opens(plan, token, "alice")
    assert not opens(plan, token, "house")
    assert all(token.encode() not in path.read_bytes() for path in plan.folder.rglob("*") if path.is_file())
    again = fairdeal("entry", "add", "cup.toml", "alice")
    assert (again.status, again.out) == (0, "")
    assert again.err == "alice takes part, and has a token already (--renew gives it another one)\n"
    assert opens(plan, token, "alice")


def test_a_token_can_be_renewed(fairdeal: Run) -> None:
    plan = write(CUP)
    first = fairdeal("entry", "add", "cup.toml", "alice").out.strip()
    second = fairdeal("entry", "add", "cup.toml", "alice", "--renew").out.strip()
    assert first != second
    assert (opens(plan, first, "alice"), opens(plan, second, "alice")) == (False, True)


def test_the_token_of_an_organiser_is_given_to_no_bot(fairdeal: Run) -> None:
    plan = write(LADDER)
    boss = tokens(plan).add("carol", Role.ORGANISER)
    for more in ([], ["--renew"]):
        done = fairdeal("entry", "add", "cup.toml", "carol", *more)
        assert (done.status, done.line) == (
            1,
            "fairdeal: cup.toml: carol is the name of an organiser: choose another one",
        )
    tokens(plan).check_organiser(boss)
    assert not (plan.folder / FILE).exists()


def test_tokens_that_cannot_be_read_add_nobody(fairdeal: Run) -> None:
    plan = write(LADDER)
    plan.folder.mkdir()
    (plan.folder / "tokens.json").write_text("{")
    done = fairdeal("entry", "add", "cup.toml", "bob")
    assert done.status == 1
    assert "tokens.json: is not a file of tokens" in done.line
    assert not (plan.folder / "store.sqlite").exists()


# Who may be added


@pytest.mark.parametrize("text", [OPEN, LADDER], ids=["open", "ladder"])
def test_an_entry_that_is_not_in_the_file(fairdeal: Run, text: str) -> None:
    plan = write(text)
    done = fairdeal("entry", "add", "cup.toml", "bob", "--version", "1.2")
    assert done.status == 0
    assert opens(plan, done.out.strip(), "bob")
    assert roster(plan) == {
        "house": (None, EntryState.ACTIVE),
        "alice": (None, EntryState.ACTIVE),
        "bob": ("1.2", EntryState.ACTIVE),
    }


@pytest.mark.parametrize(
    ("text", "words", "status", "told"),
    [
        (CUP, ["bob"], 1, "cup.toml: it takes only the entries of its file, and bob is not one"),
        (CUP, ["house"], 1, "cup.toml: house is hosted by the referee, and needs no token"),
        (LADDER, ["house"], 1, "cup.toml: house is hosted by the referee, and needs no token"),
        (LADDER, ["b/b"], 2, "cup.toml: the name must be"),
        (LADDER, [""], 2, "cup.toml: the name must be"),
        (LADDER, ["b" * 200], 2, "cup.toml: the name must be"),
        (LADDER, ["bob\n"], 2, "cup.toml: the name must be"),
        (LADDER, ["bob", "--version", "ü"], 2, "cup.toml: the version must be"),
        (LADDER, ["bob", "--version", "v" * 200], 2, "cup.toml: the version must be"),
    ],
)
def test_who_cannot_be_added(fairdeal: Run, text: str, words: list[str], status: int, told: str) -> None:
    plan = write(text)
    done = fairdeal("entry", "add", "cup.toml", *words)
    assert (done.status, told in done.line) == (status, True), done.line
    assert not plan.folder.exists()


def test_the_name_of_a_team_is_that_of_no_entry(fairdeal: Run) -> None:
    text = 'game = "euchre"\npartners = "fixed"\nregistration = "open"\n' + ENTRIES
    write(text + '[[teams]]\nname = "us"\nentries = ["house", "alice"]\n')
    done = fairdeal("entry", "add", "cup.toml", "us")
    assert (done.status, done.line) == (
        1,
        "fairdeal: cup.toml: us is the name of a team: choose another one",
    )


@pytest.mark.parametrize("form", ["round_robin", "swiss"])
def test_what_has_begun_takes_nobody_and_no_new_version(fairdeal: Run, form: str) -> None:
    plan = write(f'format = "{form}"\nrounds = 1\n{OPEN}')
    begun(plan)
    for words in (["bob"], ["alice", "--version", "2"]):
        done = fairdeal("entry", "add", "cup.toml", *words)
        told = f"fairdeal: cup.toml: it has begun, and a {form} takes no entries after that"
        assert (done.status, done.line) == (1, told)
    token = fairdeal("entry", "add", "cup.toml", "alice").out.strip()  # who takes part may get a token late
    assert opens(plan, token, "alice")
    assert roster(plan)["alice"] == (None, EntryState.ACTIVE)


def test_a_ladder_takes_new_versions_while_it_runs(fairdeal: Run) -> None:
    plan = write(LADDER)
    begun(plan)
    for version in ("1", "2"):
        assert fairdeal("entry", "add", "cup.toml", "alice", "--version", version).status == 0
        assert roster(plan)["alice"] == (version, EntryState.ACTIVE)
    assert fairdeal("entry", "add", "cup.toml", "alice").status == 0
    assert roster(plan)["alice"] == ("2", EntryState.ACTIVE)


# Pausing and leaving


@pytest.mark.parametrize(
    ("word", "state"),
    [("pause", EntryState.PAUSED), ("resume", EntryState.ACTIVE), ("remove", EntryState.LEFT)],
)
def test_an_entry_of_a_ladder_pauses_comes_back_and_leaves(
    fairdeal: Run, word: str, state: EntryState
) -> None:
    plan = write(LADDER)
    if state is EntryState.ACTIVE:
        fairdeal("entry", "pause", "cup.toml", "alice")
    done = fairdeal("entry", word, "cup.toml", "alice")
    assert (done.status, done.out, done.err) == (0, "", f"alice is {state}\n")
    assert roster(plan) == {"house": (None, EntryState.ACTIVE), "alice": (None, state)}


def test_who_has_left_comes_back_when_it_is_added(fairdeal: Run) -> None:
    plan = write(LADDER)
    token = fairdeal("entry", "add", "cup.toml", "bob", "--version", "1").out.strip()
    fairdeal("entry", "remove", "cup.toml", "bob")
    assert roster(plan)["bob"] == ("1", EntryState.LEFT)
    assert fairdeal("entry", "add", "cup.toml", "bob").out == ""
    assert roster(plan)["bob"] == ("1", EntryState.ACTIVE)
    assert opens(plan, token, "bob")


@pytest.mark.parametrize("word", ["pause", "resume", "remove"])
def test_only_entries_of_ladders_pause_and_leave(fairdeal: Run, word: str) -> None:
    write(CUP)
    done = fairdeal("entry", word, "cup.toml", "alice")
    assert done.status == 1
    told = "the entries of a schedule play it to its end: only those of a ladder can pause or leave"
    assert done.line == f"fairdeal: cup.toml: {told}"
    assert not Path("cup.fairdeal").exists()


@pytest.mark.parametrize("word", ["pause", "resume", "remove"])
def test_a_name_that_nobody_has(fairdeal: Run, word: str) -> None:
    write(LADDER)
    done = fairdeal("entry", word, "cup.toml", "alcie")
    assert (done.status, done.line) == (1, "fairdeal: cup.toml: no entry alcie; there are alice, house")
    assert not Path("cup.fairdeal").exists()


# Listing


def test_the_list_says_who_takes_part(fairdeal: Run) -> None:
    write(LADDER)
    fairdeal("entry", "add", "cup.toml", "bob", "--version", "1.2")
    fairdeal("entry", "pause", "cup.toml", "alice")
    done = fairdeal("entry", "list", "cup.toml")
    assert (done.status, done.err) == (0, "")
    assert done.out.splitlines() == [
        "house  house     active   -",
        "alice  remote    paused   -",
        "bob    remote    active   1.2  token given out",
    ]
    assert fairdeal("entry", "list", "cup.toml", "--json").json == [
        {"name": "house", "version": None, "kind": "house", "state": "active", "has_token": False},
        {"name": "alice", "version": None, "kind": "remote", "state": "paused", "has_token": False},
        {"name": "bob", "version": "1.2", "kind": "remote", "state": "active", "has_token": True},
    ]


def test_a_list_of_nobody_is_empty(fairdeal: Run) -> None:
    write(f'{HEAD}format = "ladder"\nentries = []\n')
    assert fairdeal("entry", "list", "cup.toml").out == ""
    assert json.loads(fairdeal("entry", "list", "cup.toml", "--json").out) == []


# Files


def test_a_list_makes_nothing(fairdeal: Run) -> None:
    plan = write(CUP)
    assert (
        fairdeal("entry", "list", "cup.toml").out
        == "house  house     active   -\nalice  remote    active   -\n"
    )
    assert not plan.folder.exists()


@pytest.mark.parametrize(("text", "name"), [(CUP, "alice"), (OPEN, "bob"), (LADDER, "bob")])
def test_the_file_can_be_changed_after_an_entry_was_added(fairdeal: Run, text: str, name: str) -> None:
    write(text)
    token = fairdeal("entry", "add", "cup.toml", name).out.strip()
    plan = write(text.replace("two_handed_spades", "piquet").replace('"house"', '"home"'))
    listed = fairdeal("entry", "list", "cup.toml", "--json").json
    assert {entry["name"]: entry["has_token"] for entry in listed} == {
        "home": False,
        "alice": name == "alice",
        name: True,
    }
    assert opens(plan, token, name)


@pytest.mark.parametrize("words", [["add"], ["pause"], ["resume"], ["remove"], ["list"]], ids=" ".join)
def test_a_file_that_is_not_there_or_is_wrong(fairdeal: Run, words: list[str]) -> None:
    name = [] if words == ["list"] else ["alice"]
    missing = fairdeal("entry", *words, "cup.toml", *name)
    assert (missing.status, "cup.toml" in missing.line) == (2, True)
    Path("cup.toml").write_text(CUP.replace("two_handed_spades", "chess"))
    wrong = fairdeal("entry", *words, "cup.toml", *name)
    assert (wrong.status, wrong.line.startswith("cup.toml:1: game")) == (2, True)
    assert not Path("cup.fairdeal").exists()


def test_another_tournament_in_the_folder_is_refused(fairdeal: Run) -> None:
    plan = write(CUP)
    with Store.open(plan) as store:
        store.issue(schedule.next(plan, set(), {}))
    write(CUP.replace("two_handed_spades", "piquet"))
    done = fairdeal("entry", "add", "cup.toml", "alice")
    assert (done.status, "holds another tournament (game is" in done.line) == (1, True)
