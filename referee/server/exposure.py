"""Which addresses other machines can reach, and what listening there requires."""

import ipaddress


def exposure(address: str, *, tls: bool, tokens: bool) -> str | None:
    """Return why an address must not be listened on, with the remedy; None when it may be.

    Beyond this machine it requires ``tls`` and that every bot shows one of its ``tokens``. Whether the text
    is an address at all is checked when it is listened on.
    """
    if is_local(address) or (tls and tokens):
        return None
    missing = []
    if not tls:
        missing.append("add TLS (--tls-cert and --tls-key; fairdeal certs makes them)")
    if not tokens:
        missing.append("give each bot a token (fairdeal token add)")
    return f"other machines could reach it: {' and '.join(missing)}, or add --insecure if that is intended"


def is_local(address: str) -> bool:
    """Return whether only this machine can reach an address; True for what is not an address."""
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
