"""Records of matches that share their decks, or are told on a grid in time, verify like any other."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.games.registry import GAMES
from referee.match.clock import SECOND
from referee.storage import record_files
from referee.verify import Status, Verdict, verify
from tests.referee.driven_core import DrivenCore
from tests.referee.recorded import RecordedTable
from tests.referee.storage.test_recorder import RecordedCore
from tests.referee.verify.edited import Lines, bound_of, edited, lines_of

GAME = "two_handed_spades"


@pytest.fixture
def books(tmp_path: Path, driven_core: type[DrivenCore]) -> Iterator[RecordedCore]:
    made = RecordedCore(tmp_path, driven_core)
    yield made
    made.journal.close()


def played(books: RecordedCore, match_id: str, **setup: object) -> bytes:
    """Play a match in a core and return its record."""
    books.driven_core.create(GAME, match_id, entries=["a", "b"], deals=2, **setup)
    for entry in "ab":
        books.driven_core.arrive(entry).ready()
    books.driven_core.play_out()
    return books.reported[-1].path.read_bytes()


def name_of(match_id: str) -> str:
    return record_files.path_of(Path(), match_id, 1).name


def is_right(verdict: Verdict) -> bool:
    return (verdict.status, verdict.problem, verdict.notes) == (Status.VERIFIED, None, ())


def test_turns_of_a_set_have_one_epoch(books: RecordedCore) -> None:
    first, second = (played(books, match_id, epoch="set-1.1") for match_id in ("m-1", "m-2"))
    found = [verify(first, name=name_of("m-1")), verify(second, name=name_of("m-2"))]
    assert all(map(is_right, found))
    assert found[0].epoch == found[1].epoch
    assert found[0].epoch[0] == "set-1.1"
    other = edited(first, lambda lines: lines[0].update(match_id="m-2"))
    assert verify(other, name=name_of("m-1")).status is Status.WRONG
    alone = edited(first, lambda lines: lines[0].pop("epoch"))
    assert verify(alone, name=name_of("m-1")).status is Status.WRONG


def test_a_match_of_its_own_is_bound_to_its_id_under_any_name(books: RecordedCore) -> None:
    data = played(books, "m-1")
    assert is_right(verify(data))
    for field, value in (("match_id", "m-2"), ("attempt", 2), ("epoch", "set-1.1")):

        def change(lines: Lines, field: str = field, value: object = value) -> None:
            lines[0][field] = value

        def forged(lines: Lines, field: str = field, value: object = value) -> None:
            lines[0][field] = value
            lines[0]["bound"] = bound_of(lines[0])

        problems = [verify(edited(data, edit)).problem for edit in (change, forged)]
        assert [problem and problem.field for problem in problems] == [
            field if field != "epoch" else "commitment.epoch_id",
            "commitment.epoch_id",
        ]


@pytest.mark.parametrize("game", GAMES)
def test_a_grid_decides_when_decisions_are_asked(game: str) -> None:
    data = RecordedTable(game, event_grid=SECOND, incidents={(0, 1): "late", (1, 2): "illegal"}).encoded()
    assert lines_of(data)[0]["event_grid"] == SECOND
    assert is_right(verify(data))
    for grid in (SECOND // 3, 0, -1, True):
        other = edited(data, lambda lines, grid=grid: lines[0].update(event_grid=grid))
        assert verify(other).status is Status.WRONG


def broken_off(folder: Path, driven_core: type[DrivenCore]) -> None:
    """Leave a match in its midst."""
    books = RecordedCore(folder, driven_core)
    books.driven_core.create(GAME, "m-1", entries=["a", "b"])
    bots = [books.driven_core.arrive(entry).ready() for entry in "ab"]
    for _ in range(5):
        assert any(bot.answer() for bot in bots)
    books.journal.close()


def found_again(folder: Path, driven_core: type[DrivenCore]) -> bytes:
    """Return the record of the match after another start, which cannot go on with it."""
    books = RecordedCore(folder, driven_core)
    books.recover()
    books.journal.close()
    (report,) = books.reported
    return report.path.read_bytes()


def test_a_match_whose_rules_have_changed_meanwhile(
    tmp_path: Path, driven_core: type[DrivenCore], monkeypatch: pytest.MonkeyPatch
) -> None:
    broken_off(tmp_path, driven_core)
    with monkeypatch.context() as later:
        later.setattr(type(GAMES[GAME]), "rules_version", 2)
        data = found_again(tmp_path, driven_core)
        verdicts = [verify(data, name=name_of("m-1"))]
    verdicts.append(verify(data, name=name_of("m-1")))
    for verdict in verdicts:
        assert (verdict.status, verdict.termination, len(verdict.notes)) == (Status.VERIFIED, "void", 1)
    other = edited(data, lambda lines: lines[-2].update(ranks=[1, 2]))
    assert verify(other, name=name_of("m-1")).status is Status.WRONG


def test_a_match_whose_key_is_gone(tmp_path: Path, driven_core: type[DrivenCore]) -> None:
    broken_off(tmp_path, driven_core)
    (tmp_path / "secrets" / "m-1.1.secret").unlink()
    verdict = verify(found_again(tmp_path, driven_core), name=name_of("m-1"))
    assert (verdict.status, verdict.termination) == (Status.UNKNOWN, "void")
