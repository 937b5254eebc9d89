"""The environment in which a cluster of Ray is started that talks to nobody outside of this machine.

Left to itself, Ray looks at its start for the metadata service of a cloud, connects to a public resolver to
find its own address, and listens on all addresses. Each of these has its remedy here, and none is enough
without the others. The tests hold them to it in a network namespace that has nothing but loopback.
"""

import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from referee.files import atomic, private

LOOPBACK: Final = "127.0.0.1"
_NOWHERE: Final = f"http://{LOOPBACK}:1"  # a proxy that nobody is: what is asked through it fails at once
_PROXIES: Final = ("http_proxy", "https_proxy", "all_proxy", "grpc_proxy")
_DIRECT: Final = f"{LOOPBACK},localhost,::1"
_TOKEN_BYTES: Final = 32
_PATIENCE: Final = {
    # what starts with a cluster is given up after half a minute, which is too soon on a busy machine
    "RAY_agent_register_timeout_ms": "300000",
    "RAY_gcs_server_port_wait_time_s": "300",
    "RAY_worker_register_timeout_seconds": "300",
}


def silenced(environment: Mapping[str, str], folder: Path) -> dict[str, str]:
    """Return the environment for a cluster that this process starts, and whose files are in a folder.

    The folder is made if missing and closed to others; it gets the token without which nobody can use the
    cluster, also from this machine. Its path must be short: Ray makes sockets below it.

    Raises:
        OSError: the folder cannot be made or written to.
    """
    private.make_folder(folder)
    # a file without clusters keeps Ray from asking clouds which of them this is
    (folder / "ray_bootstrap_config.yaml").write_text("{}\n")
    token = folder / "token"
    atomic.write(token, secrets.token_hex(_TOKEN_BYTES).encode(), durable=False)
    names = {*_PROXIES, "no_proxy"}
    kept = {
        name: value
        for name, value in environment.items()
        if not name.startswith("RAY_") and name.lower() not in names
    }
    proxies = {name: _NOWHERE for each in _PROXIES for name in (each, each.upper())}
    return (
        kept
        | proxies
        | _PATIENCE
        | {
            "no_proxy": _DIRECT,
            "NO_PROXY": _DIRECT,
            "HOME": str(folder),  # where Ray looks for the file above
            "RAY_TMPDIR": str(folder / "ray"),
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN_PATH": str(token),
            "RAY_USAGE_STATS_ENABLED": "0",
            # by itself 15: the clocks of bots would run while everything else on the machine goes first
            "RAY_worker_niceness": "0",
            # despite its name it decides everywhere whether a node is to be reached from other machines
            "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
        }
    )


def restored(environment: Mapping[str, str]) -> dict[str, str]:
    """Return what `silenced` has changed as it was before, empty where there was nothing."""
    names = {"HOME", "no_proxy", "NO_PROXY", *_PROXIES, *(name.upper() for name in _PROXIES)}
    return {name: environment.get(name, "") for name in names}
