"""The random generator of our bots: the same seed gives the same match, in any language.

Each decision has a generator of its own, so that nothing a bot draws depends on what it drew before or on
other tables. With ``enc(x1..xk)`` = for each item its length as four bytes, big-endian, then its bytes, and
``u32be`` = a number as four bytes, big-endian, texts in ASCII::

    block j = SHA-256(enc("fairdeal/1/bot", seed, match id, u32be(seat), u32be(decision id), u32be(j)))

The blocks j = 0, 1, ... make one row of bytes, used in order. ``draw(n)`` takes one byte where n <= 256 and
four, big-endian, above; it takes again until the number is below L, the greatest multiple of n not above 256
or 2**32, and gives that number modulo n; n = 1 gives 0 and takes no byte. All else is made of draws. Vectors
are in tests/data/bot_vectors.json.
"""

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, TypeVar

T = TypeVar("T")

_PARTS: Final = 1_000_000


class Chance:
    """The random generator for one decision; ``seat`` counts from 0, ``decision_id`` is the referee's.

    Raises:
        ValueError: seed or match id is not ASCII, or seat or decision id does not fit in four bytes.
    """

    __slots__ = ("_at", "_blocks", "_bytes", "_prefix")

    def __init__(self, seed: str, match_id: str, seat: int, decision_id: int) -> None:
        self._prefix = _of_seat(seed, match_id, seat) + _FOUR + _u32be(decision_id) + _FOUR
        self._blocks = 0
        self._bytes = b""
        self._at = 0  # those before are used

    def draw(self, n: int) -> int:
        """Return one of 0 .. n-1, all equally likely.

        Raises:
            ValueError: n is not 1 to 2**32.
        """
        if not 1 <= n <= 2**32:
            raise ValueError(f"cannot draw one of {n}: must be one of 1 to 2**32")
        if n == 1:
            return 0
        size, space = (1, 256) if n <= 256 else (4, 2**32)
        # numbers from the limit on are skipped: with them the low results would come up too often
        limit = space - space % n
        number = self._take(size)
        while number >= limit:
            number = self._take(size)
        return number % n

    def choice(self, items: Sequence[T]) -> T:
        """Return one of the items.

        Raises:
            ValueError: there are none.
        """
        return items[self.draw(len(items))]

    def choose(self, items: Sequence[T], minimum: int, maximum: int) -> list[T]:
        """Return ``minimum`` to ``maximum`` of the items: first the count is drawn, then one after the other.

        Each is taken out of what remains, which stays in its order.

        Raises:
            ValueError: the bounds do not fit the number of items.
        """
        if not 0 <= minimum <= maximum <= len(items):
            raise ValueError(f"cannot choose {minimum} to {maximum} of {len(items)} items")
        count = minimum + self.draw(maximum - minimum + 1)
        remaining = list(items)
        return [remaining.pop(self.draw(len(remaining))) for _ in range(count)]

    def happens(self, probability: float) -> bool:
        """Return whether something of this probability happens: draw(1,000,000) is below it in millionths.

        The millionths are rounded, halves to even.

        Raises:
            ValueError: the probability is not 0 to 1.
        """
        if not 0 <= probability <= 1:
            raise ValueError(f"{probability} is not a probability: must be 0 to 1")
        return self.draw(_PARTS) < round(probability * _PARTS)

    def _take(self, size: int) -> int:
        at = self._at
        while len(self._bytes) < at + size:
            block = hashlib.sha256(self._prefix + self._blocks.to_bytes(4, "big")).digest()
            self._bytes, at = self._bytes[at:] + block, 0
            self._blocks += 1
        self._at = at + size
        return self._bytes[at] if size == 1 else int.from_bytes(self._bytes[at : at + size], "big")


@lru_cache(maxsize=1024)
def _of_seat(seed: str, match_id: str, seat: int) -> bytes:
    """Return what the blocks of all decisions of a seat begin with."""
    items = (b"fairdeal/1/bot", _ascii(seed), _ascii(match_id), _u32be(seat))
    return b"".join([_u32be(len(item)) + item for item in items])


def _ascii(text: str) -> bytes:
    if not text.isascii():
        raise ValueError(f"{text!r} is not ASCII: a bot's seed and match ids are ASCII texts")
    return text.encode("ascii")


def _u32be(n: int) -> bytes:
    try:
        return n.to_bytes(4, "big")
    except OverflowError:
        raise ValueError(f"{n} does not fit in four bytes: must be 0 to {2**32 - 1}") from None


_FOUR: Final = _u32be(4)
