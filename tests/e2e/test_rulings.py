"""The referee is killed in the midst of each ruling, and goes on as if nothing had happened.

tests/tournaments/running/test_killed_rulings.py asks it without processes: at each write, in each format.
"""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from typing import Any, Final

import pytest

from tests.e2e.dialling import Event
from tests.workspace import Workspace, until

CUP: Final = 'game = "two_handed_spades"\nmatch = { deals = 1 }\nclock = "debug"\n'
THIRD: Final = '[[entries]]\nname = "third"\nbot = "greedy"\n'
LONG: Final = os.environ.get("FAIRDEAL_LONG") == "1"
ROUND_ROBIN: Final = {"round_robin": "rounds = 2\n"}
OTHERS: Final = {"swiss": 'format = "swiss"\nrounds = 3\n', "knockout": 'format = "knockout"\n'}
FORMATS: Final = {**ROUND_ROBIN, **(OTHERS if LONG else {})}
WHY: Final = "a slow machine"


class Ruled:
    """A tournament whose referee is killed as soon as the store holds a ruling, and then goes on."""

    def __init__(self, workspace: Workspace, event: Event) -> None:
        self._workspace = workspace
        self._event = event
        words = ("token", "add", "olga", "--role", "organiser", "--folder", "cup.fairdeal")
        self._token = workspace.ask(*words).out.split()[0]
        self._running = event.start()
        self.kinds: list[str] = []

    def matches(self) -> list[dict[str, Any]]:
        done = self._workspace.ask("tournament", "matches", self._event.file, "--json")
        found: list[dict[str, Any]] = done.json["matches"] if done.status == 0 else []
        return found

    def over(self, match: str = "") -> list[str]:
        """Return the matches that count, or one of them."""
        return [
            each["match"]
            for each in self.matches()
            if each["state"] == "completed" and each["stands"] and each["match"].startswith(match)
        ]

    def held(self) -> list[str]:
        """Return the matches in play that do not end."""
        words = ("tournament", "status", "cup", "--server", self._event.address, "--json")
        done = self._workspace.ask(*words)
        playing = done.json["being_played"] or () if done.status == 0 else ()
        return [each["match"] for each in playing if "held" in each["entries"]]

    def rule(self, kind: str, *words: str) -> None:
        """Make a ruling, and kill the referee when it is stored."""
        until(self.held, "the referee, and a match in its midst")
        before = self._stored()
        asking = self._workspace.start(
            *("tournament", kind, "cup", *words, "--reason", WHY, "--server", self._event.address),
            FAIRDEAL_TOKEN=self._token,
        )
        until(lambda: self._stored() > before or asking.process.poll(), f"{kind} in the store")
        self._running.process.kill()
        self._running.process.wait()
        asking.done()
        assert self._stored() == before + 1, asking.err
        self.kinds.append(kind)
        self._running = self._event.start()

    def ended(self) -> Any:
        return self._running.done()

    def _stored(self) -> int:
        file = self._event.file.with_name("cup.fairdeal") / "store.sqlite"
        with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as store:
            query = "SELECT (SELECT count(*) FROM adjudications) + (SELECT count(*) FROM entry_rulings)"
            (number,) = store.execute(query).fetchone()
        return int(number)


@pytest.mark.parametrize("form", FORMATS)
def test_a_kill_in_the_midst_of_a_ruling_loses_nothing(
    workspace: Workspace, good: str, bot: Callable[..., str], form: str
) -> None:
    (workspace.folder / "hold").write_text("0")
    event = Event(workspace, f"{FORMATS[form]}{CUP}{good}{THIRD}" + bot("held", "held.py"))
    ruled = Ruled(workspace, event)
    (void, *_) = until(ruled.held, "a match in its midst")
    (played, *_) = until(ruled.over, "a match that is over")
    ruled.rule("void", void[:-2])
    ruled.rule("replay", played)
    until(lambda: ruled.over(played), "the match that is played again")
    if form != "knockout":  # there a match decides who goes on
        ruled.rule("annul", played)
    ruled.rule("disqualify", "random", "--results", "struck")
    assert all("random" not in _names(each) for each in ruled.matches() if _counts(each))
    ruled.rule("reinstate", "random")
    ruled.rule("withdraw", "held")
    assert ruled.ended().status == 0

    status = workspace.ask("tournament", "status", event.file, "--json").json
    assert status["state"] == "finished"
    assert [(each["kind"], each["why"]) for each in status["rulings"]] == [
        (kind, WHY) for kind in ruled.kinds
    ]
    assert len({each["who"] for each in status["rulings"]}) == 1
    assert event.open() == []
    states = {each["match"]: each["state"] for each in ruled.matches() if each["stands"]}
    assert states[void] == "left_out"
    assert states[played] == ("annulled" if "annul" in ruled.kinds else "completed")
    attempts = [each["attempt"] for each in ruled.matches() if each["match"] == void]
    # each was ended once, and the last one was left out; whether it had begun again is the scheduler's choice
    assert len(attempts) == len({*attempts}) >= 2
    lines = event.lines()
    assert (lines["held"]["matches"], lines["held"]["state"]) == (0, "withdrawn")
    rebuilt = workspace.ask("tournament", "report", event.file, "--json", "--rebuild").json["standings"]
    assert {each["entry"]: each["matches"] for each in rebuilt} == {
        name: line["matches"] for name, line in lines.items()
    }
    verified = workspace.ask("record", "verify", workspace.folder / "cup.fairdeal")
    assert verified.status == 0, verified.out

    # and what was withdrawn comes back
    (workspace.folder / "hold").unlink()
    back = workspace.ask("tournament", "reinstate", event.file, "held", "--reason", WHY)
    assert back.status == 0, back.err
    assert event.start().done().status == 0
    if form == "round_robin":  # the others have drawn their rounds without it
        assert event.lines()["held"]["matches"] > 0
    assert event.open() == []


def _names(match: dict[str, Any]) -> list[str]:
    return [seat["entry"] for seat in match["seats"]]


def _counts(match: dict[str, Any]) -> bool:
    return match["state"] == "completed" and match["stands"]
