"""What `fairdeal check-bot` plays of piquet."""

from typing import Final

from referee.cards import cards
from referee.games.check_plan import CheckPlan

# Seat 0 holds one sequence, the best there is. Declared and found good, it leaves nothing else to declare.
# Neither seat can draw another one among the first five cards of the talon.
_FIRST: Final = "AC KC QC 7D 9D JD 8H TH QH 7S 9S JS"
_OTHER: Final = "7C 9C JC 8D TD KD 7H 9H KH 8S TS KS"
_TALON: Final = "8C TC QD AD QS JH AH AS"

CHECK_PLAN: Final = CheckPlan(
    options={"rubicon": 50},
    every_seat=True,
    empty_choice=dict.fromkeys(range(6), cards(f"{_FIRST} {_OTHER} {_TALON}")),
)
