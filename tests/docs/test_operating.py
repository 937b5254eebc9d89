"""docs/operating.md: its tables and its examples, compared with the code."""

import io
import json
import logging
from collections.abc import Iterable, Sequence
from typing import Final

import pytest

from referee.core.limits import LIMITS
from referee.games.registry import GAMES
from referee.match.clock import PROFILES
from referee.match.effects import MatchSetup, Outcome
from referee.match.faults import Fault, FaultPolicy, Termination
from referee.match.messages import Reason
from referee.server.logs import Form, Logs, configure
from referee.server.metrics import BUCKETS, Metrics
from tests.docs.conftest import Page

SECTIONS: Final = (
    "Listening",
    "Tokens",
    "Sessions",
    "Limits",
    "On the open internet",
    "Draining and restarts",
    "Logs",
    "Metrics",
    "Health",
)


@pytest.fixture
def operating(page: type[Page]) -> Page:
    return page("docs/operating.md")


def test_the_sections_are_in_order(operating: Page) -> None:
    assert tuple(heading for heading in operating.headings if heading in SECTIONS) == SECTIONS


def test_every_limit_is_listed(operating: Page) -> None:
    rows = []
    for name, limit in LIMITS.items():
        about = limit.metadata
        bounds = f"{about['low']} to {about['high']}"
        reason = f"`{about['reason'].name}`" if about["reason"] else "none"
        rows.append((f"`{name}`", str(limit.default), bounds, reason, about["text"]))
    assert operating.table("limit", "default", "bounds", "reason", "what it is").rows == tuple(rows), lines(
        rows
    )


def test_every_metric_is_listed(operating: Page) -> None:
    rows = []
    for family in Metrics(GAMES).registry.collect():
        if family.name.startswith("fairdeal_"):
            name = f"`{family.name}{'_total' if family.type == 'counter' else ''}`"
            labels = ", ".join(f"`{label}`" for label in family.samples[0].labels if label != "le")
            rows.append((name, family.type, labels, family.documentation))
    assert operating.table("metric", "type", "labels", "what it is").rows == tuple(rows), lines(rows)


def lines(rows: Iterable[Sequence[str]]) -> str:
    """Return the lines that should stand on the page."""
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def test_every_value_of_a_label_is_listed(operating: Page) -> None:
    listed = {row["label"]: row["values"] for row in operating.table("label", "values").dicts()}
    assert listed.keys() == {"`game`", "`fault`", "`termination`", "`reason`"}
    for label, members in (("`fault`", Fault), ("`termination`", Termination)):
        assert listed[label] == ", ".join(f"`{member.name.lower()}`" for member in members)


def test_the_buckets_are_told(operating: Page) -> None:
    assert f"up to {', '.join(f'{bound:g}' for bound in BUCKETS)} seconds" in " ".join(operating.text.split())


def events(form: Form) -> str:
    """Return the lines of all events, in the order of the page."""
    setup = MatchSetup(
        match_id="m-0007",
        game="two_handed_spades",
        options=GAMES["two_handed_spades"].bind({}),
        deals=1,
        entries=("careful", "slow"),
        clock=PROFILES["standard"],
        faults=FaultPolicy(),
    )
    outcome = Outcome(
        termination=Termination.FORFEIT,
        ranks=(1, 2),
        scores=(45, -20),
        capped=False,
        faults=(),
        forfeited=(1,),
    )
    stream = io.StringIO()
    logs = Logs(configure(stream, form, logging.DEBUG), lambda: 0)
    logs.session_opened("slow", "", "127.0.0.1", "fairdeal-python/0.1.0")
    logs.session_refused("127.0.0.1", Reason.RATE_LIMITED)
    logs.match_opened(setup, recovered=False)
    logs.seat_taken(setup, 1)
    logs.answered(setup, 0, 1_500)
    logs.refused("slow", "m-0007", Reason.STALE_DECISION)
    logs.fault(setup, 1, Fault.LATE)
    logs.seat_lost(setup, 1)
    logs.session_ended("slow", "", "127.0.0.1", Reason.SLOW_READER)
    logs.match_finished(setup, outcome)
    logs.stalled(250_000, "slow", 240_000)
    logs.connected(700, 716, "192.0.2.7", 690)
    logs.unreadable("192.0.2.7")
    logs.failed("the match is void", RuntimeError(), "m-0007")
    return stream.getvalue()


def test_every_event_is_listed_with_its_level_and_fields(operating: Page) -> None:
    rows = operating.table("event", "level", "fields", "when").dicts()
    listed = {row["event"]: (row["level"], row["fields"]) for row in rows}
    expected = {}
    for line in map(json.loads, events(Form.JSON).splitlines()):
        del line["timestamp"]
        level, event = line.pop("level"), line.pop("event")
        expected[f"`{event}`"] = (level, ", ".join(f"`{name}`" for name in line))
    expected["`session_ended`"] = ("info, warning for a limit", expected["`session_ended`"][1])
    expected["`session_refused`"] = ("info, warning for a limit", expected["`session_refused`"][1])
    expected["`blocked_broken`"] = ("error", "`text`")
    expected["`call_refused`"] = ("info, error for `internal`", "`reason`, `incident`, `text`")
    expected["`open_files`"] = ("info", "`files`, `reserve`, `connections`")
    expected["`tokens_broken`"] = ("error", "`text`")
    assert listed == expected


@pytest.mark.parametrize(("form", "start"), [(Form.TEXT, "timestamp="), (Form.JSON, '{"timestamp": ')])
def test_the_lines_that_are_shown_are_what_is_written(operating: Page, form: Form, start: str) -> None:
    shown = [timeless(line) for line in operating.text.splitlines() if line.startswith(start)]
    assert shown
    assert set(shown) <= {timeless(line) for line in events(form).splitlines()}


def timeless(line: str) -> str:
    return line.partition("Z")[2]
