"""Errors planted into the referee, each with a text that must show nowhere.

A place is a function of the referee's that is called while matches are played. One that is armed raises an
error when it is called next, and works as ever afterwards. What is exchanged is its code, so that it does not
matter under which name it is called.
"""

import importlib
import inspect
import pkgutil
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType, FunctionType
from typing import Any, Final

import referee

CANARY: Final = "canary-QS-and-TC"

# what runs beside the referee, in tests, or in the command line
_NOT_OURS: Final = (
    "referee.transcript",
    "referee.server.tokens",
    "referee.server.exposure",
)

# The guards around all others: nothing that they do before they guard can fail. An error out of one of them
# would be the test's own, and would stop the referee's loop.
_GUARDS: Final = (
    "referee.server.interceptors._Guard.intercept_service",
    "referee.server.play_service.PlayService.play",
    "referee.server.record_writer.RecordWriter._kept",
    *(
        f"referee.server.runtime.Referee.{name}"
        for name in (
            "_fail",
            "_fail_on",
            "_flush",
            "_guard",
            "_pulse",
            "_schedule_flush",
            "fail",
        )
    ),
)

_armed: dict[str, Callable[[], None]] = {}


def burst(name: str) -> None:
    """Raise the error of a place that is armed."""
    _armed.pop(name)()


class TappedFunction:
    """One function of the referee's."""

    def __init__(self, name: str, function: FunctionType) -> None:
        self.name = name
        self.hits = 0
        self._function = function
        self._code = function.__code__

    def arm(self, kind: type[Exception]) -> None:
        """Make the function raise an error the next time that it is called."""

        def explode() -> None:
            self.disarm()
            self.hits += 1
            try:
                raise KeyError(f"context {CANARY}")
            except KeyError:
                raise kind(f"error {CANARY}") from ValueError(f"cause {CANARY}")

        _armed[self.name] = explode
        self._function.__code__ = _trap(self.name)

    def disarm(self) -> None:
        """Make the function work again."""
        self._function.__code__ = self._code
        _armed.pop(self.name, None)


def _trap(name: str) -> CodeType:
    scope: dict[str, Any] = {}
    exec(f"def trap(*args, **kwargs):\n from {__name__} import burst\n burst({name!r})", scope)
    code: CodeType = scope["trap"].__code__
    return code


def _modules() -> Iterator[Any]:
    for found in pkgutil.walk_packages(referee.__path__, "referee."):
        if not found.name.startswith(_NOT_OURS):
            yield importlib.import_module(found.name)


def _functions(module: Any) -> Iterator[tuple[str, FunctionType]]:
    for name, value in vars(module).items():
        if inspect.isclass(value) and value.__module__ == module.__name__:
            for part, member in vars(value).items():
                bare = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
                yield f"{module.__name__}.{name}.{part}", bare
        else:
            yield f"{module.__name__}.{name}", value


def functions() -> dict[CodeType, TappedFunction]:
    """Return all functions of the referee's that are written in its files, by their code."""
    places = {}
    for module in _modules():
        for name, function in _functions(module):
            if (
                isinstance(function, FunctionType)
                and function.__module__ == module.__name__
                and function.__code__.co_filename == module.__file__
                and not function.__code__.co_freevars
                and name not in _GUARDS
            ):
                places.setdefault(function.__code__, TappedFunction(name, function))
    return places


@contextmanager
def watching(places: dict[CodeType, TappedFunction]) -> Iterator[dict[str, TappedFunction]]:
    """Gather the places that are called while the context lasts, in any thread."""
    called: dict[str, TappedFunction] = {}

    def note(frame: Any, event: str, _arg: object) -> None:
        if event == "call" and (place := places.get(frame.f_code)):
            called[place.name] = place

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield called
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
