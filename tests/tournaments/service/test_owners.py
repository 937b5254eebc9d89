"""Whose a tournament is, and what others may do to it."""

import asyncio
import json
from pathlib import Path
from typing import Any

import grpc
import pytest

from fairdeal.v1 import tournament_service_pb2 as pb
from referee.core.access import Denied, Role
from referee.match.messages import Reason
from tests.tournaments.fake_tournament import DUEL, Disk
from tests.tournaments.manager_server import CUP, Organiser, ServedManager, opened
from tournaments.service.manager import Manager

pytestmark = pytest.mark.asyncio

CHANGES: list[tuple[str, dict[str, Any]]] = [
    ("StartTournament", {}),
    ("PauseTournament", {}),
    ("RuleOnMatches", {"kind": pb.RULING_KIND_VOID, "match_ids": ["cup-1"], "why": "why"}),
    ("RegisterEntry", {"entry": "a"}),
    ("SetEntryState", {"entry": "a", "state": pb.ENTRY_STATE_PAUSED}),
    ("CancelTournament", {}),
    ("DeleteTournament", {}),
]


async def made(served: ServedManager, call: Organiser) -> dict[str, str]:
    """Make a tournament of carol's, and return the tokens of three organisers by name."""
    tokens = {"carol": served.tokens.add("carol", Role.ORGANISER), "boss": served.boss}
    tokens["root"] = served.tokens.add("root", Role.OPERATOR)
    call.token = tokens["carol"]
    assert (await call("CreateTournament", name="cup", file=CUP)).tournament.owner == "carol"
    return tokens


async def test_another_organiser_may_look_and_change_nothing(tmp_path: Path) -> None:
    async with opened(tmp_path) as (served, call):
        tokens = await made(served, call)
        call.token = tokens["boss"]
        told = "the tournament cup belongs to carol: ask carol or an operator to change it"
        for rpc, fields in CHANGES:
            error = await call.error(rpc, tournament="cup", **fields)
            assert (error.code(), error.details()) == (grpc.StatusCode.PERMISSION_DENIED, told)
            assert dict(tuple(error.trailing_metadata()))["fairdeal-reason"] == "WRONG_ROLE"
        assert served.disk.opened[0].calls == []
        assert (await call("GetTournament", tournament="cup")).tournament.owner == "carol"
        assert (await call("ListTournaments")).tournaments[0].owner == "carol"
        served.manager.tournament("cup").store.attempts = lambda: iter(())
        request = pb.GetTournamentTextRequest(tournament="cup", kind=pb.TEXT_KIND_MATCHES)
        sent = [each.part async for each in call.stub.GetTournamentText(request, metadata=call.metadata)]
        assert sent == [b"no match yet\n"]
        served.manager.tournament("cup").store.adjudications = lambda: ()
        request.kind = pb.TEXT_KIND_MATCHES_JSON
        (sent,) = [each.part async for each in call.stub.GetTournamentText(request, metadata=call.metadata)]
        assert json.loads(sent)["folder"] is None


@pytest.mark.parametrize("who", ["carol", "root"])
async def test_its_owner_and_operators_may_change_it(tmp_path: Path, who: str) -> None:
    async with opened(tmp_path) as (served, call):
        tokens = await made(served, call)
        call.token = tokens[who]
        for rpc, fields in CHANGES:
            await call(rpc, tournament="cup", **fields)
        assert served.disk.opened[0].state == "cancelled"


async def test_a_bot_changes_its_own_entry_whosever_the_tournament_is(tmp_path: Path) -> None:
    async with opened(tmp_path) as (served, call):
        await made(served, call)
        call.token = served.tokens.add("a", Role.BOT)
        await call("SetEntryState", tournament="cup", entry="a", state=pb.ENTRY_STATE_PAUSED)


async def test_what_has_no_owner_is_every_organisers(tmp_path: Path) -> None:
    async with opened(tmp_path) as (served, call):
        served.cup()
        assert (await call("StartTournament", tournament="cup")).tournament.owner == ""


async def test_the_owner_is_kept(tmp_path: Path) -> None:
    async with opened(tmp_path) as (served, call):
        tokens = await made(served, call)
        again = Manager(Disk().open, tmp_path / "desk", served.tokens)
        assert again.recover() == ()
        assert again.owners.of("cup") == "carol"
        again.owners.check("cup", tokens["carol"])
        for match_id, is_refused in (("cup-1", True), ("cup-2", False)):
            if is_refused:
                with pytest.raises(Denied) as caught:
                    again.check_match(match_id, tokens["boss"])
                assert caught.value.reason is Reason.WRONG_ROLE
            else:
                again.check_match(match_id, tokens["boss"])
            again.check_match(match_id, tokens["root"])


async def test_a_broken_owner_is_told_and_lets_nobody_change_the_tournament(tmp_path: Path) -> None:
    async with opened(tmp_path) as (served, call):
        await made(served, call)
        file = tmp_path / "desk/cup/owner"
        file.write_text("no name\n")
        again = Manager(Disk().open, tmp_path / "desk", served.tokens)
        assert again.recover() == (
            f"tournament cup cannot be opened: {file}: is not the name of a token: write one, or remove the"
            " file",
        )
        assert again.names() == ()


async def test_without_tokens_nobody_owns(tmp_path: Path) -> None:
    manager = Manager(Disk().open, tmp_path / "desk", None)
    await manager.create(DUEL, manager.plan(DUEL, "cup"), manager.owners.organiser(None))
    await asyncio.sleep(0)
    manager.owners.check("cup", None)
    assert not (tmp_path / "desk/cup/owner").exists()


async def test_what_a_bot_has_printed_is_told_to_its_author_and_the_owner_alone(tmp_path: Path) -> None:
    async with opened(tmp_path) as (served, call):
        tokens = await made(served, call)
        tokens |= {name: served.tokens.add(name, Role.BOT) for name in ("c", "d")}
        for who, is_told in (("c", True), ("carol", True), ("root", True), ("boss", False), ("d", False)):
            call.token = tokens[who]
            if is_told:
                (output,) = (await call("GetOutput", tournament="cup", entry="c")).outputs
                assert output.data == b"c crashed\n"
            else:
                reason = (await call.refused("GetOutput", tournament="cup", entry="c"))[0]
                assert reason == ("WRONG_ROLE" if who == "boss" else "WRONG_SEAT")
        call.token = None
        assert (await call.refused("GetOutput", tournament="cup", entry="c"))[0] == "MISSING_TOKEN"
