"""The commands that work on a server, against a server."""

from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from tests.tournaments.conftest import Run
from tests.tournaments.fake_tournament import FakeTournament, line
from tests.tournaments.manager_server import CUP, CUP_STATUS, ServedManager
from tournaments.cli import server_calls
from tournaments.par.estimate import Adjusted, Estimates
from tournaments.par.table import ParTable
from tournaments.plan.plan import ParBot, Plan
from tournaments.plan.states import EntryState, TournamentState
from tournaments.report import model_tables, par_tables
from tournaments.usage.account import Account
from tournaments.usage.table import ModelTable

pytestmark = pytest.mark.asyncio

SETS: Final = """\
game = "piquet"
match = { deals = 1, duplicate = true }
entries = [{ name = "a", bot = "greedy" }, { name = "b", bot = "random" }]
"""

LUCK: Final = ParTable(
    par=ParBot("greedy", "0" * 12),
    is_named_before=True,
    per="deal",
    estimates=Estimates(
        matches=40,
        factor=1.5,
        entries={"a": Adjusted(40, 0.5, 0.25, 0.75, 0.125, 4.0), "b": Adjusted(1, 0.5, None)},
        pairs={("a", "b"): Adjusted(40, 0.5, 0.25)},
    ),
    left_out=3,
    without_par=2,
    problem="/srv/records/x: no such file",
)


def cup(served: ServedManager) -> FakeTournament:
    return served.cup()


# Tournaments


async def test_a_tournament_is_made_and_run(run: Run, served: ServedManager, tmp_path: Path) -> None:
    (tmp_path / "cup.toml").write_text(CUP)
    told = [(await run("tournament", "create", "cup.toml")).out]
    for command in ("start", "pause", "start", "cancel"):
        told.append((await run("tournament", command, "cup")).out)
    states = ("created", "running", "paused", "running", "cancelled")
    owned = CUP_STATUS.replace("\n", "; belongs to boss\n")
    assert told == [owned.format(state) for state in states]
    assert served.disk.opened[0].calls == ["start", "pause", "start", "cancel"]


async def test_somebody_is_invited_and_joins(run: Run, served: ServedManager) -> None:
    cup(served)
    assert "there are no invitations: " in (await run("tournament", "invitations", "cup")).out
    code = (await run("tournament", "invite", "cup", "--for", "Ann")).out.strip()
    await run("tournament", "invite", "cup", "--for", "Bob")
    joined = await run("entry", "join", "cup", "ann", "--code", code)
    served.tokens.check(joined.out.strip(), "ann")
    assert "FAIRDEAL_ENTRY=ann" in joined.err
    told = (await run("tournament", "invitations", "cup", "--revoke", "2")).out.splitlines()
    assert [" ".join(line.split()[2:]) for line in told] == ["used by ann Ann", "revoked Bob"]
    assert [each["entry"] for each in (await run("tournament", "invitations", "cup", "--json")).json] == [
        "ann",
        None,
    ]


async def test_an_author_reads_what_the_bot_has_printed(run: Run, served: ServedManager) -> None:
    cup(served)
    assert (await run("entry", "output", "cup", "c")).out == "c crashed\n"


async def test_a_name_is_given_up(run: Run, served: ServedManager) -> None:
    cup(served)
    assert "it is created: cancel it first" in (await run("tournament", "delete", "cup")).line
    await run("tournament", "cancel", "cup")
    assert (await run("tournament", "delete", "cup")).out == (
        "cup is free again; the server keeps the tournament in archive/cup-1\n"
    )
    assert served.manager.names() == ()


@pytest.mark.parametrize("command", ["start", "status"])
async def test_programs_read_json(run: Run, served: ServedManager, command: str) -> None:
    cup(served)
    done = await run("tournament", command, "cup", "--json")
    assert done.json == {
        "name": "cup",
        "game": "hearts",
        "format": "ladder",
        "state": "running" if command == "start" else "created",
        "is_running": command == "start",
        "matches": 12,
        "issued": 10,
        "played": 7,
        "skipped": 0,
        "playing": 2,
        "attempts": {"completed": 7},
        "taken_back": 0,
        "matches_per_set": 1,
        "awaited": [] if command == "start" else None,
        "being_played": [] if command == "start" else None,
        "matches_per_hour": None,
        "seconds_left": None,
        "pace": None,
        "resting": None,
        "rulings": [],
        "owner": None,
        "folder": None,
    }


async def test_sets_are_counted_where_matches_are_sets(run: Run, served: ServedManager) -> None:
    made = served.cup(text=SETS)
    made.lines = [line("a", 1)]
    told = (await run("tournament", "status", "cup")).out
    assert (
        told
        == "cup (piquet, round robin): created; 3 of 6 sets of 2 matches played, 2 matches being played\n"
    )
    shown = (await run("tournament", "standings", "cup")).out
    assert "sets" in shown.splitlines()[1].split()
    assert (await run("tournament", "status", "cup", "--json")).json["matches_per_set"] == 2


async def test_how_many_matches_there_will_be_is_not_always_known(run: Run, served: ServedManager) -> None:
    cup(served).planned = None
    told = (await run("tournament", "status", "cup")).out
    assert told == "cup (hearts, ladder): created; 7 matches played, 2 being played\n"
    assert (await run("tournament", "status", "cup", "--json")).json["matches"] is None


@pytest.mark.parametrize(
    ("state", "number"), [(TournamentState.RUNNING, "7 of at least 8"), (TournamentState.FINISHED, "7 of 8")]
)
async def test_a_knockout_may_grow_until_it_is_over(
    run: Run, served: ServedManager, state: TournamentState, number: str
) -> None:
    text = CUP.replace("ladder", "double_knockout")
    assert text != CUP
    made = served.cup(text=text)
    made.planned, made.state = 8, state
    told = (await run("tournament", "status", "cup")).out
    assert told == f"cup (hearts, double knockout): {state}; {number} matches played, 2 being played\n"


async def test_all_tournaments_are_listed(run: Run, served: ServedManager) -> None:
    assert (await run("tournament", "list")).out == f"there are no tournaments at {served.address}\n"
    assert (await run("tournament", "list", "--json")).json == []
    names = [f"cup{number:02}" for number in range(60)]  # more than a page
    for name in names:
        served.cup(name=name)
    assert [one["name"] for one in (await run("tournament", "list", "--json")).json] == names
    listed = (await run("tournament", "list")).out.splitlines()
    assert listed == [CUP_STATUS.format("created").replace("cup", name, 1).rstrip() for name in names]


async def test_standings(run: Run, served: ServedManager, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tournaments.service.service.LINES_PER_PAGE", 2)
    cup(served).lines = [line(f"e{rank}", rank) for rank in range(1, 6)]
    told = (await run("tournament", "standings", "cup", "--json")).json
    assert told["state"] == "created"
    assert [(one["rank"], one["entry"]) for one in told["standings"]] == [(n, f"e{n}") for n in range(1, 6)]
    first = told["standings"][0]
    expected = {
        "mu": 25.5,
        "sigma": 3.25,
        "conservative": 15.75,
        "wins": 4,
        "draws": 1,
        "losses": 2,
        "voids": 3,
    }
    assert expected.items() <= first.items()
    assert first["forfeits_by"] == {"late": 1, "illegal+late": 2}
    assert not {"history", "scores"} & first.keys()  # the server does not tell them
    text = (await run("tournament", "standings", "cup")).out
    assert text.startswith("cup (hearts): standings\n")
    assert text.endswith(CUP_STATUS.format("created"))
    assert [row.split()[:2] for row in text.splitlines()[2:7]] == [[str(n), f"e{n}"] for n in range(1, 6)]


async def test_the_luck_of_the_deal_is_taken_out(
    run: Run, served: ServedManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server computes some pars at a time: it is asked until none is missing, or no more come."""
    monkeypatch.setattr("tournaments.service.service.LINES_PER_PAGE", 2)
    cup(served)
    left = [5, 2, 0, 3, 3]

    async def made(_plan: Plan) -> ParTable:
        return replace(LUCK, missing=left.pop(0))

    monkeypatch.setattr("tournaments.service.pars.par_table_beside", made)
    told = (await run("tournament", "standings", "cup", "--json")).json["par"]
    assert told == par_tables.as_json(replace(LUCK, problem="the server's log says why"))
    assert left == [3, 3]
    served.disk.opened[0].store.played += 1
    text = (await run("tournament", "standings", "cup")).out
    assert "cup (hearts): points a deal, with the luck of the deal taken out" in text
    assert "3 matches are left out until the par is computed: ask again" in text
    assert text.endswith("ask again\n\n" + CUP_STATUS.format("created").replace("7 of", "8 of"))


async def test_what_language_models_did_is_told(
    run: Run, served: ServedManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tournaments.service.service.LINES_PER_PAGE", 1)
    cup(served)
    accounts = {"a": Account(matches=1, asked=30, first=29, calls=31, illegal=1), "b": Account(matches=1)}
    table = ModelTable(accounts, {"a": 0.5}, ("a has used 0.5 of max_cost = 2",))

    async def made(_plan: Plan) -> ModelTable:
        return table

    monkeypatch.setattr("tournaments.service.models.model_table_beside", made)
    told = (await run("tournament", "standings", "cup", "--json")).json["models"]
    assert told == model_tables.as_json(table)
    text = (await run("tournament", "standings", "cup")).out
    assert f"\n{model_tables.as_text(table, 'cup (hearts)')}\n" in text


async def test_an_earlier_server_tells_no_par(
    run: Run, served: ServedManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    cup(served)
    method = server_calls._method

    def unknown(rpc: str, request: Any) -> tuple[str, Any, Any]:
        path, *how = method(rpc, request)
        return (path.replace("ListPar", "ListFars").replace("ListModels", "ListNoodles"), *how)

    monkeypatch.setattr(server_calls, "_method", unknown)
    done = await run("tournament", "standings", "cup", "--json")
    assert done.status == 0
    assert "par" not in done.json


async def test_all_that_is_wrong_with_a_file_is_told_with_its_place(
    run: Run, served: ServedManager, tmp_path: Path
) -> None:
    (tmp_path / "my.toml").write_text(CUP.replace("hearts", "chess").replace('"greedy"', '"greedier"'))
    done = await run("tournament", "create", tmp_path / "my.toml")
    assert (done.status, done.out) == (2, "")
    first, second = done.err.splitlines()
    assert first.startswith(f'{tmp_path}/my.toml:1: game: "chess": no such game')
    assert second.startswith(f'{tmp_path}/my.toml:7: entries[2].bot: "greedier": no such house bot')
    assert served.manager.names() == ()


async def test_what_there_is_no_room_for_is_counted(run: Run, tmp_path: Path) -> None:
    entries = "\n".join(f'[[entries]]\nname = "Ü{number}"\nbot = "g"' for number in range(250))
    (tmp_path / "my.toml").write_text(f'game = "hearts"\n{entries}')
    lines = (await run("tournament", "create", "my.toml")).err.splitlines()
    assert lines[-1] == f"my.toml: {500 - len(lines) + 1} more are wrong"


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, "there is no such file: give the tournament's TOML file"),
        (b"\xff", "is not UTF-8 text (byte 0)"),
    ],
)
async def test_a_file_that_cannot_be_read(run: Run, tmp_path: Path, content: bytes | None, told: str) -> None:
    if content is not None:
        (tmp_path / "my.toml").write_bytes(content)
    done = await run("tournament", "create", "my.toml")
    assert (done.status, done.line) == (2, f"fairdeal: my.toml: {told}")


# Entries


async def test_an_entry_is_registered(run: Run, served: ServedManager) -> None:
    made = cup(served)
    done = await run("entry", "add", "cup", "new", "--version", "7")
    assert done.out.count("\n") == 1
    served.tokens.check(done.out.strip(), "new")
    assert done.err.startswith("this token is shown only now: give it to the bot of new in FAIRDEAL_TOKEN")
    assert made.calls == ["register new 7"]
    again = await run("entry", "add", "cup", "new")
    assert (again.status, again.out) == (0, "")
    assert again.err == "new takes part, and has a token already, which stays valid\n"


async def test_a_server_without_tokens_gives_none(run: Run, served: ServedManager) -> None:
    cup(served)
    served.manager._tokens = served.manager.entries._tokens = None
    done = await run("entry", "add", "cup", "new")
    assert (done.out, done.err) == ("", "new takes part; this server asks for no tokens\n")


async def test_an_entry_pauses_comes_back_and_leaves(run: Run, served: ServedManager) -> None:
    made = cup(served)
    told = [(await run("entry", command, "cup", "a")).err for command in ("pause", "resume", "remove")]
    assert told == ["a is paused\n", "a is active\n", "a is left\n"]
    assert made.calls == ["a paused", "a active", "a left"]


async def test_entries_are_listed(run: Run, served: ServedManager) -> None:
    await cup(served).set_standing("b", EntryState.PAUSED)
    lines = (await run("entry", "list", "cup")).out.splitlines()
    assert [each.split() for each in lines] == [
        ["a", "remote", "active", "away", "1"],
        ["b", "remote", "paused", "away", "-"],
        ["c", "house", "active", "away", "-"],
        ["d", "house", "active", "away", "-"],
    ]
    first = {"name": "a", "version": "1", "kind": "remote", "state": "active", "present": False}
    assert (await run("entry", "list", "cup", "--json")).json[0] == first


async def test_a_token_is_renewed_where_the_tokens_are(run: Run) -> None:
    done = await run("entry", "add", "cup", "a", "--renew")
    expected = "fairdeal: --renew: works only on the machine that keeps the tokens; leave it out"
    assert (done.status, done.line) == (2, expected)
