"""Which addresses may be listened on without TLS or tokens, and what is told where not."""

import pytest

from referee.server.exposure import exposure

LOCAL = [
    "127.0.0.1:7447",
    "127.8.9.10:0",
    "[::1]:7447",
    "localhost:7447",
    "unix:/run/fairdeal.sock",
    "unix:s",
    "nonsense",  # whoever listens says so
]
OPEN = [
    "0.0.0.0:7447",
    "[::]:7447",
    ":7447",
    "192.168.1.1:7447",
    "[fe80::1]:7447",
    "localhost.example.org:7447",
    "referee:7447",
    "128.0.0.1:7447",
    "tcp:unix:7447",
]
TLS = "add TLS (--tls-cert and --tls-key; fairdeal certs makes them)"
TOKENS = "give each bot a token (fairdeal token add)"


@pytest.mark.parametrize("tokens", [False, True])
@pytest.mark.parametrize("tls", [False, True])
@pytest.mark.parametrize("address", LOCAL)
def test_this_machine_alone_needs_nothing(address: str, tls: bool, tokens: bool) -> None:
    assert exposure(address, tls=tls, tokens=tokens) is None


@pytest.mark.parametrize(
    ("tls", "tokens", "missing"),
    [(False, False, f"{TLS} and {TOKENS}"), (False, True, TLS), (True, False, TOKENS)],
)
@pytest.mark.parametrize("address", OPEN)
def test_other_machines_need_both(address: str, tls: bool, tokens: bool, missing: str) -> None:
    text = f"other machines could reach it: {missing}, or add --insecure if that is intended"
    assert exposure(address, tls=tls, tokens=tokens) == text


@pytest.mark.parametrize("address", OPEN)
def test_with_both_other_machines_may_come(address: str) -> None:
    assert exposure(address, tls=True, tokens=True) is None
