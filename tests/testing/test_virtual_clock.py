"""The virtual clock moves only when it is told to, and never back."""

import pytest

from fairdeal.testing import VirtualClock


def test_it_moves_when_it_is_told_to() -> None:
    clock = VirtualClock(5)
    now = clock.now
    assert now() == now() == 5
    assert clock.advance(10) == now() == 15
    assert clock.advance(0) == 15
    assert clock.set(15) == 15
    assert clock.set(1_000_000) == now() == 1_000_000


def test_it_never_goes_back() -> None:
    clock = VirtualClock(5)
    for back in (lambda: clock.advance(-1), lambda: clock.set(4)):
        with pytest.raises(ValueError, match=r"^the clock stands at 5 and cannot go back to 4$"):
            back()
    assert clock.now() == 5
