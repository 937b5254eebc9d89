"""Bots that speak TLS, with certificates made for the test."""

import asyncio
import datetime
import ipaddress
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

import fairdeal
from fairdeal import _connection
from tests.clients.conftest import OpenReferee, Tell
from tests.workspace import PATIENCE

ANY_TIME = datetime.timedelta(days=3650)


@dataclass(frozen=True)
class Identity:
    """A certificate and its key, as objects and as PEM files."""

    cert: x509.Certificate
    private: ec.EllipticCurvePrivateKey
    cert_file: Path
    key_file: Path


def identity(folder: Path, name: str, ca: Identity | None = None, password: bytes | None = None) -> Identity:
    """Make an authority or, with one, a certificate for 127.0.0.1."""
    private = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.UTC)
    place = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    cert = (
        x509.CertificateBuilder(subject_name=subject, public_key=private.public_key())
        .issuer_name(ca.cert.subject if ca else subject)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - ANY_TIME)
        .not_valid_after(now + ANY_TIME)
        .add_extension(x509.BasicConstraints(ca=ca is None, path_length=None), critical=True)
        .add_extension(place, critical=False)
        .sign(ca.private if ca else private, hashes.SHA256())
    )
    locked = serialization.BestAvailableEncryption(password) if password else serialization.NoEncryption()
    pem, plain = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    found = Identity(cert, private, folder / f"{name}.pem", folder / f"{name}-key.pem")
    found.cert_file.write_bytes(cert.public_bytes(pem))
    found.key_file.write_bytes(private.private_bytes(pem, plain, locked))
    return found


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Identity]:
    """Return an authority, what it has signed for a referee and a bot, and what others have."""
    folder = tmp_path_factory.mktemp("tls")
    ca, other = identity(folder, "ca"), identity(folder, "other")
    return {
        "ca": ca,
        "other": other,
        "referee": identity(folder, "referee", ca),
        "bot": identity(folder, "bot", ca),
        "stranger": identity(folder, "stranger", other),
        "locked": identity(folder, "locked", ca, b"secret"),
    }


def credentials(made: dict[str, Identity], *, mutual: bool) -> grpc.ServerCredentials:
    referee = made["referee"]
    pair = (referee.key_file.read_bytes(), referee.cert_file.read_bytes())
    return grpc.ssl_server_credentials([pair], made["ca"].cert_file.read_bytes() if mutual else None, mutual)


def files(made: dict[str, Identity], ca: str | None, bot: str | None) -> dict[str, str]:
    """Return the settings that name the files of an authority and a bot."""
    settings = {"ca": str(made[ca].cert_file)} if ca else {}
    if bot:
        settings |= {"cert": str(made[bot].cert_file), "key": str(made[bot].key_file)}
    return settings


def first(decision: fairdeal.Decision) -> fairdeal.Answer:
    assert isinstance(decision.legal, fairdeal.LegalActions)
    return decision.legal.actions[0]


async def run(address: str, **settings: Any) -> None:
    async with asyncio.timeout(PATIENCE):
        await fairdeal.run_async(first, address, matches=1, **settings)


def one_match(tell: Any) -> Callable[[Any], Any]:
    async def script(stream: Any) -> None:
        await stream.next()
        await stream.send(tell.welcome(), tell.seated("m1"), tell.finished("m1"))
        await stream.rest()

    return script


@pytest.mark.asyncio
@pytest.mark.parametrize(("mutual", "bot"), [(False, None), (False, "bot"), (True, "bot")])
@pytest.mark.parametrize("source", ["arguments", "environment"])
async def test_a_bot_plays_over_tls(
    tell: type[Tell],
    referee: OpenReferee,
    made: dict[str, Identity],
    monkeypatch: pytest.MonkeyPatch,
    mutual: bool,
    bot: str | None,
    source: str,
) -> None:
    settings = files(made, "ca", bot)
    if source == "environment":
        for name, value in settings.items():
            monkeypatch.setenv(f"FAIRDEAL_{name.upper()}", value)
        settings = {}
    async with referee(one_match(tell), credentials=credentials(made, mutual=mutual)) as at:
        await run(at.address, **settings)
    assert at.requests[-1].HasField("bye")


@pytest.mark.asyncio
@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize(
    ("mutual", "ca", "bot", "why"),
    [
        (False, "other", None, "CERTIFICATE_VERIFY_FAILED"),
        (True, "other", "bot", "CERTIFICATE_VERIFY_FAILED"),
        (False, None, None, "give ca= (FAIRDEAL_CA)"),
        (True, "ca", None, "give cert= and key= ("),
        (True, "ca", "stranger", ""),
    ],
)
async def test_a_referee_that_cannot_be_trusted_is_one_clear_line(
    tell: type[Tell],
    referee: OpenReferee,
    made: dict[str, Identity],
    mutual: bool,
    ca: str | None,
    bot: str | None,
    why: str,
) -> None:
    async with referee(one_match(tell), credentials=credentials(made, mutual=mutual)) as at:
        with pytest.raises(fairdeal.CannotConnect) as caught:
            await run(at.address, connect_timeout=0.3, **files(made, ca, bot))
    text = str(caught.value)
    assert text.startswith(f"no referee answers at {at.address} within 0.3 s: ")
    assert why in text
    assert "\n" not in text
    assert at.requests == []


@pytest.mark.asyncio
@pytest.mark.usefixtures("patient")
async def test_a_plain_bot_is_told_of_tls_in_the_first_line(
    tell: type[Tell],
    referee: OpenReferee,
    made: dict[str, Identity],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(_connection, "_SILENCE", 0.0)
    async with referee(one_match(tell), credentials=credentials(made, mutual=False)) as at:
        with pytest.raises(fairdeal.CannotConnect):
            await run(at.address, connect_timeout=0.3)
    told = "; if it speaks TLS, give ca= (FAIRDEAL_CA); dialling for up to 0.3 s"
    assert caplog.messages[0].endswith(told)


@pytest.mark.asyncio
@pytest.mark.usefixtures("patient")
async def test_a_certificate_for_another_host_is_one_clear_line(
    tell: type[Tell], referee: OpenReferee, made: dict[str, Identity]
) -> None:
    async with referee(one_match(tell), credentials=credentials(made, mutual=False)) as at:
        address = at.address.replace("127.0.0.1", "localhost")
        with pytest.raises(fairdeal.CannotConnect) as caught:
            await run(address, connect_timeout=0.3, **files(made, "ca", None))
    told = "; its certificate is for another host: dial one that it names (fairdeal certs --host)"
    assert str(caught.value).endswith(told)


@pytest.mark.asyncio
@pytest.mark.usefixtures("patient")
async def test_a_referee_without_tls_is_told_apart(
    tell: type[Tell], referee: OpenReferee, made: dict[str, Identity]
) -> None:
    async with referee(one_match(tell)) as at:
        with pytest.raises(fairdeal.CannotConnect, match="WRONG_VERSION_NUMBER"):
            await run(at.address, connect_timeout=0.3, **files(made, "ca", None))


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"ca": "nowhere"}, "CA file nowhere: No such file or directory"),
        ({"ca": "ca-key"}, "CA file ca-key: holds no certificates in PEM"),
        ({"ca": "ca", "cert": "bot"}, "cert bot: its key is missing; give it as key or FAIRDEAL_KEY"),
        (
            {"ca": "ca", "key": "bot-key"},
            "key bot-key: its certificate is missing; give it as cert or FAIRDEAL_CERT",
        ),
        (
            {"cert": "bot", "key": "bot-key"},
            "cert bot: the certificates to trust are missing; give them as ca or FAIRDEAL_CA",
        ),
        ({"ca": "ca", "cert": "nowhere", "key": "bot-key"}, "cert file nowhere: No such file or directory"),
        ({"ca": "ca", "cert": "bot", "key": "nowhere"}, "key file nowhere: No such file or directory"),
        *(
            (
                {"ca": "ca", "cert": cert, "key": key},
                f"cert file {cert} and key file {key}: are not a certificate and its key in PEM, without a",
            )
            for cert, key in [
                ("bot", "referee-key"),
                ("bot", "bot"),
                ("bot-key", "bot-key"),
                ("locked", "locked-key"),
            ]
        ),
    ],
)
async def test_files_that_cannot_be_are_refused(
    made: dict[str, Identity], monkeypatch: pytest.MonkeyPatch, settings: dict[str, str], text: str
) -> None:
    folder = made["ca"].cert_file.parent
    monkeypatch.chdir(folder)
    for name in made:  # short names, so that the whole line can be compared
        for kind in (name, f"{name}-key"):
            (folder / kind).write_bytes((folder / f"{kind}.pem").read_bytes())
    with pytest.raises(fairdeal.BadSetting) as caught:
        await run("127.0.0.1:1", **settings)
    assert str(caught.value).startswith(text)
