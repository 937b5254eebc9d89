"""The calls of each address, counted; and what an address is."""

from types import SimpleNamespace

import grpc
import pytest

from fairdeal.testing import VirtualClock
from referee.core.access import Trusting
from referee.core.limits import Allowances, Limits
from referee.core.observer import UNOBSERVED
from referee.match.clock import SECOND
from referee.server.caller import address_of, token_of
from referee.server.interceptors import interceptors
from referee.server.permissions import Caller, Rule


def test_an_address_has_its_calls_a_second() -> None:
    calls = Allowances(5)
    burst = [calls.take("here", 0) for _ in range(12)]
    assert burst == 10 * [True] + 2 * [False]
    assert calls.take("there", 0)  # others are not its neighbours
    for second in range(1, 4):
        assert [calls.take("here", second * SECOND) for _ in range(6)] == 5 * [True] + [False]


def test_a_call_that_is_refused_costs_nothing() -> None:
    calls = Allowances(1)
    for n in range(2_000):  # one a millisecond
        calls.take("here", n * 1_000)
    assert sum(calls.take("here", 2 * SECOND + n * 100_000) for n in range(100)) in (9, 10, 11)


def test_who_is_silent_is_forgotten() -> None:
    calls = Allowances(5)
    for n in range(100):
        calls.take(f"address {n}", n * 10_000)
    assert len(calls) == 100
    calls.take("address 99", SECOND + 2 * SECOND - 1)
    assert len(calls) == 1
    calls.take("address 99", 10 * SECOND)
    assert len(calls) == 1


def test_no_more_addresses_are_known_than_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.core.limits.MAX_NAMES", 10)
    calls = Allowances(1)
    for n in range(100):
        assert calls.take(f"address {n}", 0)
    assert len(calls) == 10
    assert [calls.take("address 99", 0) for _ in range(2)] == [True, False]  # it is one of them


class CallFrom:
    """The part of a call's context that names the other end."""

    def __init__(self, peer: str) -> None:
        self._peer = peer

    def peer(self) -> str:
        return self._peer


class Call(CallFrom):
    """A call without metadata that can be refused."""

    def invocation_metadata(self) -> tuple[tuple[str, str], ...]:
        return ()

    async def abort(self, *_args: object) -> None:
        raise grpc.aio.AbortError


@pytest.mark.asyncio
async def test_each_address_has_its_calls_by_a_clock_that_never_stands(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now, rule = VirtualClock(), Rule(Caller.ANYBODY)
    real = SimpleNamespace(monotonic_ns=lambda: 1000 * now.now())
    monkeypatch.setattr("referee.server.interceptors.time", real)
    (guard,) = interceptors({"/a/b": rule}, Trusting(), Limits(calls_per_second=1), UNOBSERVED)

    async def is_admitted(peer: str) -> bool:
        try:
            await guard.admit(rule, Call(peer))
        except grpc.aio.AbortError:
            return False
        return True

    here, there = "ipv4:192.0.2.1:4711", "ipv4:192.0.2.2:4711"
    assert [await is_admitted(here) for _ in range(3)] == [True, True, False]
    assert await is_admitted(there)
    now.advance(SECOND)
    assert [await is_admitted(here) for _ in range(2)] == [True, False]


@pytest.mark.parametrize(
    ("peer", "address"),
    [
        ("ipv4:127.0.0.1:52100", "127.0.0.1"),
        ("ipv6:%5B::1%5D:56326", "::1"),
        ("ipv6:[2001:db8::7]:443", "2001:db8::7"),
        ("unix:", "unix"),
        ("unix:/run/fairdeal", "unix"),
    ],
)
def test_an_address_has_no_port(peer: str, address: str) -> None:
    assert address_of(CallFrom(peer)) == address


class Shown:
    """What a call is made with."""

    def __init__(self, *metadata: tuple[str, str]) -> None:
        self._metadata = metadata

    def invocation_metadata(self) -> tuple[tuple[str, str], ...]:
        return self._metadata


@pytest.mark.parametrize(
    ("authorization", "token"),
    [
        ("Bearer t", "t"),
        ("bearer t", "t"),
        ("BEARER t", "t"),
        ("bEaReR  t", "t"),
        ("Bearer t u", "t u"),
        ("Bearer ", ""),
        ("Bearert", None),
        ("Bearer", None),
        ("Basic t", None),
        ("t", None),
        ("", None),
    ],
)
def test_the_scheme_of_a_token_is_read_in_any_case(authorization: str, token: str | None) -> None:
    assert token_of(Shown(("x", "Bearer x"), ("authorization", authorization))) == token
