"""The files for TLS, read and checked before connecting."""

import ssl
from dataclasses import dataclass
from pathlib import Path

import grpc

from fairdeal.errors import BadSetting


@dataclass(frozen=True, slots=True)
class Tls:
    """The CA that a bot trusts and, for mutual TLS, its own certificate and key; contents of PEM files."""

    ca: bytes
    cert: bytes | None
    key: bytes | None

    def credentials(self) -> grpc.ChannelCredentials:
        """Return the credentials for a channel."""
        return grpc.ssl_channel_credentials(self.ca, self.key, self.cert)


def load(ca: str, cert: str, key: str) -> Tls | None:
    """Read the named files; return None without any.

    Raises:
        BadSetting: a file is missing, cannot be read, or holds something else.
    """
    if cert and not key:
        raise BadSetting(f"cert {cert}: its key is missing; give it as key or FAIRDEAL_KEY")
    if key and not cert:
        raise BadSetting(f"key {key}: its certificate is missing; give it as cert or FAIRDEAL_CERT")
    if cert and not ca:
        raise BadSetting(
            f"cert {cert}: the certificates to trust are missing; give them as ca or FAIRDEAL_CA"
        )
    if not ca:
        return None
    tls = Tls(_read("CA", ca), _read("cert", cert) if cert else None, _read("key", key) if key else None)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        context.load_verify_locations(ca)
    except ssl.SSLError:
        raise BadSetting(f"CA file {ca}: holds no certificates in PEM") from None
    try:
        if cert:
            context.load_cert_chain(cert, key, password="")  # so that OpenSSL does not ask for one
    except (ssl.SSLError, ValueError):
        text = "are not a certificate and its key in PEM, without a password"
        raise BadSetting(f"cert file {cert} and key file {key}: {text}") from None
    return tls


def _read(name: str, path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise BadSetting(f"{name} file {path}: {error.strerror}") from None
