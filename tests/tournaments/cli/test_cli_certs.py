"""`fairdeal certs`: what it makes, keeps, replaces and refuses; tests/server/test_tls.py serves with it."""

import ipaddress
import re
import shlex
import stat
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509

from referee.server.tls import KeyPair
from tests.tournaments.conftest import Fairdeal
from tournaments.cli.certificates import hosts_of, make_ca, make_client, make_server, normal_host


def certificate(path: Path) -> x509.Certificate:
    return x509.load_pem_x509_certificate(path.read_bytes())


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def store(folder: Path, name: str, pair: KeyPair) -> None:
    (folder / f"{name}.pem").write_bytes(pair.certificate_pem)
    (folder / f"{name}.key").write_bytes(pair.key_pem)


@pytest.fixture
def certs(fairdeal: Fairdeal, tmp_path: Path) -> Path:
    """Return a folder as `fairdeal certs` made it, with a client."""
    assert fairdeal("certs", "--client", "alice").status == 0
    return tmp_path / "certs"


# What is made


def test_keys_are_for_their_owner_alone(certs: Path) -> None:
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in certs.iterdir()}
    names = ("ca", "server", "client-alice")
    assert modes == {f"{name}.key": 0o600 for name in names} | {f"{name}.pem": 0o644 for name in names}
    assert stat.S_IMODE(certs.stat().st_mode) == 0o700


def test_by_default_a_server_is_reached_from_this_machine(certs: Path) -> None:
    assert hosts_of(certificate(certs / "server.pem")) == ("localhost", "127.0.0.1", "::1")


def test_names_are_those_asked_for(fairdeal: Fairdeal, tmp_path: Path) -> None:
    hosts = ("referee.example", "10.0.0.7", "2001:DB8:0::7", "*.Example.org", "10.0.0.7")
    assert fairdeal("certs", *(word for host in hosts for word in ("--host", host))).status == 0
    made = certificate(tmp_path / "certs" / "server.pem")
    assert hosts_of(made) == ("referee.example", "10.0.0.7", "2001:db8::7", "*.example.org")
    names = made.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.IPAddress) == [
        ipaddress.ip_address("10.0.0.7"),
        ipaddress.ip_address("2001:db8::7"),
    ]


@pytest.mark.parametrize(("words", "days"), [([], 365), (["--days", "3"], 3), (["--days", "3650"], 3650)])
def test_for_how_long(fairdeal: Fairdeal, tmp_path: Path, words: list[str], days: int) -> None:
    before = datetime.now(UTC)
    assert fairdeal("certs", "--client", "a", *words).status == 0
    for name, expected in (("ca", 3650), ("server", days), ("client-a", days)):
        made = certificate(tmp_path / "certs" / f"{name}.pem")
        end = made.not_valid_after_utc - timedelta(days=expected)
        assert before - timedelta(seconds=1) <= end <= datetime.now(UTC)
        assert made.not_valid_before_utc < before - timedelta(minutes=59)  # clocks differ


def test_nothing_outlives_its_ca() -> None:
    now = datetime(2026, 5, 1, tzinfo=UTC)
    ca = make_ca(now - timedelta(days=3600))
    for pair in (make_server(ca, ["localhost"], now, 365), make_client(ca, "alice", now, 365)):
        assert pair.certificate.not_valid_after_utc == now + timedelta(days=50)


def test_what_to_do_next_can_be_pasted(fairdeal: Fairdeal, tmp_path: Path) -> None:
    out = fairdeal("certs", "--folder", "my certs", "--client", "alice", "--client", "bob").out
    serves = re.findall(r"^  (fairdeal serve .*)$", out, re.MULTILINE)
    tls = ["--tls-cert", "my certs/server.pem", "--tls-key", "my certs/server.key"]
    assert [shlex.split(line)[2:] for line in serves] == [tls, [*tls, "--tls-client-ca", "my certs/ca.pem"]]
    exports = re.findall(r"^  export (.*)$", out, re.MULTILINE)
    ca = "FAIRDEAL_CA=my certs/ca.pem"
    assert [shlex.split(line) for line in exports] == [
        [ca],
        *(
            [ca, f"FAIRDEAL_CERT=my certs/client-{name}.pem", f"FAIRDEAL_KEY=my certs/client-{name}.key"]
            for name in ("alice", "bob")
        ),
    ]
    for line in (*serves, *exports):
        for file in re.findall(r"my certs/[a-z.-]+", line):
            assert (tmp_path / file).is_file()


def test_without_clients_it_is_told_how_to_make_one(fairdeal: Fairdeal) -> None:
    out = fairdeal("certs").out
    assert "fairdeal certs --client NAME" in out
    assert "--tls-client-ca" not in out


def test_keys_are_not_printed(fairdeal: Fairdeal, certs: Path) -> None:
    done = fairdeal("certs", "--client", "alice")
    assert "-----" not in done.out
    for path in certs.glob("*.key"):
        assert path.read_text().splitlines()[1] not in done.out


# What is kept, and what is replaced


def test_run_again_it_changes_nothing(fairdeal: Fairdeal, certs: Path) -> None:
    before = contents(certs)
    done = fairdeal("certs", "--client", "alice", "--host", "localhost")
    assert (done.status, done.err) == (0, "")
    assert contents(certs) == before


def test_a_client_is_added(fairdeal: Fairdeal, certs: Path) -> None:
    before = contents(certs)
    assert fairdeal("certs", "--client", "bob").status == 0
    after = contents(certs)
    assert after.keys() - before.keys() == {"client-bob.pem", "client-bob.key"}
    assert before.items() <= after.items()
    added = certificate(certs / "client-bob.pem")
    added.verify_directly_issued_by(certificate(certs / "ca.pem"))
    assert added.subject.rfc4514_string() == "CN=bob"


@pytest.mark.parametrize(
    ("words", "renewed"),
    [([], {"server"}), (["--client", "alice"], {"server", "client-alice"})],
)
def test_what_is_renewed(fairdeal: Fairdeal, certs: Path, words: list[str], renewed: set[str]) -> None:
    before = contents(certs)
    assert fairdeal("certs", "--renew", *words).status == 0
    after = contents(certs)
    assert after.keys() == before.keys()
    changed = {name for name in before if before[name] != after[name]}
    assert changed == {f"{name}.{kind}" for name in renewed for kind in ("key", "pem")}


@pytest.mark.parametrize(
    ("words", "hosts"), [([], ("referee.example",)), (["--host", "10.0.0.7"], ("10.0.0.7",))]
)
def test_what_is_renewed_is_for_the_same_names_unless_others_are_given(
    fairdeal: Fairdeal, tmp_path: Path, words: list[str], hosts: tuple[str, ...]
) -> None:
    assert fairdeal("certs", "--host", "referee.example").status == 0
    assert fairdeal("certs", "--renew", *words).status == 0
    assert hosts_of(certificate(tmp_path / "certs" / "server.pem")) == hosts


def test_what_has_expired_is_renewed_for_its_names(fairdeal: Fairdeal, tmp_path: Path) -> None:
    folder = tmp_path / "certs"
    folder.mkdir(mode=0o700)
    long_ago = datetime.now(UTC) - timedelta(days=30)
    ca = make_ca(long_ago)
    store(folder, "ca", ca)
    store(folder, "server", make_server(ca, ["referee.example"], long_ago, 1))
    line = fairdeal("certs").line
    end = long_ago + timedelta(days=1)
    assert line == f"fairdeal: certs/server.pem: it expired on {end:%Y-%m-%d}; add --renew to replace it"
    assert fairdeal("certs", "--renew").status == 0
    assert hosts_of(certificate(folder / "server.pem")) == ("referee.example",)


def test_what_a_crash_left_is_no_hindrance(fairdeal: Fairdeal, certs: Path) -> None:
    (certs / ".server.key").write_text("half a")
    (certs / ".server.key").chmod(0o644)
    assert fairdeal("certs", "--renew").status == 0
    assert stat.S_IMODE((certs / "server.key").stat().st_mode) == 0o600
    assert not list(certs.glob(".*"))


# What is refused


@pytest.mark.parametrize(
    "host", ["", " ", "a b", "referee.example:7447", "[::1]", "1.2.3.400", "-a", "é", "*"]
)
def test_what_is_no_host(fairdeal: Fairdeal, tmp_path: Path, host: str) -> None:
    done = fairdeal("certs", "--host", host)
    assert done.status == 2
    assert done.line == f"fairdeal: --host {host}: write a host name or an IP address, without a port"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("host", ["a" * 64, ".".join(5 * ["a" * 60]), "a\n", "a..b", "a.", "7447"])
def test_more_that_is_no_host(host: str) -> None:
    with pytest.raises(ValueError, match="is neither a host name nor an IP address"):
        normal_host(host)


@pytest.mark.parametrize("host", ["a", "A-1.b", "7.b", "xn--bcher-kva.example", ".".join(4 * ["a" * 60])])
def test_what_is_a_host(host: str) -> None:
    assert normal_host(host) == host.lower()


@pytest.mark.parametrize("name", ["", "../alice", "al ice", "é", "a" * 41])
def test_what_no_client_is_called(fairdeal: Fairdeal, tmp_path: Path, name: str) -> None:
    done = fairdeal("certs", "--client", name)
    assert done.status == 2
    assert done.line == (f"fairdeal: --client {name}: write 1 to 40 letters (a-z, A-Z), digits, _ . or -")
    assert not list(tmp_path.iterdir())


KEPT = "a CA is never replaced: put back its files, or choose another folder"
RENEW = "add --renew to replace it"


def spoilt(name: str, text: str) -> Callable[[Path], Any]:
    return lambda folder: (folder / name).write_text(text)


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda f: (f / "ca.key").unlink(), f"certs/ca.key: No such file or directory; {KEPT}"),
        (lambda f: (f / "ca.pem").unlink(), f"certs/ca.pem: No such file or directory; {KEPT}"),
        (spoilt("ca.key", "x"), f"certs/ca.key: it is not a PEM private key; {KEPT}"),
        (
            lambda f: (f / "server.key").rename(f / "ca.key"),
            f"certs/ca.key: it does not belong to the certificate certs/ca.pem; {KEPT}",
        ),
        (
            lambda f: store(f, "ca", make_ca(datetime.now(UTC) - timedelta(days=3660))),
            f"certs/ca.pem: it expired on {{ten:%Y-%m-%d}}; {KEPT}",
        ),
        (
            lambda f: store(f, "ca", make_ca(datetime.now(UTC))),
            f"certs/server.pem: it is of another CA; {RENEW}",
        ),
        (lambda f: (f / "server.key").unlink(), f"certs/server.key: No such file or directory; {RENEW}"),
        (spoilt("server.pem", "x"), f"certs/server.pem: it is not a PEM certificate; {RENEW}"),
        (
            spoilt("client-alice.key", "x"),
            f"certs/client-alice.key: it is not a PEM private key; {RENEW}",
        ),
        (
            lambda f: f.chmod(0o750),
            "certs: others can look into it, and keys go there; choose another folder,"
            " or close it (chmod 700)",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_there_and_of_no_use(
    fairdeal: Fairdeal, certs: Path, spoil: Callable[[Path], Any], told: str
) -> None:
    spoil(certs)
    before = contents(certs)
    done = fairdeal("certs", "--client", "alice")
    assert done.status == 1
    ten = datetime.now(UTC) - timedelta(days=10)
    assert done.line == f"fairdeal: {told.format(ten=ten)}"
    assert contents(certs) == before


def test_a_server_under_another_name_takes_renewing(fairdeal: Fairdeal, certs: Path) -> None:
    before = contents(certs)
    done = fairdeal("certs", "--host", "localhost", "--host", "referee.example")
    assert done.status == 2
    assert done.line == (
        f"fairdeal: certs/server.pem: it is there already, for localhost, 127.0.0.1, ::1; {RENEW}"
    )
    assert contents(certs) == before


@pytest.mark.parametrize(
    ("folder", "told"),
    [("/proc/nothing", "/proc/nothing: No such file or directory"), ("file", "file: File exists")],
)
def test_a_folder_that_cannot_be_made(fairdeal: Fairdeal, tmp_path: Path, folder: str, told: str) -> None:
    (tmp_path / "file").touch()
    done = fairdeal("certs", "--folder", folder)
    assert done.status == 1
    assert done.line == f"fairdeal: {told}; fix that and start again"
