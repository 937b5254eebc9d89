"""A tournament in a shared database goes on only where its journal, its secrets and its records are."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from tests.tournaments.store.conftest import StoreLocation
from tournaments.cli import tournament as cli
from tournaments.plan.plan import Plan
from tournaments.plan.states import TournamentState
from tournaments.running.errors import RunFailed
from tournaments.running.resuming import check_folder
from tournaments.serving.one_tournament import conduct
from tournaments.store import Store


async def run(plan: Plan) -> None:
    """Conduct a tournament that is to stop at once."""
    stopping = asyncio.Event()
    stopping.set()
    await conduct(
        plan, [], on_lost=lambda _lost: None, on_listening=lambda *_: None, stopping=stopping, drain=0.0
    )


@pytest.mark.asyncio
async def test_in_another_folder_it_is_refused(in_postgres: StoreLocation, tmp_path: Path) -> None:
    plan = in_postgres.plan()
    in_postgres.issued(plan).close()
    elsewhere = replace(plan, folder=tmp_path / "elsewhere")
    with pytest.raises(RunFailed, match="begun in another folder") as failure:
        await run(elsewhere)
    text = str(failure.value)
    assert text.startswith(f"{elsewhere.folder}: postgresql://")
    assert f"make the folder {elsewhere.folder / 'records'}" in text
    assert not (elsewhere.folder / "journal").exists()


@pytest.mark.parametrize("case", ["its own folder", "a lost folder's place", "nothing issued"])
def test_where_its_files_are_it_goes_on(in_postgres: StoreLocation, tmp_path: Path, case: str) -> None:
    plan = in_postgres.plan()
    if case != "nothing issued":
        in_postgres.issued(plan).close()
    if case == "a lost folder's place":
        plan = replace(plan, folder=tmp_path / "elsewhere")
    with Store.open(plan) as store:
        if case != "nothing issued":
            with pytest.raises(RunFailed):
                check_folder(plan, store)
            (plan.folder / "records").mkdir(parents=True)
        check_folder(plan, store)


def test_a_store_in_the_folder_is_never_elsewhere(sqlite: StoreLocation) -> None:
    plan = sqlite.plan()
    with sqlite.issued(plan) as store:
        check_folder(plan, store)


def test_the_status_says_where_what_is(
    in_postgres: StoreLocation, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = in_postgres.plan()
    in_postgres.issued(plan).close()
    file = in_postgres.folder / "cup.toml"
    file.write_text(f'store = "{in_postgres.url}"\n{file.read_text()}')
    cli.show_status(file, as_json=False)
    with Store.read(plan) as store:
        assert capsys.readouterr().out.endswith(
            f"\nstore: {store.place}\nrecords: {plan.folder / 'records'}\n"
        )


@pytest.mark.usefixtures("without_beats")
def test_the_status_says_who_runs_it_elsewhere(
    in_postgres: StoreLocation, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = in_postgres.plan()
    file = in_postgres.folder / "cup.toml"
    file.write_text(f'store = "{in_postgres.url}"\n{file.read_text()}')
    with in_postgres.issued(plan) as store:
        store.set_state(TournamentState.RUNNING)
        cli.show_status(file, as_json=False)
        told = capsys.readouterr().out.splitlines()[0]
        assert "it is begun, and not running in this folder: last run by process" in told
        in_postgres.sql("UPDATE leases SET seen = 0")
        cli.show_status(file, as_json=False)
        assert "it is begun, and not running now" in capsys.readouterr().out
