"""What the tests of the referee share: a match and a core driven by hand, and records of real matches."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import strategies as st

from referee.games.actions import Action
from referee.storage.record import Record
from tests.draws import draw
from tests.referee.courses import COURSES
from tests.referee.driven import Driven, KeyedDecks, pick
from tests.referee.driven_core import DrivenCore
from tests.referee.recorded import SHORT_MATCHES, NoCourtCards, RecordedTable
from tests.referee.values import structs

# These are classes and functions, which keep nothing: hence they may serve a whole session


@pytest.fixture(scope="session")
def decks() -> type[KeyedDecks]:
    return KeyedDecks


@pytest.fixture(scope="session")
def driven() -> type[Driven]:
    return Driven


@pytest.fixture(scope="session")
def driven_core() -> type[DrivenCore]:
    return DrivenCore


@pytest.fixture(scope="session")
def values_of() -> Callable[[type], st.SearchStrategy[Any]]:
    return structs


@pytest.fixture(scope="session")
def choice() -> Callable[..., Action]:
    return pick


@pytest.fixture(scope="session")
def at_random() -> Callable[..., int]:
    return draw


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[RecordedTable, Record]]:
    """Return matches in which all happens that a record tells of, with their records; nobody changes them."""
    tables = [play() for play in SHORT_MATCHES.values()]
    tables += [RecordedTable("piquet", incidents={(seat, 1): "late"}) for seat in (0, 1)]
    tables += [RecordedTable("piquet", deals=2, dealing=NoCourtCards, first_legal=True)]
    tables += [RecordedTable("euchre", deals=40), RecordedTable("piquet", deals=40)]
    tables += [RecordedTable(game, **given) for game, given, _expected in COURSES.values()]
    return [(table, table.record(tmp_path_factory.mktemp("records"))) for table in tables]
