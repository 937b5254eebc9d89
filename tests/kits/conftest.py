"""What the tests of the kits share: they are run by `make test-clients`, which has the kits built."""

import asyncio
import os
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import grpc
import pytest

from tests.kits.kits import PYTHON, STDIO, Kit, chosen
from tests.workspace import Workspace

ASKED: Final = os.environ.get("FAIRDEAL_KITS", "")

_OF_SESSIONS: Final = ("test_dialling", "test_first_frames")
"""Modules about dialling and sessions alone, which a bridge leaves to the Python SDK."""

# without being asked for they are not built; the end of the run says so (tests/conftest.py)
collect_ignore_glob = [] if ASKED else ["test_*.py"]


def pytest_generate_tests(metafunc: Any) -> None:
    """Run what takes a kit for each that is asked for."""
    if "kit" in metafunc.fixturenames:
        kits = chosen(ASKED)
        if metafunc.module.__name__.endswith(_OF_SESSIONS):
            kits = tuple(kit for kit in kits if kit is not STDIO)
        metafunc.parametrize("kit", kits, ids=lambda kit: kit.name)
    if "kit_with_readme" in metafunc.fixturenames:
        # the SDK's is the project's own, which tests/e2e/test_examples.py follows
        others = [kit for kit in chosen(ASKED) if kit is not PYTHON]
        metafunc.parametrize("kit_with_readme", others, ids=lambda kit: kit.name)


class Dialler:
    """Starts random bots in a workspace; in a match they wait for the referee as long as it takes."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def __call__(self, kit: Kit, *options: object, **environment: str) -> Any:
        if "--game" in options and "--connect-timeout" not in options:
            options += ("--connect-timeout", 300)
        return self._workspace.start(*_path_first(kit.command(*options)), **environment)


def _path_first(words: list[str]) -> list[object]:
    return [Path(words[0]), *words[1:]]  # what `House.start` takes for another program than fairdeal


@pytest.fixture
def dial(workspace: Workspace) -> Dialler:
    return Dialler(workspace)


class OneLine:
    """Checks what a bot that failed has printed."""

    def __call__(self, done: Any, *words: str) -> str:
        """Return the one line on standard error, in which these words stand."""
        lines = done.complaints.splitlines()
        assert len(lines) == 1, done.err
        prefix = re.match(r"(fairdeal-random-bot|python -m fairdeal\.bots|fairdeal|error): ", lines[0])
        assert prefix, lines[0]
        for word in words:
            assert word in lines[0]
        return str(lines[0])


@pytest.fixture(scope="session")
def one_line() -> OneLine:
    return OneLine()


@pytest.fixture(scope="session")
def scripted() -> Callable[..., Any]:
    """Return a context in which a server plays a script on `PlayService.Play`, in raw bytes, at a free port.

    The script is a coroutine function that takes the call's context; another ``service`` is no referee.
    """

    @asynccontextmanager
    async def serve(script: Any, service: str = "fairdeal.v1.PlayService") -> AsyncIterator[str]:
        async def behaviour(_requests: Any, context: Any) -> None:
            try:
                await context.read()  # the hello: a stream that ends before it can lose why
                await script(context)
            except asyncio.CancelledError:
                return  # the bot has gone

        server = grpc.aio.server()
        handler: Any = grpc.stream_stream_rpc_method_handler(behaviour)
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, {"Play": handler}),))
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        try:
            yield f"127.0.0.1:{port}"
        finally:
            await server.stop(grace=0)

    return serve
