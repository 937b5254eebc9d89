"""What bots of every kit keep: the cases that each kit plays with its own session."""

import json
import logging
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from fairdeal._keeper import Keeper, KeptFile
from fairdeal._session import Session
from fairdeal.updates import Decision
from fairdeal.v1 import play_service_pb2 as play

VECTORS = json.loads((Path(__file__).parents[1] / "data" / "kept_vectors.json").read_text())["cases"]


class Process:
    """A process of a bot, which answers what it is told to."""

    def __init__(self, path: Path | None) -> None:
        file = path and KeptFile(path)
        keeper = Keeper(file.write, file.epochs) if file else Keeper()
        self._session = Session(play.Hello(versions=[1]), keeper=keeper)
        self._asked: Decision | None = None

    def take(self, step: dict[str, Any]) -> None:
        if "hears" in step:
            for update in self._session.receive(bytes.fromhex(step["hears"])):
                if isinstance(update, Decision):
                    self._asked = update
        elif "answers" in step:
            assert self._asked
            self._session._reply(self._asked, bytes.fromhex(step["answers"]))
        else:
            self._session.rejoin()


@pytest.mark.parametrize("case", VECTORS, ids=lambda case: case["name"][:40])
def test_lines_are_what_the_vectors_say(
    case: dict[str, Any], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "kept.jsonl"
    path.touch()
    processes: dict[int, Process] = {}
    for step in case["steps"]:
        if "appends" in step:
            with path.open("a") as file:
                file.write(step["appends"])
        else:
            number = step["process"]
            if number not in processes:
                processes[number] = Process(path if case["keeps"] else None)
            processes[number].take(step)
    lines = []
    for text in path.read_text().splitlines():
        with suppress(ValueError, TypeError):
            if "match_id" in (line := json.loads(text)):
                lines.append(line)
    assert lines == case["lines"]
    logged = [record.getMessage() for record in caplog.records if record.levelno == logging.ERROR]
    assert logged == case["logged"]
