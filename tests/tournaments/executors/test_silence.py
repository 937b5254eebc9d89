import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.workspace import PATIENCE
from tournaments.executors.silence import restored, silenced
from tournaments.plan.cluster import ray_is_installed

PROGRAM = Path(__file__).with_name("silent_cluster.py")
ALONE = ["unshare", "--user", "--map-root-user", "--net"]
# loopback and nothing else, which seems to lead to the world: Ray would take such an address for its own
WITHOUT_NETWORK = """
set -e
ip link set lo up
ip address add 10.9.9.9/24 dev lo
ip route add default via 10.9.9.1 dev lo
exec "$@"
"""


def lacking() -> str | None:
    """Return what this machine lacks to look at a cluster that is alone, None if nothing."""
    if not ray_is_installed():
        return "Ray is not installed: pip install 'fairdeal[ray]'"
    if missing := [each for each in ("strace", "unshare", "ip") if not shutil.which(each)]:
        return f"{', '.join(missing)} is not installed"
    if subprocess.run([*ALONE, "true"], capture_output=True, check=False).returncode:
        return "this user cannot make network namespaces"
    return None


@pytest.mark.process
def test_a_cluster_of_ours_listens_on_loopback_alone_and_asks_nobody_else(tmp_path: Path) -> None:
    if lack := lacking():
        pytest.skip(lack)
    trace = [
        "strace",
        "-f",
        "-qq",
        "-e",
        "trace=connect,sendto,sendmsg,sendmmsg",
        "-o",
        str(tmp_path / "calls"),
    ]
    program = [sys.executable, str(PROGRAM), str(tmp_path / "ray.log")]
    run = subprocess.run(
        [*ALONE, "sh", "-c", WITHOUT_NETWORK, "sh", *trace, *program],
        cwd=Path.cwd(),
        env={**os.environ, "PYTHONPATH": str(Path.cwd())},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    # 127.0.0.1, and the same as IPv6 has it; no other address, and nothing that answers datagrams
    assert run.stdout.splitlines() == [
        "tcp 0100007F",
        "tcp6 0000000000000000FFFF00000100007F",
        "udp",
        "udp6",
    ]
    made = (tmp_path / "calls").read_text()
    asked = set(re.findall(r'inet_addr\("([^"]*)"\)|inet_pton\(AF_INET6, "([^"]*)"', made))
    assert asked == {("127.0.0.1", ""), ("", "::ffff:127.0.0.1")}
    # a resolver may be on loopback, too; port 1 is the proxy that is none, the last line of defence
    assert not re.search(r"htons\((53|1)\)", made)


def test_what_a_cluster_of_ours_gets_of_our_environment(tmp_path: Path) -> None:
    ours = {"PATH": "/bin", "HOME": "/home/me", "RAY_ADDRESS": "10.0.0.1:6379", "HTTPS_PROXY": "http://proxy"}
    got = silenced(ours, tmp_path / "cluster")
    assert got["PATH"] == "/bin"
    assert "RAY_ADDRESS" not in got
    assert got["HTTPS_PROXY"] == got["http_proxy"] == "http://127.0.0.1:1"
    assert {**got, **restored(ours)}["HOME"] == "/home/me"
    assert restored(ours)["HTTPS_PROXY"] == "http://proxy"
    assert restored(ours)["https_proxy"] == ""


def test_nobody_else_can_read_the_token_of_a_cluster_of_ours(tmp_path: Path) -> None:
    got = silenced({}, tmp_path / "cluster")
    token = Path(got["RAY_AUTH_TOKEN_PATH"])
    assert got["RAY_AUTH_MODE"] == "token"
    assert len(token.read_text()) == 64
    assert token.stat().st_mode & 0o077 == 0
    assert token.parent.stat().st_mode & 0o077 == 0
    assert Path(silenced({}, tmp_path / "other")["RAY_AUTH_TOKEN_PATH"]).read_text() != token.read_text()
