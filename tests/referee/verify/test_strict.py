"""A record holds what records hold: no other types, no more fields, no other way to write a value."""

import gzip
from collections.abc import Callable
from typing import Any, Final

import pytest

from referee.verify import Status, verify
from referee.verify.lines import _parsed
from tests.referee.recorded import RecordedTable
from tests.referee.verify.edited import Lines, bind_anew, data_of, edited, first, lines_of

Line = dict[str, Any]

_HEADER: Final[tuple[tuple[str, Callable[[Line], object]], ...]] = (
    ("match_id", lambda head: head.update(match_id="")),
    ("match_id", lambda head: head.update(match_id="mÄtch")),
    ("attempt", lambda head: head.update(attempt="1")),
    ("attempt", lambda head: head.update(attempt=True)),
    ("rules_version", lambda head: head.update(rules_version=1.0)),
    ("deals", lambda head: head.update(deals=0)),
    ("deals", lambda head: head.pop("deals")),
    ("software", lambda head: head.update(software=None)),
    ("entries", lambda head: head["entries"].append("one more")),
    ("entries", lambda head: head.update(entries=[1, 2, 3, 4])),
    ("entries", lambda head: head.update(entries=["careful"] * 4)),
    ("clock.move", lambda head: head["clock"].update(move=-1)),
    ("clock.bank", lambda head: head["clock"].pop("bank")),
    ("clock.lag", lambda head: head["clock"].update(lag=1.5)),
    ("faults.max_faults", lambda head: head["faults"].update(max_faults=0)),
    ("faults.substitute", lambda head: head["faults"].update(substitute=1)),
    (
        "commitment.commit",
        lambda head: head["commitment"].update(commit=head["commitment"]["commit"].upper()),
    ),
    ("commitment.repeatable", lambda head: head["commitment"].update(repeatable=0)),
    ("more", lambda head: head.update(more=1)),
    ("clock.more", lambda head: head["clock"].update(more=1)),
    ("epoch", lambda head: head.update(epoch="")),
    ("event_grid", lambda head: head.update(event_grid=0)),
    ("", lambda head: head.update(deals=1 << 32)),
    ("", lambda head: head.update(epoch="Ä")),
)


@pytest.mark.parametrize(("field", "change"), _HEADER)
def test_a_header_of_another_form(field: str, change: Callable[[Line], object]) -> None:
    def edit(lines: Lines) -> None:
        change(lines[0])

    verdict = verify(edited(data_of("euchre"), edit))
    assert verdict.status is Status.WRONG
    assert verdict.problem is not None
    assert verdict.problem.line == 1
    assert field.startswith(verdict.problem.field)


@pytest.mark.parametrize(
    "change",
    [
        lambda line: line.update(secret=line["secret"].upper()),
        lambda line: line.update(secret=line["secret"][:2] + " " + line["secret"][2:]),
        lambda line: line.update(secret=line["secret"][:-2]),
        lambda line: line.update(secret=None),
        lambda line: line.update(more=1),
        lambda line: line.pop("secret"),
    ],
)
def test_a_reveal_of_another_form(change: Callable[[Line], object]) -> None:
    def edit(lines: Lines) -> None:
        change(lines[-1])

    verdict = verify(edited(data_of("euchre"), edit))
    assert verdict.problem is not None
    assert verdict.problem.line == len(lines_of(data_of("euchre")))


@pytest.mark.parametrize(
    ("type_", "field", "value"),
    [
        ("dealt", "deal", 1.0),
        ("dealt", "deal", True),
        ("card_played", "more", None),
        ("outcome", "capped", 0),
        ("outcome", "more", []),
        ("faulted", "more", 1),
        ("substituted", "seat", True),
    ],
)
def test_a_value_of_another_type_or_a_field_more(type_: str, field: str, value: object) -> None:
    place = first(lines_of(data_of("euchre")), type_)
    verdict = verify(edited(data_of("euchre"), lambda lines: lines[place].update({field: value})))
    assert verdict.problem is not None
    assert (verdict.problem.line, verdict.problem.field) == (place + 1, field)


@pytest.mark.parametrize(
    ("kind", "field", "value"),
    [
        ("start", "seat", 0),
        ("start", "kind", "begin"),
        ("start", "kind", None),
        ("back", "seat", -1),
        ("back", "seat", 4),
        ("back", "seat", True),
        ("back", "at", "1"),
        ("ready", "kind", "start"),
        ("ready", "grace", 5),
        ("answer", "decision_id", 99),
        ("answer", "answer", {"type": "outcome"}),
        ("tick", "seat", 0),
        ("tick", "decision_id", 1),
    ],
)
def test_an_input_that_cannot_come(kind: str, field: str, value: object) -> None:
    place = first(lines_of(data_of("euchre")), "input", kind=kind)
    verdict = verify(edited(data_of("euchre"), lambda lines: lines[place].update({field: value})))
    assert verdict.status is Status.WRONG
    assert verdict.problem is not None
    assert verdict.problem.line == place + 1


@pytest.mark.parametrize("field", ["at", "seat", "decision_id", "answer", "kind"])
def test_an_input_without_a_field(field: str) -> None:
    place = first(lines_of(data_of("euchre")), "input", kind="answer")
    verdict = verify(edited(data_of("euchre"), lambda lines: lines[place].pop(field)))
    assert verdict.problem is not None
    assert (verdict.problem.line, verdict.problem.field) == (place + 1, field)


RESTARTED: Final = {"type": "input", "kind": "restarted", "grace": 0}


def test_a_restart_is_such_an_input() -> None:
    """One that makes no difference can be added: only the hash of the file shows it."""

    def restart(grace: int) -> Callable[[Lines], None]:
        return lambda lines: lines.insert(2, {**RESTARTED, "at": lines[1]["at"], "grace": grace})

    assert verify(edited(data_of("euchre"), restart(0))).status is Status.VERIFIED
    verdict = verify(edited(data_of("euchre"), restart(-1)))
    assert verdict.problem is not None
    assert (verdict.problem.line, verdict.problem.field) == (3, "grace")


def test_a_second_session_of_a_seat_that_has_one() -> None:
    def twice(lines: Lines) -> None:
        place = first(lines, "input", kind="back")
        lines.insert(place + 1, dict(lines[place]))

    verdict = verify(edited(data_of("euchre"), twice))
    assert verdict.problem is not None
    assert "has a session already" in verdict.problem.text


def test_an_instance_at_two_seats() -> None:
    def twice(lines: Lines) -> None:
        for name in ("entries", "instances"):
            lines[0][name][1] = lines[0][name][0]
        bind_anew(lines)

    verdict = verify(edited(data_of("euchre"), twice))
    assert verdict.problem is not None
    assert verdict.problem.field == "instances[1]"


def test_what_is_due_cannot_be_put_off() -> None:
    """An answer that came long after its time was over is late, whatever a record says."""

    def shorter(lines: Lines) -> None:
        lines[0]["clock"] |= {"move": 0, "bank": 0, "increment": 0, "lag": 0}
        bind_anew(lines)

    def later(lines: Lines) -> None:
        shorter(lines)
        place = first(lines, "input", 1, kind="answer")
        for line in lines[place:]:
            if line["type"] == "input":
                line["at"] += 2_000_000

    data = RecordedTable("spades").encoded()  # where everybody answers within a quarter of a second
    assert verify(edited(data, shorter)).status is Status.VERIFIED
    verdict = verify(edited(data, later))
    assert verdict.problem is not None
    assert "was due more than a second before" in verdict.problem.text


def test_text_behind_the_last_line() -> None:
    data = gzip.compress(gzip.decompress(data_of("euchre")) + b"{}")
    assert verify(data).status is Status.WRONG


def test_a_file_that_unpacks_to_far_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.verify.lines._LINE", 1)
    monkeypatch.setattr("referee.verify.lines._NOTES", 0)
    head = gzip.decompress(data_of("euchre")).split(b"\n")[0]
    verdict = verify(gzip.compress(head + b"\n" + b"x" * 300_000))
    assert verdict.problem is not None
    assert "more than 201600 bytes without compression" in verdict.problem.text


def test_more_lines_than_a_match_of_these_deals_can_have(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are counted before one of them is read: it takes 400 bytes of memory to read one of 12."""
    head = gzip.decompress(data_of("euchre")).split(b"\n")[0]
    read: list[int] = []

    def parsed(text: str, number: int) -> Line:
        read.append(number)
        return _parsed(text, number)

    monkeypatch.setattr("referee.verify.lines._parsed", parsed)
    verdict = verify(gzip.compress(head + b"\n" + b'{"type":"a"}\n' * 201_600))
    assert verdict.problem is not None
    assert "more than 201600 lines" in verdict.problem.text
    assert read == [1]


def test_nothing_but_a_header_that_is_wrong_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(data: bytes, most: int) -> bytes:
        pytest.fail("the header alone shows that it is wrong")

    monkeypatch.setattr("referee.verify.lines._unpacked", refused)
    verdict = verify(edited(data_of("euchre"), lambda lines: lines[0].update(attempt="1")))
    assert verdict.problem is not None and verdict.problem.field == "attempt"
    assert verify(gzip.compress(b" " * 1_000_000)).status is Status.WRONG


@pytest.mark.parametrize(
    "text", [b"", b"\n", b"[]\n", b"[" * 100_000 + b"\n", b'{"type":"header"}\n', b"\xff\n"]
)
def test_what_is_no_record_at_all(text: bytes) -> None:
    assert verify(gzip.compress(text)).status is Status.WRONG
    reveal = b'{"type":"header","format":"fairdeal-record/1"}\n{"type":"reveal"}\n'
    assert verify(gzip.compress(reveal)).status is Status.WRONG
