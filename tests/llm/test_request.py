"""Requests and streams, as bytes."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as settings_of_hypothesis
from hypothesis import strategies as st

from fairdeal.llm import _provider, _request
from fairdeal.llm._request import MOST_LINE, MOST_TEXT, BadStream, Streamed, body
from fairdeal.llm.settings import ModelSettings
from fairdeal.words import schema
from tests.words.asked import sample


def settings(**more: Any) -> ModelSettings:
    return ModelSettings(**{"model": "m", "base_url": "http://localhost/v1", **more})


def line(**data: Any) -> bytes:
    return f"data: {json.dumps(data)}\n\n".encode()


def delta(text: str, **more: Any) -> bytes:
    return line(choices=[{"delta": {"content": text}, **more}])


def test_a_request_is_streamed_with_its_usage() -> None:
    assert body(settings(request={"temperature": 0}), [{"role": "user", "content": "x"}], None) == {
        "model": "m",
        "messages": [{"role": "user", "content": "x"}],
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": 4096,
        "temperature": 0,
    }


def test_the_other_name_of_the_limit_takes_its_place() -> None:
    made = body(settings(request={"max_completion_tokens": 9}), [], None)
    assert (made["max_completion_tokens"], "max_tokens" in made) == (9, False)


def test_a_schema_and_a_function_name_what_is_legal() -> None:
    decision = sample("hearts", "play")
    action = schema(decision)
    form = body(settings(reply="schema"), [], decision)["response_format"]
    assert form["json_schema"]["schema"]["properties"]["action"] == action
    made = body(settings(reply="tool"), [], decision)
    assert made["tools"][0]["function"]["parameters"]["properties"]["action"] == action
    assert made["tool_choice"] == {"type": "function", "function": {"name": "answer"}}


WHOLE = (
    b": keep alive\n\n"
    + line(choices=[{"delta": {"role": "assistant", "content": None, "reasoning_content": "Hm. "}}])
    + delta('{"act')
    + delta('ion": "♠"}')
    + delta("", finish_reason="stop")
    + line(choices=[], usage={"prompt_tokens": 7, "completion_tokens": 3, "cost": 0.25})
    + b"data: [DONE]\n\n"
)


@pytest.mark.parametrize("size", [1, 7, 100_000])
def test_a_stream_in_pieces_of_any_size(size: int) -> None:
    streamed = Streamed()
    for start in range(0, len(WHOLE), size):
        streamed.feed(WHOLE[start : start + size])
    reply = streamed.reply()
    assert streamed.is_over
    assert (reply.text, reply.reasoning, reply.finish) == ('{"action": "♠"}', "Hm. ", "stop")
    assert (reply.tokens_in, reply.tokens_out, reply.cost) == (7, 3, 0.25)


def test_a_server_that_does_not_stream() -> None:
    streamed = Streamed(is_stream=False)
    streamed.feed(
        json.dumps({"choices": [{"message": {"content": "x"}, "finish_reason": "length"}]}).encode()
    )
    reply = streamed.reply()
    assert (reply.text, reply.finish, reply.tokens_in) == ("x", "length", None)


def test_the_call_of_a_function_is_the_answer() -> None:
    streamed = Streamed()
    for part in ('{"action": ', '"QS"}'):
        call = {"function": {"arguments": part}}
        streamed.feed(line(choices=[{"delta": {"content": "x", "tool_calls": [call]}}]))
    streamed.feed(delta("", finish_reason="tool_calls"))
    assert streamed.reply().text == 'xx\n{"action": "QS"}'


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "in the midst"),
        (delta('{"action": "2C"}'), "in the midst"),
        (WHOLE[:-80], None),  # its reason to stop came, so all of the reply did
        (b"data: {\n\n", "no JSON"),
        (b"data: [1]\n\n", "no reply"),
        (b"data: " + b"[" * 100_000 + b"\n\n", "no JSON"),
        (line(error={"message": "overloaded"}), "overloaded"),
        (line(error="overloaded"), "overloaded"),
        (b"<html>busy</html>", "in the midst"),
    ],
)
def test_what_is_no_reply(data: bytes, why: str | None) -> None:
    streamed = Streamed()
    if why is None:
        streamed.feed(data)
        streamed.reply()
        return
    with pytest.raises(BadStream, match=why):
        streamed.feed(data)
        streamed.reply()


@pytest.mark.parametrize(
    "chunk",
    [
        {"choices": 3},
        {"choices": [3]},
        {"choices": [{"delta": 3}]},
        {"choices": [{"delta": {"content": 3, "tool_calls": 3}}]},
        {"choices": [{"delta": {"tool_calls": [3, {"function": 3}]}}]},
        {"choices": [{"finish_reason": 3}], "usage": 3},
        {"choices": [], "usage": {"prompt_tokens": -1, "completion_tokens": True, "cost": "x"}},
    ],
)
def test_chunks_of_another_shape_are_passed_over(chunk: Any) -> None:
    streamed = Streamed()
    streamed.feed(line(**chunk) + b"data: [DONE]\n")
    reply = streamed.reply()
    assert (reply.text, reply.tokens_in, reply.tokens_out, reply.cost) == ("", None, None, None)


def test_bytes_that_are_no_utf8_are_read_as_far_as_they_go() -> None:
    streamed = Streamed()
    streamed.feed(b'data: {"choices": [{"delta": {"content": "\xff\xfe ok"}}]}\n\ndata: [DONE]\n\n')
    assert streamed.reply().text == "�� ok"


def test_halves_of_letters_are_put_together_or_replaced() -> None:
    """Some servers cut between the two halves of an escape; what cannot be encoded could not be sent back."""
    streamed = Streamed()
    for part in ("\ud83d", "\udc00 \ud800"):
        streamed.feed(delta(part))
    streamed.feed(delta("", finish_reason="\udc00"))
    reply = streamed.reply()
    assert (reply.text, reply.finish) == ("\U0001f400 �", "�")


def test_a_reply_without_end_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    streamed = Streamed()
    fed = 0
    while not streamed.is_over:
        streamed.feed(delta("x" * 60_000))
        fed += 60_000
    assert fed < MOST_TEXT + 120_000
    reply = streamed.reply()
    assert (len(reply.text), reply.finish) == (MOST_TEXT, "length")
    streamed = Streamed()
    for _part in range(MOST_LINE // 65_536 + 1):
        streamed.feed(b"x" * 65_536)  # a line without end
    assert streamed.reply().finish == "length"
    monkeypatch.setattr(_request, "MOST_BYTES", 1000)
    streamed = Streamed()
    streamed.feed(b": still thinking\n" * 100)
    assert streamed.reply().finish == "length"


@settings_of_hypothesis(max_examples=200)
@given(
    st.lists(st.one_of(st.binary(max_size=40), st.sampled_from(WHOLE.split(b"\n"))), max_size=12),
    st.booleans(),
)
def test_whatever_comes_is_a_reply_or_is_none(parts: list[bytes], is_stream: bool) -> None:
    streamed = Streamed(is_stream=is_stream)
    try:
        for part in parts:
            streamed.feed(part + b"\n")
        reply = streamed.reply()
    except BadStream as error:
        assert str(error)
    else:
        assert isinstance(reply.text, str)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("7", 7.0),
        ("0.5", 0.5),
        ("Wed, 25 Nov 2026 00:01:00 GMT", 60.0),
        ("Tue, 24 Nov 2026 00:00:00 GMT", 0.0),  # which is over
        ("Wed, 25 Nov 2026 00:01:00 -0000", 0.0),  # of no known zone
        ("-3", 0.0),
        ("nan", 0.0),
        ("inf", 0.0),
        ("soon", 0.0),
        ("", 0.0),
    ],
)
def test_how_long_a_provider_asks_to_wait(text: str, seconds: float) -> None:
    assert _provider._seconds(text, datetime(2026, 11, 25, tzinfo=UTC)) == seconds
