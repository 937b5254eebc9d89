"""What hosted bots have printed: told to their authors, bounded, and not while it may hold cards."""

import os
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.tournaments.tournament_under_test import CUP, hosted, opened_tournament, remote, written
from tournaments.plan.plan import Plan
from tournaments.running.errors import WrongState
from tournaments.running.output import MOST, told


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    """Return a plan with a hosted entry h and a remote one a."""
    plan = written(tmp_path, CUP + hosted("h") + remote("a"))
    (plan.folder / "logs").mkdir(parents=True)
    return plan


def log(plan: Plan, name: str = "h") -> Path:
    return plan.folder / "logs" / f"{name}.log"


def end(plan: Plan) -> bytes:
    ((instance, data),) = told(plan, "h")
    assert instance == ""
    return data


def test_a_bot_that_printed_nothing_has_no_output(plan: Plan) -> None:
    assert end(plan) == b""


@pytest.mark.parametrize("size", [1, MOST, MOST + 1, 3 * MOST])
def test_the_end_is_told_in_whole_lines(plan: Plan, size: int) -> None:
    lines = b"".join(b"%06d\n" % number for number in range(size // 7 + 1))
    log(plan).write_bytes(lines)
    data = end(plan)
    assert len(data) <= MOST
    assert lines.endswith(data)
    assert len(data) > min(len(lines), MOST) - 7
    assert data[:7] in lines.splitlines(keepends=True)


def test_a_line_that_is_too_long_is_cut(plan: Plan) -> None:
    log(plan).write_bytes(b"x" * (2 * MOST))
    assert end(plan) == b"x" * MOST


def test_a_bot_shows_no_file_of_others_in_place_of_its_log(plan: Plan, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("all cards")
    log(plan).symlink_to(secret)
    assert end(plan) == b""
    log(plan).unlink()
    os.link(secret, log(plan))
    assert end(plan) == b""
    log(plan).unlink()
    os.mkfifo(log(plan))
    assert end(plan) == b""


def test_each_instance_has_its_own(plan: Plan) -> None:
    of_server = replace(plan, instance="cup")
    log(plan, "h~cup").write_text("here\n")
    log(plan, "h~other").write_text("in another tournament\n")
    assert told(of_server, "h") == (("cup", b"here\n"),)


@pytest.mark.asyncio
async def test_nothing_is_told_while_it_plays_or_of_a_remote_bot(
    plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log(plan).write_text("my hand: SA\n")
    async with opened_tournament(tmp_path, plan) as tested:
        tournament = tested.tournament
        assert await tournament.output("h") == (("", b"my hand: SA\n"),)
        for name in ("a", "x"):
            with pytest.raises(WrongState, match="is not hosted here"):
                await tournament.output(name)
        playing: list[Any] = []
        monkeypatch.setattr(tournament._runner, "playing", playing)
        playing.append(SimpleNamespace(issued=SimpleNamespace(entries=("a", "h"))))
        with pytest.raises(WrongState, match="h plays a match"):
            await tournament.output("h")
        playing.clear()

        def begins(plan: Plan, entry: str) -> Any:
            playing.append(SimpleNamespace(issued=SimpleNamespace(entries=(entry, "a"))))
            return told(plan, entry)

        monkeypatch.setattr("tournaments.running.output.told", begins)
        with pytest.raises(WrongState, match="h plays a match"):  # which began while the log was read
            await tournament.output("h")
        playing.clear()


@pytest.mark.asyncio
async def test_of_duplicate_sets_nothing_is_told_before_all_are_over(tmp_path: Path) -> None:
    text = CUP.replace("deals = 1", "deals = 1, duplicate = true")
    plan = written(tmp_path, text + hosted("h") + hosted("i"))
    async with opened_tournament(tmp_path, plan) as tested:
        with pytest.raises(WrongState, match="told when the tournament is over"):
            await tested.tournament.output("h")
