"""What `fairdeal check-bot` plays of euchre."""

from typing import Any, Final

from referee.cards import Seat
from referee.games.actions import (
    Action,
    Alone,
    AloneChoice,
    CallTrump,
    CallUpcard,
    TrumpCall,
    UpcardCall,
)
from referee.games.check_plan import CheckPlan
from referee.games.euchre.events import Phase


def _wish(view: Any, bot: Seat) -> Action | None:
    """Return the plan that makes the bot discard where it deals, and leaves the other calls to it."""
    if view.phase == Phase.UPCARD and view.dealer != bot + 1:
        return CallUpcard(UpcardCall.PASS)
    if view.phase == Phase.TRUMP:
        return CallTrump(TrumpCall.PASS)
    return Alone(AloneChoice.TOGETHER) if view.phase == Phase.ALONE else None


CHECK_PLAN: Final = CheckPlan(
    deals=8,
    options={"defenders_may_go_alone": True, "dealer_may_discard_upcard": False},
    long_options={"target": 1000},
    wish=_wish,
)
