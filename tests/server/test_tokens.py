"""Tokens in a file: who may do what, what is kept, and what happens when the file changes or breaks."""

import hashlib
import json
import logging
import os
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import grpc
import pytest

from referee.core.access import Denied, Role
from referee.match.messages import Reason
from referee.server.tokens import StoredToken, TokenError, TokenFile
from tests.server.conftest import Serve
from tests.workspace import PATIENCE

THEN = datetime(2026, 3, 1, 12, 30, 15, 999, tzinfo=UTC)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "tokens.json"


@pytest.fixture
def tokens(path: Path) -> TokenFile:
    return TokenFile(path, wall=lambda: THEN)


def reason(tokens: TokenFile, token: str | None, entry: str | None) -> Reason | None:
    """Return why the bearer may not play as an entry, or (without one) not run the referee."""
    try:
        tokens.check_organiser(token) if entry is None else tokens.check(token, entry)
    except Denied as denied:
        return denied.reason
    return None


# Giving out


def test_a_token_is_good_for_its_name_and_role(tokens: TokenFile) -> None:
    bot, other, boss = (
        tokens.add("a", Role.BOT),
        tokens.add("b", Role.BOT),
        tokens.add("boss", Role.ORGANISER),
    )
    assert len({bot, other, boss}) == 3
    assert [reason(tokens, bot, entry) for entry in ("a", "b", "boss", None)] == [
        None,
        Reason.WRONG_SEAT,
        Reason.WRONG_SEAT,
        Reason.WRONG_ROLE,
    ]
    assert [reason(tokens, boss, entry) for entry in ("a", "boss", None)] == [
        Reason.WRONG_ROLE,
        Reason.WRONG_ROLE,
        None,
    ]
    assert reason(tokens, None, "a") is reason(tokens, "x", "a") is Reason.MISSING_TOKEN


def test_only_hashes_are_kept_for_the_owner_alone(tokens: TokenFile, path: Path) -> None:
    token = tokens.add("a", Role.BOT)
    assert len(token) >= 32
    digest = hashlib.sha256(token.encode())
    kept = {"name": "a", "role": "bot", "sha256": digest.hexdigest(), "created": "2026-03-01T12:30:15+00:00"}
    assert json.loads(path.read_text()) == {"tokens": [kept]}
    assert tokens.list() == (StoredToken("a", Role.BOT, digest.digest(), THEN.replace(microsecond=0)),)
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    for file in path.parent.iterdir():
        assert token not in file.read_text()


def test_a_name_has_one_token(tokens: TokenFile, path: Path) -> None:
    first = tokens.add("a", Role.ORGANISER)
    before = path.read_bytes()
    with pytest.raises(TokenError, match="a has a token already: renew it, or revoke it first"):
        tokens.add("a", Role.BOT)
    assert path.read_bytes() == before
    role, second = tokens.renew("a")
    assert role is Role.ORGANISER
    assert [reason(tokens, token, None) for token in (first, second)] == [Reason.MISSING_TOKEN, None]
    tokens.revoke("a")
    assert tokens.list() == ()
    assert reason(tokens, second, None) is Reason.MISSING_TOKEN


def test_tokens_are_listed_by_name(tokens: TokenFile) -> None:
    for name in ("c", "a", "b"):
        tokens.add(name, Role.BOT)
    assert [stored.name for stored in tokens.list()] == ["a", "b", "c"]


@pytest.mark.parametrize("change", [TokenFile.renew, TokenFile.revoke])
def test_who_has_no_token_is_told_who_has(tokens: TokenFile, path: Path, change: Callable[..., Any]) -> None:
    with pytest.raises(
        TokenError, match=f"^'x' has no token in {path}: no name has one there; name the referee's folder$"
    ):
        change(tokens, "x")
    tokens.add("b", Role.BOT)
    tokens.add("a", Role.BOT)
    with pytest.raises(TokenError, match=f"^'x' has no token in {path}; these names have one: a, b$"):
        change(tokens, "x")
    assert [stored.name for stored in tokens.list()] == ["a", "b"]


@pytest.mark.parametrize("name", ["", " ", "a b", "a\n", "ä", "a/b", "x" * 41])
def test_what_is_no_name(tokens: TokenFile, path: Path, name: str) -> None:
    with pytest.raises(TokenError, match="cannot be the name of a token: use 1 to 40 letters, "):
        tokens.add(name, Role.BOT)
    assert not path.exists()


def test_a_folder_that_is_there_keeps_its_rights(path: Path, tokens: TokenFile) -> None:
    path.parent.mkdir(mode=0o755)
    tokens.add("a", Role.BOT)
    assert path.parent.stat().st_mode & 0o777 == 0o755
    assert path.stat().st_mode & 0o777 == 0o600


# Whole or not at all


@pytest.mark.parametrize("step", ["os.fsync", "pathlib.Path.replace"])
def test_a_write_that_fails_changes_nothing(
    tokens: TokenFile, path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    token = tokens.add("a", Role.BOT)
    before = path.read_bytes()

    def full(*_args: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(step, full)
        with pytest.raises(TokenError) as caught:
            tokens.add("b", Role.BOT)
    assert str(caught.value).startswith(f"{path}: cannot be written (No space left on device); free the disk")
    assert path.read_bytes() == before
    assert sorted(file.name for file in path.parent.iterdir()) == ["tokens.json", "tokens.json.lock"]
    assert reason(tokens, token, "a") is None


def test_what_a_crash_left_is_written_over(tokens: TokenFile, path: Path) -> None:
    path.parent.mkdir()
    left = path.with_name(".tokens.json")
    left.write_text("half of")
    left.chmod(0o644)
    tokens.add("a", Role.BOT)
    assert path.stat().st_mode & 0o777 == 0o600
    assert [stored.name for stored in TokenFile(path).list()] == ["a"]
    assert not left.exists()


ADD = """
import sys
from pathlib import Path
from referee.core.access import Role
from referee.server.tokens import TokenFile

tokens = TokenFile(Path(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
for number in range(10):
    tokens.add(f"{sys.argv[2]}-{number}", Role.BOT)
"""


@pytest.mark.process
def test_processes_that_add_at_once_lose_nothing(path: Path) -> None:
    words = [sys.executable, "-c", ADD, str(path)]
    adding = [
        subprocess.Popen([*words, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for name in "abcd"
    ]
    for process in adding:
        assert process.stdout and process.stdout.readline() == "ready\n"
    for process in adding:
        assert process.stdin
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in adding:
        process.communicate(timeout=PATIENCE)
        assert process.returncode == 0
    assert {stored.name for stored in TokenFile(path).list()} == {
        f"{a}-{n}" for a in "abcd" for n in range(10)
    }


# A file that changes, and one that breaks


def test_what_another_process_changes_holds_at_once(path: Path) -> None:
    here, there = TokenFile(path), TokenFile(path)
    token = there.add("a", Role.BOT)
    assert reason(here, token, "a") is None
    _role, renewed = there.renew("a")
    assert [reason(here, t, "a") for t in (token, renewed)] == [Reason.MISSING_TOKEN, None]
    there.revoke("a")
    assert reason(here, renewed, "a") is Reason.MISSING_TOKEN


def test_a_file_that_did_not_change_is_not_read_again(
    tokens: TokenFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = tokens.add("a", Role.BOT)
    assert reason(tokens, token, "a") is None

    def read(path: Path) -> bytes:
        raise AssertionError(f"{path} was read")

    monkeypatch.setattr(Path, "read_bytes", read)
    assert reason(tokens, token, "a") is None


def test_without_a_file_nobody_comes_in(tokens: TokenFile, path: Path) -> None:
    assert tokens.list() == ()
    assert reason(tokens, "x", "a") is reason(tokens, "x", None) is Reason.MISSING_TOKEN
    token = tokens.add("a", Role.BOT)
    assert reason(tokens, token, "a") is None
    path.unlink()
    assert reason(tokens, token, "a") is Reason.MISSING_TOKEN


HASH = 32 * "ab"
GOOD = {"name": "a", "role": "bot", "sha256": HASH, "created": "2026-03-01T12:30:15+00:00"}
BROKEN = {
    "empty": "",
    "no JSON": "{",
    "no UTF-8": b"\xff",
    "nested without end": "[" * 100_000,
    "a list": "[]",
    "a number": "1",
    "no tokens": "{}",
    "tokens that are none": '{"tokens": 1}',
    "a token that is none": '{"tokens": [1]}',
    "a role that is none": {**GOOD, "role": "king"},
    "no role": {key: GOOD[key] for key in ("name", "sha256", "created")},
    "a hash that is none": {**GOOD, "sha256": "x"},
    "a hash that is too short": {**GOOD, "sha256": HASH[2:]},
    "a hash that is a number": {**GOOD, "sha256": 7},
    "a name that is none": {**GOOD, "name": "a b"},
    "a name that is a number": {**GOOD, "name": 7},
    "a time that is none": {**GOOD, "created": "then"},
    "a time that is a number": {**GOOD, "created": 7},
    "a name twice": f'{{"tokens": [{json.dumps(GOOD)}, {json.dumps(GOOD)}]}}',
}


def break_file(path: Path, case: str) -> None:
    path.parent.mkdir(exist_ok=True)
    content = BROKEN[case]
    if isinstance(content, dict):
        content = json.dumps({"tokens": [content]})
    path.write_bytes(content if isinstance(content, bytes) else content.encode())


def test_the_good_one_is_good(path: Path) -> None:
    path.parent.mkdir()
    path.write_text(json.dumps({"tokens": [GOOD]}))
    assert [stored.name for stored in TokenFile(path).list()] == ["a"]


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_file_is_one_clear_line(path: Path, case: str) -> None:
    break_file(path, case)
    with pytest.raises(TokenError) as caught:
        TokenFile(path)
    remedy = "put back a copy, or remove it and give out new tokens"
    assert str(caught.value) == f"{path}: is not a file of tokens; {remedy}"


@pytest.mark.parametrize("case", BROKEN)
def test_a_referee_whose_file_breaks_keeps_its_tokens_and_says_so_once(
    tokens: TokenFile, path: Path, caplog: pytest.LogCaptureFixture, case: str
) -> None:
    token = tokens.add("a", Role.BOT)
    assert reason(tokens, token, "a") is None
    whole = path.read_bytes()
    break_file(path, case)
    for _ in range(3):
        assert reason(tokens, token, "a") is None
    (record,) = caplog.records
    assert record.levelno == logging.ERROR
    assert record.getMessage().startswith(f"{path}: is not a file of tokens; ")
    assert record.getMessage().endswith("; until then the earlier tokens stay valid")
    assert HASH not in record.getMessage()
    with pytest.raises(TokenError, match="is not a file of tokens"):
        tokens.add("b", Role.BOT)

    path.write_bytes(whole)  # it is repaired
    other = tokens.add("b", Role.BOT)
    assert reason(tokens, token, "a") is reason(tokens, other, "b") is None
    assert len(caplog.records) == 1


def test_a_file_that_cannot_be_read_is_one_clear_line(path: Path) -> None:
    path.mkdir(parents=True)
    with pytest.raises(TokenError, match=f"^{path}: cannot be read \\(Is a directory\\); fix that$"):
        TokenFile(path)


def test_a_change_that_keeps_size_and_time_is_noticed(tokens: TokenFile, path: Path) -> None:
    token = tokens.add("a", Role.BOT)
    assert reason(tokens, token, "a") is None
    found = path.stat()
    other = TokenFile(path).renew("a")[1]
    assert path.stat().st_size == found.st_size
    os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns))
    assert reason(tokens, other, "a") is None


# A referee that runs


@pytest.mark.asyncio
async def test_a_referee_that_runs_takes_new_tokens_and_drops_old_ones(serve: Serve, path: Path) -> None:
    async with serve(access=TokenFile(path)) as served:
        token = TokenFile(path).add("a", Role.BOT)
        assert (await served.caller(f"Bearer {token}").hello("a")).epoch == 1
        TokenFile(path).revoke("a")
        ending = await served.caller(f"Bearer {token}").end()  # before it says anything
    assert (ending.code, ending.reason) == (grpc.StatusCode.UNAUTHENTICATED, "MISSING_TOKEN")
