"""Enums that are numbered as on the wire."""

from enum import Enum
from typing import Self


class WireEnum(Enum):
    """An enum of the protocol; its zero, ``UNKNOWN``, stands for values that this version does not know."""

    @classmethod
    def _missing_(cls, value: object) -> Self:
        return cls(0)

    def __repr__(self) -> str:
        return f"{type(self).__name__}.{self.name}"
