import hashlib

import pytest

from referee.core.access import Access, Bearer, Denied, Role, Tokens, Trusting, token_digest
from referee.match.messages import Reason

TOKENS = Tokens({name: token_digest(f"tok-{name}") for name in ("a", "b", "boss")}, organisers=["boss"])

MISSING, SEAT, ROLE = Reason.MISSING_TOKEN, Reason.WRONG_SEAT, Reason.WRONG_ROLE


def reason(access: Access, token: str | None, entry: str | None) -> Reason | None:
    """Return why the bearer may not play as an entry, or (without one) not run the referee."""
    try:
        access.check_organiser(token) if entry is None else access.check(token, entry)
    except Denied as denied:
        assert denied.text == str(denied)
        # neither the token nor who else there is
        assert not any(word in denied.text for word in ("tok-", "boss"))
        return denied.reason
    return None


@pytest.mark.parametrize(
    ("token", "entry", "expected"),
    [
        ("tok-a", "a", None),
        ("tok-b", "b", None),
        (None, "a", MISSING),
        ("", "a", MISSING),
        ("tok-x", "a", MISSING),
        ("tok-a ", "a", MISSING),
        ("tökën", "a", MISSING),
        ("tok-b", "a", SEAT),
        ("tok-a", "nobody", SEAT),
        ("tok-a", "boss", SEAT),
        ("tok-x", "nobody", MISSING),
        ("tok-boss", "a", ROLE),
        ("tok-boss", "boss", ROLE),
        ("tok-boss", "nobody", ROLE),
        ("tok-boss", None, None),
        ("tok-a", None, ROLE),
        ("tok-x", None, MISSING),
        ("", None, MISSING),
        (None, None, MISSING),
    ],
)
def test_a_token_is_good_for_its_own_entry_or_for_organising(
    token: str | None, entry: str | None, expected: Reason | None
) -> None:
    assert reason(TOKENS, token, entry) is expected


def test_an_entry_that_does_not_exist_is_denied_in_the_same_words() -> None:
    texts = set()
    for entry in ("b", "nobody", "boss"):
        with pytest.raises(Denied) as caught:
            TOKENS.check("tok-a", entry)
        texts.add(str(caught.value))
    assert len(texts) == 1


def test_a_digest_is_compared_with_all_others(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[bytes] = []

    def compare(given: bytes, known: bytes) -> bool:
        compared.append(known)
        return given == known

    monkeypatch.setattr("hmac.compare_digest", compare)
    assert reason(TOKENS, "tok-a", "a") is None
    assert sorted(compared) == sorted(token_digest(f"tok-{name}") for name in ("a", "b", "boss"))


# Who opens a stream


def test_a_bot_s_token_is_known_before_any_hello() -> None:
    a, b = (Bearer(name, token_digest(f"tok-{name}")) for name in "ab")
    assert [TOKENS.bearer(f"tok-{name}") for name in "ab"] == [a, b]
    assert set(TOKENS.bearers()) == {a, b}


@pytest.mark.parametrize(
    ("token", "expected"),
    [(None, Reason.MISSING_TOKEN), ("x", Reason.MISSING_TOKEN), ("tok-boss", Reason.WRONG_ROLE)],
)
def test_who_can_play_nothing_opens_no_stream(token: str | None, expected: Reason) -> None:
    with pytest.raises(Denied) as denied:
        TOKENS.bearer(token)
    assert denied.value.reason is expected


@pytest.mark.parametrize(("token", "text"), [(None, "requires a token"), ("", "does not know the token")])
def test_no_token_is_told_from_one_that_nobody_has(token: str | None, text: str) -> None:
    with pytest.raises(Denied, match=text):
        TOKENS.bearer(token)


def test_without_tokens_every_session_counts_as_a_stranger() -> None:
    assert Trusting().bearer("anything") is Trusting().bearer(None) is None
    assert not Trusting().bearers()


def test_two_that_share_a_token_each_keep_their_own() -> None:
    shared = Tokens({"a": token_digest("t"), "b": token_digest("t"), "o": token_digest("t")}, ["o"])
    assert [reason(shared, "t", entry) for entry in ("a", "b", "o", None)] == [None, None, SEAT, None]


@pytest.mark.parametrize("token", [None, "", "anything"])
@pytest.mark.parametrize("entry", ["a", "nobody", None])
def test_who_is_trusted_is_asked_for_nothing(token: str | None, entry: str | None) -> None:
    assert reason(Trusting(), token, entry) is None


def test_a_digest_is_a_hash_of_the_token() -> None:
    assert token_digest("tökën") == hashlib.sha256("tökën".encode()).digest()


def test_roles_are_named_as_on_the_command_line() -> None:
    assert list(Role) == ["bot", "organiser", "operator"]
