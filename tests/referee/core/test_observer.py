"""Several observers in the place of one, and what is shown of an error."""

import inspect
from collections.abc import Callable
from typing import Any

import pytest

from referee.core.observer import Observer, Observers, trace_of

CANARY = "the queen of spades lies with seat 2"
METHODS = [name for name, _method in inspect.getmembers(Observer, inspect.isfunction) if name[0] != "_"]


class Notes(Observer):
    """Notes whatever it is told, together with who noted it."""

    def __init__(self, name: str, notes: list[Any]) -> None:
        for method in METHODS:
            setattr(self, method, self._noting(name, method, notes))

    def _noting(self, name: str, method: str, notes: list[Any]) -> Callable[..., None]:
        return lambda *args, **kwargs: notes.append((name, method, args, kwargs))


def arguments(method: str) -> tuple[list[Any], dict[str, str]]:
    """Return arguments of a method, each named like its parameter, except that an error is one."""
    parameters = [*inspect.signature(getattr(Observer, method)).parameters.values()][1:]
    by_name = {p.name: p.name for p in parameters if p.kind is p.KEYWORD_ONLY}
    names = [p.name for p in parameters if p.name not in by_name]
    return [RuntimeError(CANARY) if name == "error" else name for name in names], by_name


@pytest.mark.parametrize("method", METHODS)
def test_several_observers_are_told_all_in_their_order(method: str) -> None:
    notes: list[Any] = []
    told = Observers(Notes("first", notes), Notes("second", notes))
    args, kwargs = arguments(method)
    getattr(told, method)(*args, **kwargs)
    assert notes == [(name, method, tuple(args), kwargs) for name in ("first", "second")]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("observer", [Observer(), Observers()], ids=["one", "none"])
def test_an_observer_need_not_heed_anything(observer: Observer, method: str) -> None:
    args, kwargs = arguments(method)
    getattr(observer, method)(*args, **kwargs)


def test_a_trace_tells_where_an_error_came_from_and_none_of_its_text() -> None:
    def deal() -> None:
        try:
            raise KeyError(CANARY)
        except KeyError as error:
            found = RuntimeError(CANARY)
            found.add_note(CANARY)
            raise found from error

    with pytest.raises(RuntimeError) as caught:
        deal()
    trace = trace_of(caught.value)
    assert trace.startswith("RuntimeError in\n")
    assert "in deal\n" in trace
    assert CANARY not in trace


def test_an_error_is_logged_when_nobody_observes_and_without_its_text(
    caplog: pytest.LogCaptureFixture,
) -> None:
    Observer().failed("a turn of", RuntimeError(CANARY), "m-1")
    assert [record.levelname for record in caplog.records] == ["ERROR"]
    assert "a turn of m-1 failed: RuntimeError in" in caplog.text
    assert CANARY not in caplog.text


def test_an_error_of_one_observer_harms_nobody_else(caplog: pytest.LogCaptureFixture) -> None:
    class BrokenObserver(Observer):
        def stalled(self, late: int, entry: str, cost: int) -> None:
            raise RuntimeError(CANARY)

    class StallNotes(Observer):
        def __init__(self) -> None:
            self.seen: list[int] = []

        def stalled(self, late: int, entry: str, cost: int) -> None:
            self.seen.append(late)

    watching = StallNotes()
    Observers(BrokenObserver(), watching).stalled(7, "a", 3)
    assert watching.seen == [7]
    assert "RuntimeError" in caplog.text and "queen" not in caplog.text
