"""TLS over a real socket, with the certificates of `fairdeal certs`: who is let in, and who is not."""

import asyncio
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import grpc
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.x509.oid import NameOID

from fairdeal.v1 import match_service_pb2 as match_pb
from fairdeal.v1 import play_service_pb2 as pb
from referee.core.limits import Limits
from referee.server.addresses import CannotListen
from referee.server.tls import CertificateError, KeyPair, Tls, read_pair
from tests.rounds import rounds
from tests.server.conftest import Serve
from tests.workspace import PATIENCE
from tournaments.cli.certificates import make_ca, make_client, make_server
from tournaments.cli.certs import run_certs

ROUND: Final = 7.0  # seconds; by default a handshake may take longer
NOW: Final = datetime.now(UTC)
LONG_AGO: Final = NOW - timedelta(days=30)


@dataclass(frozen=True, slots=True)
class Files:
    """A folder of certificates and keys."""

    folder: Path

    def __getitem__(self, name: str) -> Path:
        return self.folder / name

    def pem(self, name: str) -> bytes:
        return self[name].read_bytes()

    def tls(self, *, mutual: bool = False) -> Tls:
        return Tls(self["server.pem"], self["server.key"], self["ca.pem"] if mutual else None)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    """Return what `fairdeal certs` made, with a client, and beside it others of this CA and of another."""
    folder = tmp_path_factory.mktemp("tls") / "certs"
    run_certs(folder, [], ["alice"], 1, False)
    run_certs(folder / "other", [], ["alice"], 1, False)
    ca = read_pair(folder / "ca.pem", folder / "ca.key", NOW)
    made = {
        "late": make_client(ca, "alice", LONG_AGO, 1),
        "expired": make_server(ca, ["localhost"], LONG_AGO, 1),
        "early": make_server(ca, ["localhost"], NOW + timedelta(days=1), 1),
        "old-ca": make_ca(NOW - timedelta(days=4000)),
    }
    for name, pair in made.items():
        (folder / f"{name}.pem").write_bytes(pair.certificate_pem)
        (folder / f"{name}.key").write_bytes(pair.key_pem)
    key = read_pair(folder / "server.pem", folder / "server.key", NOW).key
    kinds = {"p521": ec.generate_private_key(ec.SECP521R1()), "ed25519": ed25519.Ed25519PrivateKey.generate()}
    encodings = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8)
    for name, kind in kinds.items():
        (folder / f"{name}.key").write_bytes(kind.private_bytes(*encodings, serialization.NoEncryption()))
    locked = key.private_bytes(*encodings, serialization.BestAvailableEncryption(b"secret"))
    (folder / "locked.key").write_bytes(locked)
    (folder / "junk").write_text("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
    (folder / "empty").touch()
    (folder / "folder").mkdir()
    return Files(folder)


def dial(files: Files, address: str, ca: str | None, client: str | None, **options: str) -> grpc.aio.Channel:
    """Return a channel that trusts a CA (none: those of the system) and shows a client's certificate."""
    credentials = grpc.ssl_channel_credentials(
        files.pem(ca) if ca else None,
        files.pem(f"{client}.key") if client else None,
        files.pem(f"{client}.pem") if client else None,
    )
    own = ("grpc.use_local_subchannel_pool", 1)
    return grpc.aio.secure_channel(address, credentials, options=(own, *options.items()))


async def list_games(channel: grpc.aio.Channel) -> grpc.StatusCode:
    """Ask for the games and return how that ended."""
    ask: Any = channel.unary_unary("/fairdeal.v1.MatchService/ListGames")
    try:
        assert match_pb.ListGamesResponse.FromString(await ask(b"", timeout=PATIENCE)).games
    except grpc.aio.AioRpcError as error:
        return error.code()
    return grpc.StatusCode.OK


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
@pytest.mark.parametrize("mutual", [False, True])
@pytest.mark.asyncio
async def test_a_session_over_tls(serve: Serve, files: Files, host: str, mutual: bool) -> None:
    client = "client-alice" if mutual else None
    async with (
        serve(address=f"{host}:0", tls=files.tls(mutual=mutual)) as served,
        dial(files, served.address, "ca.pem", client) as channel,
    ):
        call: Any = channel.stream_stream("/fairdeal.v1.PlayService/Play")()
        hello = pb.PlayRequest(hello=pb.Hello(versions=[1], entry="a", tables=1))
        await call.write(hello.SerializeToString())
        (update,) = pb.PlayResponse.FromString(await call.read()).updates
        assert update.welcome.version == 1
        await call.write(pb.PlayRequest(bye=pb.Bye()).SerializeToString())
        assert await call.code() is grpc.StatusCode.OK


OTHER_NAME = {"grpc.ssl_target_name_override": "referee.example"}


@pytest.mark.parametrize(
    ("mutual", "ca", "client", "options"),
    [
        (False, None, None, {}),
        (False, "other/ca.pem", None, {}),
        (False, "server.key", None, {}),
        (False, "ca.pem", None, OTHER_NAME),
        (True, "ca.pem", None, {}),
        (True, "ca.pem", "other/client-alice", {}),
        (True, "ca.pem", "late", {}),
        (True, "ca.pem", "server", {}),
        (True, "other/ca.pem", "client-alice", {}),
    ],
    ids=[
        "system's CAs",
        "wrong CA",
        "no CA",
        "other name",
        "no certificate",
        "certificate of another CA",
        "expired certificate",
        "server's certificate",
        "right certificate, wrong CA",
    ],
)
@pytest.mark.asyncio
async def test_who_is_not_let_in(
    serve: Serve, files: Files, mutual: bool, ca: str | None, client: str | None, options: dict[str, str]
) -> None:
    async with serve(tls=files.tls(mutual=mutual)) as served:
        async with dial(files, served.address, ca, client, **options) as channel:
            assert await list_games(channel) is grpc.StatusCode.UNAVAILABLE
        async with dial(files, served.address, "ca.pem", "client-alice") as channel:
            assert await list_games(channel) is grpc.StatusCode.OK  # nobody else is worse off


@pytest.mark.asyncio
async def test_without_tls_nobody_is_let_in(serve: Serve, files: Files) -> None:
    async with serve(tls=files.tls()) as served, grpc.aio.insecure_channel(served.address) as channel:
        assert await list_games(channel) is grpc.StatusCode.UNAVAILABLE


@pytest.mark.asyncio
async def test_a_handshake_that_never_comes_is_given_up(serve: Serve, files: Files) -> None:
    async with serve(tls=files.tls(), limits=Limits(handshake_seconds=1)) as served:
        host, _, port = served.address.rpartition(":")
        for _number, trying in rounds(1, 2, 3):
            reader, writer = await asyncio.open_connection(host, int(port))
            with closing(writer), trying:
                async with asyncio.timeout(ROUND):
                    assert await reader.read() == b""
                break


@pytest.mark.asyncio
async def test_a_unix_socket_takes_no_tls(serve: Serve, files: Files, tmp_path: Path) -> None:
    with pytest.raises(CannotListen) as caught:
        async with serve(address=f"unix:{tmp_path}/s", tls=files.tls()):
            pass
    assert str(caught.value) == (
        f"cannot listen on unix:{tmp_path}/s: a Unix socket takes no TLS, since nothing leaves this machine;"
        " leave the certificate out"
    )


MAKE = "give another, or make one with fairdeal certs"
KIND = f"gRPC clients do not accept its kind (they accept EC P-256, P-384 and RSA); {MAKE}"
OVER = "renew it (fairdeal certs --renew)"


@pytest.mark.parametrize(
    ("certificate", "key", "client_ca", "told"),
    [
        ("none.pem", "server.key", None, f"none.pem: No such file or directory; {MAKE}"),
        ("server.pem", "none.key", None, f"none.key: No such file or directory; {MAKE}"),
        ("server.pem", "server.key", "none.pem", f"none.pem: No such file or directory; {MAKE}"),
        ("folder", "server.key", None, f"folder: Is a directory; {MAKE}"),
        ("server.key", "server.key", None, f"server.key: it is not a PEM certificate; {MAKE}"),
        ("junk", "server.key", None, f"junk: it is not a PEM certificate; {MAKE}"),
        ("empty", "server.key", None, f"empty: it is not a PEM certificate; {MAKE}"),
        ("server.pem", "server.key", "server.key", f"server.key: it is not a PEM certificate; {MAKE}"),
        ("server.pem", "server.key", "empty", f"empty: it is not a PEM certificate; {MAKE}"),
        ("server.pem", "server.pem", None, f"server.pem: it is not a PEM private key; {MAKE}"),
        ("server.pem", "empty", None, f"empty: it is not a PEM private key; {MAKE}"),
        ("server.pem", "locked.key", None, f"locked.key: it has a passphrase; take it off, or {MAKE}"),
        ("server.pem", "p521.key", None, f"p521.key: {KIND}"),
        ("server.pem", "ed25519.key", None, f"ed25519.key: {KIND}"),
        (
            "server.pem",
            "ca.key",
            None,
            "ca.key: it does not belong to the certificate {folder}/server.pem; give its own key",
        ),
        ("expired.pem", "expired.key", None, f"expired.pem: it expired on {{expired:%Y-%m-%d}}; {OVER}"),
        ("early.pem", "early.key", None, "early.pem: it is valid only from {early:%Y-%m-%d %H:%M} UTC; "),
        ("server.pem", "server.key", "old-ca.pem", f"old-ca.pem: it expired on {{old:%Y-%m-%d}}; {OVER}"),
    ],
)
@pytest.mark.asyncio
async def test_what_cannot_be_served_with_is_one_clear_line(
    serve: Serve,
    files: Files,
    capfd: pytest.CaptureFixture[str],
    certificate: str,
    key: str,
    client_ca: str | None,
    told: str,
) -> None:
    with pytest.raises(CertificateError) as caught:
        async with serve(tls=Tls(files[certificate], files[key], files[client_ca] if client_ca else None)):
            pass
    dates = {
        "expired": LONG_AGO + timedelta(days=1),
        "early": NOW + timedelta(hours=23),
        "old": NOW - timedelta(days=350),
    }
    expected = told.format(folder=files.folder, **dates)
    text = str(caught.value)
    assert text.startswith(f"{files.folder}/{expected}")
    assert "\n" not in text
    assert capfd.readouterr().err == ""


def signed(key: Any, subject: str, by: Any = None, issuer: str = "", host: str = "") -> x509.Certificate:
    """Return a certificate, by default signed by itself; without a host it is a CA's."""
    builder = (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, subject)]))
        .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, issuer or subject)]))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(LONG_AGO)
        .not_valid_after(NOW + timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=not host, path_length=None), critical=True)
    )
    if host:
        names = x509.SubjectAlternativeName([x509.DNSName(host)])
        builder = builder.add_extension(names, critical=False)
    return builder.sign(by or key, hashes.SHA256())


@pytest.mark.parametrize(
    "make_key",
    [
        lambda: ec.generate_private_key(ec.SECP384R1()),
        lambda: rsa.generate_private_key(public_exponent=65537, key_size=2048),
    ],
    ids=["P-384", "RSA"],
)
@pytest.mark.asyncio
async def test_certificates_of_others_with_one_in_between(
    serve: Serve, tmp_path: Path, make_key: Callable[[], Any]
) -> None:
    root_key, between_key, key = make_key(), make_key(), make_key()
    root = signed(root_key, "root")
    between = signed(between_key, "between", root_key, "root")
    server = KeyPair(key, (signed(key, "server", between_key, "between", "localhost"), between))
    (tmp_path / "ca.pem").write_bytes(KeyPair(root_key, (root,)).certificate_pem)
    (tmp_path / "server.pem").write_bytes(server.certificate_pem)
    (tmp_path / "server.key").write_bytes(server.key_pem)
    files = Files(tmp_path)
    async with (
        serve(address="localhost:0", tls=files.tls()) as served,
        dial(files, served.address, "ca.pem", None) as channel,
    ):
        assert await list_games(channel) is grpc.StatusCode.OK
