"""How language models are hosted: their command, their keys, and what the end of one means."""

import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest
import pytest_asyncio

from fairdeal.bots.arguments import OUTAGE, REFUSED, problem
from tests.llm.provider import says, serving, status
from tests.tournaments import hall as halls
from tests.tournaments.hall import Hall
from tournaments.hosting import bot_process
from tournaments.hosting.bot_process import Exit, HostedCommand
from tournaments.plan.models import LLM, Models, ModelUse
from tournaments.plan.plan import Entry
from tournaments.running import hosted_models
from tournaments.running.errors import RunFailed
from tournaments.running.hosted_models import MAX_OUTAGES, command_of, probe, withheld

ENTRY: Final = Entry(name="a", bot=LLM, arguments=("--model=m",))
USE: Final = ModelUse(model="m", base_url="http://h/v1", key_from="KEY_A")
MODELS: Final = Models(uses={"a": USE, "b": replace(USE, key_from="KEY_B"), "c": replace(USE, key_from=None)})
FOLDER: Final = Path("/t/models")


def test_the_command_of_a_model_says_where_it_is_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    words = command_of(ENTRY, ("a", "turn1"), replace(MODELS, void=True), FOLDER)
    assert words == (
        *(
            "{python}",
            "-m",
            "fairdeal.bots",
            "llm",
            "--model=m",
            "--base-url=http://h/v1",
            "--key-from=KEY_A",
        ),
        *("--calls=8", "--folder=/t/models/calls", "--transcript=/t/models/a~turn1.jsonl"),
        *("--on-failure=leave", "--no-probe"),
    )
    monkeypatch.setenv("KEY_A", "k")
    assert problem(LLM, words[4:]) is None
    quiet = command_of(ENTRY, ("a", ""), replace(MODELS, transcripts=False), FOLDER)
    assert not any("transcript" in word or "failure" in word for word in quiet)
    greedy = Entry(name="g", bot="greedy")
    assert command_of(greedy, ("g", ""), MODELS, FOLDER) == greedy.command_line


def test_a_bot_gets_no_key_but_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert withheld(ENTRY, MODELS) == {"KEY_B"}
    assert withheld(Entry(name="g", command=("./g",)), MODELS) == {"KEY_A", "KEY_B"}
    for name in ("KEY_A", "KEY_B"):
        monkeypatch.setenv(name, "secret")
    command = HostedCommand("a", ("x",), tmp_path, {"KEY_C": "c"}, withheld=withheld(ENTRY, MODELS))
    _words, environment = bot_process._surroundings(command, [sys.executable])
    assert (environment["KEY_A"], environment["KEY_C"], "KEY_B" in environment) == ("secret", "c", False)


@pytest_asyncio.fixture
async def hall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Hall]:
    async with halls.opened(tmp_path) as hall:
        monkeypatch.setattr(bot_process, "start", hall.start)
        monkeypatch.setattr("tournaments.running.hosted_bots.RESTART_SECONDS", 0.0)
        yield hall


@pytest.mark.asyncio
async def test_a_provider_that_refuses_ends_the_run_and_costs_nobody_a_match(hall: Hall) -> None:
    _begin(hall)
    body = await hall.body(0)
    body.comes()
    body.ends(Exit("exited with status 78", REFUSED, ("connected", "http://h/v1 refuses the calls")))
    await hall.until(lambda: hall.bots.failed)
    assert hall.bots.failed == (
        "a: http://h/v1 refuses the calls: put that right, and run it again; nothing is lost"
    )
    assert (hall.started, hall.bots.lost) == (["a"], {})


@pytest.mark.asyncio
async def test_an_outage_is_nobody_s_fault_and_is_waited_for_only_so_often(hall: Hall) -> None:
    _begin(hall)
    for number in range(MAX_OUTAGES):
        assert hall.bots.failed is None
        body = await hall.body(number)
        body.comes()
        body.ends(Exit("exited with status 75", OUTAGE, ("h did not answer",)))
    await hall.until(lambda: hall.bots.failed)
    assert hall.bots.host_losses == {("a", ""): MAX_OUTAGES}
    assert [(lost.by_host, lost.by_provider) for lost in hall.lost] == [(True, True)] * MAX_OUTAGES
    assert "its provider has failed 3 times: wait until it answers" in str(hall.bots.failed)


@pytest.mark.asyncio
async def test_the_same_status_of_another_bot_means_nothing(hall: Hall) -> None:
    hall.open(restarts=0)
    hall.begin("a")
    (await hall.body(0)).ends(Exit("exited with status 75", OUTAGE, ()))
    await hall.until(lambda: hall.bots.lost)
    assert hall.bots.host_losses == {}


def _begin(hall: Hall) -> None:
    hall.open(restarts=0)
    hall.bots.start(ENTRY, ("a", ""))


@pytest.mark.asyncio
async def test_each_model_is_probed_once_and_all_that_is_wrong_is_told() -> None:
    async with serving(says("ready"), status(401, "bad key")) as provider:
        good = Entry(name="good", bot=LLM, arguments=("--model=m",))
        same = Entry(name="same", bot=LLM, arguments=("--model=m", "--prompt=own.txt"))
        bad = Entry(name="bad", bot=LLM, arguments=("--model=other",))
        use = ModelUse(model="m", base_url=provider.base_url)
        greedy = Entry(name="g", bot="greedy")
        await probe((good, same, greedy), Models(uses={"good": use, "same": use}))
        assert len(provider.calls) == 1
        with pytest.raises(RunFailed, match=r"^no match has begun: bad: .*HTTP status 401: bad key"):
            await probe((bad,), Models(uses={"bad": use}))


@pytest.mark.asyncio
async def test_without_models_nobody_is_asked() -> None:
    await probe((Entry(name="g", bot="greedy"),), Models())


def test_what_a_bot_said_last() -> None:
    assert hosted_models.last_of(("one", "two")) == "two"
    assert hosted_models.last_of(()) == "it said nothing"
