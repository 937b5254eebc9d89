"""Standings: a fold over the results of a store that goes on from a checkpoint."""

from tournaments.standings.fold import Standings, fingerprint
from tournaments.standings.live import Live, OnProgress, current
from tournaments.standings.shapes import (
    Encounters,
    RatingPoint,
    Report,
    ScoreBin,
    Standing,
    Tally,
    ThinkTime,
)

__all__ = [
    "Encounters",
    "Live",
    "OnProgress",
    "RatingPoint",
    "Report",
    "ScoreBin",
    "Standing",
    "Standings",
    "Tally",
    "ThinkTime",
    "current",
    "fingerprint",
]
