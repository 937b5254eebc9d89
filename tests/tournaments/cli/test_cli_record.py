import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from fairdeal.bots import make
from fairdeal.testing import play
from referee.dealing.decks import MatchDeals
from referee.dealing.keys import SeededKeys
from referee.games.registry import GAMES
from referee.storage import record
from tests.tournaments.conftest import Fairdeal


def write(folder: Path, game: str) -> Path:
    """Play a match of one deal and write its record."""
    rules = GAMES[game]
    played = play(game, [make("random") for _ in range(rules.seats)], seed="spring", deals=1, match_id=game)
    deals = MatchDeals(played.setup, rules, SeededKeys("spring"))
    owners = [(entry, "") for entry in played.setup.entries]
    header = record.header_line(
        played.setup, owners, rules, deals.commitment, software="test", started="today"
    )
    path = record.path_of(folder, game, 1)
    record.write(path, record.encode(header, played.log, deals.secret))
    return path


@pytest.mark.parametrize("game", GAMES)
def test_a_match_is_printed(fairdeal: Fairdeal, tmp_path: Path, game: str) -> None:
    done = fairdeal("record", "show", write(tmp_path, game))
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith(f"Match {game}, attempt 1: ")
    assert "\nDeal 1" in done.out
    assert "\nDeal 2" not in done.out
    for seat in range(GAMES[game].seats):
        assert f"  seat {seat}      seat{seat}\n" in done.out


def test_several_records(fairdeal: Fairdeal, tmp_path: Path) -> None:
    paths = [write(tmp_path, game) for game in GAMES]
    alone = [fairdeal("record", "show", path).out for path in paths]
    assert fairdeal("record", "show", *paths).out == "\n".join(alone)


def cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


def without_end(data: bytes) -> bytes:
    return gzip.compress(b"".join(gzip.decompress(data).splitlines(keepends=True)[:-3]))


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (cut, "the record is truncated; get a whole copy of the file"),
        (without_end, "the record is truncated: its last line is not a reveal"),
        (gzip.decompress, "not a record (records are gzip files of JSON lines)"),
        (lambda data: b"", "not a record: its first line is not a header"),
        (
            lambda data: gzip.compress(b"nothing\n"),
            "line 1 is not an object with a type; the record is damaged",
        ),
    ],
)
def test_a_damaged_record(
    fairdeal: Fairdeal, tmp_path: Path, damage: Callable[[bytes], bytes], told: str
) -> None:
    path = write(tmp_path, "hearts")
    path.write_bytes(damage(path.read_bytes()))
    done = fairdeal("record", "show", path)
    assert done.status == 1
    assert done.line == f"fairdeal: {path}: {told}"


@pytest.mark.parametrize(
    ("name", "told"), [("nothing", "No such file or directory"), (".", "holds no records (*.jsonl.gz)")]
)
def test_what_is_no_file(fairdeal: Fairdeal, name: str, told: str) -> None:
    done = fairdeal("record", "show", name)
    assert done.status == 1
    assert done.line == f"fairdeal: {name}: {told}"
