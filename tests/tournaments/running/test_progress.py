"""Several observers of a run in the place of one."""

import inspect
from collections.abc import Callable

import pytest

from tournaments.running.progress import Progress, ProgressObservers

METHODS = [name for name, _method in inspect.getmembers(Progress, inspect.isfunction) if name[0] != "_"]


class Noting(Progress):
    """Notes whatever it is told, together with who noted it."""

    def __init__(self, name: str, notes: list[tuple[str, str, tuple[object, ...]]]) -> None:
        for method in METHODS:
            setattr(self, method, self._noting(name, method, notes))

    def _noting(
        self, name: str, method: str, notes: list[tuple[str, str, tuple[object, ...]]]
    ) -> Callable[..., None]:
        return lambda *args: notes.append((name, method, args))


@pytest.mark.parametrize("method", METHODS)
def test_all_observers_are_told_in_their_order(method: str) -> None:
    notes: list[tuple[str, str, tuple[object, ...]]] = []
    told = ProgressObservers([Noting("first", notes), Noting("second", notes)])
    args = [*inspect.signature(getattr(Progress, method)).parameters][1:]
    getattr(told, method)(*args)
    assert notes == [(name, method, tuple(args)) for name in ("first", "second")]


def test_an_error_of_an_observer_is_one_of_the_run() -> None:
    class NobodyReads(Progress):
        def warned(self, text: str) -> None:
            raise BrokenPipeError(text)

    with pytest.raises(BrokenPipeError):
        ProgressObservers([Progress(), NobodyReads()]).warned("nobody reads on")
