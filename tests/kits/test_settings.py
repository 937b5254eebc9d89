"""What a kit's random bot refuses before it dials: one line, exit status 2."""

from pathlib import Path
from typing import Any

import pytest

LOCAL = "127.0.0.1:1"


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (["--connect", "nowhere"], "nowhere"),
        (["--connect", "127.0.0.1:0"], "127.0.0.1:0"),
        (["--connect", "127.0.0.1:65536"], "65536"),
        (["--connect", "unix:"], "unix:"),
        (["--connect", LOCAL, "--tables", 0], "tables"),
        (["--connect", LOCAL, "--tables", "many"], "many"),
        (["--connect", LOCAL, "--matches", -1], "matches"),
        (["--connect", LOCAL, "--reconnect-timeout", "soon"], "soon"),
        (["--connect", LOCAL, "--seed", "Zufällig"], "seed"),
        (["--connect"], "--connect"),
        (["--speed", 3], "--speed"),
    ],
    ids=lambda value: " ".join(map(str, value)) if isinstance(value, list) else "",
)
def test_a_setting_that_cannot_be(dial: Any, kit: Any, options: list[object], word: str) -> None:
    done = dial(kit, *options).done()
    assert done.status == 2, done
    assert done.out == ""
    assert "Traceback" not in done.err
    if kit.name != "stdio":  # of which the command line says what is wrong, in its own way
        assert word in done.err
        assert len(done.err.splitlines()) == 1


@pytest.mark.parametrize("variable", ["FAIRDEAL_CA", "FAIRDEAL_CERT", "FAIRDEAL_KEY"])
def test_tls_files_that_cannot_be(dial: Any, one_line: Any, kit: Any, tmp_path: Path, variable: str) -> None:
    missing = dial(kit, "--connect", LOCAL, **{variable: str(tmp_path / "missing.pem")}).done()
    assert missing.status == 2
    one_line(missing, "missing.pem")
    if variable == "FAIRDEAL_CA":
        (tmp_path / "empty.pem").write_text("no certificate\n")
        empty = dial(kit, "--connect", LOCAL, **{variable: str(tmp_path / "empty.pem")}).done()
        assert empty.status == 2
        one_line(empty, "empty.pem")


def test_the_options_are_explained(dial: Any, kit: Any) -> None:
    done = dial(kit, "--help").done()
    assert done.status == 0
    assert done.err == ""
    for option in (
        *("--connect", "--game", "--matches", "--tables", "--seed", "--entry", "--instance"),
        *("--connect-timeout", "--reconnect-timeout"),
    ):
        assert option in done.out, option
