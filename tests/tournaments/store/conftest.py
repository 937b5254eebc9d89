"""Stores in both databases: each test that takes `location` runs in SQLite and in a real PostgreSQL."""

import os
import shutil
import signal
import sqlite3
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any
from unittest import mock

import psycopg
import pytest

from referee.match.effects import Outcome
from referee.match.faults import FaultCounts, Termination
from tournaments import schedule
from tournaments.plan.plan import Plan
from tournaments.store import ADDRESS, FILE, MatchResult, Store
from tournaments.tournament_file.reader import load

CUP = """game = "two_handed_spades"
rounds = 2
[[entries]]
name = "ann"
version = "1.0"
bot = "greedy"
[[entries]]
name = "ben"
bot = "random"
[[entries]]
name = "cid"
bot = "random"
"""
LADDER = f'format = "ladder"\n{CUP}'.replace("rounds = 2\n", "")
CLEAN = (FaultCounts(), FaultCounts())


class Postgres:
    """A PostgreSQL of our own, in a temporary folder, on a Unix socket."""

    def __init__(self, programs: Path) -> None:
        # not below the folder of the tests: that one is closed to others, and its path too long for a socket
        self.folder = Path(tempfile.mkdtemp(prefix="fairdeal-pg-"))
        self._programs = programs
        self._user: dict[str, Any] = {}
        if os.getuid() == 0:  # as which it refuses to run
            shutil.chown(self.folder, "postgres", "postgres")
            self._user = {"user": "postgres", "group": "postgres", "extra_groups": []}
        self._numbers = count(1)
        data = str(self.folder / "data")
        try:
            self._run("initdb", "-D", data, "-U", "fairdeal", "--auth=trust", "--no-sync", "-E", "UTF8")
            self.start()
        except BaseException:
            shutil.rmtree(self.folder)
            raise

    def start(self) -> None:
        """Start it, unless it runs."""
        if (self.folder / "data" / "postmaster.pid").exists():
            return
        quick = "-c fsync=off -c full_page_writes=off"  # what it has said is kept when it is stopped at once
        options = f"-k {self.folder} -c listen_addresses='' {quick}"
        data = str(self.folder / "data")
        self._run("pg_ctl", "-D", data, "-w", "-l", str(self.folder / "log"), "-o", options, "start")

    def halt(self) -> None:
        """Stop it at once, as a power cut would."""
        self._run("pg_ctl", "-D", str(self.folder / "data"), "-w", "-m", "immediate", "stop")

    def stop(self) -> None:
        """Stop it for good."""
        self.halt()
        shutil.rmtree(self.folder)

    def freeze(self) -> None:
        """Have it answer nobody, also those who connect."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Have it go on."""
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        for process in self._processes():
            with suppress(ProcessLookupError):  # one that served a connection may be gone by now
                os.kill(process, number)

    def _processes(self) -> list[int]:
        """Return the process that lets in, first, and those that it has started."""
        pid = self.folder / "data" / "postmaster.pid"
        if not pid.exists():
            return []
        first = int(pid.read_text().splitlines()[0])
        children = Path(f"/proc/{first}/task/{first}/children").read_text().split()
        return [first, *map(int, children)]

    def new_database(self) -> str:
        """Return the URL of a database that holds nothing."""
        name = f"cup_{next(self._numbers)}"
        self.sql(self.url("postgres"), f"CREATE DATABASE {name}")
        return self.url(name)

    def url(self, database: str) -> str:
        return f"postgresql://fairdeal@/{database}?host={self.folder}"

    def sql(self, url: str, statement: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(url, autocommit=True) as connection:
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def _run(self, program: str, *arguments: str) -> None:
        # into a file: the server keeps what it was started with, and a pipe would not end before it does
        with (self.folder / f"{program}.out").open("w+") as output:
            done = subprocess.run(
                [self._programs / program, *arguments],
                cwd=self.folder,
                env={"PATH": os.defpath, "LC_ALL": "C"},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                check=False,
                **self._user,
            )
            output.seek(0)
            assert done.returncode == 0, f"{program}: {output.read()}"


def programs_of_postgres() -> Path | None:
    """Return where initdb is, of the newest version that is installed."""
    if found := shutil.which("initdb"):
        return Path(found).parent
    by_version = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[4]))
    return by_version[-1].parent if by_version else None


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    programs = programs_of_postgres()
    if programs is None:
        text = "PostgreSQL is not installed (apt-get install postgresql)"
        if os.environ.get("FAIRDEAL_POSTGRES") == "1":
            pytest.fail(f"FAIRDEAL_POSTGRES=1, and {text}")
        pytest.skip(text)
    server = Postgres(programs)
    yield server
    server.stop()


class StoreLocation:
    """Where the stores of a test are: a folder and, with a ``url``, a PostgreSQL database."""

    def __init__(self, folder: Path, server: Postgres | None) -> None:
        self.folder = folder
        self.server = server
        self.url = server.new_database() if server else None

    def plan(self, text: str = CUP, name: str = "cup") -> Plan:
        path = self.folder / f"{name}.toml"
        path.write_text(text, encoding="utf-8")
        with mock.patch.dict(os.environ, {ADDRESS: self.url} if self.url else {}):
            return replace(load(path), store=self.url)

    def issued(self, plan: Plan) -> Store:
        """Open the store of a plan with all its matches issued."""
        store = Store.open(plan)
        store.issue(schedule.next(plan, store.issued(), {}))
        return store

    def ids(self, plan: Plan) -> list[str]:
        return [pairing.match_id for pairing in schedule.next(plan, set(), {})]

    def result(
        self,
        match_id: str,
        attempt: int = 1,
        termination: Termination = Termination.COMPLETED,
        score: int = 300,
    ) -> MatchResult:
        ranks = (1, 2) if termination in (Termination.COMPLETED, Termination.FORFEIT) else ()
        return MatchResult(
            match_id=match_id,
            attempt=attempt,
            outcome=Outcome(termination, ranks, (score, 120), False, CLEAN, ()),
            record=f"records/{match_id}.{attempt}.jsonl.gz",
            record_sha256="ab" * 32,
            started="2026-03-01T12:00:00+00:00",
            duration=1_500_000,
        )

    def sql(self, statement: str) -> list[tuple[Any, ...]]:
        """Run a statement beside the store."""
        if self.server and self.url:
            return self.server.sql(self.url, statement)
        with closing(sqlite3.connect(self.plan().folder / FILE)) as database, database:
            return database.execute(statement).fetchall()


@pytest.fixture(
    params=["sqlite", pytest.param("postgres", marks=(pytest.mark.process, pytest.mark.postgres))]
)
def location(request: pytest.FixtureRequest, tmp_path: Path) -> StoreLocation:
    return StoreLocation(
        tmp_path, request.getfixturevalue("postgres") if request.param == "postgres" else None
    )


@pytest.fixture
def sqlite(tmp_path: Path) -> StoreLocation:
    return StoreLocation(tmp_path, None)


@pytest.fixture
def in_postgres(tmp_path: Path, postgres: Postgres) -> StoreLocation:
    return StoreLocation(tmp_path, postgres)


@pytest.fixture
def without_beats(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have no lease renewed in the midst of a test, however long that takes."""
    monkeypatch.setattr("tournaments.store.leases.BEAT", 1e6)


@pytest.fixture
def cup_text() -> str:
    return CUP


@pytest.fixture
def ladder_text() -> str:
    return LADDER
