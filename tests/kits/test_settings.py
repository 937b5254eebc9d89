"""What a kit's random bot refuses before it dials: one line, exit status 2.

One mistake of each kind: the tables of settings and options are those of each kit's own tests.
"""

from pathlib import Path

import pytest

from tests.kits.conftest import Dialler, OneLine
from tests.kits.kits import Kit

LOCAL = "127.0.0.1:1"


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (["--connect", "127.0.0.1:65536"], "65536"),  # the library refuses it
        (["--connect", LOCAL, "--tables", "many"], "many"),  # the command line
    ],
    ids=lambda value: " ".join(map(str, value)) if isinstance(value, list) else "",
)
def test_a_setting_that_cannot_be(dial: Dialler, kit: Kit, options: list[object], word: str) -> None:
    done = dial(kit, *options).done()
    assert done.status == 2, done
    assert done.out == ""
    assert "Traceback" not in done.err
    if kit.name != "stdio":  # of which the command line says what is wrong, in its own way
        assert word in done.err
        assert len(done.err.splitlines()) == 1


def test_a_tls_file_that_cannot_be(dial: Dialler, one_line: OneLine, kit: Kit, tmp_path: Path) -> None:
    (tmp_path / "empty.pem").write_text("no certificate\n")
    empty = dial(kit, "--connect", LOCAL, FAIRDEAL_CA=str(tmp_path / "empty.pem")).done()
    assert empty.status == 2
    one_line(empty, "empty.pem")


def test_a_file_to_keep_that_cannot_be(dial: Dialler, one_line: OneLine, kit: Kit, tmp_path: Path) -> None:
    nowhere = dial(kit, "--connect", LOCAL, FAIRDEAL_KEEP=str(tmp_path / "none" / "kept.jsonl")).done()
    assert nowhere.status == 2
    one_line(nowhere, "FAIRDEAL_KEEP", "none/kept.jsonl")


def test_the_options_are_explained(dial: Dialler, kit: Kit) -> None:
    done = dial(kit, "--help").done()
    assert done.status == 0
    assert done.err == ""
    for option in (
        *("--connect", "--game", "--matches", "--tables", "--seed", "--entry", "--instance"),
        *("--connect-timeout", "--reconnect-timeout"),
    ):
        assert option in done.out, option
