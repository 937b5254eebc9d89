"""Ways for a match to begin, to go on and to end, and what the text of its record says of them."""

from typing import Any

from referee.match.faults import FaultPolicy
from tests.referee.recorded import Unshuffled

ONCE = FaultPolicy(substitute=False)

# the game, what is given to its table, and lines of the text, in order; all its remarks are among them
COURSES: dict[str, tuple[str, dict[str, Any], list[str]]] = {
    "a declined seat of four": (
        "hearts",
        {"arrivals": ["ready", "ready", "decline"]},
        [
            "! 0.030 s seat 2 random-1: declined its seat; it forfeits",
            "Deal 1: cards pass left",
            "Outcome: completed, 1 deal",
            "3 21 seat 0 careful",
            "4 5 seat 2 random-1",
            "seat 2 random-1 none; forfeited",
            "seat 2 random-1 0.000 s in 0 answers",
        ],
    ),
    "a declined seat of two": (
        "two_handed_spades",
        {"arrivals": ["decline"]},
        [
            "! 0.010 s seat 0 careful: declined its seat; it forfeits",
            "Outcome: forfeit, 0 deals",
            "1 - seat 1 greedy",
            "2 - seat 0 careful",
        ],
    ),
    "not ready in time": (
        "hearts",
        {"arrivals": ["decline", "leaves", "silent", "ready"]},
        [
            "! 0.010 s seat 0 careful: declined its seat; it forfeits",
            "- 0.020 s seat 1 greedy lost its session",
            "! 30.000 s seat 1 greedy: disconnected, not ready in time; it forfeits",
            "! 30.000 s seat 2 random-1: late, not ready in time; it forfeits",
            "Deal 1: cards pass left",
            "seat 0 careful none; forfeited",
            "seat 1 greedy 1 disconnected; 1 session lost; forfeited",
            "seat 2 random-1 1 late; forfeited",
            "seat 3 slow none",
        ],
    ),
    "nobody comes": (
        "two_handed_spades",
        {"arrivals": ["absent", "absent"]},
        [
            "! 30.000 s seat 0 careful: disconnected, not ready in time; it forfeits",
            "! 30.000 s seat 1 greedy: disconnected, not ready in time; it forfeits",
            "Outcome: forfeit, 0 deals",
            "1 - seat 0 careful",
            "1 - seat 1 greedy",
        ],
    ),
    "a bot is gone for good": (
        "hearts",
        {"incidents": {(3, 1): "abandon"}},
        [
            "! 0.540 s seat 3 slow: disconnected, its bot does not come back; it forfeits",
            "seat 3 slow gives 4C 6C 7C to seat 0 careful (default)",
            "seat 3 slow 1 disconnected; forfeited",
        ],
    ),
    "a player of four gives up": (
        "hearts",
        {"incidents": {(3, 1): "resign"}},
        [
            "! 0.540 s seat 3 slow: gave the match up; it forfeits",
            "seat 3 slow gives 4C 6C 7C to seat 0 careful (default)",
            "seat 3 slow none; forfeited",
        ],
    ),
    "a player of two gives up": (
        "two_handed_spades",
        {"incidents": {(0, 15): "resign"}},
        [
            "! 2.270 s seat 0 careful: gave the match up; it forfeits",
            "Outcome: forfeit, 1 deal",
            "seat 0 careful none; forfeited",
        ],
    ),
    "the fault that ends the match": (
        "two_handed_spades",
        {"faults": ONCE, "incidents": {(0, 15): "late"}},
        [
            "faults the default action is played; a seat forfeits at fault 1",
            "! 15.720 s seat 0 careful: late, no answer after 13.500 s (fault 1 of 1); it forfeits",
            "1 - *8D nobody, the match was over",
            "Outcome: forfeit, 1 deal",
            "1 - seat 1 greedy",
            "2 - seat 0 careful",
            "seat 0 careful 1 late; forfeited",
        ],
    ),
    "the illegal answer that ends the match": (
        "two_handed_spades",
        {"faults": ONCE, "incidents": {(1, 2): "illegal"}},
        [
            "1:-KH+8D 0:-2D+3D",
            "! 0.270 s seat 1 greedy: illegal answer: index 2 (fault 1 of 1); it forfeits",
            "Outcome: forfeit, 1 deal",
        ],
    ),
    "cancelled": (
        "hearts",
        {"incidents": {(3, 1): "cancel"}},
        [
            "! 0.540 s the match was cancelled",
            "Outcome: cancelled, 1 deal",
            "no result: the match does not count",
        ],
    ),
    "void": (
        "hearts",
        {"incidents": {(3, 1): "void"}},
        ["! 0.540 s the referee failed; no bot is at fault", "Outcome: void, 1 deal"],
    ),
    "capped": (
        "hearts",
        {"deals": None, "options": {"max_deals": 1}},
        [
            "Match m-0001, attempt 1: American hearts, a whole game",
            "options max_deals = 1",
            "Outcome: completed, 1 deal, decided by the scores at the cap on deals",
        ],
    ),
    "a deal without a pass": ("hearts", {"deals": 4}, ["Deal 4: no cards are passed"]),
    "a moon that is chosen": (
        "hearts",
        {"dealing": Unshuffled, "first_legal": True},
        [
            "seat 0 careful C 2 3 4 5 6 7 8 9 T J Q K A D - H - S -",
            "seat 0 careful shot the moon: 26 off its own total",
            "points -26 0 0 0",
        ],
    ),
    "a moon that an option settles": (
        "hearts",
        {"dealing": Unshuffled, "first_legal": True, "options": {"moon": "add"}},
        ["seat 0 careful shot the moon: 26 on each other total", "points 0 26 26 26"],
    ),
    "a moon that the referee chooses": (
        "hearts",
        {"dealing": Unshuffled, "first_legal": True, "incidents": {(0, 15): "late"}},
        [
            "! 20.540 s seat 0 careful: late, no answer after 13.500 s; default: subtract (fault 1 of 3)",
            "seat 0 careful shot the moon: 26 off its own total (default)",
        ],
    ),
    "nil": (
        "two_handed_spades",
        {"first_legal": True},
        ["seat 1 greedy bids nil", "seat 0 careful bids nil"],
    ),
}
