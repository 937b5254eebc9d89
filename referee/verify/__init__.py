"""Verifies records: a match is replayed from its inputs and its secret, and compared line by line.

What verifies can be gone through again: `past`, `seen_by`.
"""

from referee.verify.again import Ear, Past, past, seeing, seen_by, trusted
from referee.verify.lines import Line
from referee.verify.values import Discrepancy, Known, Status, Verdict
from referee.verify.verify import verify

__all__ = [
    "Discrepancy",
    "Ear",
    "Known",
    "Line",
    "Past",
    "Status",
    "Verdict",
    "past",
    "seeing",
    "seen_by",
    "trusted",
    "verify",
]
