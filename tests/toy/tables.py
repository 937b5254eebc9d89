"""What bury adds to the tables of `referee.wire.tables`."""

from collections.abc import Mapping
from typing import Final

from referee.games.bury.view import BuryDealStarted, BuryView, CardBuried

EVENTS: Final[Mapping[type, str]] = {
    BuryDealStarted: "bury_deal_started",
    CardBuried: "card_buried",
}
VIEWS: Final[Mapping[type, str]] = {
    BuryView: "bury",
}
