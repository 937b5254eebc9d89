"""A server whose tournaments have their stores in PostgreSQL, over real processes."""

import signal

from tests.e2e.places import free_port
from tests.tournaments.store.conftest import Postgres, postgres  # noqa: F401 - a fixture
from tests.workspace import CompletedCommand, Running, Workspace, until

CUP = """game = "two_handed_spades"
match = { deals = 1 }
rounds = 12
concurrency = 2
clock = "debug"
[[entries]]
name = "a"
bot = "greedy"
[[entries]]
name = "b"
bot = "random"
"""
PASSWORD = "hunter2"


def test_a_tournament_in_a_database_outlives_kills_and_gives_up_its_name(
    workspace: Workspace,
    postgres: Postgres,  # noqa: F811
) -> None:
    url = postgres.new_database()
    store = url.replace("fairdeal@", f"fairdeal:{PASSWORD}@")
    file = workspace.file(CUP)
    token = workspace.ask("token", "add", "carol", "--role", "organiser").out.strip()
    server = f"127.0.0.1:{free_port(workspace.folder)}"
    told: list[str] = []

    def ask(*words: object) -> CompletedCommand:
        done = workspace.ask(*words, "--server", server, FAIRDEAL_TOKEN=token)
        told.extend((done.out, done.err))
        return done

    def serve() -> Running:
        return workspace.start("serve", "--tournaments", "--listen", server, FAIRDEAL_STORE=store)

    def played() -> int:
        number: int = ask("tournament", "status", "cup", "--json").json["played"]
        return number

    running = serve()
    running.says("fairdeal listens on")
    assert f"new tournaments have their stores in {url.partition('?')[0]}\n" in running.out
    assert "created" in ask("tournament", "create", file).out
    assert ask("tournament", "start", "cup").status == 0
    until(lambda: played() >= 2, "two matches")
    running.process.kill()
    told.append(running.done().out + running.err)

    # while the database is away nothing begins, so that nobody forfeits
    postgres.halt()
    try:
        lost = serve().done()
    finally:
        postgres.start()
    assert lost.status == 1
    assert lost.err.startswith(f"fairdeal: {url.partition('?')[0]}: cannot be used as a store (")
    told.append(lost.out + lost.err)
    running = serve()
    running.says("fairdeal listens on")
    until(lambda: played() == 12, "all matches")
    matches = ask("tournament", "matches", "cup", "--json").json["matches"]
    assert {each["state"] for each in matches if each["stands"]} == {"completed"}
    assert ask("tournament", "report", "cup", "--json", "--output", "-").status == 0

    # on the server's machine
    kept = workspace.folder / "fairdeal-serve/tournaments/cup/cup.toml"
    refused = workspace.ask("tournament", "status", kept)
    assert "say how to reach it, as FAIRDEAL_STORE=postgresql://" in refused.line
    for words in (("tournament", "standings", kept), ("record", "verify", kept)):
        done = workspace.run(*words, FAIRDEAL_STORE=store)
        assert done.status == 0, done.err
        told.extend((done.out, done.err))
    assert "end the run" in workspace.ask("backup", workspace.folder / "fairdeal-serve", "b.tar").line

    # its name is free in the database, too, and what was played is read without it
    assert ask("tournament", "delete", "cup").status == 0
    assert "created" in ask("tournament", "create", file).out
    archived = workspace.folder / "fairdeal-serve/archive/cup-1/tournaments/cup/cup.toml"
    assert " 12 verified" in workspace.run("record", "verify", archived).out
    assert workspace.ask("tournament", "status", archived, "--json").json["played"] == 12
    assert played() == 0
    told.append(running.stopped(signal.SIGTERM).out + running.err)

    assert PASSWORD not in "".join(told)
    files = [path for path in (workspace.folder / "fairdeal-serve").rglob("*") if path.is_file()]
    assert files
    assert not [path for path in files if PASSWORD.encode() in path.read_bytes()]
