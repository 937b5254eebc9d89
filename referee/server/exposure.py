"""Which addresses other machines can reach, and what it takes to listen there."""

import ipaddress


def exposure(address: str, *, tls: bool, tokens: bool) -> str | None:
    """Return why an address must not be listened on, with the remedy; None when it may be.

    Beyond this machine it takes ``tls`` and that every bot has to show one of its ``tokens``. What is no
    address at all is for whoever listens to say.
    """
    if is_local(address) or (tls and tokens):
        return None
    missing = []
    if not tls:
        missing.append("add TLS (--tls-cert and --tls-key; fairdeal certs makes them)")
    if not tokens:
        missing.append("give each bot a token (fairdeal token add)")
    return f"other machines could reach it: {' and '.join(missing)}, or if that is meant add --insecure"


def is_local(address: str) -> bool:
    """Tell whether only this machine can reach an address, or nobody since it is none."""
    if address.startswith("unix:"):
        return True
    host, colon, _port = address.rpartition(":")
    if not colon:
        return True
    host = host.strip("[]")
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
