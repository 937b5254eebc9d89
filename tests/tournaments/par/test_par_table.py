"""The luck of the deal taken out of a whole tournament: from its records, live and after the fact."""

import json
import shutil
from concurrent.futures.process import BrokenProcessPool
from contextlib import nullcontext
from dataclasses import replace
from multiprocessing import active_children
from pathlib import Path

import pytest

from referee.cards import Seat
from referee.games.base import Result
from referee.match.faults import Termination
from referee.storage import record, record_files
from tests.tournaments.config_files import write
from tests.tournaments.kept import GAMES, restored
from tests.tournaments.par.played import PAR, file_of, play, play_out
from tournaments import schedule
from tournaments.par import compute
from tournaments.par.play import ParError, par_of_record
from tournaments.par.served import par_table_beside
from tournaments.par.table import ParTable, par_table
from tournaments.plan.plan import ParBot, Plan
from tournaments.standings import beside
from tournaments.store import Store
from tournaments.tournament_file.reader import load

CUP = file_of("euchre", "g g10", 40)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Plan:
    return play_out(tmp_path_factory.mktemp("cup"), CUP + PAR)


@pytest.fixture
def cup(played: Plan, tmp_path: Path) -> Plan:
    """Return the plan of a copy of the tournament that was played, without its pars."""
    assert played.source is not None
    folder = tmp_path / "cup"
    shutil.copytree(played.source.parent, folder, ignore=shutil.ignore_patterns("pars"))
    return load(folder / played.source.name)


def table_of(plan: Plan, workers: int = 1) -> ParTable:
    with Store.read(plan) as store:
        found = par_table(plan, store, workers=workers)
    assert found is not None
    return found


@pytest.mark.parametrize("without", [{"par": None}, {"duplicate": True}])
def test_a_plan_without_a_par_or_with_sets_has_no_table(cup: Plan, without: dict[str, bool | None]) -> None:
    with Store.read(cup) as store:
        assert par_table(replace(cup, **without), store) is None  # type: ignore[arg-type]


def test_some_pars_are_computed_and_the_others_the_next_time(cup: Plan) -> None:
    whole = table_of(cup)
    shutil.rmtree(cup.folder / "pars")
    with Store.read(cup) as store:
        some = [par_table(cup, store, most=16) for _ in range(3)]
    assert [(each.estimates.matches, each.missing) for each in some if each] == [(16, 24), (32, 8), (40, 0)]
    assert [(each.without_par, each.problem) for each in some if each] == [(0, None)] * 3
    assert some[-1] == whole


def test_the_table_of_what_was_played(cup: Plan) -> None:
    found = table_of(cup)
    assert (found.is_named_before, found.per, found.left_out, found.without_par) == (True, "deal", 0, 0)
    assert (found.problem, found.estimates.matches) == (None, 40)
    assert found.estimates.factor is not None and found.estimates.factor > 1.5
    first = found.estimates.entries["g"]
    assert first.margin is not None and first.raw_margin is not None and first.margin < first.raw_margin
    assert found.estimates.pairs["g", "g10"] == first
    with Store.read(cup) as store:
        longer = par_table(replace(cup, deals=2), store)  # as if each match had had two deals
    assert longer is not None
    assert longer.estimates.entries["g"].margin == pytest.approx(first.margin / 2)


def test_pars_are_computed_once(cup: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[int, int]] = []
    with Store.read(cup) as store:
        first = par_table(cup, store, lambda *progress: told.append(progress))
    assert told == [(number, 40) for number in range(1, 41)]
    monkeypatch.setattr(compute, "par_of_record", lambda *_: pytest.fail("it was computed before"))
    assert table_of(cup) == first


def test_what_was_computed_before_an_interruption_is_kept(cup: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = table_of(cup)
    shutil.rmtree(cup.folder / "pars")
    left = [15]

    def interrupted(path: Path, bot: str, epoch: str) -> Result:
        if not left[0]:
            raise KeyboardInterrupt
        left[0] -= 1
        return par_of_record(path, bot, epoch)

    monkeypatch.setattr(compute, "par_of_record", interrupted)
    with pytest.raises(KeyboardInterrupt):
        table_of(cup)
    (file,) = (cup.folder / "pars").iterdir()
    assert file.read_text().count("\n") == 15
    left[0] = 25
    assert table_of(cup) == whole


def test_what_is_played_later_is_added(tmp_path: Path) -> None:
    """As in a tournament that is being played: the table may be asked for at any time."""
    plan = play_out(tmp_path, file_of("euchre", "g g10", 2) + PAR)
    before = table_of(plan).estimates.matches
    longer = replace(plan, rounds=4)
    with Store.open(longer) as store:
        for issued in store.issue(schedule.next(longer, store.issued(), {})):
            store.add(play(longer, issued))
    assert (before, table_of(longer).estimates.matches) == (2, 4)


def test_records_that_are_missing_or_swapped_are_told(cup: Plan) -> None:
    first, second, third, *_ = record_files.in_folder(cup.folder / "records")
    first.unlink()
    found = table_of(cup)
    assert (found.without_par, found.estimates.matches) == (1, 39)
    assert found.problem == f"{first}: there is no such file; name a record (ID.N.jsonl.gz)"
    shutil.rmtree(cup.folder / "pars")
    shutil.copy(third, second)
    found = table_of(cup)
    assert found.without_par == 2
    shutil.copy(second, first)
    told = table_of(cup).problem
    assert told is not None
    assert f"the record of {third.name.removesuffix('.jsonl.gz')}, not of" in told


def test_a_tournament_that_is_played_again_has_other_pars(cup: Plan) -> None:
    """Without a seed its matches have the names that those of the earlier one had, and other decks."""
    before = table_of(cup)
    shutil.rmtree(cup.folder / "records")
    (cup.folder / "store.sqlite").unlink()
    with Store.open(cup) as store:
        for issued in store.issue(schedule.next(cup, store.issued(), {})):
            store.add(play(replace(cup, seed="summer"), issued))
    found = table_of(cup)
    shutil.rmtree(cup.folder / "pars")
    assert found == table_of(cup) != before


def test_a_par_without_the_digest_of_its_record_is_not_taken(cup: Plan) -> None:
    whole = table_of(cup)
    (file,) = (cup.folder / "pars").iterdir()
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    lines[0]["scores"] = [99, 0]
    del lines[0]["record_sha256"]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert table_of(cup) == whole


@pytest.mark.parametrize("move", [10**30, "x"])
def test_a_record_that_no_match_can_be_made_of_is_told(cup: Plan, move: int | str) -> None:
    path = record_files.in_folder(cup.folder / "records")[0]
    whole = record.read(path)
    header = {**whole.header, "clock": {**whole.header["clock"], "move": move}}
    record.write(path, record.packed(map(json.dumps, (header, *whole.lines))))
    found = table_of(cup)
    assert (found.without_par, found.estimates.matches) == (1, 39)
    assert found.problem is not None
    assert found.problem.startswith(f"{path}: its secret does not open its commitment")


def test_a_damaged_line_is_computed_again(cup: Plan) -> None:
    whole = table_of(cup)
    (file,) = (cup.folder / "pars").iterdir()
    lines = file.read_text().splitlines()
    torn = lines[0][:20]
    file.write_text("\n".join(['{"epoch": 3}', "[]", '{"epoch": "m", "scores": "x"}', *lines[2:], torn]))
    assert table_of(cup) == whole
    assert file.read_text().count("\n") == len(lines) + 4
    assert table_of(cup) == whole


def test_pars_are_private(cup: Plan) -> None:
    table_of(cup)
    (file,) = (cup.folder / "pars").iterdir()
    assert (file.parent.stat().st_mode & 0o777, file.stat().st_mode & 0o777) == (0o700, 0o600)


def test_without_permission_to_write_nothing_is_kept(cup: Plan) -> None:
    (cup.folder / "pars").write_text("a file in place of the folder")
    assert table_of(cup) == table_of(cup)


def test_the_bot_that_was_named_decides(cup: Plan) -> None:
    """A version that plays otherwise uses the pars there are, and computes none in the name of the other."""
    assert cup.par is not None
    newer = replace(cup, par=ParBot("greedy", "0" * 12))
    without = table_of(newer)
    assert (without.estimates.matches, without.without_par) == (0, 40)
    assert without.problem is not None and "use the version that began the tournament" in without.problem
    whole = table_of(cup)
    assert table_of(newer) == whole
    assert whole.par == cup.par


def test_forfeited_matches_are_left_out(tmp_path: Path) -> None:
    plan = load(write(tmp_path, file_of("euchre", "g g10", 2) + PAR))
    with Store.open(plan) as store:
        first, second = (play(plan, issued) for issued in store.issue(schedule.next(plan, set(), {})))
        assert store.add(first)
        outcome = replace(second.outcome, termination=Termination.FORFEIT, scores=(), forfeited=(Seat(0),))
        assert store.add(replace(second, outcome=outcome))
    found = table_of(plan)
    assert (found.left_out, found.without_par, found.estimates.matches) == (1, 0, 1)


def test_a_par_that_is_named_after_the_fact(tmp_path: Path) -> None:
    plan = play_out(tmp_path, file_of("euchre", "g g10", 3))
    named = replace(plan, par=ParBot("greedy", "0" * 12))
    found = table_of(named)
    assert (found.is_named_before, found.estimates.matches) == (False, 3)


@pytest.mark.parametrize("game", GAMES)
def test_records_of_earlier_versions(game: str, tmp_path: Path) -> None:
    file = restored(f"{game}-finished", tmp_path)
    file.write_text(file.read_text() + PAR)
    found = table_of(load(file, to_run=False))
    assert found.problem is None
    assert found.estimates.matches + found.left_out >= 1
    assert not found.is_named_before


# In processes


@pytest.mark.process
def test_processes_compute_the_same(cup: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = table_of(cup)
    shutil.rmtree(cup.folder / "pars")
    monkeypatch.setattr(compute, "_FEW", 2)
    assert table_of(cup, workers=2) == alone


@pytest.mark.process
@pytest.mark.asyncio
async def test_a_process_makes_the_table_of_a_server(cup: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    found = await par_table_beside(cup)
    assert found is not None
    kept = cup.folder / "pars" / f"{found.par}.jsonl"
    assert len(kept.read_text().splitlines()) == 40
    assert found == table_of(cup)
    assert await par_table_beside(replace(cup, par=None)) is None
    (cup.folder / "store.sqlite").write_text("no store")
    with pytest.raises(beside.Failed):
        await par_table_beside(cup)


@pytest.mark.process
def test_processes_end_when_nobody_wants_more(cup: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compute, "_FEW", 2)
    records = {
        path.name.removesuffix(".jsonl.gz"): path for path in record_files.in_folder(cup.folder / "records")
    }
    before = set(active_children())
    results = compute.computed(records, "greedy", workers=2)
    _epoch, par = next(results)
    assert isinstance(par, Result)
    assert set(active_children()) > before
    results.close()
    assert set(active_children()) == before


def test_a_process_that_is_ended_is_told(cup: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        def submit(self, *_: object) -> None:
            raise BrokenProcessPool

    monkeypatch.setattr(compute, "_FEW", 2)
    monkeypatch.setattr(compute, "worker_pool", lambda _workers, *, niceness: nullcontext(Broken()))
    with pytest.raises(ParError, match="run the command again"):
        table_of(cup, workers=2)
