"""What one address may hold of something that everybody shares."""

import ipaddress
from collections import Counter
from typing import Final

_PART: Final = 4


def share(most: int) -> int:
    """Return how many of ``most`` one address may hold: a quarter, and one at least."""
    return max(1, most // _PART)


def holder(address: str) -> str:
    """Return as whom an address counts, such as 192.0.2.7; empty for one of this machine, or none.

    A network of IPv6 (/64) belongs to one household, which can take any address of it.
    """
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return ""
    if isinstance(parsed, ipaddress.IPv6Address):
        if parsed.ipv4_mapped is None:
            return "" if parsed.is_loopback else str(ipaddress.ip_network((parsed, 64), strict=False))
        parsed = parsed.ipv4_mapped
    return "" if parsed.is_loopback else str(parsed)


class Shares:
    """Counts what is held, in all and by address.

    For this machine's own addresses only what is held in all counts: a reverse proxy comes from there for
    everybody.
    """

    def __init__(self) -> None:
        self.total = 0
        """How many are held in all."""
        self._of: Counter[str] = Counter()

    def is_left(self, address: str, most: int) -> bool:
        """Return whether an address may hold one more of ``most``, as far as its own share goes."""
        return self._of[holder(address)] < share(most)

    def take(self, address: str) -> None:
        """Count one more."""
        self.total += 1
        if name := holder(address):
            self._of[name] += 1

    def give_back(self, address: str) -> None:
        """Count one less."""
        self.total -= 1
        if name := holder(address):
            self._of[name] -= 1
            if not self._of[name]:
                del self._of[name]
