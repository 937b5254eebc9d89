"""Creates certificates for TLS: a development CA, and certificates that it signs for servers and clients."""

import ipaddress
import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from referee.server.tls import KeyPair

CA_DAYS: Final = 3650
_SKEW: Final = timedelta(hours=1)  # the clocks of other machines may be slow

_LABEL: Final = r"[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
# at most 253 characters; if the last part were a number, an address would be meant
_HOST_NAME: Final = re.compile(rf"(?=.{{1,253}}\Z)(?!(.*\.)?[0-9]+\Z)(\*\.)?{_LABEL}(\.{_LABEL})*")


def normal_host(text: str) -> str:
    """Return a host name (``*.`` in front is allowed) or an IP address in the form that certificates use.

    Raises:
        ValueError: it is neither.
    """
    if address := _address(text):
        return str(address)
    if not _HOST_NAME.fullmatch(text):
        raise ValueError(f"{text!r} is neither a host name nor an IP address")
    return text.lower()


def hosts_of(certificate: x509.Certificate) -> tuple[str, ...]:
    """Return the host names and IP addresses that a certificate is for."""
    try:
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return ()
    return tuple(str(name.value) for name in names)


def make_ca(now: datetime) -> KeyPair:
    """Return a new, self-signed CA."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = _named("fairdeal development CA")
    builder = (
        _builder(key.public_key(), name, name, now, now + timedelta(days=CA_DAYS))
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(signs_certificates=True), critical=True)
    )
    return KeyPair(key, (builder.sign(key, hashes.SHA256()),))


def make_server(ca: KeyPair, hosts: Sequence[str], now: datetime, days: int) -> KeyPair:
    """Return a new certificate for a server with these hosts, each as returned by `normal_host`."""
    names = [_host(host) for host in hosts]
    return _signed(
        ca,
        "fairdeal server",
        now,
        days,
        (x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), x509.SubjectAlternativeName(names)),
    )


def make_client(ca: KeyPair, name: str, now: datetime, days: int) -> KeyPair:
    """Return a new certificate for a client; its name has at most 64 characters."""
    return _signed(ca, name, now, days, (x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CLIENT_AUTH]),))


def _signed(
    ca: KeyPair, name: str, now: datetime, days: int, extensions: Sequence[x509.ExtensionType]
) -> KeyPair:
    key = ec.generate_private_key(ec.SECP256R1())
    # no certificate is valid for longer than its CA
    end = min(now + timedelta(days=days), ca.certificate.not_valid_after_utc)
    builder = (
        _builder(key.public_key(), _named(name), ca.certificate.subject, now, end)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signs_certificates=False), critical=True)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(ca.key.public_key()), critical=False
        )
    )
    for extension in extensions:
        builder = builder.add_extension(extension, critical=False)
    return KeyPair(key, (builder.sign(ca.key, hashes.SHA256()),))


def _builder(
    key: ec.EllipticCurvePublicKey, subject: x509.Name, issuer: x509.Name, now: datetime, end: datetime
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _SKEW)
        .not_valid_after(end)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)
    )


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        encipher_only=False,
        decipher_only=False,
    )


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _host(text: str) -> x509.GeneralName:
    address = _address(text)
    return x509.IPAddress(address) if address else x509.DNSName(text)


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None
