"""TournamentService: every answer, every refusal, and what a watcher is sent, by role."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import Any

import grpc
import pytest

from fairdeal.v1 import play_service_pb2 as play_pb
from fairdeal.v1 import tournament_service_pb2 as pb
from referee.core.access import Role
from tests.tournaments.fake_tournament import line
from tests.tournaments.manager_server import CUP, CUP_MESSAGE, cup_message, opened
from tournaments.par.estimate import Adjusted, Estimates
from tournaments.par.table import ParTable
from tournaments.plan.plan import ParBot, Plan
from tournaments.plan.states import EntryState
from tournaments.service import (
    answers,
    codec,
    manager,
    model_codec,
    models,
    par_codec,
    pars,
    service,
)
from tournaments.standings import beside
from tournaments.tournament_file import submitted
from tournaments.usage.account import Account
from tournaments.usage.table import ModelTable

pytestmark = pytest.mark.asyncio


# Tournaments


async def test_a_tournament_from_its_making_to_its_end(tmp_path: Path) -> None:
    async with opened(tmp_path) as (_served, call):
        made = await call("CreateTournament", name="cup", file=CUP)
        assert made == pb.CreateTournamentResponse(tournament=cup_message(owner="boss"))
        assert await call("GetTournament", tournament="cup") == pb.GetTournamentResponse(
            tournament=cup_message(owner="boss")
        )
        for rpc, state in (
            ("StartTournament", pb.TOURNAMENT_STATE_RUNNING),
            ("PauseTournament", pb.TOURNAMENT_STATE_PAUSED),
            ("StartTournament", pb.TOURNAMENT_STATE_RUNNING),
            ("CancelTournament", pb.TOURNAMENT_STATE_CANCELLED),
        ):
            assert (await call(rpc, tournament="cup")).tournament == cup_message(state, "boss")
        assert await call.refused("StartTournament", tournament="cup") == ("WRONG_STATE", "it is cancelled")


async def test_tournaments_come_in_pages_without_their_entries(tmp_path: Path) -> None:
    async with opened(tmp_path) as (served, call):
        assert await call("ListTournaments") == pb.ListTournamentsResponse()
        for number in (3, 1, 2):
            served.cup(name=f"cup{number}")
        pages: list[Any] = []
        token = ""
        while not pages or token:
            pages.append(await call("ListTournaments", page_size=2, page_token=token))
            token = pages[-1].next_page_token
    assert [[each.name for each in page.tournaments] for page in pages] == [["cup1", "cup2"], ["cup3"]]
    first = pb.Tournament()
    first.CopyFrom(CUP_MESSAGE)
    first.name = "cup1"
    assert pages[0].tournaments[0] == first


async def test_all_that_is_wrong_with_a_file_is_told(tmp_path: Path) -> None:
    text = CUP.replace("hearts", "chess").replace('"greedy"', '"greedier"')
    async with opened(tmp_path) as (served, call):
        error = await call.error("CreateTournament", name="cup", file=text)
        assert served.manager.names() == ()
    assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
    trailing = dict(tuple(error.trailing_metadata()))
    assert trailing["fairdeal-reason"] == "BAD_TOURNAMENT"
    problems = pb.TournamentProblems.FromString(trailing["fairdeal-problems-bin"])
    assert [each.place for each in problems.problems] == ["cup:1: game", "cup:7: entries[2].bot"]
    assert problems.problems[0].text.startswith('"chess": no such game')
    assert problems.omitted == 0
    assert error.details() == f"cup:1: game: {problems.problems[0].text} (and 1 more)"


async def test_as_much_is_told_as_there_is_room_for(tmp_path: Path) -> None:
    entries = "\n".join(f'[[entries]]\nname = "Ü{number}"\nbot = "g"' for number in range(250))
    async with opened(tmp_path) as (_served, call):
        error = await call.error("CreateTournament", name="cup", file=f'game = "hearts"\n{entries}')
    trailing = dict(tuple(error.trailing_metadata()))
    assert trailing["fairdeal-reason"] == "BAD_TOURNAMENT"
    data = trailing["fairdeal-problems-bin"]
    assert len(data) <= codec.MOST_PROBLEM_BYTES + len(pb.TournamentProblems(omitted=600).SerializeToString())
    problems = pb.TournamentProblems.FromString(data)
    assert len(problems.problems) + problems.omitted == 500
    assert len(problems.problems) >= 20
    assert problems.problems[0].place == "cup:3: entries[0].name"


@pytest.mark.parametrize(
    ("rpc", "fields", "code", "reason"),
    [
        ("CreateTournament", {"name": "cup", "file": CUP}, "ALREADY_EXISTS", "TOURNAMENT_EXISTS"),
        ("CreateTournament", {"request_id": "x" * 65}, "INVALID_ARGUMENT", "BAD_REQUEST"),
        ("StartTournament", {"tournament": "x"}, "NOT_FOUND", "TOURNAMENT_NOT_FOUND"),
        ("PauseTournament", {"tournament": "x"}, "NOT_FOUND", "TOURNAMENT_NOT_FOUND"),
        ("PauseTournament", {"tournament": "cup"}, "FAILED_PRECONDITION", "WRONG_STATE"),
        ("CancelTournament", {"tournament": "x"}, "NOT_FOUND", "TOURNAMENT_NOT_FOUND"),
        (
            "RuleOnMatches",
            {"tournament": "x", "kind": 1, "match_ids": ["m"]},
            "NOT_FOUND",
            "TOURNAMENT_NOT_FOUND",
        ),
        ("RuleOnMatches", {"tournament": "cup", "match_ids": ["m"]}, "INVALID_ARGUMENT", "BAD_REQUEST"),
        ("RuleOnMatches", {"tournament": "cup", "kind": 2}, "INVALID_ARGUMENT", "BAD_REQUEST"),
        ("GetTournament", {"tournament": ""}, "NOT_FOUND", "TOURNAMENT_NOT_FOUND"),
        ("RegisterEntry", {"tournament": "x", "entry": "a"}, "NOT_FOUND", "TOURNAMENT_NOT_FOUND"),
        ("RegisterEntry", {"tournament": "cup", "entry": "c"}, "ALREADY_EXISTS", "ENTRY_EXISTS"),
        ("RegisterEntry", {"tournament": "cup", "entry": "-!"}, "INVALID_ARGUMENT", "BAD_REQUEST"),
        ("SetEntryState", {"tournament": "cup", "entry": "a"}, "INVALID_ARGUMENT", "BAD_REQUEST"),
        ("SetEntryState", {"tournament": "cup", "entry": "a", "state": 9}, "INVALID_ARGUMENT", "BAD_REQUEST"),
        ("SetEntryState", {"tournament": "cup", "entry": "x", "state": 1}, "NOT_FOUND", "ENTRY_NOT_FOUND"),
        ("SetEntryState", {"tournament": "x", "entry": "a", "state": 1}, "NOT_FOUND", "TOURNAMENT_NOT_FOUND"),
        ("ListStandings", {"tournament": "x"}, "NOT_FOUND", "TOURNAMENT_NOT_FOUND"),
        ("ListPar", {"tournament": "x"}, "NOT_FOUND", "TOURNAMENT_NOT_FOUND"),
        ("ListModels", {"tournament": "x"}, "NOT_FOUND", "TOURNAMENT_NOT_FOUND"),
        ("ListPar", {"tournament": "cup", "page_token": "x"}, "INVALID_ARGUMENT", "BAD_REQUEST"),
        ("ListStandings", {"tournament": "cup", "page_token": "x"}, "INVALID_ARGUMENT", "BAD_REQUEST"),
        ("ListStandings", {"tournament": "cup", "page_token": "-1"}, "INVALID_ARGUMENT", "BAD_REQUEST"),
        ("ListStandings", {"tournament": "cup", "page_token": "1" * 10}, "INVALID_ARGUMENT", "BAD_REQUEST"),
    ],
)
async def test_what_cannot_be_done_has_a_reason(
    tmp_path: Path, rpc: str, fields: dict[str, Any], code: str, reason: str
) -> None:
    async with opened(tmp_path) as (served, call):
        cup = served.cup()
        error = await call.error(rpc, **fields)
        assert (error.code().name, dict(tuple(error.trailing_metadata()))["fairdeal-reason"]) == (
            code,
            reason,
        )
        assert error.details()
        assert cup.calls in ([], ["pause"])


# Entries


async def test_a_token_is_told_once_and_again_for_the_same_request_only(tmp_path: Path) -> None:
    async with opened(tmp_path) as (served, call):
        cup = served.cup()
        fields = {"request_id": "r-1", "tournament": "cup", "entry": "new", "version": "7"}
        given = await call("RegisterEntry", **fields)
        served.tokens.check(given.token, "new")
        entry = pb.TournamentEntry(
            name="new", version="7", kind=pb.ENTRY_KIND_REMOTE, state=pb.ENTRY_STATE_ACTIVE
        )
        assert given == pb.RegisterEntryResponse(entry=entry, token=given.token)
        assert await call("RegisterEntry", **fields) == given
        for other in ("", "r-2"):
            again = await call("RegisterEntry", **{**fields, "request_id": other})
            assert again == pb.RegisterEntryResponse(entry=entry, has_token=True)
        changed = await call.refused("RegisterEntry", **{**fields, "version": "8"})
        assert changed == ("BAD_REQUEST", "request_id is that of another request")
        assert cup.calls == ["register new 7"]


async def test_requests_without_an_id_have_nothing_to_do_with_each_other(tmp_path: Path) -> None:
    async with opened(tmp_path) as (served, call):
        served.cup()
        told = [await call("RegisterEntry", tournament="cup", entry="a") for _ in range(2)]
        assert [bool(each.token) for each in told] == [True, False]
        assert [each.has_token for each in told] == [False, True]


async def test_a_tournament_is_made_once_for_a_request(tmp_path: Path) -> None:
    async with opened(tmp_path) as (served, call):
        first = await call("CreateTournament", request_id="r", name="cup", file=CUP)
        await call("StartTournament", tournament="cup")
        assert await call("CreateTournament", request_id="r", name="cup", file=CUP) == first
        refused = await call.refused("CreateTournament", request_id="s", name="cup", file=CUP)
        assert refused[0] == "TOURNAMENT_EXISTS"
        # ids of different RPCs have nothing to do with each other
        assert (await call("RegisterEntry", request_id="r", tournament="cup", entry="a")).token
        assert len(served.disk.opened) == 1


async def test_a_file_is_read_beside_the_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[threading.Thread] = []

    def read(*args: Any, **options: Any) -> Any:
        threads.append(threading.current_thread())
        return submitted.plan_of(*args, **options)

    monkeypatch.setattr(manager, "plan_of", read)
    async with opened(tmp_path) as (served, call):
        fields = {"request_id": "r", "name": "cup", "file": CUP}
        # the second one comes while the file of the first is read
        first, second = await asyncio.gather(*(call("CreateTournament", **fields) for _ in range(2)))
        assert first == second == pb.CreateTournamentResponse(tournament=cup_message(owner="boss"))
        assert len(served.disk.opened) == 1
    assert threads
    assert threading.main_thread() not in threads


async def test_a_request_that_failed_is_made_anew(tmp_path: Path) -> None:
    async with opened(tmp_path) as (_served, call):
        assert (await call.refused("RegisterEntry", request_id="r", tournament="cup", entry="a"))[0]
        await call("CreateTournament", name="cup", file=CUP)
        assert (await call("RegisterEntry", request_id="r", tournament="cup", entry="a")).token


async def test_only_the_last_answers_are_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "MOST_REMEMBERED", 2)
    async with opened(tmp_path) as (served, call):
        served.cup()
        given = [
            await call("RegisterEntry", request_id=name, tournament="cup", entry=name)
            for name in ("x", "y", "z")
        ]
        for name, first in zip("yzx", (given[1], given[2], None), strict=True):
            again = await call("RegisterEntry", request_id=name, tournament="cup", entry=name)
            assert again == first if first else (again.token, again.has_token) == ("", True)


async def test_an_entry_s_own_bot_pauses_it_and_no_other(tmp_path: Path) -> None:
    async with opened(tmp_path) as (served, call):
        cup = served.cup()
        call.token = (await call("RegisterEntry", tournament="cup", entry="a")).token
        paused = {"tournament": "cup", "entry": "a", "state": pb.ENTRY_STATE_PAUSED}
        answer = await call("SetEntryState", **paused)
        assert (answer.entry.name, answer.entry.state) == ("a", pb.ENTRY_STATE_PAUSED)
        assert (await call.refused("SetEntryState", **{**paused, "entry": "b"}))[0] == "WRONG_SEAT"
        assert (await call.refused("RegisterEntry", tournament="cup", entry="b"))[0] == "WRONG_ROLE"
        call.token = None
        assert (await call.refused("SetEntryState", **paused))[0] == "MISSING_TOKEN"
        assert cup.calls == ["a paused"]


# Standings


async def test_a_line_of_the_standings_in_full(tmp_path: Path) -> None:
    async with opened(tmp_path) as (served, call):
        served.cup().lines = [
            line("a@1", 1, is_current=False, points=3.5, buchholz=12.0, place=2, state=EntryState.PAUSED),
            line("b", 2, mean_score=None, score_deviation=None, scored=0, forfeits={}),
        ]
        first, second = (await call("ListStandings", tournament="cup")).standings
    assert first.rank == 1
    assert first.competitor == "a@1"
    assert (first.matches, first.wins, first.draws, first.losses) == (7, 4, 1, 2)
    assert (first.mean_score, first.score_deviation, first.scored) == (1.5, 0.5, 6)
    assert (first.mu, first.sigma, first.conservative) == (25.5, 3.25, 15.75)
    assert dict(first.forfeits) == {"late": 1, "illegal+late": 2}
    faults = play_pb.FaultCounts(malformed=1, illegal=2, disconnected=3, late=4, sessions_lost=5)
    assert first.faults == faults
    assert first.voids == 3
    assert first.think.answered == 100
    assert first.think.total.ToMicroseconds() == 5_000_001
    assert first.think.longest.ToMicroseconds() == 70_000
    assert (first.current, first.state) == (False, pb.ENTRY_STATE_PAUSED)
    assert (first.points, first.buchholz, first.place) == (3.5, 12.0, 2)
    absent = ("mean_score", "score_deviation", "points", "buchholz", "place")
    assert not any(second.HasField(name) for name in absent)
    assert second.current


async def test_standings_are_made_anew_only_when_something_is_new(tmp_path: Path) -> None:
    async with opened(tmp_path) as (served, call):
        cup = served.cup()
        served.cup(name="other").lines = []

        async def play() -> None:
            cup.store.played += 1

        asked: list[Callable[[], Awaitable[Any]]] = [
            partial(asyncio.sleep, 0),
            partial(asyncio.sleep, 0),
            play,
            partial(served.manager.entries.set_state, "cup", "a", EntryState.PAUSED, by=Role.ORGANISER),
        ]
        made: list[int] = []
        for change in asked:
            await change()
            cup.lines = [line(f"e{number}", 1) for number in range(cup.reports + 1)]
            answer = await call("ListStandings", tournament="cup")
            made.append(cup.reports)
            assert len(answer.standings) == cup.reports
            assert not (await call("ListStandings", tournament="other")).standings
    assert made == [1, 1, 2, 3]


async def test_points_without_the_luck_of_the_deal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are made again when a match is over or pars are missing, but not for the next page."""
    adjusted = Adjusted(40, 0.5, 0.25, 0.75, 0.125, 4.0)
    estimates = Estimates(40, 1.5, {"a": adjusted, "b": Adjusted(1, 0.5, None)}, {("a", "b"): adjusted})
    table = ParTable(ParBot("greedy", "0" * 12), True, "match", estimates, 3, 2, "/srv/x is gone", 1)
    made = [table, replace(table, missing=0), replace(table, left_out=4, missing=0), None]

    async def par_table_beside(_plan: Plan) -> ParTable | None:
        if not made:
            raise beside.Failed
        return made.pop(0)

    monkeypatch.setattr(pars, "par_table_beside", par_table_beside)
    async with opened(tmp_path) as (served, call):
        cup = served.cup()
        first = await call("ListPar", tournament="cup", page_size=2)
        second = await call("ListPar", tournament="cup", page_size=2, page_token=first.next_page_token)
        assert (len(made), second.next_page_token) == (3, "")
        told = par_codec.table_of(first.par, [*first.lines, *second.lines])
        assert told == replace(table, problem="the server's log says why")
        assert "/srv" not in f"{first}{second}"
        assert (await call("ListPar", tournament="cup")).par.missing == 0
        assert (await call("ListPar", tournament="cup")).par.left_out == 3
        assert len(made) == 2
        cup.store.played += 1
        assert (await call("ListPar", tournament="cup")).par.left_out == 4
        cup.store.played += 1
        assert await call("ListPar", tournament="cup") == pb.ListParResponse()
        cup.store.played += 1
        assert await call.refused("ListPar", tournament="cup") == (
            "INTERNAL",
            "the pars cannot be computed now; the server's log says why",
        )


async def test_what_language_models_did(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is read again when a match is over, and stands in the report, too."""
    numbers = {field.name: number for number, field in enumerate(fields(Account), 1) if field.name != "cost"}
    accounts = {"a": Account(**numbers, cost=0.5), "b": Account(matches=1)}
    table = ModelTable(accounts, {"a": 0.5}, ("a has used 1 of max_cost = 2",), 3)
    made = [table, None]

    async def model_table_beside(_plan: Plan) -> ModelTable | None:
        if not made:
            raise beside.Failed
        return made.pop(0)

    monkeypatch.setattr(models, "model_table_beside", model_table_beside)
    async with opened(tmp_path) as (served, call):
        cup = served.cup()
        first = await call("ListModels", tournament="cup", page_size=1)
        second = await call("ListModels", tournament="cup", page_size=1, page_token=first.next_page_token)
        assert (len(made), second.next_page_token) == (1, "")
        assert model_codec.table_of(first.models, [*first.lines, *second.lines]) == table
        cup.store.played += 1
        assert await call("ListModels", tournament="cup") == pb.ListModelsResponse()
        cup.store.played += 1
        assert await call.refused("ListModels", tournament="cup") == (
            "INTERNAL",
            "what the models did cannot be read now; the server's log says why",
        )


async def test_another_tournament_of_a_name_has_another_par(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    estimates = Estimates(0, None, {}, {})
    left = [3, 4]

    async def par_table_beside(_plan: Plan) -> ParTable | None:
        return ParTable(ParBot("greedy", "0" * 12), True, "deal", estimates, left.pop(0))

    monkeypatch.setattr(pars, "par_table_beside", par_table_beside)
    told: list[int] = []
    async with opened(tmp_path) as (_served, call):
        for _season in range(2):
            await call("CreateTournament", name="cup", file=CUP)
            told += [(await call("ListPar", tournament="cup")).par.left_out for _ in range(2)]
            await call("CancelTournament", tournament="cup")
            await call("DeleteTournament", tournament="cup")
    assert told == [3, 3, 4, 4]


@pytest.mark.parametrize("size", [2, 0, 1000])
async def test_standings_come_in_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(service, "LINES_PER_PAGE", 3)
    async with opened(tmp_path) as (served, call):
        served.cup().lines = [line(f"e{rank}", rank) for rank in range(1, 8)]
        pages: list[list[int]] = []
        token = ""
        while not pages or token:
            answer = await call("ListStandings", tournament="cup", page_size=size, page_token=token)
            pages.append([each.rank for each in answer.standings])
            token = answer.next_page_token
    assert pages == ([[1, 2], [3, 4], [5, 6], [7]] if size == 2 else [[1, 2, 3], [4, 5, 6], [7]])
