"""Tournaments whose matches were played in this process: their stores and records are real."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from fairdeal.bots import HouseBot, make
from fairdeal.testing import Arena
from referee.dealing.decks import MatchDeals
from referee.dealing.keys import SeededKeys
from referee.games.registry import GAMES
from referee.storage import record, record_files
from tests.tournaments.config_files import write
from tournaments import schedule
from tournaments.plan.plan import Plan
from tournaments.store import Issued, MatchResult, Store
from tournaments.tournament_file.reader import load

BOTS: Final[Mapping[str, HouseBot]] = {
    "g": make("greedy"),
    "g10": make("greedy", blunder=0.1),
    "g30": make("greedy", blunder=0.3),
    "r": make("random"),
}
PAR: Final = "[par]\n"


def file_of(game: str, names: str, rounds: int, *, more: str = "") -> str:
    """Return the file of a round robin of single deals between some of `BOTS`."""
    entries = "".join(f'[[entries]]\nname = "{name}"\nbot = "greedy"\n' for name in names.split())
    partners = 'partners = "fixed"\n' if GAMES[game].has_partners else ""
    head = f'game = "{game}"\nrounds = {rounds}\nseed = "spring"\nmatch = {{ deals = 1 }}\n'
    return f"{head}{partners}{more}{entries}"


def play_out(folder: Path, text: str) -> Plan:
    """Play all that the schedule of a file yields, and return its plan."""
    plan = load(write(folder, text))
    with Store.open(plan) as store:
        for issued in store.issue(schedule.next(plan, store.issued(), {})):
            store.add(play(plan, issued))
    return plan


def play(plan: Plan, issued: Issued) -> MatchResult:
    """Play a match and write its record."""
    assert plan.seed is not None
    keys = SeededKeys(plan.seed)
    arena = Arena(keys, clock=plan.clock)
    bots = [BOTS[name] for name in issued.entries]
    done = arena.play(plan.game, bots, match_id=issued.match_id, deals=plan.deals, bot_seed="spring")
    rules = GAMES[plan.game]
    setup = replace(done.setup, entries=issued.entries)
    deals = MatchDeals(setup, rules, keys)
    owners = [(entry, "") for entry in issued.entries]
    head = record.header_line(setup, owners, rules, deals.commitment, software="test", started="")
    path = record_files.path_of(plan.folder / "records", issued.match_id, 1)
    (plan.folder / "records").mkdir(exist_ok=True)
    digest = record.write(path, record.encode(head, done.log, deals.secret))
    return MatchResult(
        match_id=issued.match_id,
        attempt=1,
        outcome=done.outcome,
        record=str(path.relative_to(plan.folder)),
        record_sha256=digest,
        started="2026-03-01T12:00:00+00:00",
        duration=1_000_000,
    )
