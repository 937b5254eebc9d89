"""The certificates that a server shows and requires, checked here, since gRPC's errors say little."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final, TypeAlias

import grpc
from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.asymmetric.types import PublicKeyTypes

PrivateKey: TypeAlias = ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey

# with other kinds of keys, gRPC's clients break off the handshake
_CURVES: Final = (ec.SECP256R1, ec.SECP384R1)
_REMEDY: Final = "give another, or make one with fairdeal certs"


class CertificateError(Exception):
    """A certificate or key that cannot be used; the text names the file and the remedy."""


@dataclass(frozen=True, slots=True)
class Tls:
    """The files of a server's certificate and key, in PEM; intermediate certificates follow the certificate.

    With ``client_ca`` (certificates in PEM), clients must show a certificate that one of these signed.
    """

    certificate: Path
    key: Path
    client_ca: Path | None = None


@dataclass(frozen=True, slots=True)
class KeyPair:
    """A private key and its certificate, which intermediate certificates may follow."""

    key: PrivateKey
    certificates: tuple[x509.Certificate, ...]

    @property
    def certificate(self) -> x509.Certificate:
        """Return the certificate of the key."""
        return self.certificates[0]

    @property
    def certificate_pem(self) -> bytes:
        """Return all certificates in PEM."""
        return _pem(self.certificates)

    @property
    def key_pem(self) -> bytes:
        """Return the key in PEM, without a passphrase."""
        return self.key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )


def server_credentials(tls: Tls, now: datetime) -> grpc.ServerCredentials:
    """Return the credentials with which gRPC serves.

    Raises:
        CertificateError: a file is missing or damaged, the key belongs to another certificate, or a
            certificate is not valid ``now``.
    """
    pair = read_pair(tls.certificate, tls.key, now)
    client_ca = _pem(_certificates(tls.client_ca, now)) if tls.client_ca else None
    return grpc.ssl_server_credentials(
        [(pair.key_pem, pair.certificate_pem)], client_ca, require_client_auth=client_ca is not None
    )


def read_pair(certificate: Path, key: Path, now: datetime) -> KeyPair:
    """Return a key and its certificate from their files.

    Raises:
        CertificateError: as for `server_credentials`.
    """
    pair = KeyPair(_key(key), _certificates(certificate, now))
    if _encoded(pair.certificate.public_key()) != _encoded(pair.key.public_key()):
        raise CertificateError(
            f"{key}: it does not belong to the certificate {certificate}; give its own key"
        )
    return pair


def _certificates(path: Path, now: datetime) -> tuple[x509.Certificate, ...]:
    try:
        certificates = tuple(x509.load_pem_x509_certificates(_read(path)))
    except ValueError:
        raise CertificateError(f"{path}: it is not a PEM certificate; {_REMEDY}") from None
    for certificate in certificates:
        first, last = certificate.not_valid_before_utc, certificate.not_valid_after_utc
        if now > last:
            raise CertificateError(
                f"{path}: it expired on {last:%Y-%m-%d}; renew it (fairdeal certs --renew)"
            )
        if now < first:
            text = f"it is valid only from {first:%Y-%m-%d %H:%M} UTC; set the clock, or {_REMEDY}"
            raise CertificateError(f"{path}: {text}")
    return certificates


def _key(path: Path) -> PrivateKey:
    try:
        key = serialization.load_pem_private_key(_read(path), password=None)
    except TypeError:
        raise CertificateError(f"{path}: it has a passphrase; take it off, or {_REMEDY}") from None
    except (ValueError, UnsupportedAlgorithm):
        raise CertificateError(f"{path}: it is not a PEM private key; {_REMEDY}") from None
    if isinstance(key, rsa.RSAPrivateKey):
        return key
    if isinstance(key, ec.EllipticCurvePrivateKey) and isinstance(key.curve, _CURVES):
        return key
    text = "gRPC clients do not accept its kind (they accept EC P-256, P-384 and RSA)"
    raise CertificateError(f"{path}: {text}; {_REMEDY}")


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise CertificateError(f"{path}: {error.strerror}; {_REMEDY}") from None


def _pem(certificates: Iterable[x509.Certificate]) -> bytes:
    return b"".join(each.public_bytes(serialization.Encoding.PEM) for each in certificates)


def _encoded(key: PublicKeyTypes) -> bytes:
    return key.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
