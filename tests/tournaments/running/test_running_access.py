"""Who may come to a referee host, and in whose name."""

from collections.abc import Callable
from pathlib import Path

import pytest

from referee.core.access import Access, Denied, Role, Tokens, Trusting, token_digest
from referee.match.messages import Reason
from referee.server.tokens import TokenFile
from tournaments.running.access import Admission
from tournaments.serving.one_tournament import Local


def reason(call: Callable[..., object], *args: str | None) -> Reason | None:
    """Return why somebody is denied, None if nobody is."""
    try:
        call(*args)
    except Denied as denied:
        return denied.reason
    return None


KNOWN = Tokens({"remote": token_digest("r"), "boss": token_digest("b")}, ["boss"])


@pytest.mark.parametrize("others", [Trusting(), KNOWN], ids=["trusting", "tokens"])
def test_a_hosted_bot_comes_by_its_own_token_alone(others: Access) -> None:
    admission = Admission(others)
    one, two = (admission.token_for((name, "")) for name in ("one", "two"))
    assert one != two
    assert reason(admission.check, one, "one") is None
    assert reason(admission.check, two, "two") is None
    assert reason(admission.check, one, "two") is Reason.WRONG_SEAT
    assert reason(admission.check, one, "remote") is Reason.WRONG_SEAT
    assert reason(admission.check, "r", "one") is Reason.WRONG_SEAT
    assert reason(admission.check, "no token of anybody", "one") is Reason.WRONG_SEAT
    assert reason(admission.check, None, "one") is Reason.MISSING_TOKEN


def test_the_token_of_a_fixed_pair_opens_one_of_its_two_seats() -> None:
    admission = Admission(Trusting())
    first, second = (admission.token_for(("pair", instance)) for instance in "12")
    assert reason(admission.check, first, "pair", "1") is None
    assert reason(admission.check, first, "pair", "2") is Reason.WRONG_SEAT
    assert reason(admission.check, second, "pair", "2") is None
    assert reason(admission.check, first, "pair", "") is Reason.WRONG_SEAT


def test_one_bot_s_token_ends_with_the_next() -> None:
    admission = Admission(KNOWN)
    before = admission.token_for(("one", ""))
    after = admission.token_for(("one", ""))
    assert reason(admission.check, before, "one") is Reason.WRONG_SEAT
    assert reason(admission.check, after, "one") is None


@pytest.mark.parametrize(
    ("token", "entry", "expected"),
    [
        ("r", "remote", None),
        ("r", "other", Reason.WRONG_SEAT),
        ("b", "remote", Reason.WRONG_ROLE),
        ("x", "remote", Reason.MISSING_TOKEN),
        (None, "remote", Reason.MISSING_TOKEN),
    ],
)
def test_others_come_by_tokens_of_their_own(token: str | None, entry: str, expected: Reason | None) -> None:
    admission = Admission(KNOWN)
    admission.token_for(("one", ""))
    assert reason(admission.check, token, entry) is expected


def test_a_hosted_bot_is_no_organiser() -> None:
    admission = Admission(KNOWN)
    assert reason(admission.check_organiser, "b") is None
    assert reason(admission.check_organiser, admission.token_for(("one", ""))) is Reason.MISSING_TOKEN
    assert reason(admission.check_organiser, "r") is Reason.WRONG_ROLE


def test_which_bots_are_hosted_is_told_to_nobody_who_has_no_token() -> None:
    admission = Admission(KNOWN)
    admission.token_for(("one", ""))
    texts = []
    for entry in ("one", "nobody"):
        with pytest.raises(Denied) as denied:
            admission.check("r", entry)
        texts.append(denied.value.text)
    assert texts[0] == texts[1]


# Who opens a stream


def test_each_hosted_bot_is_known_by_its_own_token() -> None:
    admission = Admission(Trusting())
    tokens = {owner: admission.token_for(owner) for owner in (("one", ""), ("pair", "1"), ("pair", "2"))}
    bearers = [admission.bearer(token) for token in tokens.values()]
    assert [bearer and bearer.entry for bearer in bearers] == ["one", "pair", "pair"]
    assert len(set(bearers)) == 3
    assert set(admission.bearers()) == set(bearers)
    assert admission.bearer(None) is admission.bearer("made up") is None
    admission.token_for(("one", ""))
    assert bearers[0] not in admission.bearers()


def test_others_are_known_as_they_are_where_they_have_tokens() -> None:
    admission = Admission(KNOWN)
    hosted = admission.bearer(admission.token_for(("one", "")))
    remote = admission.bearer("r")
    assert remote == KNOWN.bearer("r")
    assert set(admission.bearers()) == {hosted, remote}
    for token, expected in (
        (None, Reason.MISSING_TOKEN),
        ("x", Reason.MISSING_TOKEN),
        ("b", Reason.WRONG_ROLE),
    ):
        assert reason(admission.bearer, token) is expected


# On this machine


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "tokens.json"


def test_bots_are_believed_their_names_until_the_first_token_is_given_out(path: Path) -> None:
    access = Local(TokenFile(path), path, strict=False)
    assert reason(access.check, None, "alice") is None
    assert reason(access.check_organiser, None) is Reason.WRONG_ROLE
    alice = TokenFile(path).add("alice", Role.BOT)  # by another process
    assert reason(access.check, None, "alice") is Reason.MISSING_TOKEN
    assert reason(access.check, None, "bob") is Reason.MISSING_TOKEN
    assert reason(access.check, alice, "bob") is Reason.WRONG_SEAT
    assert reason(access.check, alice, "alice") is None


def test_a_stranger_opens_a_stream_until_the_first_token_is_given_out(path: Path) -> None:
    access = Local(TokenFile(path), path, strict=False)
    assert access.bearer(None) is access.bearer("made up") is None
    alice = TokenFile(path).add("alice", Role.BOT)
    assert reason(access.bearer, None) is Reason.MISSING_TOKEN
    assert set(access.bearers()) == {access.bearer(alice)}
    assert reason(Local(TokenFile(path), path, strict=True).bearer, None) is Reason.MISSING_TOKEN


def test_beside_a_sandbox_nobody_is_believed_a_name(path: Path) -> None:
    access = Local(TokenFile(path), path, strict=True)
    assert reason(access.check, None, "alice") is Reason.MISSING_TOKEN
    assert reason(access.check, "made up", "alice") is Reason.MISSING_TOKEN
    assert reason(access.check, TokenFile(path).add("alice", Role.BOT), "alice") is None


def test_an_organiser_may_come_later(path: Path) -> None:
    access = Local(TokenFile(path), path, strict=False)
    boss = TokenFile(path).add("boss", Role.ORGANISER)
    assert reason(access.check_organiser, boss) is None
    assert reason(access.check_organiser, None) is Reason.MISSING_TOKEN
