"""A kit's random bot and a real referee: tokens, TLS, sockets, goodbyes, and referees that go down."""

import re
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.places import free_port, listening
from tests.kits.conftest import Dialler, OneLine
from tests.kits.kits import PYTHON, Kit
from tests.workspace import Workspace

GAME = ("--game", "two_handed_spades")


def _token(workspace: Any, *words: str) -> str:
    done = workspace.ask("token", "add", *words)
    assert done.status == 0, done.err
    return str(done.out.split()[-1])


def test_tokens(workspace: Workspace, dial: Dialler, one_line: OneLine, kit: Kit) -> None:
    alice, bob = _token(workspace, "alice"), _token(workspace, "bob")
    _serving, address = listening(workspace, *GAME, "--deals", 1)
    none = dial(kit, "--connect", address, *GAME, FAIRDEAL_ENTRY="alice").done()
    wrong = dial(kit, "--connect", address, *GAME, FAIRDEAL_ENTRY="alice", FAIRDEAL_TOKEN="no" + alice).done()
    for refused in (none, wrong):
        assert refused.status == 1
        one_line(refused, address, "(MISSING_TOKEN)")
    another = dial(kit, "--connect", address, *GAME, FAIRDEAL_ENTRY="alice", FAIRDEAL_TOKEN=bob).done()
    assert another.status == 1
    one_line(another, address, "(WRONG_SEAT)")
    bots = [
        dial(kit, "--connect", address, *GAME, FAIRDEAL_ENTRY=name, FAIRDEAL_TOKEN=token)
        for name, token in (("alice", alice), ("bob", bob))
    ]
    for bot in bots:
        done = bot.done()
        assert (done.status, done.complaints) == (0, "")


def test_tls(workspace: Workspace, dial: Dialler, one_line: OneLine, kit: Kit) -> None:
    for folder in ("certs", "others"):
        made = workspace.ask("certs", "--folder", folder, "--client", "alice")
        assert made.status == 0, made.err
    server = ("--tls-cert", "certs/server.pem", "--tls-key", "certs/server.key")
    _serving, address = listening(workspace, *GAME, "--deals", 1, *server)
    host = f"localhost:{address.rpartition(':')[2]}"
    for seconds in (2, 10, 60):  # a busy machine may not come to the other side's answer
        plain = dial(kit, "--connect", host, *GAME, "--connect-timeout", seconds).done()
        assert plain.status == 1
        if "FAIRDEAL_CA" in plain.err:
            break
    assert host in plain.err.splitlines()[-1]
    assert "FAIRDEAL_CA" in plain.err.splitlines()[-1]
    stranger = dial(kit, "--connect", host, *GAME, "--connect-timeout", 2, FAIRDEAL_CA="others/ca.pem").done()
    assert stranger.status == 1
    one_line(stranger, host)
    bots = [dial(kit, "--connect", host, *GAME, FAIRDEAL_CA="certs/ca.pem") for _ in "ab"]
    assert [(done.status, done.complaints) for done in (bot.done() for bot in bots)] == [(0, "")] * 2


def test_mutual_tls(workspace: Workspace, dial: Dialler, kit: Kit) -> None:
    assert workspace.ask("certs", "--folder", "certs", "--client", "alice").status == 0
    server = (
        "--tls-cert",
        "certs/server.pem",
        "--tls-key",
        "certs/server.key",
        "--tls-client-ca",
        "certs/ca.pem",
    )
    _serving, address = listening(workspace, *GAME, "--deals", 1, *server)
    host = f"localhost:{address.rpartition(':')[2]}"
    without = dial(kit, "--connect", host, *GAME, "--connect-timeout", 2, FAIRDEAL_CA="certs/ca.pem").done()
    assert without.status == 1
    own = {
        "FAIRDEAL_CERT": "certs/client-alice.pem",
        "FAIRDEAL_KEY": "certs/client-alice.key",
        "FAIRDEAL_CA": "certs/ca.pem",
    }
    bots = [dial(kit, "--connect", host, *GAME, **own) for _ in "ab"]
    assert [(done.status, done.complaints) for done in (bot.done() for bot in bots)] == [(0, "")] * 2


def test_a_unix_socket_from_the_environment(
    workspace: Workspace, dial: Dialler, kit: Kit, tmp_path_factory: pytest.TempPathFactory
) -> None:
    address = f"unix:{tmp_path_factory.mktemp('u') / 's'}"  # its length is limited
    serving, _ = listening(workspace, *GAME, "--deals", 1, address=address)
    bots = [dial(kit, *GAME, "--matches", 1, FAIRDEAL_ADDRESS=address, FAIRDEAL_ENTRY=name) for name in "ab"]
    assert [(done.status, done.complaints) for done in (bot.done() for bot in bots)] == [(0, "")] * 2
    assert serving.stopped(signal.SIGTERM).status == 0
    (header,) = workspace.records("fairdeal-serve").headers()
    assert sorted(header["entries"]) == ["a", "b"]


def test_each_match_is_a_line_when_it_begins_and_when_it_ends(
    workspace: Workspace, dial: Dialler, kit: Kit
) -> None:
    serving, address = listening(workspace, *GAME, "--deals", 1)
    bots = [dial(kit, "--connect", address, *GAME, "--matches", 2, "--tables", 1) for _ in "ab"]
    for bot in bots:
        done = bot.done()
        assert (done.status, done.complaints) == (0, "")
        lines = done.out.splitlines()
        assert len(lines) == 4, done.out
        for seated, finished in zip(lines[::2], lines[1::2], strict=True):
            match_id, _, rest = seated.partition(": ")
            assert rest.startswith("two_handed_spades, seat ")
            assert finished.startswith(f"{match_id}: completed, scores by side: ")
    assert serving.stopped(signal.SIGTERM).status == 0


def test_a_bot_that_is_stopped_says_goodbye(workspace: Workspace, dial: Dialler, kit: Kit) -> None:
    serving = workspace.start("serve", "--listen", "127.0.0.1:0", "--log-format", "json", *GAME)
    address = serving.says(r"listens on (\S+);")[1]
    bot = dial(kit, "--connect", address, *GAME, "--matches", 0, "--entry", "alice")
    serving.says("alice is here")
    began = time.monotonic()
    done = bot.stopped(signal.SIGINT)
    assert (done.status, done.complaints) == (0, "")
    assert time.monotonic() - began < 60
    assert serving.stopped(signal.SIGTERM).status == 0
    assert "lost" not in serving.err


def test_a_bot_leaves_when_the_referee_does(workspace: Workspace, dial: Dialler, kit: Kit) -> None:
    serving, address = listening(workspace, *GAME)
    bot = dial(kit, "--connect", address, *GAME, "--matches", 0, "--entry", "alice")
    serving.says("alice is here")
    assert serving.stopped(signal.SIGTERM).status == 0
    assert bot.done().status == 0


def test_a_newer_bot_of_the_same_name_is_let_be(
    workspace: Workspace, dial: Dialler, one_line: OneLine, kit: Kit
) -> None:
    serving, address = listening(workspace, *GAME)
    words = ("--connect", address, *GAME, "--matches", 0, "--entry", "alice")
    older = dial(kit, *words)
    serving.says("alice is here")
    newer = dial(kit, *words)
    done = older.done()
    assert done.status == 1
    one_line(done, "replaced", "FAIRDEAL_INSTANCE")
    assert newer.process.poll() is None
    assert newer.stopped(signal.SIGTERM).status == 0


def test_a_referee_that_is_gone_for_good(workspace: Workspace, dial: Dialler, kit: Kit) -> None:
    serving, address = listening(workspace, *GAME, "--clock", "debug")
    words = ("--connect", address, *GAME, "--matches", 0)
    bot = dial(kit, *words, "--entry", "alice", "--reconnect-timeout", 2)
    other = dial(PYTHON, *words, "--entry", "bob", "--reconnect-timeout", 0)
    bot.says("seat ")  # before that it may not know yet that the referee has heard it
    serving.process.kill()
    done = bot.done()
    assert done.status == 1
    lost, gone = done.complaints.splitlines()  # what happened, and how it ended
    assert address in lost
    assert address in gone
    assert "2 s" in gone
    assert other.done().status == 1


def test_a_referee_that_comes_back_goes_on(
    workspace: Workspace, dial: Dialler, kit: Kit, tmp_path: Path
) -> None:
    address = f"127.0.0.1:{free_port(tmp_path)}"
    serving, _ = listening(workspace, *GAME, "--deals", 40, "--clock", "debug", address=address)
    bots = [
        dial(
            *(each, "--connect", address, *GAME, "--entry", name),
            *("--seed", "spring", "--reconnect-timeout", 300),
        )
        for name, each in (("alice", kit), ("bob", PYTHON))
    ]
    bots[0].says("two_handed_spades, seat ")
    bots[1].says("two_handed_spades, seat ")
    serving.process.kill()
    serving.process.wait()
    again, _ = listening(workspace, *GAME, "--deals", 40, "--clock", "debug", address=address)
    for bot in bots:
        done = bot.done()
        assert done.status == 0, done.err
        assert done.out.splitlines()[-1].partition(": ")[2].startswith("completed")
        lost, back = done.complaints.splitlines()
        assert address in lost
        assert address in back
    assert again.stopped(signal.SIGTERM).status == 0
    (record,) = workspace.records("fairdeal-serve").timeless().values()
    assert [line for line in record if line["type"] in ("faulted", "substituted")] == []
    assert sorted(record[0]["entries"]) == ["alice", "bob"]


def test_a_bot_plays_where_a_referee_of_several_processes_sends_it(
    workspace: Workspace, dial: Dialler, kit: Kit
) -> None:
    serving, address = listening(workspace, *GAME, "--deals", 1, "--workers", 2)
    bots = [
        dial(each, "--connect", address, *GAME, "--matches", 2, FAIRDEAL_ENTRY=name)
        for name, each in (("alice", kit), ("bob", PYTHON))
    ]
    for bot in bots:
        done = bot.done()
        assert (done.status, done.complaints) == (0, "")
    assert serving.stopped(signal.SIGTERM).status == 0
    names = [path.name for path in workspace.records("fairdeal-serve").paths()]
    assert len(names) == 2 and all(re.search("-w[12]-", name) for name in names)
