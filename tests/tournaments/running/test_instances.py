"""Remote bots that dial in as an instance for which there is no seat: they are told so, and sent away."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from referee.core.access import Denied, Tokens, Trusting, token_digest
from referee.match.messages import Reason
from tests.tournaments.tournament_under_test import opened_tournament, written
from tournaments.running.access import Admission

HEAD: Final = 'game = "euchre"\npartners = "fixed"\nmatch = { deals = 1 }\nclock = "debug"\nrounds = 1\n'
TEAM: Final = '[[teams]]\nname = "us"\nentries = ["cy", "di"]\n'
BOTH: Final = "start it with FAIRDEAL_INSTANCE=1, and once more with FAIRDEAL_INSTANCE=2"


def entries(*names: str) -> str:
    return "".join(f'[[entries]]\nname = "{name}"\nremote = true\n' for name in names)


PAIRS: Final = HEAD + entries("al", "bo")
TEAMS: Final = HEAD + entries("al", "cy", "di") + TEAM
SINGLES: Final = 'game = "piquet"\nmatch = { deals = 1 }\nclock = "debug"\nrounds = 1\n' + entries("al", "bo")


def told(admission: Admission, entry: str, instance: str | None, token: str | None = None) -> str | None:
    """Return what a bot is told that is sent away, None if it is let in."""
    try:
        admission.check(token, entry, instance)
    except Denied as denied:
        assert denied.reason is Reason.WRONG_SEAT
        return denied.text
    return None


@pytest.mark.parametrize(
    ("text", "name", "instance", "remedy"),
    [
        (PAIRS, "al", "", BOTH),
        (PAIRS, "al", "3", BOTH),
        (PAIRS, "al", "1", None),
        (PAIRS, "al", "2", None),
        (TEAMS, "al", "", BOTH),
        (TEAMS, "cy", "1", "start it without FAIRDEAL_INSTANCE"),
        (TEAMS, "cy", "", None),
        (SINGLES, "bo", "1", "start it without FAIRDEAL_INSTANCE"),
        (SINGLES, "bo", "", None),
        (PAIRS, "stranger", "", None),  # who takes part in nothing may wait for what comes
        (PAIRS, "us", "9", None),
        (PAIRS, "al", None, None),  # to speak for the entry is no session
    ],
)
@pytest.mark.asyncio
async def test_who_has_no_seat_is_told_what_would_have_one(
    tmp_path: Path, text: str, name: str, instance: str | None, remedy: str | None
) -> None:
    async with opened_tournament(tmp_path, written(tmp_path, text)) as tested:
        said = told(tested.host.admission, name, instance)
        assert said == (remedy and f"{name} has no seat as this instance: {remedy}")


@pytest.mark.asyncio
async def test_its_session_ends_and_those_of_the_right_instances_are_seated(tmp_path: Path) -> None:
    async with opened_tournament(tmp_path, written(tmp_path, PAIRS)) as tested:
        tested.tournament.start()
        wrong = tested.guest("al")
        right = [tested.guest(name, instance=instance) for name in ("al", "bo") for instance in "12"]
        await tested.until_over()
        assert (wrong.denied, wrong.seats) == (True, 0)
        assert [guest.seats for guest in right] == [1] * 4
        assert ("al", True) in tested.present


@pytest.mark.asyncio
async def test_an_entry_of_two_tournaments_may_come_for_either(tmp_path: Path) -> None:
    plans = [written(tmp_path, text, name) for text, name in ((PAIRS, "pairs"), (SINGLES, "singles"))]
    async with opened_tournament(tmp_path, *plans) as (pairs, singles):
        admission = pairs.host.admission
        for instance in ("", "1", "2"):
            assert told(admission, "al", instance) is None
        ways = "without FAIRDEAL_INSTANCE, and once more with FAIRDEAL_INSTANCE=1, and once more with"
        assert (
            told(admission, "al", "3")
            == f"al has no seat as this instance: start it {ways} FAIRDEAL_INSTANCE=2"
        )
        await singles.tournament.cancel()
        assert told(admission, "al", "") == f"al has no seat as this instance: {BOTH}"
        await pairs.tournament.cancel()
        assert told(admission, "al", "9") is None


@pytest.mark.asyncio
async def test_where_a_name_is_of_a_hosted_bot_alone_others_may_wait_for_what_comes(tmp_path: Path) -> None:
    hosted = '[[entries]]\nname = "house"\nbot = "random"\n'
    plan = replace(written(tmp_path, PAIRS + hosted), instance="cup")  # as a manager has its bots play
    async with opened_tournament(tmp_path, plan) as tested:
        assert told(tested.host.admission, "house", "") is None


def expecting(others: Tokens | Trusting) -> Admission:
    admission = Admission(others)
    admission.expect(lambda entry: ("1", "2") if entry == "al" else ())
    return admission


def test_which_instances_play_is_told_to_the_bearer_of_the_token_alone() -> None:
    admission = expecting(Tokens({"al": token_digest("a"), "bo": token_digest("b")}))
    assert told(admission, "al", "", "a") == f"al has no seat as this instance: {BOTH}"
    stranger = told(admission, "al", "", "b")
    assert stranger is not None and "INSTANCE" not in stranger


@pytest.mark.parametrize(
    "others", [Trusting, lambda: Tokens({"al": token_digest("a")})], ids=["open", "tokens"]
)
def test_a_hosted_bot_of_the_same_name_comes_by_its_own_token(
    others: Callable[[], Tokens | Trusting],
) -> None:
    admission = expecting(others())  # two tournaments of one referee may have an entry of one name
    token = admission.token_for(("al", "cup"))
    assert told(admission, "al", "cup", token) is None
