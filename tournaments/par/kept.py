"""Pars that were computed, kept in a file beside the records: they can be deleted, and are computed again.

Each line has the SHA-256 of the record that its par is of: the match may have been played again since, with
other cards under the same name.
"""

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from referee.files import private
from referee.games.base import Result
from tournaments.plan.plan import ParBot

FOLDER: Final = "pars"

Scores = tuple[int, ...]


class KeptPars:
    """The pars of a tournament by one version of a bot; several processes may read and add at a time.

    ``digests`` are the SHA-256 of the records, by the ids of their epochs.
    """

    def __init__(self, folder: Path, par: ParBot, digests: Mapping[str, str]) -> None:
        self._digests = digests
        self._path = folder / FOLDER / f"{par}.jsonl"

    def read(self) -> dict[str, Scores]:
        """Return the scores by side of each par, by the id of its epoch.

        Lines that are damaged, or are not of the records that there are, are left out. Without a file, or
        without permission to read it, there are none.
        """
        try:
            lines = self._path.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            return {}
        found: dict[str, Scores] = {}
        for line in lines:
            with suppress(ValueError, KeyError, TypeError):
                kept = json.loads(line)
                if kept["record_sha256"] == self._digests[kept["epoch"]]:
                    found[kept["epoch"]] = tuple(map(int, kept["scores"]))
        return found

    def add(self, pars: Mapping[str, Result]) -> None:
        """Keep pars of records, by the ids of their epochs; without permission to write, none is kept."""
        lines = [
            json.dumps(
                {
                    "epoch": epoch,
                    "record_sha256": self._digests[epoch],
                    "scores": par.scores,
                    "ranks": par.ranks,
                }
            )
            + "\n"
            for epoch, par in pars.items()
        ]
        with suppress(OSError):
            private.make_folder(self._path.parent)
            with open(self._path, "ab+", buffering=0, opener=private.opener) as file:
                end = file.seek(0, os.SEEK_END)
                if end and os.pread(file.fileno(), 1, end - 1) != b"\n":
                    lines.insert(0, "\n")  # another process was ended within its line
                file.write(
                    "".join(lines).encode()
                )  # in one call, so that lines of others do not mix with ours
