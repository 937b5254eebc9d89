"""Adding, listing and revoking tokens on the command line."""

import json
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from typing import Final

import pytest

from referee.core.access import Denied, Role
from referee.server.tokens import TokenFile
from tests.tournaments.conftest import Fairdeal

PROGRAM: Final = Path(sys.executable).with_name("fairdeal")


def test_a_token_is_all_that_is_printed(fairdeal: Fairdeal, tmp_path: Path) -> None:
    done = fairdeal("token", "add", "mybot")
    assert done.status == 0
    assert done.out.count("\n") == 1
    to_whom = "give it to the bot that plays as mybot, in FAIRDEAL_TOKEN, with FAIRDEAL_ENTRY=mybot"
    assert done.err == f"this token is shown only now; {to_whom}\n"
    tokens = TokenFile(tmp_path / "fairdeal-serve" / "tokens.json")
    tokens.check(done.out.strip(), "mybot")
    with pytest.raises(Denied):
        tokens.check_organiser(done.out.strip())


@pytest.mark.process
def test_a_shell_keeps_it_in_a_variable(tmp_path: Path) -> None:
    script = f'TOKEN=$({PROGRAM} token add mybot 2>/dev/null) && printf "%s" "$TOKEN"'
    done = subprocess.run(["sh", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    token = done.stdout
    TokenFile(tmp_path / "fairdeal-serve" / "tokens.json").check(token, "mybot")


def test_an_organiser_is_told_where_it_belongs(fairdeal: Fairdeal, tmp_path: Path) -> None:
    done = fairdeal("token", "add", "boss", "--role", "organiser", "--folder", tmp_path / "here")
    assert done.err == "this token is shown only now; send it with each call: `authorization: Bearer TOKEN`\n"
    TokenFile(tmp_path / "here" / "tokens.json").check_organiser(done.out.strip())


def test_a_name_has_one_token_unless_it_is_renewed(fairdeal: Fairdeal, tmp_path: Path) -> None:
    first = fairdeal("token", "add", "boss", "--role", "organiser").out.strip()
    again = fairdeal("token", "add", "boss")
    assert again.status == 1
    assert again.line == "fairdeal: boss has a token already: renew it, or revoke it first"
    second = fairdeal("token", "add", "boss", "--renew").out.strip()
    tokens = TokenFile(tmp_path / "fairdeal-serve" / "tokens.json")
    tokens.check_organiser(second)
    with pytest.raises(Denied):
        tokens.check_organiser(first)


def test_a_token_that_is_revoked_is_gone(fairdeal: Fairdeal, tmp_path: Path) -> None:
    fairdeal("token", "add", "a")
    fairdeal("token", "add", "b")
    done = fairdeal("token", "revoke", "a")
    assert (done.status, done.out) == (0, "")
    assert done.err == "the token of a is revoked; sessions that it opened end\n"
    assert [kept.name for kept in TokenFile(tmp_path / "fairdeal-serve" / "tokens.json").list()] == ["b"]


def test_the_list_tells_names_roles_and_times(fairdeal: Fairdeal, tmp_path: Path) -> None:
    roles = {"mybot": "bot", "boss": "organiser"}
    given = [fairdeal("token", "add", name, "--role", role).out.strip() for name, role in roles.items()]
    kept = TokenFile(tmp_path / "fairdeal-serve" / "tokens.json").list()
    told = fairdeal("token", "list", "--json")
    assert [(one["name"], one["role"]) for one in told.json] == [("boss", "organiser"), ("mybot", "bot")]
    assert [datetime.fromisoformat(one["created"]) for one in told.json] == [one.created for one in kept]
    assert {key for one in told.json for key in one} == {"name", "role", "created"}
    lines = fairdeal("token", "list").out.splitlines()
    assert [line.split() for line in lines] == [
        [one["name"], one["role"], one["created"]] for one in told.json
    ]
    for token in given:
        assert token not in told.out + "".join(lines)


def test_a_folder_without_tokens(fairdeal: Fairdeal) -> None:
    told = "there are no tokens in fairdeal-serve/tokens.json; give one out with: fairdeal token add NAME\n"
    assert fairdeal("token", "list").out == told
    assert fairdeal("token", "list", "--json").json == []


@pytest.mark.parametrize(
    ("words", "taught"),
    [
        (["token"], ["add", "list", "revoke"]),
        (
            ["token", "add"],
            ["TOKEN=$(fairdeal token add alice)", "bot (to play", "organiser (to manage", "--renew"],
        ),
        (["token", "list"], ["--json", "fairdeal serve"]),
        (["token", "revoke"], ["Revoke a token", "it opens no more sessions"]),
    ],
    ids=lambda value: " ".join(value),
)
def test_help_teaches(fairdeal: Fairdeal, words: list[str], taught: list[str]) -> None:
    done = fairdeal(*words, "--help")
    assert (done.status, done.err) == (0, "")
    text = " ".join(done.out.replace("│", " ").split())
    for words_taught in taught:
        assert words_taught in text


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        (["add", "x", "--role", "king"], 2, "--role king: there are bot, organiser"),
        (["add", "x", "--role", ""], 2, "--role : there are bot, organiser"),
        (["add", "a", "--renew", "--role", "bot"], 2, "--role: a token that is renewed keeps its role"),
        (["add", "a b"], 1, "'a b' cannot be the name of a token: use 1 to 40 letters, digits, _ . or -"),
        (
            ["add", "x", "--renew"],
            1,
            "'x' has no token in fairdeal-serve/tokens.json; these names have one: a",
        ),
        (["revoke", "x"], 1, "'x' has no token in fairdeal-serve/tokens.json; these names have one: a"),
        (["add", "x", "--folder", "/proc/nothing"], 1, "/proc/nothing/tokens.json: cannot be written ("),
        (
            ["list", "--folder", "/proc/version"],
            1,
            "/proc/version/tokens.json: cannot be read (Not a directory)",
        ),
    ],
)
def test_what_cannot_be_done_is_one_clear_line(
    fairdeal: Fairdeal, tmp_path: Path, words: list[str], status: int, told: str
) -> None:
    fairdeal("token", "add", "a")
    file = tmp_path / "fairdeal-serve" / "tokens.json"
    before = file.read_bytes()
    done = fairdeal("token", *words)
    assert done.status == status
    assert done.line.startswith(f"fairdeal: {told}")
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    "words", [["add", "b"], ["add", "a", "--renew"], ["list"], ["revoke", "a"]], ids=" ".join
)
def test_a_broken_file_is_left_alone(fairdeal: Fairdeal, tmp_path: Path, words: list[str]) -> None:
    TokenFile(tmp_path / "fairdeal-serve" / "tokens.json").add("a", Role.BOT)
    file = tmp_path / "fairdeal-serve" / "tokens.json"
    file.write_text(json.dumps({"tokens": "none"}))
    done = fairdeal("token", *words)
    assert done.status == 1
    remedy = "put back a copy, or remove it and give out new tokens"
    assert done.line == f"fairdeal: fairdeal-serve/tokens.json: is not a file of tokens; {remedy}"
    assert file.read_text() == '{"tokens": "none"}'
