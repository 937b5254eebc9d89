"""The command line in this process, for what needs no process of its own."""

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tournaments.cli import main


@dataclass(frozen=True, slots=True)
class Done:
    """A command that has ended."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def line(self) -> str:
        """Return what was said when a command was refused: one line, and nothing else."""
        assert self.out == ""
        assert self.err.endswith("\n")
        assert self.err.count("\n") == 1
        return self.err.rstrip("\n")


@pytest.fixture
def fairdeal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Callable[..., Done]:
    """Return a function that runs a command in a folder of the test's own."""
    for name in ("FAIRDEAL_ADDRESS", "FAIRDEAL_DEBUG", "FORCE_COLOR", "GITHUB_ACTIONS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)

    def run(*words: object) -> Done:
        monkeypatch.setattr(sys, "argv", ["fairdeal", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            main()
        assert isinstance(ended.value.code, int)
        out, err = capsys.readouterr()
        return Done(ended.value.code, out, err)

    return run
