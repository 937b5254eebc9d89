"""A model at a real HTTP server on loopback, which does what providers do at their worst."""

import asyncio
import json
import logging
from collections.abc import Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from fairdeal import BadSetting, Decision, Noted
from fairdeal.llm import CallLog, Model, ModelRefused, ProviderFailed, Room, opened, probe
from fairdeal.words import parse, situation
from tests.llm.provider import (
    Call,
    FakeProvider,
    answers,
    drops,
    hangs,
    hangs_in_the_midst,
    pass_time,
    raw,
    reply_to,
    says,
    serving,
    status,
    waits,
)
from tests.words.asked import sample
from tests.workspace import ALONE

SECONDS: Final = 500.0  # for a decision
pytestmark = pytest.mark.asyncio
KEY: Final = "sk-very-secret-0123456789"


@asynccontextmanager
async def model(provider: FakeProvider, transcript: Path | None = None, **given: Any) -> Any:
    """Open a model that waits for nothing but what a test says."""
    settings = provider.settings(**given.pop("settings", {}))
    async with opened(settings) as opened_provider:
        room = given.pop("room", None) or Room(settings.base_url, settings.calls)
        given = {"pause": 0.0, "seconds": lambda _decision: SECONDS, **given}
        yield Model(opened_provider, room, CallLog(transcript), **given)


def noted(given: Any) -> tuple[Any, Mapping[str, Any]]:
    """Return an answer and its note."""
    assert isinstance(given, Noted)
    assert isinstance(given.note, Mapping)
    return given.answer, given.note


def right(decision: Decision) -> Any:
    """Return what the fake model answers."""
    return parse(decision, reply_to([{"content": situation(decision)}])).answer


async def test_a_model_answers() -> None:
    decision = sample("hearts", "play")
    async with serving() as provider, model(provider) as bot:
        answer, note = noted(await bot.act(decision))
    assert answer == right(decision)
    assert (note["attempts"], note["tokens_in"], note["tokens_out"]) == (1, 100, 10)
    [call] = provider.calls
    assert call.body["model"] == "fake"
    assert "authorization" not in call.headers
    assert call.headers["accept-encoding"] == "identity"  # so that few bytes cannot become many


@pytest.mark.parametrize(
    ("first", "counted"),
    [
        (says("The queen of spades is best."), "unreadable"),
        (says('{"action": "2C"} or rather {"action": "no card"}'), "unreadable"),
        (says('{"action": ["x"'), "unreadable"),
        (says(""), "empty"),
        (says('{"action": "2C"}', finish="length"), "truncated"),
        (raw(b"data: [DONE]\n\n"), "empty"),
        (says("x" * 5_000_000), "truncated"),
        (hangs, "transport"),
        (hangs_in_the_midst, "transport"),
        (drops, "transport"),
        (status(429), "transport"),
        (status(500, "x" * 5_000_000), "transport"),
        (raw(b"\xff" * 100), "transport"),
        (raw(b"data: {\xff}\n\n"), "transport"),
        (raw(b"<html>", "application/json"), "transport"),
    ],
)
async def test_what_goes_wrong_is_counted_apart_and_asked_again(
    monkeypatch: pytest.MonkeyPatch, first: Any, counted: str
) -> None:
    decision = sample("hearts", "play")
    async with serving(first) as provider, model(provider) as bot:
        provider.reads(monkeypatch)
        answer, note = noted(await bot.act(decision))
    assert answer == right(decision)
    kinds = ("unreadable", "empty", "truncated", "illegal", "transport")
    assert {kind: note[kind] for kind in kinds if kind in note} == {counted: 1}
    assert len(provider.calls) == 2
    # a call that failed is repeated as it was; a reply that was of no use is reminded of
    assert (provider.calls[0].messages == provider.calls[1].messages) is (counted == "transport")


async def test_an_illegal_card_is_asked_again_with_what_was_wrong() -> None:
    decision = sample("hearts", "play")
    held = {str(card) for card in decision.view.hand}  # type: ignore[union-attr]
    foreign = next(card for card in ("2C", "3C", "4C", "5C", "6C") if card not in held)
    async with serving(says(f'{{"action": "{foreign}"}}')) as provider, model(provider) as bot:
        _answer, note = noted(await bot.act(decision))
    assert note["illegal"] == 1
    assert "not legal" in provider.calls[1].messages[-1]["content"]


async def test_two_replies_of_no_use_are_a_fault_and_no_third_ask(caplog: pytest.LogCaptureFixture) -> None:
    async with serving(says("x"), says("")) as provider, model(provider) as bot:
        answer, note = noted(await bot.act(sample("hearts", "play")))
    assert answer is None
    assert (note["gave_up"], len(provider.calls)) == ("replies", 2)
    assert "no reply of fake could be taken" in caplog.text


async def test_a_provider_that_asks_to_wait_is_waited_for() -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    script = (status(429, Retry_After="7"), status(503, Retry_After="soon"))
    async with serving(*script) as provider, model(provider, sleep=sleep) as bot:
        _answer, note = noted(await bot.act(sample("hearts", "play")))
    assert slept == [7.0, 0.0]
    assert note["transport"] == 2
    assert note["waited"] >= 7


@pytest.mark.parametrize(("headers", "is_kept"), [({"Retry_After": "7"}, True), ({}, False)])
async def test_who_is_asked_to_wait_keeps_its_room_meanwhile(headers: dict[str, str], is_kept: bool) -> None:
    found: list[bool] = []

    async def sleep(_seconds: float) -> None:
        found.append(room._inside.locked())

    async with serving(status(429, **headers)) as provider:
        room = Room(provider.base_url, 1)
        async with model(provider, room=room, sleep=sleep) as bot:
            await bot.act(sample("hearts", "play"))
    assert found == [is_kept]
    assert not room._inside.locked()


async def test_pauses_grow_and_are_of_no_fixed_length() -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    async with serving(*[status(500)] * 7) as provider, model(provider, sleep=sleep, pause=1.0) as bot:
        await bot.act(sample("hearts", "play"))
    for pause, whole in zip(slept, (1, 2, 4, 8, 16, 16, 16), strict=True):
        assert whole / 2 <= pause <= whole


async def test_a_wait_that_the_clock_does_not_allow_is_not_begun() -> None:
    async with serving(status(429, Retry_After="1000")) as provider, model(provider) as bot:
        answer, note = noted(await bot.act(sample("hearts", "play")))
    assert answer is None
    assert (note["gave_up"], note["transport"], len(provider.calls)) == ("provider", 1, 1)


@pytest.mark.parametrize(("does", "why"), [(hangs, "provider"), (hangs_in_the_midst, "time")])
async def test_the_asking_ends_with_the_clock(monkeypatch: pytest.MonkeyPatch, does: Any, why: str) -> None:
    pass_time(0)
    async with serving(does) as provider, model(provider, settings={"idle": 2 * SECONDS}) as bot:
        provider.reads(monkeypatch)
        answer, note = noted(await bot.act(sample("hearts", "play")))
    assert answer is None
    assert note["gave_up"] == why
    # what was being written is paid for; of a call that brought nothing that is not known
    if does is hangs:
        assert (note["attempts"], note["transport"], note["tokens_in"], note["seconds"]) == (0, 1, 0, 0)
    else:
        assert (note["attempts"], note["tokens_out"]) == (1, len("Let me th") // 4)
        assert "transport" not in note
        assert note["tokens_in"] > 500
        assert note["seconds"] >= SECONDS - 1


async def test_a_reply_that_breaks_off_is_paid_for(caplog: pytest.LogCaptureFixture) -> None:
    async with serving(drops) as provider, model(provider, pause=2 * SECONDS) as bot:
        _answer, note = noted(await bot.act(sample("hearts", "play")))
    assert (note["attempts"], note["transport"], note["estimated"]) == (0, 1, True)
    assert note["tokens_in"] > 500
    assert note["tokens_out"] == len('{"action": "2C"}') // 4
    assert "did not answer in time (the connection was closed in the midst of a reply)" in caplog.text


async def test_a_bot_that_is_to_leave_in_an_outage_gives_no_answer() -> None:
    async with serving(hangs) as provider, model(provider, on_failure="leave") as bot:
        provider.rest = hangs
        with pytest.raises(ProviderFailed, match=r"; \d calls failed, the last one so: nothing came"):
            await bot.act(sample("hearts", "play"))


async def test_nobody_listens() -> None:
    async with serving() as provider:
        pass
    async with model(provider, pause=2 * SECONDS) as bot:  # which the clock does not allow
        _answer, note = noted(await bot.act(sample("hearts", "play")))
    assert (note["gave_up"], note["transport"]) == ("provider", 1)


@pytest.mark.parametrize("code", [401, 402, 403, 404])
async def test_a_refused_key_or_model_is_never_turned_into_a_default(code: int) -> None:
    async with serving(status(code)) as provider, model(provider) as bot:
        with pytest.raises(ModelRefused, match=f"refuses the calls .HTTP status {code}: no.: look at"):
            await bot.act(sample("hearts", "play"))


async def test_a_request_that_is_not_taken_costs_its_decision_and_is_not_repeated() -> None:
    async with serving(status(400, "too long")) as provider, model(provider) as bot:
        answer, note = noted(await bot.act(sample("hearts", "play")))
    assert (answer, note["gave_up"], len(provider.calls)) == (None, "rejected", 1)


@pytest.mark.parametrize(
    ("does", "error", "told"),
    [
        (status(401, "bad key"), ModelRefused, "HTTP status 401: bad key.: look at key_from"),
        (status(404, "no model"), ModelRefused, "no model.: look at base_url and the model 'fake'"),
        (status(400, "what?"), ModelRefused, "what?"),
        (status(500), ProviderFailed, "does not answer: HTTP status 500"),
        (hangs, ProviderFailed, "does not answer within 60 s"),
        (raw(b"<html>"), ProviderFailed, "in the midst"),
        (
            raw(b"<html>", "Text/HTML; charset=utf-8"),
            ProviderFailed,
            "answered with a page, .*: look at base_url",
        ),
        (status(302, Location="http://h/v2"), ModelRefused, "HTTP status 302: it has moved to http://h/v2"),
    ],
)
async def test_a_probe_finds_what_is_wrong(does: Any, error: type[Exception], told: str) -> None:
    async with serving(does) as provider:
        with pytest.raises(error, match=told):
            await probe(provider.settings(), ALONE)


async def test_a_probe_of_a_good_provider() -> None:
    async with serving(says("ready")) as provider:
        await probe(provider.settings())
    assert "test of the connection" in provider.calls[0].messages[0]["content"]


async def test_the_key_goes_to_the_provider_and_nowhere_else(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("MY_KEY", f"{KEY}\n")
    transcript = tmp_path / "t.jsonl"

    async def tells(call: Call) -> None:
        await status(401, f"wrong key {call.headers['authorization']}")(call)

    async def repeats(call: Call) -> None:
        said = reply_to(call.messages)
        await says(f"{KEY} {said}", finish=KEY, reasoning_content=KEY)(call)

    async def reports(call: Call) -> None:
        await call.chunk(error="x" * 185 + KEY)

    given = {"key_from": "MY_KEY"}
    async with (
        serving(reports, repeats, tells) as provider,
        model(provider, transcript, settings=given) as bot,
    ):
        _answer, note = noted(await bot.act(sample("hearts", "play")))
        with pytest.raises(ModelRefused) as refused:
            await bot.act(sample("hearts", "play"))
    assert provider.calls[0].headers["authorization"] == f"Bearer {KEY}"
    assert "(the key)" in str(refused.value)
    for text in (str(refused.value), json.dumps(note), caplog.text, transcript.read_text()):
        assert KEY[:9] not in text


@pytest.mark.parametrize(
    ("value", "told"), [(None, "MY_KEY is not set"), (" ", "not set"), ("a b", "is no key")]
)
async def test_a_key_that_is_missing(monkeypatch: pytest.MonkeyPatch, value: str | None, told: str) -> None:
    monkeypatch.delenv("MY_KEY", raising=False)
    if value is not None:
        monkeypatch.setenv("MY_KEY", value)
    with pytest.raises(BadSetting, match=told):
        async with opened(FakeProvider().settings(base_url="http://localhost/v1", key_from="MY_KEY")):
            pass


async def test_whole_prompts_and_replies_go_to_the_transcript(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    decision = sample("hearts", "play")
    script = (status(500), says("hm", reasoning_content="Well."))
    async with serving(*script) as provider, model(provider, path) as bot:
        await bot.act(decision)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line["call"] for line in lines] == [1, 1, 2, 2, 3, 3]
    assert {(line["match"], line["decision"], line["seat"]) for line in lines} == {
        (decision.match.id, decision.id, decision.seat)
    }
    sent, failed, _again, said, reminded, _answer = lines
    assert sent["messages"] == provider.calls[0].messages
    assert failed["failure"] == "HTTP status 500: no"
    assert (said["reply"], said["reasoning"], said["problem"]) == ("hm", "Well.", "unreadable")
    assert reminded["messages"] == provider.calls[2].messages
    assert path.stat().st_mode & 0o777 == 0o600


async def test_no_more_calls_at_once_than_there_is_room_for(tmp_path: Path) -> None:
    """Two bots that know each other by a folder alone, as processes do."""
    release = asyncio.Event()

    async def answers_then(call: Call) -> None:
        await release.wait()
        await answers(call)

    async with serving() as provider:
        provider.rest = answers_then
        one, other = (Room(provider.base_url, 2, tmp_path / "calls") for _bot in range(2))
        async with model(provider, room=one) as first, model(provider, room=other) as second:
            decisions = [
                asyncio.create_task(bot.act(sample("hearts", "play"))) for bot in (first, second) * 3
            ]
            while len(provider.calls) < 2:
                provider.heard.clear()
                await provider.heard.wait()
            assert one._taken() is None
            assert other._taken() is None
            release.set()
            await asyncio.gather(*decisions)
    assert (provider.most_at_once, len(provider.calls)) == (2, 6)


async def test_without_room_in_time_the_decision_is_given_up_as_such() -> None:
    async with serving(hangs) as provider:
        room = Room(provider.base_url, 1)
        async with room.place(), model(provider, room=room) as bot:
            acting = asyncio.create_task(bot.act(sample("hearts", "play")))
            await asyncio.sleep(0)
            pass_time(SECONDS)
            _answer, note = noted(await acting)
    assert (note["gave_up"], provider.calls) == ("room", [])


async def test_a_decision_that_is_closed_ends_its_call() -> None:
    async with serving(waits) as provider, model(provider) as bot:
        acting = asyncio.create_task(bot.act(sample("hearts", "play")))
        await provider.heard.wait()
        acting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await acting
        assert bot._room._inside.locked() is False
