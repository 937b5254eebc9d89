"""The options of `fairdeal serve`: who is let in, what it costs, what is seen from outside."""

import json
import re
import signal
import sys
import urllib.request
from collections import Counter
from pathlib import Path

import pytest

from tests.e2e.places import listening
from tests.workspace import PATIENCE, Workspace

TABLE = ("--game", "two_handed_spades", "--deals", 1)


def test_limits_metrics_logs_and_durability(workspace: Workspace) -> None:
    serving = workspace.start(
        *("serve", "--listen", "127.0.0.1:0", *TABLE, "--clock", "debug", "--limit", "sessions_per_entry=1"),
        *("--metrics-port", 0, "--log-format", "json", "--log-level", "info", "--durability", "disk"),
    )
    metrics = serving.says(r"(?m)^metrics: (http://127\.0\.0\.1:\d+/metrics)$")[1]
    address = serving.says(r"listens on (\S+);")[1]
    first = workspace.start("bot", "greedy", "--connect", address)
    serving.says("greedy is here")
    # it is another instance of the same entry
    second = workspace.run("bot", "greedy", "--connect", address, "--connect-timeout", 0)
    assert (second.status, second.out) == (1, "")
    assert second.err.endswith("(TOO_MANY_SESSIONS); the bot dialled for 0 s\n")
    other = workspace.start("bot", "random", "--connect", address)
    assert [bot.done().status for bot in (first, other)] == [0, 0]
    serving.says(": completed")

    with urllib.request.urlopen(metrics, timeout=PATIENCE) as answer:
        samples = dict(re.findall(r"(?m)^(fairdeal_\S+) (\S+)$", answer.read().decode()))
    game = 'game="two_handed_spades"'
    assert float(samples[f'fairdeal_matches_finished_total{{{game},termination="completed"}}']) == 1
    assert float(samples["fairdeal_sessions_opened_total"]) == 2
    assert float(samples['fairdeal_sessions_ended_total{reason="too_many_sessions"}']) == 1
    assert float(samples[f"fairdeal_decisions_total{{{game}}}"]) > 0

    done = serving.stopped(signal.SIGTERM)
    assert done.status == 0
    lines = [json.loads(line) for line in done.err.splitlines()]
    events = Counter(line["event"] for line in lines)
    assert (events["session_opened"], events["match_opened"], events["match_finished"]) == (2, 1, 1)
    assert {line["entry"] for line in lines if line["event"] == "session_opened"} == {"greedy", "random"}
    ((opened,), (finished,)) = (
        [line["match"] for line in lines if line["event"] == event]
        for event in ("match_opened", "match_finished")
    )
    assert opened == finished
    assert f"{opened}: completed" in done.out
    refused = [(line["event"], line["level"]) for line in lines if line.get("reason") == "too_many_sessions"]
    assert ("session_ended", "warning") in refused


STRANGER = """import fairdeal
try:
    fairdeal.run(lambda decision: None, connect_timeout=1)
except fairdeal.CannotConnect as error:
    print(error)
"""


def test_tokens_and_certificates(workspace: Workspace) -> None:
    assert workspace.ask("certs", "--client", "alice").status == 0
    tokens = {
        name: workspace.ask("token", "add", name, "--folder", "fairdeal-serve").out.strip()
        for name in ("greedy", "random")
    }
    tls = (
        "--tls-cert",
        "certs/server.pem",
        "--tls-key",
        "certs/server.key",
        "--tls-client-ca",
        "certs/ca.pem",
    )
    serving, address = listening(workspace, *TABLE, *tls)
    assert "no token is required" not in serving.out
    ca = {"FAIRDEAL_CA": "certs/ca.pem"}
    mine = {"FAIRDEAL_CERT": "certs/client-alice.pem", "FAIRDEAL_KEY": "certs/client-alice.key"}

    stranger = workspace.start(
        *(Path(sys.executable), "-c", STRANGER),
        **ca,
        FAIRDEAL_ADDRESS=address,
        FAIRDEAL_TOKEN=tokens["greedy"],
    )
    strangers = {
        # who has no token, somebody else's, one that was made up
        workspace.start("bot", "greedy", "--connect", address, **ca, **mine): "MISSING_TOKEN",
        workspace.start(
            *("bot", "greedy", "--connect", address), **ca, **mine, FAIRDEAL_TOKEN=tokens["random"]
        ): "WRONG_SEAT",
        workspace.start(
            *("bot", "greedy", "--connect", address), **ca, **mine, FAIRDEAL_TOKEN="made-up"
        ): "MISSING_TOKEN",
    }
    for refused, reason in strangers.items():
        done = refused.done()
        assert (done.status, done.out) == (1, "")
        assert re.fullmatch(rf"fairdeal: the referee at \S+ ended the session: .+ \({reason}\)\n", done.err)
    assert stranger.done().out.startswith(f"no referee answers at {address} within 1 s: ")

    bots = [
        workspace.start("bot", name, "--connect", address, **ca, **mine, FAIRDEAL_TOKEN=token)
        for name, token in tokens.items()
    ]
    assert [bot.done().status for bot in bots] == [0, 0]
    serving.says(": completed")
    done = serving.stopped(signal.SIGTERM)
    assert (done.status, done.err) == (0, "")
    everything = [
        *(path for path in (workspace.folder / "fairdeal-serve").rglob("*") if path.is_file()),
        *workspace.folder.glob("err*"),
    ]
    for token in tokens.values():
        assert not [path for path in everything if token.encode() in path.read_bytes()]


def test_beyond_this_machine_it_takes_tls_and_tokens(workspace: Workspace) -> None:
    done = workspace.run("serve", "--listen", "0.0.0.0:0")
    assert (done.status, done.out) == (2, "")
    assert re.fullmatch(
        r"fairdeal: --listen 0\.0\.0\.0:0: other machines could reach it: add TLS .+ and give each bot a"
        r" token .+, or add --insecure if that is intended\n",
        done.err,
    )
    assert not (workspace.folder / "fairdeal-serve").exists()


def test_a_socket_that_a_killed_referee_has_left(
    workspace: Workspace, tmp_path_factory: pytest.TempPathFactory
) -> None:
    address = f"unix:{tmp_path_factory.mktemp('u') / 's'}"  # its length is limited
    killed, _address = listening(workspace, *TABLE, address=address)
    killed.stopped(signal.SIGKILL)
    serving, _address = listening(workspace, *TABLE, address=address)
    bots = [workspace.start("bot", name, "--connect", address) for name in ("greedy", "random")]
    assert [bot.done().status for bot in bots] == [0, 0]
    assert serving.stopped(signal.SIGTERM).status == 0
    (deals,) = workspace.records("fairdeal-serve").decks()
    assert len(deals) == 1
