"""Of a duplicate set that is still being played a site tells nothing."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from referee.match.effects import Outcome
from referee.match.faults import FaultCounts, Termination
from tests.results import result, turn
from tests.sample_report import plan
from tests.tournaments.site.made import files, written
from tournaments import schedule
from tournaments.plan.plan import Plan
from tournaments.store import MatchResult, Store


@pytest.fixture(params=[False, True], ids=["sets", "rounds"])
def of(tmp_path: Path, request: pytest.FixtureRequest) -> Plan:
    folder = tmp_path / "cup"
    more = {"deals": 1, "duplicate": True, "rounds": 2, "shared_decks": request.param}
    return plan("abc", "piquet", folder=folder, seed="sets", **more)


def ended(match_id: str, scores: Sequence[int], late: int = 0) -> MatchResult:
    faults = (FaultCounts(late=late), FaultCounts())
    over = result(match_id, turn(*scores, faults=faults))
    sha256 = hashlib.sha256(bytes(scores)).hexdigest()
    return replace(over, duration=1_000_000 + late, record_sha256=sha256)


def site(of: Plan, place: Path, *turns: tuple[Sequence[int], int]) -> dict[str, bytes]:
    """Return the site when all matches of the first round but the last are over, the last of them so."""
    of = replace(of, folder=place / "cup")
    with Store.open(of) as store:
        store.issue(schedule.next(of, set(), {}))
        *before, _last = store.to_do()[:6]
        for each in before[: -len(turns)]:
            store.add(ended(each.match_id, (9, 4)))
        for each, (scores, late) in zip(before[-len(turns) :], turns, strict=True):
            store.add(ended(each.match_id, scores, late))
            file = of.folder / "records" / f"{each.match_id}.1.jsonl.gz"
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(bytes(scores))
    written(of, place / "site")
    return files(place / "site")


def test_every_byte_is_the_same_whatever_an_open_set_came_to(of: Plan, tmp_path: Path) -> None:
    one = site(of, tmp_path / "one", ((120, 3), 0))
    other = site(of, tmp_path / "other", ((5, 77), 2))
    assert one == other
    assert b"5 without a result" not in one["index.html"]


def test_everything_is_told_once_the_set_is_over(of: Plan, tmp_path: Path) -> None:
    site(of, tmp_path, ((120, 3), 0))
    with Store.open(replace(of, folder=tmp_path / "cup")) as store:
        store.add(ended(store.to_do()[0].match_id, (2, 99)))
        played = [each for each, over in store.matches() if over]
    written(replace(of, folder=tmp_path / "cup"), tmp_path / "site")
    found = files(tmp_path / "site")
    pages = {path for path in found if path.startswith("matches/00000/") and path.endswith(".html")}
    assert pages == {f"matches/00000/{each.match_id}.html" for each in played}
    assert f"matches/00000/{played[-2].match_id}.1.jsonl.gz" in found


def test_the_record_of_a_void_attempt_waits_for_all_that_are_played_with_its_decks(
    of: Plan, tmp_path: Path
) -> None:
    nothing = Outcome(Termination.VOID, (), (), capped=False, faults=(), forfeited=())
    with Store.open(of) as store:
        store.issue(schedule.next(of, set(), {}))
        first, *others = store.to_do()[: 6 if of.shared_decks else 2]
        (of.folder / "records").mkdir()
        record = result(first.match_id, nothing)
        (of.folder / record.record).write_bytes(b"all the cards")
        assert store.add(record)
        written(of, tmp_path / "site")
        assert not [path for path, data in files(tmp_path / "site").items() if b"all the cards" in data]
        for each in others:
            assert store.add(result(each.match_id, nothing))
    written(of, tmp_path / "site")
    found = files(tmp_path / "site")
    assert found[f"matches/00000/{first.match_id}.1.jsonl.gz"] == b"all the cards"
