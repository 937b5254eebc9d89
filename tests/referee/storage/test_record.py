"""Records: what stands in one, that the same record gives the same bytes, and what is refused."""

import gzip
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.cards import card
from referee.codec.json import from_plain, from_tagged
from referee.games.actions import Bid, ChooseCards, Draft, Moon, PlayCard
from referee.games.events import CardPlayed
from referee.games.registry import GAMES
from referee.match.clock import ClockSettings, Micros
from referee.match.effects import Faulted, Input, Outcome, Substituted
from referee.match.faults import Fault, FaultPolicy
from referee.match.messages import Commitment, Given, Index, Malformed
from referee.storage import record, record_files
from referee.storage.record import RecordError
from referee.storage.record_digest import digest_of
from tests.referee.driven import Driven

ANSWERS = (PlayCard, Bid, Draft, Moon, ChooseCards, Index, Malformed)
SECRET = bytes(range(32))


def seat(number: int) -> Any:
    return number


def compact(line: dict[str, Any]) -> str:
    return json.dumps(line, separators=(",", ":"))


def header_of(match: Any) -> dict[str, Any]:
    return record.header_line(
        match.setup,
        [(entry, f"{entry}1") for entry in match.setup.entries],
        GAMES[match.setup.game],
        Commitment(scheme="fairdeal/1", epoch_id="m-1.1", commit=b"\x01", manifest=b"\x02", repeatable=False),
        software="fairdeal/test",
        started="2026-01-02T03:04:05+00:00",
    )


def whole(driven: Any) -> tuple[Any, bytes]:
    """Return a match of two deals with a fault in it, and its record."""
    match = driven("two_handed_spades", deals=2).begin()
    match.answer(0, Malformed("no"))
    match.give("lost", 1)
    match.give("back", 1)
    match.play_out()
    return match, record.encode(header_of(match), match.log, SECRET)


# What stands in a record


def test_a_header_names_all_that_a_replay_needs(driven: type[Driven]) -> None:
    match = driven("hearts", deals=None, target=50, faults=FaultPolicy(max_faults=2))
    header = header_of(match)
    assert header == {
        "type": "header",
        "format": "fairdeal-record/1",
        "software": "fairdeal/test",
        "started": "2026-01-02T03:04:05+00:00",
        "match_id": "m-1",
        "attempt": 1,
        "game": "hearts",
        "rules_version": GAMES["hearts"].rules_version,
        "options": {
            "any_heart_breaks": False,
            "jack_of_diamonds": False,
            "max_deals": 60,
            "moon": "choose",
            "target": 50,
        },
        "deals": None,
        "entries": ["a", "b", "c", "d"],
        "instances": ["a1", "b1", "c1", "d1"],
        "clock": {"move": 100, "bank": 50, "increment": 7, "lag": 10, "lag_cap": 15, "start": 1_000},
        "faults": {"substitute": True, "max_faults": 2},
        "commitment": {
            "scheme": "fairdeal/1",
            "epoch_id": "m-1.1",
            "commit": "01",
            "manifest": "02",
            "repeatable": False,
        },
    }
    assert list(header["options"]) == sorted(header["options"])
    assert from_plain(ClockSettings, header["clock"]) == match.setup.clock
    assert from_plain(FaultPolicy, header["faults"]) == match.setup.faults


@pytest.mark.parametrize(
    ("entry", "line"),
    [
        (Input("start", Micros(7)), {"type": "input", "kind": "start", "at": 7}),
        (Input("lost", Micros(0), seat(0)), {"type": "input", "kind": "lost", "at": 0, "seat": 0}),
        (
            Input("answer", Micros(9), seat(3), 4, Index(0)),
            {
                "type": "input",
                "kind": "answer",
                "at": 9,
                "seat": 3,
                "decision_id": 4,
                "answer": {"type": "index", "index": 0},
            },
        ),
    ],
)
def test_an_input_is_a_line(entry: Input, line: dict[str, Any]) -> None:
    assert record.input_line(entry) == line
    assert record.input_text(entry) == compact(line)


@settings(max_examples=50)
@given(st.data())
def test_the_text_of_a_line_is_what_json_would_write(values_of: Any, data: st.DataObject) -> None:
    answer = data.draw(st.one_of([values_of(struct) for struct in get_args(Given)]))
    number = st.none() | st.integers(0, 2**60)
    entry = data.draw(
        st.builds(Input, st.just("answer"), st.integers(0), number, number, st.just(answer), number)
        | st.builds(Substituted, st.integers(0, 3), values_of(PlayCard), number, st.sampled_from(Fault))
        | st.builds(Faulted, st.integers(0, 3), st.sampled_from(Fault), number)
        | values_of(Outcome)
        | values_of(CardPlayed)
    )
    assert record.entry_text(entry) == compact(record.entry_line(entry))


def test_a_match_stands_in_its_record_line_by_line(driven: type[Driven], tmp_path: Path) -> None:
    match, data = whole(driven)
    record.write(tmp_path / "m", data)
    read = record.read(tmp_path / "m")
    assert read.header == json.loads(json.dumps(header_of(match)))
    assert read.lines[-1] == {"type": "reveal", "secret": SECRET.hex()}
    assert read.lines[-2]["type"] == "outcome"
    assert [line["type"] for line in read.lines[:-1]] == [
        {"CardPlayed": "card_played", "TrickTaken": "trick_taken", "DealScored": "deal_scored"}.get(
            type(entry).__name__, type(entry).__name__.lower().replace("bidmade", "bid_made")
        )
        for entry in match.log
    ]


def test_inputs_read_back_from_a_record(driven: type[Driven], tmp_path: Path) -> None:
    match, data = whole(driven)
    record.write(tmp_path / "m", data)
    inputs = [
        Input(
            line["kind"],
            line["at"],
            line.get("seat"),
            line.get("decision_id"),
            from_tagged(ANSWERS, line["answer"]) if "answer" in line else None,
        )
        for line in record.read(tmp_path / "m").lines
        if line["type"] == "input"
    ]
    assert inputs == match.inputs
    assert {given.kind for given in inputs} == {"start", "back", "ready", "answer", "lost"}


def test_a_default_says_for_which_fault_it_was_played() -> None:
    log = [
        Substituted(seat(2), PlayCard(card("QS")), 7, Fault.LATE),
        Substituted(seat(1), PlayCard(card("2C"))),
    ]
    text = gzip.decompress(record.encode({"type": "header"}, log, SECRET)).decode()
    assert [json.loads(line) for line in text.splitlines()[1:-1]] == [
        {
            "type": "substituted",
            "seat": 2,
            "action": {"type": "play_card", "card": "QS"},
            "decision_id": 7,
            "fault": "late",
        },
        {"type": "substituted", "seat": 1, "action": {"type": "play_card", "card": "2C"}},
    ]


# Files


def test_the_same_record_gives_the_same_bytes(driven: type[Driven]) -> None:
    data = whole(driven)[1]
    assert data == whole(driven)[1]
    assert data[4:8] == bytes(4)  # where gzip keeps the time


def test_a_record_is_written_whole_under_its_name(driven: type[Driven], tmp_path: Path) -> None:
    _match, data = whole(driven)
    path = record_files.path_of(tmp_path, "m-1", 2)
    assert path == tmp_path / hashlib.sha256(b"m-1").hexdigest()[:2] / "m-1.2.jsonl.gz"
    for _again in range(2):
        assert record.write(path, data) == hashlib.sha256(data).hexdigest()
        assert path.read_bytes() == data
    assert [each for each in tmp_path.rglob("*") if each.is_file()] == [path]


def test_a_record_of_an_earlier_version_is_found_where_it_is(tmp_path: Path) -> None:
    flat = tmp_path / "m-1.2.jsonl.gz"
    flat.write_bytes(b"")
    (tmp_path / ".m-3.1.jsonl.gz").write_bytes(b"")  # left by a crash
    later = record_files.path_of(tmp_path, "m-1", 10)
    record.write(later, b"")
    assert record_files.path_of(tmp_path, "m-1", 2) == flat
    assert record_files.in_folder(tmp_path) == [later, flat]
    assert {record_files.folder_of(path) for path in (flat, later)} == {tmp_path}
    assert [record_files.named(path) for path in (flat, later)] == [("m-1", 2), ("m-1", 10)]
    assert record_files.named(tmp_path / "copy.jsonl.gz") is None


def test_the_matches_of_a_tournament_are_spread_over_many_folders(tmp_path: Path) -> None:
    paths = [record_files.path_of(tmp_path, f"hearts-1-{number:016x}", 1) for number in range(2000)]
    assert 250 < len({path.parent for path in paths}) <= 256


def test_a_digest_over_records_does_not_depend_on_their_order() -> None:
    records = [("m-2", 1, "aa"), ("m-1", 10, "bb"), ("m-1", 9, "cc")]
    whole = "m-1 9 cc\nm-1 10 bb\nm-2 1 aa\n"
    for some in (records, records[::-1]):
        assert digest_of(some) == hashlib.sha256(whole.encode()).hexdigest()


def test_a_record_is_found_by_its_name(tmp_path: Path) -> None:
    path = record_files.path_of(tmp_path, "m-1", 1)
    assert record_files.found(tmp_path / path.name) == tmp_path / path.name
    record.write(path, b"")
    assert [record_files.found(each) for each in (tmp_path / path.name, path)] == [path, path]
    assert record_files.found(tmp_path / "other") == tmp_path / "other"


def test_a_folder_that_is_not_there_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        record.write(tmp_path / "missing" / "m.1.jsonl.gz", b"")


# What is no record


def zipped(*lines: str) -> bytes:
    return gzip.compress("".join(line + "\n" for line in lines).encode())


HEADER = '{"type":"header","format":"fairdeal-record/1"}'
REVEAL = '{"type":"reveal","secret":""}'

Damage = Callable[[bytes], bytes]


@pytest.mark.parametrize(
    ("damage", "text"),
    [
        pytest.param(lambda data: b"", "not a record: its first line is not a header", id="empty"),
        pytest.param(lambda data: b"hello", "not a record (records are gzip", id="text"),
        pytest.param(gzip.decompress, "not a record (records are gzip", id="unzipped"),
        pytest.param(lambda data: data[:-1], "the record is truncated; get a whole copy", id="a byte less"),
        pytest.param(lambda data: data[: len(data) // 2], "the record is truncated; get", id="half of it"),
        pytest.param(lambda data: data[:5], "the record is truncated; get a whole copy", id="part of a head"),
        pytest.param(lambda data: data + b"more", "not a record (records are gzip", id="something behind"),
        pytest.param(
            lambda data: data[:-8] + bytes(4) + data[-4:], "not a record (records are gzip", id="checksum"
        ),
        pytest.param(
            lambda data: data[:10] + b"\xff" * 9 + data[19:], "not a record (records are gzip", id="inside"
        ),
        pytest.param(lambda data: gzip.compress(b"\xff\xfe"), "not a record (records are gzip", id="no text"),
        pytest.param(lambda data: zipped(), "its first line is not a header", id="no lines"),
        pytest.param(lambda data: zipped(REVEAL), "its first line is not a header", id="no header"),
        pytest.param(lambda data: zipped(HEADER), "its last line is not of the type reveal", id="no reveal"),
        pytest.param(
            lambda data: zipped(HEADER, '{"type":"outcome"}'),
            "its last line is not of the type reveal",
            id="no reveal at the end",
        ),
        pytest.param(
            lambda data: zipped(HEADER, '{"type":', REVEAL),
            "line 2 is not an object with a type; the record is damaged",
            id="damaged line",
        ),
        pytest.param(
            lambda data: zipped(HEADER, "", REVEAL), "line 2 is not an object with a type", id="empty line"
        ),
        pytest.param(
            lambda data: zipped(HEADER, "[1]", REVEAL), "line 2 is not an object with a type", id="a list"
        ),
        pytest.param(
            lambda data: zipped(HEADER, '{"type":7}', REVEAL),
            "line 2 is not an object",
            id="type is a number",
        ),
        pytest.param(
            lambda data: zipped(HEADER, "[" * 100_000, REVEAL), "line 2 is not an object", id="deeply nested"
        ),
        pytest.param(
            lambda data: zipped('{"type":"header","format":"fairdeal-record/2"}', REVEAL),
            "the format is 'fairdeal-record/2'; this version reads 'fairdeal-record/1'",
            id="a later format",
        ),
        pytest.param(lambda data: zipped('{"type":"header"}', REVEAL), "the format is None", id="no format"),
    ],
)
def test_what_is_no_whole_record_is_refused_in_one_line(
    driven: type[Driven], tmp_path: Path, damage: Damage, text: str
) -> None:
    path = tmp_path / "m-1.1.jsonl.gz"
    path.write_bytes(damage(whole(driven)[1]))
    with pytest.raises(RecordError) as caught:
        record.read(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert text in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("missing", "there is no such file; name a record (ID.N.jsonl.gz)"),
        ("", "is a folder; name one of the records in it (ID.N.jsonl.gz)"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, name: str, text: str) -> None:
    with pytest.raises(RecordError) as caught:
        record.read(tmp_path / name)
    assert str(caught.value) == f"{tmp_path / name}: {text}"


def test_every_truncation_is_found(driven: type[Driven], tmp_path: Path) -> None:
    data, path = whole(driven)[1], tmp_path / "m"
    for length in range(0, len(data), 97):
        path.write_bytes(data[:length])
        with pytest.raises(RecordError):
            record.read(path)
