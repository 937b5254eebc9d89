"""What a referee's metrics say, scraped as Prometheus does it."""

import inspect
import socket
import threading
import urllib.request
from collections.abc import Callable, Iterator
from typing import Final

import pytest
from prometheus_client.parser import text_string_to_metric_families

from referee.cards import Seat
from referee.core.observer import Observer
from referee.games.registry import GAMES
from referee.match.effects import MatchSetup, Outcome
from referee.match.faults import Fault, FaultCounts, Termination
from referee.match.messages import Reason
from referee.server import metrics as pages
from referee.server.addresses import CannotListen
from referee.server.metrics import Metrics, metrics_served
from tests.server.conftest import Setup
from tests.workspace import PATIENCE

GAME: Final = "two_handed_spades"
Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]


def outcome(termination: Termination = Termination.COMPLETED) -> Outcome:
    return Outcome(
        termination=termination,
        ranks=(1, 2),
        scores=(300, 10),
        capped=False,
        faults=(FaultCounts(),) * 2,
        forfeited=(),
    )


def fetch(address: str) -> str:
    # it holds up the loop: pages are made in other threads
    with urllib.request.urlopen(f"http://{address}/metrics", timeout=PATIENCE) as response:
        assert response.headers["Content-Type"].startswith("text/plain")
        text: str = response.read().decode()
    return text


def scraped(address: str) -> Samples:
    """Return what a scrape brings, without what tells of the process."""
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(fetch(address))
        for sample in family.samples
        if not sample.name.startswith("process_") and not sample.name.endswith("_created")
    }


def sample(name: str, **labels: str) -> tuple[str, frozenset[tuple[str, str]]]:
    return f"fairdeal_{name}", frozenset(labels.items())


def changes(before: Samples, after: Samples) -> Samples:
    assert before.keys() == after.keys(), "a label that was not known from the start"
    return {key: after[key] - before[key] for key in after if after[key] != before[key]}


# Each method of an observer, and all that it moves

Call = Callable[[Metrics, MatchSetup], None]
Moves = dict[tuple[str, frozenset[tuple[str, str]]], float]

SECONDS: Final = ("0.001", "0.002", "0.005", "0.01", "0.02", "0.05", "0.1", "0.2", "0.5")


def histogram(seconds: float, first: str) -> Moves:
    """Return what one decision moves in the histogram: all buckets from the first that holds it."""
    bounds = [*SECONDS, "1.0", "2.0", "5.0", "10.0", "20.0", "60.0", "120.0", "300.0", "+Inf"]
    buckets = {
        sample("decision_seconds_bucket", game=GAME, le=le): 1.0 for le in bounds[bounds.index(first) :]
    }
    total = {sample("decision_seconds_sum", game=GAME): seconds} if seconds else {}
    return {sample("decision_seconds_count", game=GAME): 1.0, **total, **buckets}


def decision(seconds: float, first: str) -> Moves:
    return {sample("decisions_total", game=GAME): 1.0, **histogram(seconds, first)}


MOVES: Final[dict[str, tuple[str, Call, Moves]]] = {
    "a session": (
        "session_opened",
        lambda m, s: m.session_opened("a", "", "127.0.0.1", "kit"),
        {sample("sessions"): 1.0, sample("sessions_opened_total"): 1.0},
    ),
    "a session that left": (
        "session_ended",
        lambda m, s: m.session_ended("a", "", "127.0.0.1", None),
        {sample("sessions"): -1.0, sample("sessions_ended_total", reason="left"): 1.0},
    ),
    "a session that never was welcome": (
        "session_ended",
        lambda m, s: m.session_ended("", "", "127.0.0.1", Reason.IDLE),
        {sample("sessions_ended_total", reason="idle"): 1.0},
    ),
    "a stream that is not let in": (
        "session_refused",
        lambda m, s: m.session_refused("127.0.0.1", Reason.RATE_LIMITED),
        {sample("sessions_ended_total", reason="rate_limited"): 1.0},
    ),
    "a refusal": (
        "refused",
        lambda m, s: m.refused("a", "m-1", Reason.STALE_DECISION),
        {sample("refusals_total", reason="stale_decision"): 1.0},
    ),
    "a match": (
        "match_opened",
        lambda m, s: m.match_opened(s, recovered=False),
        {sample("matches", game=GAME): 1.0},
    ),
    "a match that goes on": (
        "match_opened",
        lambda m, s: m.match_opened(s, recovered=True),
        {sample("matches", game=GAME): 1.0, sample("matches_recovered_total", game=GAME): 1.0},
    ),
    "the end of a match": (
        "match_finished",
        lambda m, s: m.match_finished(s, outcome()),
        {
            sample("matches", game=GAME): -1.0,
            sample("matches_finished_total", game=GAME, termination="completed"): 1.0,
        },
    ),
    "an answer at once": ("answered", lambda m, s: m.answered(s, 0, 0), decision(0, "0.001")),
    "an answer": ("answered", lambda m, s: m.answered(s, 1, 250_000), decision(0.25, "0.5")),
    "an answer at a bound": ("answered", lambda m, s: m.answered(s, 1, 2_000), decision(0.002, "0.002")),
    "an answer after minutes": (
        "answered",
        lambda m, s: m.answered(s, 1, 301_000_000),
        decision(301, "+Inf"),
    ),
    "a fault": (
        "fault",
        lambda m, s: m.fault(s, 1, Fault.LATE),
        {sample("faults_total", game=GAME, fault="late"): 1.0},
    ),
    "a lost seat": ("seat_lost", lambda m, s: m.seat_lost(s, 1), {sample("seats_lost_total"): 1.0}),
    "a seat taken": ("seat_taken", lambda m, s: m.seat_taken(s, 1), {}),
    "a stall": (
        "stalled",
        lambda m, s: m.stalled(7_500, "a", 5_000),
        {sample("stalled_seconds_total"): 0.0075, sample("stalled_by_bots_seconds_total"): 0.005},
    ),
    "connections": (
        "connected",
        lambda m, s: m.connected(7, 100, "192.0.2.7", 5),
        {sample("connections"): 7.0, sample("connections_of_one_address"): 5.0},
    ),
    "an unreadable call": (
        "unreadable",
        lambda m, s: m.unreadable("127.0.0.1"),
        {sample("unreadable_calls_total"): 1.0},
    ),
    "an error": (
        "failed",
        lambda m, s: m.failed("a turn", RuntimeError("QS"), "m-1"),
        {sample("errors_total"): 1.0},
    ),
}


@pytest.mark.asyncio
@pytest.mark.parametrize("case", MOVES)
async def test_each_event_moves_its_metric_and_no_other(setup: Setup, case: str) -> None:
    _method, call, moves = MOVES[case]
    metrics = Metrics(GAMES)
    async with metrics_served(metrics, 0) as address:
        before = scraped(address)
        call(metrics, setup(GAME))
        assert changes(before, scraped(address)) == moves


def test_every_method_of_an_observer_is_among_the_cases() -> None:
    methods = {name for name, _method in inspect.getmembers(Observer, inspect.isfunction) if name[0] != "_"}
    assert {method for method, _call, _moves in MOVES.values()} == methods


# Labels


def every_label() -> Iterator[tuple[str, dict[str, str], Call]]:
    """Yield each value that a label can have, and the event that counts it."""
    for reason in Reason:
        labels = {"reason": reason.name.lower()}
        yield "sessions_ended_total", labels, lambda m, s, r=reason: m.session_ended("", "", "", r)
        yield "refusals_total", labels, lambda m, s, r=reason: m.refused("a", "m-1", r)
    for game in GAMES:
        for fault in Fault:
            labels = {"game": game, "fault": fault.name.lower()}
            yield "faults_total", labels, lambda m, s, g=game, f=fault: m.fault(s(g), 0, f)
        for termination in Termination:
            labels = {"game": game, "termination": termination.name.lower()}
            end = outcome(termination)
            yield "matches_finished_total", labels, lambda m, s, g=game, o=end: m.match_finished(s(g), o)


@pytest.mark.asyncio
async def test_every_reason_fault_and_termination_has_its_place_from_the_start(setup: Setup) -> None:
    metrics = Metrics(GAMES)
    labels = list(every_label())
    async with metrics_served(metrics, 0) as address:
        before = scraped(address)
        assert {before[sample(name, **values)] for name, values, _call in labels} == {0.0}
        for times, (_name, _values, call) in enumerate(labels, 1):
            for _ in range(times):  # another count for each, so that none can stand for another
                call(metrics, setup)
        after = scraped(address)
    assert [after[sample(name, **values)] for name, values, _call in labels] == [*range(1, len(labels) + 1)]


@pytest.mark.asyncio
async def test_what_bots_and_matches_are_called_makes_no_labels(setup: Setup) -> None:
    metrics = Metrics(GAMES)
    async with metrics_served(metrics, 0) as address:
        before = scraped(address)
        for number in range(100):
            name = f"bot-{number}"
            named = setup(GAME, f"m-{number}", entries=(f"{name}-0", f"{name}-1"))
            metrics.session_opened(name, name, name, name)
            metrics.session_ended(name, name, name, None)
            metrics.refused(name, named.match_id, Reason.WRONG_SEAT)
            metrics.match_opened(named, recovered=True)
            seats: tuple[Seat, ...] = (0, 1)
            for seat in seats:
                metrics.seat_taken(named, seat)
                metrics.answered(named, seat, number)
                metrics.fault(named, seat, Fault.ILLEGAL)
                metrics.seat_lost(named, seat)
            metrics.failed(name, RuntimeError(name), named.match_id)
            metrics.match_finished(named, outcome())
        assert scraped(address).keys() == before.keys()


@pytest.mark.asyncio
async def test_two_referees_in_one_process_count_apart(setup: Setup) -> None:
    one, other = Metrics(GAMES), Metrics(GAMES)
    one.seat_lost(setup(GAME), 0)
    async with metrics_served(one, 0) as here, metrics_served(other, 0) as there:
        assert [scraped(address)[sample("seats_lost_total")] for address in (here, there)] == [1.0, 0.0]


# The page


@pytest.mark.asyncio
async def test_the_page_tells_of_the_process() -> None:
    async with metrics_served(Metrics(GAMES), 0) as address:
        page = fetch(address)
    values = {s.name: s.value for f in text_string_to_metric_families(page) for s in f.samples}
    assert values["process_resident_memory_bytes"] > 1_000_000
    assert values["process_cpu_seconds_total"] > 0


@pytest.mark.asyncio
async def test_port_0_is_a_free_port() -> None:
    async with metrics_served(Metrics(GAMES), 0) as address:
        bound, _, port = address.rpartition(":")
        assert bound == "127.0.0.1"
        assert int(port) > 0
        assert "fairdeal_sessions" in fetch(address)


@pytest.mark.asyncio
async def test_the_end_frees_the_port_and_leaves_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    # an address at which nobody else is given the port in between
    monkeypatch.setattr("referee.server.metrics._HOST", "127.0.0.3")
    async with metrics_served(Metrics(GAMES), 0) as address:
        port = int(address.rpartition(":")[2])
    async with metrics_served(Metrics(GAMES), port) as again:
        assert again == address
    assert not [thread for thread in threading.enumerate() if thread.name == "metrics"]


REMEDY: Final = "choose another port, or 0 for a free one"


@pytest.mark.asyncio
async def test_what_is_no_port_is_one_clear_error() -> None:
    with pytest.raises(CannotListen) as caught:
        async with metrics_served(Metrics(GAMES), 65536):
            pass
    assert str(caught.value) == f"cannot serve metrics on 127.0.0.1:65536: ports are 0 to 65535; {REMEDY}"


@pytest.mark.asyncio
async def test_a_port_is_never_shared() -> None:
    async with metrics_served(Metrics(GAMES), 0) as address:
        with pytest.raises(CannotListen) as caught:
            async with metrics_served(Metrics(GAMES), int(address.rpartition(":")[2])):
                pass
        text = f"cannot serve metrics on {address}: Address already in use; {REMEDY}"
        assert str(caught.value) == text
        assert "fairdeal_sessions" in fetch(address)


RUDE: Final = {
    "nothing": b"",
    "no request": b"\x00\xff\n\n",
    "half a request": b"GET /metrics HTTP/1.1\r\nHost: x",
    "a request for a page that is not read": b"GET /metrics HTTP/1.0\r\n\r\n",
    "wishes that are none": b"GET /?name[]=%ff&name[]=x HTTP/1.0\r\nAccept: ;;q=x,*/*;version=\xff\r\n\r\n",
    "another method": b"POST /metrics HTTP/1.0\r\nContent-Length: 3\r\n\r\nabc",
}


@pytest.mark.asyncio
@pytest.mark.parametrize("case", RUDE)
async def test_a_rude_client_is_told_nothing_and_harms_nothing(
    capfd: pytest.CaptureFixture[str], case: str
) -> None:
    async with metrics_served(Metrics(GAMES), 0) as address:
        host, _, port = address.rpartition(":")
        with socket.create_connection((host, int(port))) as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
            client.sendall(RUDE[case])
        assert "fairdeal_sessions" in fetch(address)
    assert capfd.readouterr() == ("", "")


@pytest.mark.asyncio
async def test_a_client_that_says_nothing_is_left_alone_after_a_while(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert pages._Requests.timeout is not None
    monkeypatch.setattr(pages._Requests, "timeout", 0.01)
    async with metrics_served(Metrics(GAMES), 0) as address:
        host, _, port = address.rpartition(":")
        with socket.create_connection((host, int(port)), timeout=PATIENCE) as client:
            assert client.recv(1) == b""
    assert capfd.readouterr() == ("", "")
