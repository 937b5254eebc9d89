"""Points with the luck of the deal taken out, in the commands that show standings."""

import os
import signal
from pathlib import Path

import pytest

import tournaments.cli.par
from tests.tournaments.config_files import write
from tests.tournaments.conftest import Fairdeal
from tests.tournaments.kept import restored
from tests.tournaments.par.played import PAR, file_of, play_out
from tests.workspace import Workspace, until
from tournaments.folder_lock import owned
from tournaments.par.play import ParError
from tournaments.store import Store
from tournaments.tournament_file.reader import load


@pytest.fixture
def cup(tmp_path: Path) -> Path:
    return tmp_path / play_out(tmp_path, file_of("euchre", "g g10", 30) + PAR).source.name  # type: ignore[union-attr]


def test_the_commands_show_it(fairdeal: Fairdeal, cup: Path) -> None:
    done = fairdeal("tournament", "standings", cup)
    assert "cup (euchre): points a deal, with the luck of the deal taken out" in done.out
    data = fairdeal("tournament", "standings", cup, "--json").json["par"]
    assert (data["matches"], data["named_before_first_card"], len(data["pairs"])) == (30, True, 1)
    assert fairdeal("tournament", "report", cup, "--json").json["par"] == data
    assert fairdeal("tournament", "report", cup, "--csv", "-o", "cup.csv").status == 0
    text = cup.with_name("cup-par.csv").read_text()
    assert text.startswith("entry,opponent,matches,raw,raw_margin,adjusted,margin,factor\ng,,30,")


def test_the_plan_names_the_bot(fairdeal: Fairdeal, tmp_path: Path) -> None:
    file = write(tmp_path, file_of("euchre", "g g10", 1) + PAR)
    par = load(file).par
    assert fairdeal("tournament", "plan", file).out.endswith(f"luck of the deal out of points: {par}\n")
    assert fairdeal("tournament", "plan", file, "--json").json["par"] == str(par)
    file = write(tmp_path, file_of("euchre", "g g10", 1))
    assert "par" not in fairdeal("tournament", "plan", file).out.split()
    assert fairdeal("tournament", "plan", file, "--json").json["par"] is None


def test_a_tournament_of_an_earlier_version_is_given_a_par(fairdeal: Fairdeal, tmp_path: Path) -> None:
    file = restored("piquet-finished", tmp_path)
    before = fairdeal("tournament", "standings", file, "--json").json
    assert "par" not in before
    file.write_text(file.read_text() + PAR)
    after = fairdeal("tournament", "standings", file, "--json").json
    par = after.pop("par")
    assert (par["matches"], par["named_before_first_card"], par["points_per"]) == (1, False, "deal")
    assert after == before
    assert "luck" in fairdeal("tournament", "standings", file).out


def test_bots_that_play_have_half_of_the_processors(
    fairdeal: Fairdeal, cup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[int] = []

    def taken_out(*_: object, workers: int) -> None:
        given.append(workers)

    monkeypatch.setattr(tournaments.cli.par, "par_table", taken_out)
    monkeypatch.setattr("tournaments.hosting.cpu_use.COUNT", 8)
    fairdeal("tournament", "standings", cup)
    with owned(load(cup).folder):
        fairdeal("tournament", "standings", cup)
    assert given == [8, 4]


def test_ctrl_c_keeps_what_was_computed(workspace: Workspace) -> None:
    plan = play_out(workspace.folder, file_of("euchre", "g g10", 80) + PAR)
    folder = plan.folder
    with Store.read(plan) as store:
        record = folder / list(store.scores())[-1].record
    held = record.rename(folder / record.name)
    os.mkfifo(record)  # whoever reads it waits for ever
    running = workspace.start("tournament", "standings", "cup.toml")
    until(lambda: list(folder.glob("pars/*")), "pars that are kept")
    done = running.stopped(signal.SIGINT)
    assert (done.status, done.out, done.err) == (130, "", "")
    (kept,) = folder.glob("pars/*")
    assert 64 <= len(kept.read_text().splitlines()) < 80
    held.rename(record)
    assert workspace.ask("tournament", "standings", "cup.toml", "--json").json["par"]["matches"] == 80
    assert len(kept.read_text().splitlines()) == 80


def test_a_process_that_was_ended_is_one_line(
    fairdeal: Fairdeal, cup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ended(*_: object, **_more: object) -> None:
        raise ParError("a process that computed pars was ended: run the command again to go on")

    monkeypatch.setattr(tournaments.cli.par, "par_table", ended)
    done = fairdeal("tournament", "standings", cup)
    assert (done.status, done.line) == (
        1,
        "fairdeal: a process that computed pars was ended: run the command again to go on",
    )
