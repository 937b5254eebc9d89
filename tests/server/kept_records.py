"""Records of matches that were not played."""

from pathlib import Path

from referee.dealing.decks import MatchDeals
from referee.dealing.keys import SeededKeys
from referee.games.registry import GAMES
from referee.match.effects import MatchSetup
from referee.storage import record, record_files


def keep(folder: Path, setup: MatchSetup, *, file: Path | None = None) -> bytes:
    """Write the record of an attempt in which nothing happened, and return its bytes."""
    game = GAMES[setup.game]
    deals = MatchDeals(setup, game, SeededKeys("spring"))
    owners = [(entry, "") for entry in setup.entries]
    header = record.header_line(
        setup, owners, game, deals.commitment, software="test/1", started="2026-11-23T12:00:00+00:00"
    )
    data = record.encode(header, [], deals.secret)
    record.write(file or record_files.path_of(folder, setup.match_id, setup.attempt), data)
    return data
