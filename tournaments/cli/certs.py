"""`fairdeal certs`: the files for TLS."""

import shlex
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final

import typer
from cryptography import x509
from cryptography.exceptions import InvalidSignature

from referee.core.access import ENTRY_NAME
from referee.files import atomic
from referee.server.tls import CertificateError, KeyPair, read_pair
from tournaments.cli.certificates import hosts_of, make_ca, make_client, make_server, normal_host
from tournaments.cli.failure import Failure

HOSTS: Final = ("localhost", "127.0.0.1", "::1")

_RENEW: Final = "; add --renew to replace it"


def run_certs(folder: Path, hosts: list[str], clients: list[str], days: int, renew: bool) -> None:
    """Create what is missing of a CA, a server's certificate and those of clients; print how to use them.

    Raises:
        Failure: an argument is wrong, or a file that exists cannot be used.
        OSError: the folder cannot be written to.
    """
    wanted = tuple(dict.fromkeys(_host(host) for host in hosts))
    clients = list(dict.fromkeys(clients))
    for name in clients:
        if not ENTRY_NAME.fullmatch(name):
            raise Failure(f"fairdeal: --client {name}: write 1 to 40 letters (a-z, A-Z), digits, _ . or -", 2)
    now = datetime.now(UTC)
    _make_folder(folder)
    ca = _ca(folder, now)
    named = wanted or _hosts_before(folder) or HOSTS
    server = _issued(folder, "server", ca, partial(make_server, ca, named, now, days), now, renew)
    served = hosts_of(server.certificate)
    if set(wanted) - set(served):
        text = f"it is there already, for {', '.join(served)}{_RENEW}"
        raise Failure(f"fairdeal: {_certificate(folder, 'server')}: {text}", 2)
    told = [
        _line(folder, "ca", ca, "a CA of your own; anyone who has its key can make certificates"),
        _line(folder, "server", server, f"a server at {', '.join(served)}"),
    ]
    for name in clients:
        file = f"client-{name}"
        client = _issued(folder, file, ca, partial(make_client, ca, name, now, days), now, renew)
        told.append(_line(folder, file, client, f"the client {name}"))
    typer.echo("\n".join((*told, *_advice(folder, clients))))


def _host(text: str) -> str:
    try:
        return normal_host(text)
    except ValueError:
        raise Failure(
            f"fairdeal: --host {text}: write a host name or an IP address, without a port", 2
        ) from None


def _make_folder(folder: Path) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        if not folder.is_dir():
            raise
    if folder.stat().st_mode & 0o077:
        text = "others can look into it, and keys go there; choose another folder, or close it (chmod 700)"
        raise Failure(f"fairdeal: {folder}: {text}")


def _ca(folder: Path, now: datetime) -> KeyPair:
    """Return the CA that exists, or a new one; a CA is never replaced."""
    try:
        return _stored(folder, "ca", now) or _store(folder, "ca", make_ca(now))
    except CertificateError as error:
        text = "a CA is never replaced: put back its files, or choose another folder"
        raise Failure(f"fairdeal: {str(error).partition(';')[0]}; {text}") from None


def _issued(
    folder: Path, name: str, ca: KeyPair, make: Callable[[], KeyPair], now: datetime, renew: bool
) -> KeyPair:
    """Return the certificate that exists under a name; make it if there is none, or to renew it."""
    if renew:
        return _store(folder, name, make())
    try:
        pair = _stored(folder, name, now)
    except CertificateError as error:
        raise Failure(f"fairdeal: {str(error).partition(';')[0]}{_RENEW}") from None
    if pair is None:
        return _store(folder, name, make())
    try:
        pair.certificate.verify_directly_issued_by(ca.certificate)
    except (InvalidSignature, TypeError, ValueError):
        raise Failure(f"fairdeal: {_certificate(folder, name)}: it is of another CA{_RENEW}") from None
    return pair


def _hosts_before(folder: Path) -> tuple[str, ...]:
    """Return the hosts of the server's certificate until now, even if it cannot be used any more."""
    try:
        return hosts_of(x509.load_pem_x509_certificate(_certificate(folder, "server").read_bytes()))
    except (FileNotFoundError, ValueError):
        return ()


# Files


def _certificate(folder: Path, name: str) -> Path:
    return folder / f"{name}.pem"


def _key(folder: Path, name: str) -> Path:
    return folder / f"{name}.key"


def _stored(folder: Path, name: str, now: datetime) -> KeyPair | None:
    certificate, key = _certificate(folder, name), _key(folder, name)
    if not certificate.exists() and not key.exists():
        return None
    return read_pair(certificate, key, now)


def _store(folder: Path, name: str, pair: KeyPair) -> KeyPair:
    atomic.write(_key(folder, name), pair.key_pem, durable=False)
    atomic.write(_certificate(folder, name), pair.certificate_pem, mode=0o644, durable=False)
    return pair


# What is printed


def _line(folder: Path, name: str, pair: KeyPair, what: str) -> str:
    return f"{_certificate(folder, name)}: {what}, until {pair.certificate.not_valid_after_utc:%Y-%m-%d}"


def _advice(folder: Path, clients: list[str]) -> list[str]:
    def quoted(path: Path) -> str:
        return shlex.quote(str(path))

    ca = quoted(_certificate(folder, "ca"))
    server = f"--tls-cert {quoted(_certificate(folder, 'server'))} --tls-key {quoted(_key(folder, 'server'))}"
    lines = [
        "",
        "Serve with TLS:",
        f"  fairdeal serve {server}",
        "and give bots the CA to trust (its certificate, never its key):",
        f"  export FAIRDEAL_CA={ca}",
    ]
    if clients:
        lines += [
            "",
            "Admit only clients with a certificate:",
            f"  fairdeal serve {server} --tls-client-ca {ca}",
        ]
    else:
        lines += ["", "To admit only bots with a certificate of their own: fairdeal certs --client NAME"]
    for name in clients:
        certificate, key = (
            quoted(_certificate(folder, f"client-{name}")),
            quoted(_key(folder, f"client-{name}")),
        )
        lines += [
            f"and give {name}:",
            f"  export FAIRDEAL_CA={ca} FAIRDEAL_CERT={certificate} FAIRDEAL_KEY={key}",
        ]
    return lines
