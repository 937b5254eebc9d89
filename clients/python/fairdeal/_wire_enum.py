"""Enums that are numbered as on the wire."""

import re
from enum import Enum
from typing import Self


def snake_name(name: str) -> str:
    """Return the name of a message or an enum as that of a field: ``UpcardCall`` is ``upcard_call``."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


class WireEnum(Enum):
    """An enum of the protocol; its zero, ``UNKNOWN``, stands for values that this version does not know."""

    @classmethod
    def _missing_(cls, value: object) -> Self:
        return cls(0)

    def __repr__(self) -> str:
        return f"{type(self).__name__}.{self.name}"
