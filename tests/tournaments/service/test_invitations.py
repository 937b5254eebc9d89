"""Invitations: codes that work once, of which only hashes are kept."""

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from fairdeal.v1 import tournament_service_pb2 as pb
from referee.core.access import Denied, Role
from tests.tournaments.fake_tournament import DUEL, DUEL_OPEN, Disk, created
from tests.tournaments.manager_server import Organiser, opened
from tournaments.service import invitations
from tournaments.service.manager import Manager

pytestmark = pytest.mark.asyncio

UNKNOWN = (
    "WRONG_ROLE",
    "this is no invitation, or it was used or revoked: ask the organiser for another one",
)


async def invited(call: Organiser, **fields: Any) -> Any:
    """Return a new invitation with its code."""
    return await call("CreateInvitation", tournament="cup", **fields)


async def listed(call: Organiser) -> list[Any]:
    return list((await call("ListInvitations", tournament="cup")).invitations)


async def test_who_has_a_code_registers_one_entry(tmp_path: Path) -> None:
    async with opened(tmp_path) as (served, call):
        made = served.cup()
        told = await invited(call, note="Ann")
        assert (told.invitation.number, told.invitation.note, told.invitation.by) == (1, "Ann", "boss")
        call.token = None
        fields = {"request_id": "r", "tournament": "cup", "code": told.code, "entry": "ann", "version": "2"}
        joined = await call("AcceptInvitation", **fields)
        assert joined.entry.name == "ann"
        served.tokens.check(joined.token, "ann")
        assert made.calls == ["register ann 2"]
        assert await call("AcceptInvitation", **fields) == joined  # its answer was lost
        for entry in ("bob", "ann"):
            again = await call.refused("AcceptInvitation", tournament="cup", code=told.code, entry=entry)
            assert again == (
                UNKNOWN if entry == "bob" else ("ENTRY_EXISTS", "ann is taken: choose another name")
            )
        call.token = served.boss
        (used,) = await listed(call)
        assert (used.entry, bool(used.used), used.revoked) == ("ann", True, "")
        assert made.calls == ["register ann 2"]


async def test_codes_are_kept_as_hashes_in_a_private_file(tmp_path: Path) -> None:
    async with opened(tmp_path) as (served, call):
        served.cup()
        code = (await invited(call)).code
        file = tmp_path / "desk/cup/invitations.json"
        assert code not in file.read_text()
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert code not in str(await listed(call))
        again = Manager(Disk().open, tmp_path / "desk", served.tokens)
        again.recover()
        assert (await again.entries.register("cup", "ann", None, code=code)).token


async def test_a_code_that_is_none_opens_nothing(tmp_path: Path) -> None:
    async with opened(tmp_path) as (served, call):
        made = served.cup()
        code = (await invited(call)).code
        call.token = None
        for wrong in ("", "x", code[:-1], code + "x", "é"):
            refused = await call.refused("AcceptInvitation", tournament="cup", code=wrong, entry="ann")
            assert refused == UNKNOWN
        served.cup(name="other")
        assert await call.refused("AcceptInvitation", tournament="other", code=code, entry="ann") == UNKNOWN
        assert made.calls == []


async def test_what_is_refused_does_not_use_up_a_code(tmp_path: Path) -> None:
    async with opened(tmp_path) as (served, call):
        served.cup()
        served.tokens.add("taken", Role.BOT)
        code = (await invited(call)).code
        call.token = None
        for entry, reason in (
            ("a", "ENTRY_EXISTS"),  # an entry of the file, whose author may not have its token yet
            ("taken", "ENTRY_EXISTS"),  # in another tournament
            ("boss", "ENTRY_EXISTS"),
            ("no name", "BAD_REQUEST"),
        ):
            refused = await call.refused("AcceptInvitation", tournament="cup", code=code, entry=entry)
            assert refused[0] == reason
        assert (await call("AcceptInvitation", tournament="cup", code=code, entry="ann")).token


async def test_what_was_interrupted_is_completed_by_the_same_entry_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(tmp_path) as (served, call):
        made = served.cup()
        code = (await invited(call)).code

        def killed(*_words: object) -> str:
            raise OSError(5, "Input/output error")

        with monkeypatch.context() as patched:
            patched.setattr(served.tokens, "add", killed)
            with pytest.raises(Denied):
                await served.manager.entries.register("cup", "ann", None, code=code)
        assert made.calls == ["register ann None"]
        with pytest.raises(Denied):
            await served.manager.entries.register("cup", "bob", None, code=code)
        assert (await served.manager.entries.register("cup", "ann", None, code=code)).token


async def test_an_invitation_is_revoked(tmp_path: Path) -> None:
    async with opened(tmp_path) as (served, call):
        served.cup()
        codes = [(await invited(call, note=name)).code for name in ("Ann", "Bob")]
        for _ in range(2):
            revoked = await call("RevokeInvitation", tournament="cup", number=1)
            assert revoked.invitation.revoked
        refused = await call.refused("AcceptInvitation", tournament="cup", code=codes[0], entry="ann")
        assert refused == UNKNOWN
        await call("AcceptInvitation", tournament="cup", code=codes[1], entry="bob")
        assert await call.refused("RevokeInvitation", tournament="cup", number=2) == (
            "WRONG_STATE",
            "invitation 2 was used by bob: remove that entry instead",
        )
        assert await call.refused("RevokeInvitation", tournament="cup", number=3) == (
            "ENTRY_NOT_FOUND",
            "there is no invitation 3",
        )


async def test_who_may_invite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(tmp_path) as (served, call):
        created(served.manager, DUEL, "closed")
        created(served.manager, DUEL_OPEN, "open")
        told = 'it takes only the entries of its file: make a ladder, or write registration = "open"'
        assert await call.refused("CreateInvitation", tournament="closed") == ("WRONG_STATE", told)
        assert (await call("CreateInvitation", tournament="open")).code
        for note in ("x" * 101, "a\nb"):
            refused = await call.refused("CreateInvitation", tournament="open", note=note)
            assert refused == ("BAD_REQUEST", "note: is one line of at most 100 characters")
        monkeypatch.setattr(invitations, "MOST", 1)
        refused = await call.refused("CreateInvitation", tournament="open")
        assert refused == ("RATE_LIMITED", "a tournament has at most 1 invitations")
    manager = Manager(Disk().open, tmp_path / "free", None)
    await manager.create(DUEL_OPEN, manager.plan(DUEL_OPEN, "open"))
    _made, code = await manager.entries.invite("open", "", "")
    assert (await manager.entries.register("open", "ann", None, code=code)).token == ""


async def test_another_organiser_neither_invites_nor_sees_who_was(tmp_path: Path) -> None:
    async with opened(tmp_path) as (served, call):
        call.token = served.tokens.add("carol", Role.ORGANISER)
        await call("CreateTournament", name="cup", file=DUEL_OPEN)
        await invited(call, note="Ann")
        call.token = served.boss
        for rpc, fields in (
            ("CreateInvitation", {}),
            ("ListInvitations", {}),
            ("RevokeInvitation", {"number": 1}),
        ):
            assert (await call.refused(rpc, tournament="cup", **fields))[0] == "WRONG_ROLE"


@pytest.mark.parametrize("text", ["", "[]", '{"invitations": [{}]}'])
async def test_a_broken_file_is_told_to_organisers(tmp_path: Path, text: str) -> None:
    async with opened(tmp_path) as (served, call):
        served.cup()
        file = tmp_path / "desk/cup/invitations.json"
        file.write_text(text)
        assert await call.refused("ListInvitations", tournament="cup") == (
            "INTERNAL",
            f"{file}: is no file of invitations: put back a copy, or remove it",
        )


async def test_what_is_kept_stays_readable(tmp_path: Path) -> None:
    made = {"number": 1, "sha256": "00", "note": "Ann", "by": "boss", "made": "2026-11-24T00:00:00+00:00"}
    (tmp_path / "invitations.json").write_text(json.dumps({"invitations": [made]}))
    (found,) = invitations.Invitations(tmp_path).all()
    assert found.is_open
    assert pb.Invitation(number=found.number).number == 1
