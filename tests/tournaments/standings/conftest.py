"""A ladder and its store, for standings of what is stored."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sample_report import plan
from tests.tournaments.standings.issuing import NAMES
from tournaments.plan.plan import Format, Plan
from tournaments.store import Store


@pytest.fixture
def kept_early(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep checkpoints and tell of progress ten times as often, so that few matches are enough here."""
    monkeypatch.setattr("tournaments.standings.live._WORTH_KEEPING", 50)
    monkeypatch.setattr("tournaments.standings.live._PROGRESS_EVERY", 100)


@pytest.fixture
def of(tmp_path: Path) -> Plan:
    return plan(NAMES, "piquet", format=Format.LADDER, folder=tmp_path / "ladder")


@pytest.fixture
def store(of: Plan) -> Iterator[Store]:
    with Store.open(of) as store:
        yield store
