"""Long work in small steps, so that other work can be done in between."""

from collections.abc import Callable, Generator
from typing import Any, TypeAlias, TypeVar

T = TypeVar("T")

Steps: TypeAlias = Generator[Callable[[], Any] | None, Any, T]
"""Work that ends with a T: after each step, of a millisecond at most, it yields.

It yields None, or a call that takes longer, since it reads or writes files or a database, and that may be
made in a thread; its result is sent back. Functions that return such work are named by what they are doing:
`reporting`, `copying`.
"""


def at_once(steps: Steps[T]) -> T:
    """Carry out all steps, and return their result."""
    given: Any = None
    while True:
        try:
            call = steps.send(given)
        except StopIteration as over:
            result: T = over.value
            return result
        given = call() if call else None
