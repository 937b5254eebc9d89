"""Tournaments of language models, whose provider does what real ones do."""

import json
import re
import signal
import sys
from pathlib import Path
from typing import Any, Final

from tests.e2e.places import listening
from tests.llm.provider import Call, FakeProvider, answers, beside, drops, says, status
from tests.workspace import Workspace, until

EXAMPLES: Final = Path(__file__).parents[2] / "examples"
KEY: Final = "sk-hush-0123456789"
HEAD: Final = """game = "hearts"
matches_each = 2
match = { deals = 1 }
clock = "patient"
concurrency = 2
[models]
on_provider_failure = "void"
"""


def entries(provider: FakeProvider, *models: str) -> str:
    """Return entries of the models, and two house bots."""
    found = [
        f'[[entries]]\nname = "{model}"\nbot = "llm"\nmodel = "{model}"\nbase_url = "{provider.base_url}"\n'
        'key_from = "MY_KEY"\nprices = { tokens_in = 1, tokens_out = 2 }\n'
        for model in models
    ]
    found += [f'[[entries]]\nname = "{bot}"\nbot = "{bot}"\n' for bot in ("greedy", "random")]
    return "".join(found)


async def by_name(call: Call) -> None:
    """Do what the name of the model says, at the first ask of a decision; be good at the second."""
    is_first = len(call.messages) == 2
    behave: Any = {"prose": says("The queen."), "cut": says("Well, the", finish="length")}.get(
        call.body["model"]
    )
    await (behave if behave and is_first else answers)(call)


def is_answered_after_a_failure(workspace: Workspace, entry: str) -> bool:
    """Return whether a call of an entry failed, and a later decision of its match was asked."""
    file = workspace.folder / f"cup.fairdeal/models/{entry}.jsonl"
    whole = [line for line in file.read_text().splitlines(keepends=True) if line.endswith("\n")]
    lines = [json.loads(line) for line in whole]
    failed = {line["match"]: line["decision"] for line in lines if "failure" in line}
    return any(line["decision"] > failed.get(line["match"], line["decision"]) for line in lines)


def test_four_models_play_are_killed_and_go_on(workspace: Workspace) -> None:
    of_drops: list[Call] = []

    async def behave(call: Call) -> None:
        is_probe = len(call.messages) == 1
        of_drops.extend([call] if call.body["model"] == "drops" and not is_probe else [])
        await (drops if of_drops == [call] else by_name)(call)

    with beside(behave) as provider:
        workspace.file(HEAD + entries(provider, "good", "prose", "cut", "drops"))
        running = workspace.start("tournament", "run", "cup.toml", MY_KEY=KEY)
        until(lambda: workspace.records().paths(), "a match that is over")
        until(lambda: is_answered_after_a_failure(workspace, "drops"), "what was dropped, answered")
        running.stopped(signal.SIGKILL)
        done = workspace.run("tournament", "run", "cup.toml", MY_KEY=KEY)
        assert done.status == 0, done.err
    asked = {call.headers["authorization"] for call in provider.calls}
    assert asked == {f"Bearer {KEY}"}
    found = {
        each["entry"]: each
        for each in workspace.ask("tournament", "standings", "cup.toml", "--json").json["models"]
    }
    assert set(found) == {"good", "prose", "cut", "drops"}
    for name, problem in (("prose", "unreadable"), ("cut", "truncated")):
        assert found[name][problem] == found[name]["asked"] > 0
        assert found[name]["first"] == found[name]["defaults"] == 0
    assert found["good"]["first_share"] == 1
    assert found["drops"]["transport"] == 1
    good = found["good"]
    assert good["cost"] * 1e6 == good["tokens_in"] + 2 * good["tokens_out"] > 0
    assert "language models" in done.out
    folder = workspace.folder / "cup.fairdeal"
    assert {path.name for path in (folder / "models").glob("*.jsonl")} == {f"{name}.jsonl" for name in found}
    for path in workspace.folder.rglob("*"):
        if path.is_file():
            assert KEY.encode() not in path.read_bytes(), path
    for log in (folder / "logs").iterdir():  # prompts are in the bot's own transcript alone
        assert "Your hand" not in log.read_text()
    workspace.ask("tournament", "report", "cup.toml")
    assert "Language models" in (workspace.folder / "cup.html").read_text()
    assert workspace.ask("record", "verify", folder).status == 0


def test_a_key_that_is_refused_later_ends_the_run_and_costs_nobody_a_decision(workspace: Workspace) -> None:
    calls: list[str] = []

    async def behave(call: Call) -> None:
        calls.append("one")
        await (status(401, "expired") if 10 < len(calls) < 20 else answers)(call)

    with beside(behave) as provider:
        workspace.file(HEAD + entries(provider, "one", "two"))
        done = workspace.run("tournament", "run", "cup.toml", MY_KEY=KEY)
        assert done.status == 1
        assert "refuses the calls (HTTP status 401: expired): look at the key in MY_KEY" in done.err
        assert "put that right, and run it again" in done.err
        calls.extend(["more"] * 20)
        done = workspace.run("tournament", "run", "cup.toml", MY_KEY=KEY)
        assert done.status == 0, done.err
    standings = workspace.ask("tournament", "standings", "cup.toml", "--json").json["standings"]
    assert sum(each["faults"] for each in standings) == 0


def test_an_outage_voids_what_it_decided_and_other_cards_are_played(workspace: Workspace) -> None:
    calls: list[str] = []

    async def behave(call: Call) -> None:
        calls.append("one")
        busy = status(503, "overloaded", Retry_After="100000")
        await (busy if len(calls) == 12 else answers)(call)

    with beside(behave) as provider:
        workspace.file(HEAD + entries(provider, "one", "two"))
        done = workspace.run("tournament", "run", "cup.toml", MY_KEY=KEY)
        assert done.status == 0, done.err
    assert "its provider did not answer, and what it played is void" in done.err
    statuses = [each[2] for each in workspace.results()]
    assert statuses.count("COMPLETED") == 2
    assert 1 <= statuses.count("VOID") <= 2
    standings = workspace.ask("tournament", "standings", "cup.toml", "--json").json["standings"]
    assert sum(each["faults"] for each in standings) == 0
    assert sum(each["voids"] for each in standings) > 0


def test_a_wrong_model_is_found_before_anything_begins(workspace: Workspace) -> None:
    with beside(status(404, "no such model")) as provider:
        workspace.file(HEAD + entries(provider, "one", "two"))
        done = workspace.run("tournament", "run", "cup.toml", MY_KEY=KEY)
    assert done.status == 1
    assert "no match has begun" in done.err
    assert workspace.results() == []
    assert len(provider.calls) == 2


def test_a_budget_that_is_used_up_ends_the_run_with_the_standings(workspace: Workspace) -> None:
    with beside(answers) as provider:
        head = HEAD.replace("concurrency = 2", "concurrency = 1") + "max_tokens = 1\n"
        text = head + entries(provider, "one", "two")
        workspace.file(text)
        done = workspace.run("tournament", "run", "cup.toml", MY_KEY=KEY)
        assert done.status == 1
        assert "tokens of max_tokens = 1: no more matches begin" in done.out
        assert done.err.splitlines()[-1].startswith("fairdeal: all models have used ")
        assert len(workspace.results()) == 1
        workspace.file(text.replace("max_tokens = 1", "max_tokens = 1_000_000"))
        assert workspace.run("tournament", "run", "cup.toml", MY_KEY=KEY).status == 0
    assert len(workspace.results()) == 2


def test_two_prompts_are_compared_on_the_same_decks(workspace: Workspace) -> None:
    Path(workspace.folder, "own.txt").write_text("Play well.")
    with beside(answers) as provider:
        model = f"llm --model m --base-url {provider.base_url}"
        words = (
            "compare",
            model,
            f"{model} --prompt own.txt",
            "--game",
            "two_handed_spades",
            "--sets",
            "2",
            "--json",
        )
        done = workspace.run(*words, "--clock", "patient")
        assert done.status == 4, done.err
    (found,) = done.json["games"]
    assert (found["sets"], found["faults"]) == (2, {"a": 0, "b": 0})
    # two that answer alike in the same situations come out even: that is the noise of these two
    assert found["points"]["mean"] == 0
    systems = {call.messages[0]["content"][:10] for call in provider.calls}
    assert "Play well." in systems


def test_the_example_of_the_documentation(workspace: Workspace) -> None:
    server = workspace.start(Path(sys.executable), EXAMPLES / "model_server.py", "--port", "0")
    port = server.says(r"http://127.0.0.1:(\d+)/v1 serves any-legal")[1]
    for name in ("models.toml", "models_prompt.txt"):
        workspace.file((EXAMPLES / name).read_text().replace("8765", port), name)
    planned = workspace.ask("tournament", "plan", "models.toml")
    assert re.search(r"^small-coached: 4 seats in matches, about \d+ calls", planned.out, re.MULTILINE)
    done = workspace.run("tournament", "run", "models.toml", "--json")
    assert done.status == 0, done.err
    found = {each["entry"]: each for each in done.json["models"]}
    assert set(found) == {"small", "small-again", "small-relabelled", "small-coached"}
    assert {each["first_share"] for each in found.values()} == {1.0}
    server.stopped(signal.SIGINT)


def test_a_model_comes_to_an_open_table(workspace: Workspace) -> None:
    with beside(answers) as provider:
        _serving, address = listening(workspace, "--game", "two_handed_spades", "--deals", "1")
        at = ("--connect", address, "--game", "two_handed_spades")
        greedy = workspace.start("bot", "greedy", *at)
        done = workspace.run("bot", "llm", "--model", "m", "--base-url", provider.base_url, *at)
        assert done.status == 0, done.err
        assert greedy.done().status == 0
    assert "completed, scores by side" in done.out
    assert len(provider.calls) > 20
