"""docs/records.md, and the events on the pages of the rules, against records of real matches."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from referee.games.registry import GAMES
from referee.storage import record_files
from referee.storage.record import Record
from tests.referee.recorded import RecordedTable, hearts_with_faults

DOCS = Path(__file__).parents[3] / "docs"


Fields = dict[str, set[str]]


@pytest.fixture(scope="module")
def page() -> str:
    """Return the page, and what those of the rules say of the events of each game."""
    rules = [(DOCS / "rules" / f"{game}.md").read_text().partition("## In the record")[2] for game in GAMES]
    return "".join([(DOCS / "records.md").read_text(), *rules])


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


def note_fields(data: Any, kind: str, fields: Fields) -> None:
    """Note which fields the objects of each kind have; an object without a type is named by its field."""
    if isinstance(data, list):
        for item in data:
            note_fields(item, kind, fields)
    if isinstance(data, dict):
        kind = data.get("type", kind)
        for name, value in data.items():
            fields.setdefault(kind, set()).add(name)
            note_fields(value, f"{kind}.{name}", fields)


def test_the_documentation_has_every_line_and_field_of_real_records_and_no_other(
    page: str, corpus: list[tuple[RecordedTable, Record]]
) -> None:
    real: Fields = {}
    for _table, played in corpus:
        note_fields([played.header, *played.lines], "", real)
    real["header.options"] = set(GAMES["hearts"].bind({}))  # the example's; other games have others
    shown: Fields = {}
    for block in blocks(page, "json"):
        note_fields([json.loads(line) for line in block.splitlines()], "", shown)
    assert shown == real
    described = set(re.findall(r"`(\w+)`", page))
    names = {name for kind, fields in real.items() if kind != "header.options" for name in fields}
    assert names | {kind for kind in real if "." not in kind} <= described


@pytest.mark.parametrize(
    ("where", "field"),
    [("input", "kind"), ("substituted", "fault"), ("outcome", "termination"), ("dealt", "direction")],
)
def test_the_documentation_has_every_word_of_real_records(
    page: str, corpus: list[tuple[RecordedTable, Record]], where: str, field: str
) -> None:
    found = [
        line[field]
        for _t, played in corpus
        for line in played.lines
        if line["type"] == where and field in line
    ]
    assert len(set(found)) > 3
    assert set(found) <= set(re.findall(r"`(\w+)`", page))


def test_the_program_of_the_documentation_reads_a_real_record(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hearts_with_faults().record(tmp_path)
    monkeypatch.chdir(record_files.path_of(tmp_path, "m-0001", 1).parent)
    (program,) = blocks(page, "python")
    exec(compile(program, "docs/records.md", "exec"), {})
    told = capsys.readouterr().out.splitlines()
    assert told[0] == "hearts played by careful, greedy, random-1, slow"
    assert "deal 1 points [0, 4, 8, 14] totals [0, 4, 8, 14]" in told
    assert "default for random-1 because of an earlier forfeit" in told
    assert told[-1] == "completed with ranks [1, 2, 4, 3]"
