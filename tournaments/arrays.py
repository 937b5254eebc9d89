"""NumPy, and SciPy where it is needed, loaded so that each computes with one thread.

With several, the last digits of a fit depend on how many processors there are, and threads that wait for each
other keep them busy: a fit of 100,000 results took two to three times as long a processor.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_THREADS: Final = "OPENBLAS_NUM_THREADS"  # read once, when the library is loaded

__all__ = ["ArrayLike", "NDArray", "np", "one_thread"]


@contextmanager
def one_thread() -> Iterator[None]:
    """Have libraries that are loaded in this context use one thread; processes that start later do not."""
    before = os.environ.get(_THREADS)
    os.environ[_THREADS] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_THREADS]
        else:
            os.environ[_THREADS] = before


with one_thread():
    import numpy as np
    from numpy.typing import ArrayLike, NDArray
