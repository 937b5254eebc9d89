"""kill -9 of `fairdeal serve` and of bots that dial in: matches go on, and nobody is charged for it."""

import os
import re
import signal
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from referee.dealing.keys import Vault
from referee.games.registry import game
from referee.match.clock import PROFILES, SECOND
from tests.draws import draw
from tests.e2e.killing import Folder, Moment, Story, Toll, longest_thought, story
from tests.e2e.places import free_port
from tests.rounds import rounds
from tests.workspace import PATIENCE, Workspace

LONG: Final = os.environ.get("FAIRDEAL_LONG") == "1"
DOWNTIMES: Final = ((1.0, "fast"), (5.0, "standard"), (20.0, "standard"))
"""Seconds, more than the move time, with the clock; on a busy machine to think takes as long as the first."""
BOT_KILLS: Final = 10 if LONG else 2
RANGES: Final = {"milliseconds": (0, 1500), "bytes": (8_000, 20_000), "records": (1, 3), "snapshot": (1, 1)}
"""How much of each kind a process reaches before it is killed: so much at least, so much at most."""


@dataclass(frozen=True, slots=True)
class ServeTortureCase:
    """A game, and the kinds of the moments at which its referees are killed, in order."""

    game: str
    kinds: tuple[str, ...]


CASES: Final = (
    (
        ServeTortureCase("two_handed_spades", 3 * ("bytes", "snapshot", "bytes", "records")),
        ServeTortureCase("hearts", 3 * ("bytes", "milliseconds", "bytes", "bytes")),
    )
    if LONG
    else (ServeTortureCase("two_handed_spades", ("bytes", "records", "bytes")),)
)


class TornServer:
    """`fairdeal serve` at one address and in one folder, and the bots that keep it busy."""

    def __init__(self, workspace: Any, eventually: Callable[..., Any], name: str, clock: str) -> None:
        self.address = f"127.0.0.1:{free_port(workspace.folder)}"
        self._path = Path(tempfile.mkdtemp(dir=workspace.folder))
        self.folder = Folder(self._path, Vault(self._path / "secrets"))
        self._clock = clock
        self._workspace = workspace
        self._eventually = eventually
        self._game = name

    def serve(self) -> Any:
        words = ("--listen", self.address, "--folder", self._path, "--game", self._game, "--deals", 1)
        more = ("--clock", self._clock, "--drain", PATIENCE, "--log-level", "info")
        return self._workspace.start("serve", *words, *more)

    def bot(self, number: int) -> Any:
        """Start a house bot, always the same for a number; it stays until the referee leaves."""
        words = ("--connect", self.address, "--entry", f"bot-{number}", "--instance", "x")
        name = ("greedy", "random")[number % 2]
        timeouts = ("--connect-timeout", PATIENCE, "--reconnect-timeout", PATIENCE)
        one_by_one = ("--matches", 0, "--tables", 1)
        return self._workspace.start("bot", name, *words, *timeouts, *one_by_one, "--seed", number)

    def is_down_for(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        self._eventually(lambda: time.monotonic() > end, "the end of the downtime")

    def is_here(self, serving: Any, number: int, times: int) -> None:
        """Wait until a bot has come so many times."""
        here = f"bot-{number} is here\n"
        self._eventually(lambda: serving.out.count(here) >= times, here)

    def plays(self, amount: int) -> None:
        """Wait until the journal has grown by so many bytes."""
        enough = self.folder.written() + amount
        self._eventually(lambda: self.folder.written() >= enough, f"{amount} bytes in the journal")

    def finishes(self, amount: int) -> None:
        """Wait until there are so many records more."""
        enough = len(self.folder.records()) + amount
        self._eventually(lambda: len(self.folder.records()) >= enough, f"{amount} records")

    def stories(self) -> dict[str, Story]:
        """Return what the records tell, by match; nobody may have a fault, nor anything be left open."""
        found = {path.name.removesuffix(".1.jsonl.gz"): story(path) for path in self.folder.records()}
        for told in found.values():
            (outcome,) = (line for line in told.told if line["type"] == "outcome")
            assert outcome["termination"] == "completed"
            assert not any(count for counts in outcome["faults"] for count in counts.values())
        assert not self.folder.left()
        assert not list((self._path / "secrets").iterdir())
        return found


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.game)
def test_a_referee_that_is_killed_in_the_midst_of_matches(
    workspace: Workspace,
    eventually: Callable[..., Any],
    figure: Callable[[str], None],
    case: ServeTortureCase,
) -> None:
    for (downtime, clock), trying in rounds(*DOWNTIMES):
        with trying:
            figure(
                kill_and_start_again(
                    TornServer(workspace, eventually, case.game, clock), case, downtime, clock
                )
            )
            break


def kill_and_start_again(server: TornServer, case: ServeTortureCase, downtime: float, clock: str) -> str:
    """Kill a referee again and again, check what comes of it, and return what was measured.

    It is down for ``downtime`` seconds each time.
    """
    settings = PROFILES[clock]
    all_time = (settings.move + settings.lag + settings.bank) / SECOND
    bots = [server.bot(number) for number in range(game(case.game).seats)]
    toll = Toll(server.folder)
    downtimes = []
    begun = time.monotonic()
    for number, kind in enumerate(3 * case.kinds, 1):
        # on a busy machine a moment may be met too late, when nothing is in play
        if number <= len(case.kinds) or 2 * toll.in_play < case.kinds.count("bytes"):
            low, high = RANGES[kind]
            moment = Moment(kind, low + draw(high - low + 1, "moment", case.game, number))
            toll.take(lambda: server.serve().process, moment)
            # once so long that whoever were charged for it, beginning with a full bank, would be late
            downtimes.append(all_time + downtime if LONG and number == len(case.kinds) else downtime)
            server.is_down_for(downtimes[-1])
    serving = server.serve()
    for number in range(len(bots)):
        server.is_here(serving, number, 1)
    server.finishes(3)
    assert serving.stopped(signal.SIGTERM).status == 0
    seconds = time.monotonic() - begun

    stories = server.stories()
    for bot in [bot.done() for bot in bots]:
        assert bot.status == 0
        assert (
            bot.err.count(f"; dialling again for up to {PATIENCE:g} s\n") == bot.err.count(" is back\n") > 0
        )
        # a match that ended without the bot, and before a referee that knows of it no more
        missed = re.findall(
            r"^match (\S+): the referee does not go on with it: MATCH_NOT_FOUND ", bot.err, re.M
        )
        assert sorted(re.findall(r"^(\S+): \w+, seat \d ", bot.out, re.M)) == sorted(stories)
        assert sorted([*re.findall(r"^(\S+): completed, ", bot.out, re.M), *missed]) == sorted(stories)
    assert {match for match, told in stories.items() if told.interruptions} == set(toll.interrupted)
    assert 2 * toll.in_play >= case.kinds.count("bytes")
    longest = max(map(longest_thought, server.folder.records())) / SECOND
    assert longest < downtime
    return (
        f"{case.game}: {toll}; down for {min(downtimes):g} to {max(downtimes):g} s, the longest time charged"
        f" {longest:.3f} s; {len(stories)} matches in {seconds:.1f} s"
    )


def test_bots_that_are_killed_in_the_midst_of_matches(
    workspace: Workspace, eventually: Callable[..., Any], figure: Callable[[str], None]
) -> None:
    server = TornServer(workspace, eventually, "two_handed_spades", "debug")
    serving = server.serve()
    serving.says("fairdeal listens on ")
    bots, arrivals = [server.bot(number) for number in range(2)], [1, 1]
    begun = time.monotonic()
    for kill in range(5 * BOT_KILLS):
        for number, times in enumerate(arrivals):
            server.is_here(serving, number, times)
        server.plays(3_000 + draw(20_000, "moment", kill))
        if serving.err.count(" event=seat_lost ") >= BOT_KILLS:  # a kill between two matches loses none
            break
        number = draw(len(bots), "whom", kill)
        assert bots[number].stopped(signal.SIGKILL).status == -signal.SIGKILL
        bots[number] = server.bot(number)
        arrivals[number] += 1
    done = serving.stopped(signal.SIGTERM)
    seconds = time.monotonic() - begun
    assert done.status == 0
    assert [bot.done().status for bot in bots] == [0, 0]

    stories = server.stories()
    assert done.out.count(": completed") == len(stories)
    lost, kills = sum(told.kinds.count("lost") for told in stories.values()), sum(arrivals) - len(bots)
    assert BOT_KILLS <= lost <= kills
    figure(f"{kills} bots killed, {lost} in a match; {len(stories)} matches in {seconds:.1f} s")
