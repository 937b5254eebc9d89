"""The seasons of a ladder: what is kept of one, and what the next one begins with."""

import json
from datetime import UTC, datetime
from math import hypot
from pathlib import Path

import pytest

from referee.match.effects import Outcome
from referee.match.faults import FaultCounts, Termination
from tournaments.cli.failure import Failure
from tournaments.cli.season import run_season
from tournaments.cli.tournament import run_ladder
from tournaments.folder_lock import FolderError, owned
from tournaments.plan.plan import Entry, Plan
from tournaments.plan.states import EntryState, TournamentState
from tournaments.ratings import Rating
from tournaments.schedule.ladder import Candidate, Recent, next_match
from tournaments.serving.next_season import EndedSeason, complete, end_season
from tournaments.standings.live import current
from tournaments.store import MatchResult, Store, StoreError
from tournaments.tournament_file.reader import ConfigError, load
from tournaments.tournament_file.season import next_of

LADDER = """game = "two_handed_spades"
format = "ladder"
[[entries]]
name = "a"
version = "1"
bot = "greedy"
[[entries]]
name = "b"
bot = "random"
"""
CLEAN = (FaultCounts(), FaultCounts())


def ended(plan: Plan, widening: float = 0.25) -> EndedSeason:
    return end_season(plan, lambda: datetime(2026, 11, 24, tzinfo=UTC), widening=widening)


def play(plan: Plan, matches: int) -> list[str]:
    """Play matches that a wins; return their ids."""
    ids = []
    with Store.open(plan) as store:
        for serial in range(1, matches + 1):
            known = [Candidate(name=name, rating=Rating(25, 8), matches=0, waited=0) for name in "ab"]
            pairing = next_match(plan, known, Recent(), serial)
            assert pairing is not None
            store.issue([pairing])
            ids.append(pairing.match_id)
            ranks = (1, 2) if pairing.entries[0] == "a" else (2, 1)
            outcome = Outcome(Termination.COMPLETED, ranks, (10, 5), capped=False, faults=CLEAN, forfeited=())
            store.add(
                MatchResult(
                    match_id=pairing.match_id,
                    attempt=1,
                    outcome=outcome,
                    record=f"records/{pairing.match_id}.1.jsonl.gz",
                    record_sha256="00",
                    started="2026-11-24T00:00:00+00:00",
                    duration=1,
                )
            )
    return ids


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return the file of a ladder."""
    file = tmp_path / "cup.toml"
    file.write_text(LADDER)
    return file


def test_a_season_is_kept_and_the_next_begins_with_its_ratings(file: Path) -> None:
    plan = load(file)
    ids = play(plan, 4)
    kept_files = {"tokens.json": '{"tokens": []}', "blocked.json": '{"blocked": []}'}
    for name, text in kept_files.items():
        (plan.folder / name).write_text(text)
    with Store.open(plan) as store:
        before = {each.entry: each for each in current(store, plan).standings}
        digest = store.records_digest()
        store.register(Entry(name="remote", remote=True))
        store.register(Entry(name="away", remote=True))
        store.register(Entry(name="gone", remote=True))
        store.set_standing("away", EntryState.PAUSED)
        store.set_standing("gone", EntryState.LEFT)
    done = ended(plan)
    kept = file.parent / "cup.fairdeal.season-1"
    assert done == EndedSeason(1, kept, digest, 4, 2)
    told = json.loads((kept / "season-end.json").read_text())
    assert (told["season"], told["matches"], told["records_sha256"]) == (1, 4, digest)
    for each in told["standings"]:
        if each["entry"] in before:
            rating = before[each["entry"]].rating
            assert (each["matches"], each["mu"], each["sigma"]) == (4, rating.mu, rating.sigma)
    # the season that is over can be read under another folder, and is not played any more
    (file.parent / "old.toml").write_text(f'name = "cup"\nfolder = "{kept.name}"\n{LADDER}')
    with Store.read(load(file.parent / "old.toml")) as store:
        assert (store.state, store.played_count()) == (TournamentState.FINISHED, 4)

    after = load(file)
    assert after.season == 2
    for name, each in before.items():
        rating = after.priors[name]
        assert (rating.mu, rating.sigma) == (each.rating.mu, min(hypot(each.rating.sigma, 25 / 12), 25 / 3))
    assert {name: (after.folder / name).read_text() for name in kept_files} == kept_files
    with Store.read(after) as store:
        states = {each.entry.name: each.state for each in store.roster()}
        assert states == {
            "a": EntryState.ACTIVE,
            "b": EntryState.ACTIVE,
            "remote": EntryState.ACTIVE,
            "away": EntryState.PAUSED,
        }
        lines = {each.entry: each for each in current(store, after).standings}
        assert {name: lines[name].rating for name in before} == after.priors
        assert lines["remote"].rating.mu == 25
        assert {each.matches for each in lines.values()} == {0}
    assert not set(ids) & set(play(after, 4))


def test_a_season_follows_the_next(file: Path) -> None:
    for season in (1, 2, 3):
        plan = load(file)
        assert plan.season == season
        play(plan, 2)
        assert ended(plan, widening=1.0).season == season
        assert {rating.sigma for rating in load(file).priors.values()} == {25 / 3}
    assert [path.name for path in sorted(file.parent.glob("cup.fairdeal.season-*"))] == [
        f"cup.fairdeal.season-{season}" for season in (1, 2, 3)
    ]


def test_what_interrupts_it_is_made_good(file: Path) -> None:
    plan = load(file)
    play(plan, 2)
    next_of(plan.folder).mkdir()  # killed while the next one was prepared
    (next_of(plan.folder) / "season.json").write_text("half")
    ended(plan)
    plan.folder.replace(next_of(plan.folder))  # killed before the next one had its name
    with pytest.raises(ConfigError, match="run fairdeal ladder season again"):
        load(file)
    assert complete(plan.folder)
    assert load(file).season == 2
    assert not complete(plan.folder)


def test_what_cannot_be_ended_is_told(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = load(file)
    with pytest.raises(FolderError, match="no match has been played in this season yet"):
        ended(plan)
    play(plan, 1)
    with owned(plan.folder), pytest.raises(FolderError, match="another fairdeal process is at work here"):
        ended(plan)
    (file.parent / "cup.fairdeal.season-1").mkdir()
    with pytest.raises(FolderError, match="season-1: is there already: move it away"):
        ended(plan)
    file.write_text(LADDER.replace("ladder", "round_robin"))
    with pytest.raises(FolderError, match="is no ladder"):
        ended(load(file))
    file.write_text(f'store = "postgresql://u@h/d"\n{LADDER}')
    with pytest.raises(StoreError, match="give the next one another name in its file"):
        ended(load(file))


@pytest.mark.parametrize(
    "text", ["", "[]", '{"season": 1, "priors": {}}', '{"season": 2, "priors": {"a": {"mu": 1, "sigma": 0}}}']
)
def test_a_broken_season_is_told(file: Path, text: str) -> None:
    folder = load(file).folder
    folder.mkdir()
    (folder / "season.json").write_text(text)
    with pytest.raises(ConfigError, match=r"season\.json: is not a file of a season"):
        load(file)


def test_a_store_of_another_season_is_refused(file: Path) -> None:
    plan = load(file)
    play(plan, 1)
    ended(plan)
    play(load(file), 1)
    (plan.folder / "season.json").unlink()
    with pytest.raises(StoreError, match="season is 1, was 2"):
        Store.open(load(file))


def test_what_is_printed(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    play(load(file), 2)
    run_season(file, 0.25, as_json=False)
    kept = file.parent / "cup.fairdeal.season-1"
    told = json.loads((kept / "season-end.json").read_text())
    assert capsys.readouterr().out.splitlines() == [
        f"season 1 is over after 2 matches; it is kept in {kept}",
        f"SHA-256 over its records: {told['records_sha256']}",
        f"season 2 begins with the ratings of 2 entries, less surely: fairdeal ladder run {file}",
    ]
    play(load(file), 2)
    run_season(file, 0.25, as_json=True)
    assert json.loads(capsys.readouterr().out)["season"] == 2
    load(file).folder.replace(next_of(load(file).folder))
    run_season(file, 0.25, as_json=True)
    assert capsys.readouterr().err == f"{file}: the new season that was begun before is ready\n"


def test_of_a_ladder_of_a_server_the_next_step_is_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "tournaments" / "cup" / "cup.toml"
    file.parent.mkdir(parents=True)
    file.write_text(LADDER)
    (tmp_path / "journal").mkdir()
    play(load(file), 2)
    run_season(file, 0.25, as_json=False)
    told = capsys.readouterr().out.splitlines()[2]
    assert told.endswith("start the server again, then: fairdeal tournament start cup --server ADDRESS")


def test_a_season_that_is_over_is_not_played_on(file: Path) -> None:
    play(load(file), 2)
    kept = ended(load(file)).folder
    old = file.with_name("old.toml")
    old.write_text(f'name = "cup"\nfolder = "{kept.name}"\n{LADDER}')
    with pytest.raises(Failure, match="its season is over, and is only read"):
        run_ladder(old, as_json=False, drain=0.0, matches=1)
