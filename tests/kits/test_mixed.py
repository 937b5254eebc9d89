"""Entries of all languages at one table: what is heard and what comes of it is what Python's bots do."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from referee.games.registry import GAMES
from referee.storage import record_files
from tests.e2e.killing import story
from tests.kits.conftest import ASKED
from tests.kits.kits import PYTHON, Kit, chosen
from tests.workspace import Workspace

LEAST = 4  # entries: hearts and the games of partners are for four


def _entries() -> dict[str, Kit]:
    """Return the kits that are asked for by entry; Python's bots fill up the table."""
    kits = {kit.name: kit for kit in chosen(ASKED)}
    return kits | {f"python-{number}": PYTHON for number in range(LEAST - len(kits))}


def _cup(game: str, entries: dict[str, Kit]) -> str:
    head = f'name = "mixed"\ngame = "{game}"\nmatch = {{ deals = 2 }}\nclock = "debug"\nseed = "spring"\n'
    return f"{head}concurrency = 8\n" + "".join(
        f'[[entries]]\nname = "{name}"\ncommand = {json.dumps(kit.command())}\n'
        for name, kit in entries.items()
    )


def _stories(folder: Path) -> dict[str, tuple[Any, Any]]:
    """Return by match what was answered, seat by seat, and what came of it."""
    found = {}
    for path in record_files.in_folder(folder):
        told = story(path)
        for line in (line for lines in told.answers.values() for line in lines):
            line["answer"].get("cards", []).sort()  # their order says nothing
        found[path.name] = told.answers, told.told
    return found


def _timeless(standings: list[dict[str, Any]]) -> list[dict[str, Any]]:
    # a machine that stands still can cost a session, which is no fault and changes nothing
    return [
        {key: line[key] for key in line if "think" not in key and key != "sessions_lost"}
        for line in standings
    ]


def _check_kept(workspace: Workspace, names: Iterable[str]) -> None:
    """Check that records are what these bots were told and answered, by the lines that they kept."""
    folder = workspace.folder / "mixed" / "mixed.fairdeal"
    kept = [folder / "logs" / f"{name}.kept.jsonl" for name in names]
    played: set[str] = set()
    for path in kept:
        lines = [json.loads(text) for text in path.read_text().splitlines()]
        assert {line["type"] for line in lines} == {"seated", "finished"}, path
        played |= {line["match_id"] for line in lines if line["type"] == "finished"}
    # a process of its own: of many records it starts others
    done = workspace.run("record", "verify", folder, *(word for path in kept for word in ("--told", path)))
    assert done.status == 0, done.out
    assert done.out.splitlines()[-1] == (
        f"compared with what bots kept: {len(played)} of their {len(played)} matches"
    )


@pytest.mark.parametrize("game", GAMES)
def test_a_tournament_of_all_languages(workspace: Workspace, game: str) -> None:
    entries = _entries()
    played = {}
    for name, cup in {
        "mixed": _cup(game, entries),
        "python": _cup(game, dict.fromkeys(entries, PYTHON)),
    }.items():
        done = workspace.run("tournament", "run", workspace.file(cup, f"{name}/cup.toml"), "--json")
        assert done.status == 0, done.err
        played[name] = done.json
        for line in played[name]["standings"]:
            assert (line["faults"], line["forfeits"], line["voids"]) == (0, 0, 0), line
    mixed, python = (_stories(workspace.folder / name / "mixed.fairdeal" / "records") for name in played)
    assert len(python) == played["python"]["matches"] > 0
    assert mixed.keys() == python.keys()
    for match, (answers, told) in python.items():
        assert sorted(answers) == list(range(GAMES[game].seats))
        assert mixed[match][0] == answers, match
        assert mixed[match][1] == told, match
    _check_kept(workspace, entries)
    assert _timeless(played["mixed"]["standings"]) == _timeless(played["python"]["standings"])
