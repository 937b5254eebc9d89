"""Verifies records: a match is replayed from its inputs and its secret, and compared line by line."""

from referee.verify.values import Known, Problem, Status, Verdict
from referee.verify.verify import verify

__all__ = ["Known", "Problem", "Status", "Verdict", "verify"]
