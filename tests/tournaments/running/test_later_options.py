"""What an earlier version left goes on when its game has an option more: tests/tournaments/kept.py."""

import json
import os
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from referee.cards import Seat
from referee.core.access import Trusting
from referee.core.core import Core
from referee.core.running_match import RunningMatch
from referee.dealing.decks import MatchDeals
from referee.dealing.keys import KeySource, SeededKeys, Vault
from referee.games.base import Game
from referee.games.registry import GAMES
from referee.match.effects import Effect, MatchSetup, Tell
from referee.match.faults import Termination
from referee.match.messages import Decision, Seated
from referee.match.replay import Header
from referee.storage import record, record_files
from referee.storage.record import read_header, read_input
from referee.transcript import lines
from tests.later_option import LATER, add_option
from tests.tournaments import kept
from tournaments.plan.changes import changes
from tournaments.store import Store
from tournaments.tournament_file import reader

SEED: Final = "kept"
LONG: Final = os.environ.get("FAIRDEAL_LONG") == "1"
RESUMED: Final = kept.GAMES if LONG else ("hearts",)  # the others in tests of a referee without a network

Line = dict[str, Any]
every_game = pytest.mark.parametrize("game", kept.GAMES)


@pytest.fixture(params=["as it was", "with a later option"])
def version(request: pytest.FixtureRequest, game: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Play by the rules that the kept tournaments began with, or by those that have an option more."""
    if request.param != "as it was":
        add_option(monkeypatch, GAMES[game])
    return str(request.param)


def finished(game: str) -> Path:
    (path,) = (kept.KEPT / f"{game}-finished").glob("folder/records/*")
    return path


def journal(game: str) -> list[Line]:
    (path,) = (kept.KEPT / f"{game}-running").glob("folder/journal/*")
    _snapshot, *lines = map(json.loads, path.read_text().splitlines())
    return [{key: value for key, value in line.items() if key != "key"} for line in lines]


def within(now: Any, before: Any) -> Any:
    """Return what is told now without what was not told before: keys that it lacked, and null."""
    if before is None:
        return None
    if isinstance(before, dict):
        return {key: within(now[key], value) for key, value in before.items()}
    if isinstance(before, list) and len(before) == len(now):
        return [within(*each) for each in zip(now, before, strict=True)]
    return now


# Tournaments


@every_game
@pytest.mark.parametrize("end", ["finished", "running"])
@pytest.mark.usefixtures("version")
def test_what_was_played_is_shown_as_before(
    game: str, end: str, fairdeal: Callable[..., Any], tmp_path: Path
) -> None:
    file = kept.restored(f"{game}-{end}", tmp_path / "cup")
    before = json.loads((kept.KEPT / f"{game}-{end}" / "report.json").read_text())
    as_before = file.with_stem("as_before")  # by the rules of the version that kept it
    rating = f"name = 'cup'\nfolder = '{kept.FOLDER}'\nrating = {{ tau = {25 / 300}, rank_by = 'running' }}\n"
    as_before.write_text(rating + file.read_text())
    done = fairdeal("tournament", "report", "--json", as_before)
    assert (done.status, done.err) == (0, "")
    for line in before["standings"]:
        assert line.pop("points") is None  # those of a round robin were not counted then
    assert within(done.json, before) == before
    by_the_fit = fairdeal("tournament", "report", "--json", file).json
    assert all((line["skill_mu"] is None) == (not line["matches"]) for line in by_the_fit["standings"])
    done = fairdeal("tournament", "status", "--json", file)
    assert (done.status, done.json["state"]) == (0, end)
    assert fairdeal("tournament", "standings", file).status == 0
    assert fairdeal("tournament", "report", file, "--output", tmp_path / "cup.html").status == 0
    if end == "finished":
        done = fairdeal("tournament", "run", file)
        assert (done.status, done.err) == (0, f"cup ({game}): all 1 matches are played\n")


@pytest.mark.process
@pytest.mark.parametrize("game", RESUMED)
@pytest.mark.usefixtures("version")
def test_a_tournament_goes_on_in_mid_match(game: str, fairdeal: Callable[..., Any], tmp_path: Path) -> None:
    file = kept.restored(f"{game}-running", tmp_path / "cup")
    assert fairdeal("tournament", "run", "--json", file).json["played"] == 1
    (path,) = record_files.in_folder(file.parent / kept.FOLDER / "records")
    played, left = record.read(path), journal(game)
    assert [played.header, *inputs(played)[: len(left) - 1]] == left
    assert next(line for line in played.lines if line["type"] == "outcome")["termination"] == "completed"


@every_game
def test_a_finished_tournament_has_nothing_left_to_play(
    game: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    plan = reader.load(kept.restored(f"{game}-finished", tmp_path / "cup"), to_run=False)
    with Store.read(plan) as store:
        (before,) = store.results()
    add_option(monkeypatch, GAMES[game])
    plan = reader.load(tmp_path / "cup" / kept.FILE)
    assert plan.options[LATER.name] == LATER.default
    with Store.open(plan) as store:
        assert list(store.results()) == [before]
    monkeypatch.undo()  # and a version of before may look at it again
    with Store.read(reader.load(tmp_path / "cup" / kept.FILE)) as store:
        assert list(store.results()) == [before]


@every_game
def test_an_option_that_is_given_is_a_change(
    game: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = kept.restored(f"{game}-finished", tmp_path / "cup")
    before = reader.load(file).describe()
    add_option(monkeypatch, GAMES[game])
    file.write_text(file.read_text().replace("[options]", f"[options]\n{LATER.name} = 12"))
    after = reader.load(file).describe()
    assert list(map(str, changes(before, after))) == ["options.later_rule is 12, was 13"]
    # who described all options of a game, this one too, has described the same tournament
    bound = {**before, "options": {**before["options"], LATER.name: LATER.default}}
    assert (changes(bound, before), changes(before, bound)) == ((), ())


# Matches


def inputs(of: record.Record) -> list[Line]:
    return [line for line in of.lines if line["type"] == "input"]


@every_game
@pytest.mark.usefixtures("version")
def test_a_record_is_dealt_and_replays_to_the_byte(game: str) -> None:
    of = record.read(finished(game))
    header = read_header(of.header)
    table = restored(header, inputs(of), SeededKeys(SEED))
    assert table.deals.commitment == header.commitment
    assert table.match.outcome is not None
    assert table.match.outcome.termination is Termination.COMPLETED
    assert record.encode(of.header, table.log, table.deals.secret) == finished(game).read_bytes()
    again = record.header_line(
        header.setup,
        header.owners,
        GAMES[game],
        table.deals.commitment,
        software=of.header["software"],
        started=of.header["started"],
    )
    assert json.dumps(again) == json.dumps(of.header)


@every_game
def test_a_record_is_shown_as_before(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = list(lines(record.read(finished(game))))
    add_option(monkeypatch, GAMES[game])
    assert list(lines(record.read(finished(game)))) == before


@every_game
@pytest.mark.usefixtures("version")
def test_a_journal_resumes_in_mid_match(game: str, tmp_path: Path) -> None:
    folder = kept.restored(f"{game}-running", tmp_path / "cup").parent / kept.FOLDER
    first, *taken = journal(game)
    table = restored(read_header(first), taken, Vault(folder / "secrets"))
    assert table.match.outcome is None
    told = play_out(table)
    seated = [update for update in told if isinstance(update, Seated)]
    bound = GAMES[game].bind({})
    assert len(seated) == GAMES[game].seats
    assert all(each.options.keys() == bound.keys() for each in seated)  # bots are told all there are
    assert {each.commitment.scheme for each in seated} == {"fairdeal/1"}  # as the match was begun
    assert all(each.commitment == read_header(first).commitment for each in seated)
    assert table.match.outcome.termination is Termination.COMPLETED


@every_game
def test_an_option_that_these_rules_do_not_know_makes_a_match_void(
    game: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = kept.restored(f"{game}-running", tmp_path / "cup").parent / kept.FOLDER
    first, *taken = journal(game)
    keys = Vault(folder / "secrets")
    add_option(monkeypatch, GAMES[game])
    header = read_header({**first, "options": {**first["options"], LATER.name: 12}})
    deals = MatchDeals(header.setup, GAMES[game], keys)
    assert deals.commitment.manifest != header.commitment.manifest  # it is given, so it is bound
    line = record.header_line(
        header.setup, header.owners, GAMES[game], deals.commitment, software="", started=""
    )
    assert line["options"][LATER.name] == 12
    monkeypatch.undo()
    table = restored(read_header(line), taken, keys)
    assert table.match.outcome is not None
    assert table.match.outcome.termination is Termination.VOID


def restored(header: Header, taken: list[Line], keys: KeySource) -> RunningMatch:
    """Open the table of a match again as a referee does that goes on."""

    def deals(setup: MatchSetup, rules: Game[Any]) -> MatchDeals:
        return MatchDeals(setup, rules, keys)

    core = Core(deals=deals, access=Trusting(), server="test")
    return core.matches.restore(header, map(read_input, taken), taken[-1]["at"], 0)


def play_out(table: RunningMatch) -> list[Any]:
    """Have all seats of a match come back and play it to its end; return what they were told."""
    match, now, told = table.match, 1 << 40, list[Any]()
    waiting: deque[tuple[Seat, Decision]] = deque()

    def hear(effects: list[Effect]) -> None:
        tells = [effect for effect in effects if isinstance(effect, Tell)]
        told.extend(tell.update for tell in tells)
        waiting.extend((tell.seat, tell.update) for tell in tells if isinstance(tell.update, Decision))

    for number in range(table.game.seats):
        hear(match.back(Seat(number), now))
    while waiting:
        seat, decision = waiting.popleft()
        action = table.game.default(table.game.view(match._state, seat), decision.legal)
        hear(match.answer(seat, decision.decision_id, action, now))
    return told
