"""The request to a server of models, and its reply put together from the bytes of a stream. No I/O."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from fairdeal.llm._asking import Reply
from fairdeal.llm.settings import ModelSettings
from fairdeal.updates import Decision
from fairdeal.words import schema as schema_of

MOST_TEXT: Final = 1 << 18
"""Characters of a reply that are kept; one that is longer counts as cut off."""
MOST_BYTES: Final = 1 << 25
"""Bytes of a stream that are read: each token takes some hundred."""
MOST_LINE: Final = 1 << 21
"""Bytes of one line of it."""

_FUNCTION: Final = "answer"
_MOST_TOKENS: Final = 10**9


class BadStream(Exception):
    """What came is not a reply; the text says why."""


def body(
    settings: ModelSettings, messages: Sequence[Mapping[str, str]], decision: Decision | None
) -> dict[str, Any]:
    """Return the body of a request; without a decision it asks for any answer."""
    data: dict[str, Any] = {
        "model": settings.model,
        "messages": messages,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if "max_completion_tokens" not in settings.request:
        data["max_tokens"] = settings.reply_tokens
    if settings.reply != "json":
        action = schema_of(decision, settings.words) if decision else {"type": "string"}
        schema = {
            "type": "object",
            "properties": {"thought": {"type": "string"}, "action": action},
            "required": ["thought", "action"],
            "additionalProperties": False,
        }
        if settings.reply == "schema":
            named = {"name": _FUNCTION, "strict": True, "schema": schema}
            data["response_format"] = {"type": "json_schema", "json_schema": named}
        else:
            function = {"name": _FUNCTION, "description": "Gives your answer.", "parameters": schema}
            data["tools"] = [{"type": "function", "function": function}]
            data["tool_choice"] = {"type": "function", "function": {"name": _FUNCTION}}
    return {**data, **settings.request}


class Streamed:
    """Puts a reply together: `feed` takes bytes as they come, and `reply` gives it at the end.

    ``is_over`` says that no more is needed.
    """

    def __init__(self, *, is_stream: bool = True) -> None:
        self.is_over = False
        self._is_stream = is_stream  # else one object, of a server that does not stream
        self._bytes = 0
        self._rest = bytearray()
        self._text: list[str] = []
        self._called: list[str] = []
        self._reasoning: list[str] = []
        self._length = 0
        self._finish = ""
        self._usage: Mapping[str, Any] = {}

    def feed(self, data: bytes) -> None:
        """Take what has come.

        Raises:
            BadStream: it is no reply, or reports an error.
        """
        self._bytes += len(data)
        if not self._is_stream:
            self._rest += data
        else:
            *ends, begin = data.split(b"\n")
            for end in ends:
                self._rest += end
                line, self._rest = bytes(self._rest), bytearray()
                self._line(line)
                if self.is_over:
                    return
            self._rest += begin
        if len(self._rest) > (MOST_LINE if self._is_stream else MOST_BYTES) or self._bytes > MOST_BYTES:
            self._cut_off()

    def reply(self) -> Reply:
        """Return the reply.

        Raises:
            BadStream: the stream ended before the reply did, or is no reply.
        """
        if not self._is_stream and not self.is_over:
            self._take(self._json(bytes(self._rest)))
            self.is_over = True
        if not (self.is_over or self._finish):
            raise BadStream("the connection was closed in the midst of a reply")
        return self.so_far()

    def so_far(self) -> Reply:
        """Return what has come of the reply."""
        # what a call of the function says is the answer; it stands last, where the last object counts
        text = "\n".join(part for part in ("".join(self._text), "".join(self._called)) if part)
        return Reply(
            text=_encodable(text[-MOST_TEXT:]),
            finish=_encodable(self._finish or "stop"),
            reasoning=_encodable("".join(self._reasoning)),
            tokens_in=self._tokens("prompt_tokens"),
            tokens_out=self._tokens("completion_tokens"),
            cost=self._cost(),
        )

    def _line(self, line: bytes) -> None:
        field, colon, value = line.strip().partition(b":")
        if field != b"data" or not colon:
            return  # another field, a comment that keeps the connection open, or nothing
        if value.strip() == b"[DONE]":
            self.is_over = True
        else:
            self._take(self._json(value))

    def _json(self, data: bytes) -> Mapping[str, Any]:
        try:
            found = json.loads(data.decode(errors="replace"))
        except (ValueError, RecursionError):
            raise BadStream("it sent something that is no JSON") from None
        if not isinstance(found, dict):
            raise BadStream("it sent something that is no reply")
        return found

    def _take(self, chunk: Mapping[str, Any]) -> None:
        if error := chunk.get("error"):
            message = error.get("message") if isinstance(error, dict) else error
            raise BadStream(f"it reports an error: {message}")
        if isinstance(usage := chunk.get("usage"), dict):
            self._usage = usage
        choices = chunk.get("choices")
        if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
            return  # such as the one with the usage
        said = choices[0].get("delta") or choices[0].get("message")
        if isinstance(said, dict):
            self._add(self._text, said.get("content"))
            self._add(self._reasoning, said.get("reasoning_content") or said.get("reasoning"))
            calls = said.get("tool_calls")
            for call in calls if isinstance(calls, list) else ():
                function = call.get("function") if isinstance(call, dict) else None
                self._add(self._called, function.get("arguments") if isinstance(function, dict) else None)
        if isinstance(finish := choices[0].get("finish_reason"), str):
            self._finish = finish

    def _add(self, parts: list[str], text: object) -> None:
        if isinstance(text, str) and not self.is_over:
            parts.append(text[: MOST_TEXT - self._length])
            self._length += len(text)
            if self._length > MOST_TEXT:
                self._cut_off()

    def _cut_off(self) -> None:
        self._finish, self.is_over = "length", True
        self._rest.clear()

    def _tokens(self, name: str) -> int | None:
        number = self._usage.get(name)
        return number if type(number) is int and 0 <= number <= _MOST_TOKENS else None

    def _cost(self) -> float | None:
        cost = self._usage.get("cost")
        if isinstance(cost, bool) or not isinstance(cost, int | float) or not 0 <= cost < _MOST_TOKENS:
            return None
        return float(cost)


def _encodable(text: str) -> str:
    """Return a text with whole letters: JSON may have escapes of halves, and a stream be cut between two."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
