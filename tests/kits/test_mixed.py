"""Entries of all languages at one table: what is heard and what comes of it is what Python's bots do."""

import gzip
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from referee.games.registry import GAMES
from tests.kits.conftest import ASKED
from tests.kits.kits import PYTHON, Kit, chosen

pytestmark = pytest.mark.skipif(not ASKED, reason="see make test-clients")

LEAST = 4  # entries: hearts and the games of partners are for four


def _entries() -> dict[str, Kit]:
    """Return the kits that are asked for by entry; Python's bots fill up the table."""
    kits = {kit.name: kit for kit in chosen(ASKED)}
    return kits | {f"python-{number}": PYTHON for number in range(LEAST - len(kits))}


def _cup(game: str, entries: dict[str, Kit]) -> str:
    head = f'name = "mixed"\ngame = "{game}"\nmatch = {{ deals = 2 }}\nseed = "spring"\nconcurrency = 8\n'
    return head + "".join(
        f'[[entries]]\nname = "{name}"\ncommand = {json.dumps(kit.command())}\n'
        for name, kit in entries.items()
    )


def _answers(folder: Path) -> dict[tuple[str, int], list[Any]]:
    """Return by match and seat what was answered, decision by decision."""
    found: dict[tuple[str, int], list[Any]] = defaultdict(list)
    for path in sorted(folder.glob("*.jsonl.gz")):
        for line in map(json.loads, gzip.decompress(path.read_bytes()).splitlines()):
            if line["type"] == "input" and line["kind"] == "answer":
                answer = line["answer"]
                if "cards" in answer:
                    answer["cards"].sort()  # their order says nothing
                found[path.name, line["seat"]].append((line["decision_id"], answer))
    return found


def _timeless(standings: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{key: line[key] for key in line if "think" not in key} for line in standings]


@pytest.mark.parametrize("game", GAMES)
def test_a_tournament_of_all_languages(house: Any, game: str) -> None:
    entries = _entries()
    played = {}
    for name, cup in {
        "mixed": _cup(game, entries),
        "python": _cup(game, dict.fromkeys(entries, PYTHON)),
    }.items():
        done = house.run("tournament", "run", house.file(cup, f"{name}/cup.toml"), "--json")
        assert done.status == 0, done.err
        played[name] = done.json
        for line in played[name]["standings"]:
            assert (line["faults"], line["forfeits"], line["voids"]) == (0, 0, 0), line
    folders = {name: f"{name}/mixed.fairdeal" for name in played}
    answers = {name: _answers(house.folder / folder / "records") for name, folder in folders.items()}
    assert {match for match, _seat in answers["mixed"]} == {match for match, _seat in answers["python"]}
    for place, heard in answers["python"].items():
        assert answers["mixed"][place] == heard, place
    records = {name: house.records(folder).timeless() for name, folder in folders.items()}
    for match, record in records["python"].items():
        assert records["mixed"][match] == record, match
    assert _timeless(played["mixed"]["standings"]) == _timeless(played["python"]["standings"])
