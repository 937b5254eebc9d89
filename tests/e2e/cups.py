"""Tournaments of every format, with house bots that are hosted and house bots that dial in."""

import json
import sqlite3
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from referee.dealing.keys import SeededKeys
from referee.dealing.scheme import sha
from referee.games.registry import GAMES
from tests.e2e.killing import Folder, Story, story
from tests.e2e.places import free_port
from tests.workspace import PATIENCE
from tournaments.running.hosted_bots import bot_seed

SEVERAL: Final = Path(__file__).parent / "bots" / "several.py"
SEED: Final = "formats"
BOT_SEED: Final = sha("fairdeal/1/bot-seed", SEED).hex()[:32]  # what hosted bots get, with their names
# house bots draw from the seed, the match, the seat and the decision: nothing depends on where they run
BOTS: Final[dict[str, tuple[str, float]]] = {
    "anatol": ("greedy", 0.0),
    "beatrix": ("random", 0.0),
    "casimir": ("greedy", 0.3),
    "dorothea": ("random", 0.0),
    "emeric": ("greedy", 0.6),
    "frieda": ("greedy", 0.1),
    "gerwin": ("random", 0.0),
}
"""Each entry's house bot, and how often it blunders."""
KNOCKOUTS: Final = {"knockout", "double_knockout"}


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentCase:
    """A tournament: how many of `BOTS` take part, how many of these, the last ones, dial in by themselves.

    ``teams`` are pairs of entries; with ``fixed`` who is in none plays both seats of a side. ``has_tokens``:
    who dials in has a token.
    """

    format: str
    game: str
    entries: int
    remote: int
    rounds: int = 1
    deals: int = 1
    fixed: bool = False
    teams: tuple[tuple[str, str], ...] = ()
    has_tokens: bool = False

    def __str__(self) -> str:
        kind = "teams" if self.teams else "fixed" if self.fixed else ""
        return "-".join(filter(None, (self.format, self.game, kind)))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(BOTS)[: self.entries]

    @property
    def dialling(self) -> tuple[str, ...]:
        """Return the entries that dial in."""
        return self.names[self.entries - self.remote :]

    @property
    def competitors(self) -> set[str]:
        """Return who is paired and rated."""
        alone = set(self.names).difference(*self.teams)
        return alone | {f"team-{one}" for one, _other in self.teams}

    @property
    def at_table(self) -> int:
        return 2 if self.fixed else GAMES[self.game].seats

    def instances(self, name: str) -> tuple[str, ...]:
        """Return the instances by which an entry plays: two when it holds both seats of a side."""
        return ("1", "2") if self.fixed and name in self.competitors else ("",)

    def text(self, address: str | None) -> str:
        """Return the file; without an address nobody dials in: the same bots are hosted."""
        lines = [
            f'game = "{self.game}"\nformat = "{self.format}"\nseed = "{SEED}"\nconcurrency = 3',
            'clock = "debug"',  # nobody loses by what a busy machine takes
            f"match = {{ deals = {self.deals} }}",
        ]
        lines += [f"rounds = {self.rounds}"] if self.format not in {*KNOCKOUTS, "ladder"} else []
        lines += ['partners = "fixed"'] if self.fixed else []
        lines += [f'challenger = "{self.names[0]}"'] if self.format == "gauntlet" else []
        lines += [f'[server]\nlisten = "{address}"'] if address else []
        for name in self.names:
            bot, blunder = BOTS[name]
            is_remote = address and name in self.dialling
            plays = "remote = true" if is_remote else f'bot = "{bot}"\narguments = ["--blunder", "{blunder}"]'
            lines.append(f'[[entries]]\nname = "{name}"\n{plays}')
        for team in self.teams:
            lines.append(f'[[teams]]\nname = "team-{team[0]}"\nentries = {json.dumps(team)}')
        return "\n".join(lines) + "\n"


class ProgramTournament:
    """A tournament in a workspace; ``alone``: all its bots are hosted, none dials in."""

    def __init__(self, workspace: Any, case: TournamentCase, *, alone: bool = False) -> None:
        self._workspace = workspace
        self._case = case
        self._address = None if alone else f"127.0.0.1:{free_port(workspace.folder)}"
        self._bots: list[Any] = []
        self.file = workspace.file(case.text(self._address))
        self.folder = Folder(workspace.folder / "cup.fairdeal", SeededKeys(SEED))
        self._tokens = {
            name: workspace.ask("entry", "add", self.file, name).out.strip()
            for name in (case.dialling if case.has_tokens and not alone else ())
        }

    def start(self, *more: object) -> Any:
        """Start a run, which goes on with what an earlier one left."""
        kind = "ladder" if self._case.format == "ladder" else "tournament"
        return self._workspace.start(kind, "run", self.file, *more)

    def process(self) -> "subprocess.Popen[bytes]":
        process: subprocess.Popen[bytes] = self.start().process
        return process

    def dial(self) -> None:
        """Start the bots that dial in; they stay until the referee leaves.

        The first one is `fairdeal bot`, all others are in one process.
        """
        assert self._address
        first, *others = [
            (name, instance) for name in self._case.dialling for instance in self._case.instances(name)
        ]
        self._bots.append(self._bot(*first))
        told = [self._settings(*each) for each in others]
        self._bots.append(self._workspace.start(Path(sys.executable), SEVERAL, json.dumps(told)))

    def _bot(self, name: str, instance: str) -> Any:
        bot, blunder = BOTS[name]
        return self._workspace.start(
            *("bot", bot, "--blunder", blunder, "--connect", self._address, "--matches", 0),
            *("--connect-timeout", PATIENCE, "--reconnect-timeout", PATIENCE),
            FAIRDEAL_ENTRY=name,
            FAIRDEAL_INSTANCE=instance,
            FAIRDEAL_SEED=bot_seed(BOT_SEED, name),
            FAIRDEAL_TOKEN=self._tokens.get(name, ""),
        )

    def _settings(self, name: str, instance: str) -> dict[str, Any]:
        bot, blunder = BOTS[name]
        return {
            "bot": bot,
            "blunder": blunder,
            "address": self._address,
            "entry": name,
            "instance": instance,
            "seed": bot_seed(BOT_SEED, name),
            "token": self._tokens.get(name, ""),
            "connect_timeout": PATIENCE,
            "reconnect_timeout": PATIENCE,
        }

    def bots_left(self) -> list[Any]:
        """Wait until the bots that dialled in have left, and return what became of them."""
        bots, self._bots = self._bots, []
        return [bot.done() for bot in bots]

    def hang_up(self) -> None:
        """Kill the bots that dialled in, if they have not left."""
        for bot in self._bots:
            bot.process.kill()
        self.bots_left()

    def played_by(self) -> set[str]:
        """Return the entries that have a match behind them."""
        return {name for *_, seats, is_decided in self.issued() if is_decided for name in seats}

    def results(self) -> list[tuple[Any, ...]]:
        """Return match id, attempt, status, record and its SHA-256 of every result."""
        found: list[tuple[Any, ...]] = self._workspace.results()
        return found

    def ask(self, *words: str) -> Any:
        """Ask `fairdeal tournament` with words about this one."""
        return self._workspace.ask("tournament", words[0], self.file, *words[1:])

    def tables(self) -> Any:
        """Return the standings without what tells of places, times and sessions."""
        result = self.ask("standings", "--json").json
        for standing in result["standings"]:
            for key in ("mean_think_seconds", "longest_think_seconds", "sessions_lost"):
                del standing[key]
        return {
            key: value for key, value in result.items() if key not in ("store", "records", "records_sha256")
        }

    def issued(self) -> list[tuple[str, int, list[str], bool]]:
        """Return id, round, seats and whether it is decided of each match, in the order of the schedule."""
        with sqlite3.connect(self._workspace.folder / "cup.fairdeal" / "store.sqlite") as store:
            rows = store.execute(
                "SELECT match_id, round, seats, decided FROM issued ORDER BY serial"
            ).fetchall()
        store.close()
        return [(match_id, number, json.loads(seats), bool(over)) for match_id, number, seats, over in rows]

    def stories(self) -> dict[str, Story]:
        """Return what each record tells, by match id; each has one, of its first attempt."""
        return {path.name.removesuffix(".1.jsonl.gz"): story(path) for path in self.folder.records()}
