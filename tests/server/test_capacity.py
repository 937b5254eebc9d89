"""How many connections a referee takes."""

import logging
import resource

import pytest

from referee.core.limits import MOST_CONNECTIONS, Limits
from referee.files.open_files import Room
from referee.server.addresses import CannotListen
from referee.server.capacity import allowed, enough_files


@pytest.mark.parametrize(
    ("asked", "files", "connections"),
    [
        (0, 256, 140),
        (0, 1024, 716),
        (0, 1 << 20, 8192),
        (140, 256, 140),
        (2, 256, 2),
        (9_000, 1 << 20, 9_000),
    ],
)
def test_connections_are_those_asked_for_or_those_that_there_are_files_for(
    asked: int, files: int, connections: int
) -> None:
    assert allowed(asked, Room(files, used=20)) == connections


@pytest.mark.parametrize(
    ("asked", "files", "named", "enough", "remedy"),
    [
        (0, 128, 16, 256, ""),
        (9, 110, 9, 256, ""),
        (141, 256, 141, 512, ", or set connections to 140 or less"),
    ],
)
def test_what_does_not_fit_is_refused_with_a_remedy(
    asked: int, files: int, named: int, enough: int, remedy: str
) -> None:
    with pytest.raises(CannotListen) as caught:
        allowed(asked, Room(files, used=20))
    assert str(caught.value) == (
        f"{named} connections need more open files than the {files} that this process may have:"
        f" allow {enough} (ulimit -Hn {enough}, or LimitNOFILE={enough} in a unit of systemd){remedy}"
    )


def test_what_there_is_room_for_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    with enough_files(Limits(connections=20)) as limits:
        assert limits.connections == 20
    assert f"open files: {hard}, 32 of them in reserve; connections: 20" in caplog.text


def test_a_server_is_given_as_many_as_there_is_room_for() -> None:
    with enough_files(Limits()) as limits:
        assert 16 <= limits.connections <= MOST_CONNECTIONS
