"""A stand-in for a server of language models, to try `fairdeal bot llm` without one.

    python examples/model_server.py --port 8765

It speaks OpenAI's /v1/chat/completions, streamed, and thinks no further than to take one of the legal answers
that it finds in the prompt. It needs Python alone. Ollama, llama.cpp and vLLM are servers of real models.
"""

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

NUMBERS = {"one": 1, "two": 2, "three": 3}
PIECE = 16  # characters of a part of a stream


def reply_to(messages: Sequence[dict[str, str]]) -> str:
    """Return the reply to a conversation: a sentence, and a legal answer as JSON."""
    asked = "\n".join(message["content"] for message in messages)
    return f'I take one of the legal answers. {{"action": {json.dumps(answer_to(asked))}}}'


def answer_to(asked: str) -> Any:
    """Return a legal answer to the last question in a text."""
    if values := re.findall(r'Legal values of "action": (.+)\.$', asked, re.MULTILINE):
        legal = json.loads(f"[{values[-1]}]")
        return legal[len(legal) // 2]
    if cards := re.findall(r"Cards to choose from: (.+)\.$", asked, re.MULTILINE):
        number = re.findall(r"(?:Choose|put) (\w+) (?:to \d+ )?cards?", asked)[-1]
        return cards[-1].split()[: NUMBERS.get(number) or int(number)]
    return []  # no further combinations


class Model(BaseHTTPRequestHandler):
    """Answers calls."""

    server: "ModelServer"

    def do_POST(self) -> None:
        """Answer a call with a stream, or an error."""
        data = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path != "/v1/chat/completions":
            return self._refuse(HTTPStatus.NOT_FOUND, f"no such address: {self.path}")
        if self.server.key and self.headers.get("Authorization") != f"Bearer {self.server.key}":
            return self._refuse(HTTPStatus.UNAUTHORIZED, "the key is wrong")
        request = json.loads(data)
        if request["model"] != self.server.model:
            return self._refuse(HTTPStatus.NOT_FOUND, f"no such model: {request['model']}")
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for chunk in chunks(request):
            self.wfile.write(f"data: {chunk}\n\n".encode())
        return None

    def _refuse(self, status: HTTPStatus, text: str) -> None:
        body = json.dumps({"error": {"message": text}}).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_words: object) -> None:
        """Print nothing for each call."""


def chunks(request: dict[str, Any]) -> Iterator[str]:
    """Yield the parts of the stream that answers a request."""
    text = reply_to(request["messages"])
    for start in range(0, len(text), PIECE):
        yield json.dumps({"choices": [{"delta": {"content": text[start : start + PIECE]}}]})
    yield json.dumps({"choices": [{"delta": {}, "finish_reason": "stop"}]})
    length = sum(len(message["content"]) for message in request["messages"])
    usage = {"prompt_tokens": length // 4, "completion_tokens": len(text) // 4}
    yield json.dumps({"choices": [], "usage": usage})
    yield "[DONE]"


class ModelServer(ThreadingHTTPServer):
    """The server: its model has a name, and it may want a key."""

    daemon_threads = True

    def __init__(self, port: int, model: str, key: str) -> None:
        super().__init__(("127.0.0.1", port), Model)
        self.model = model
        self.key = key


def main() -> None:
    """Serve until Ctrl-C."""
    line = argparse.ArgumentParser(description="Serve a model that takes any legal answer.")
    line.add_argument("--port", type=int, default=8765, help="where to listen on 127.0.0.1; 0: a free port")
    line.add_argument("--model", default="any-legal", help="the name of the model")
    line.add_argument("--key", default="", help="the key that calls need; by default none")
    given = line.parse_args()
    with ModelServer(given.port, given.model, given.key) as server:
        print(f"http://127.0.0.1:{server.server_address[1]}/v1 serves {given.model}", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print("stopped")


if __name__ == "__main__":
    main()
