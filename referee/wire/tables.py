"""Which field of the protocol carries which event and which view: where a new game adds what it tells."""

from collections.abc import Mapping
from typing import Final

from referee.games import events
from referee.games.hearts.rules import MoonChosen
from referee.games.hearts.view import DealStarted, HeartsView, PassReceived
from referee.games.two_handed_spades.view import CardDrafted, DraftStarted, TwoHandedSpadesView

EVENTS: Final[Mapping[type, str]] = {
    events.CardPlayed: "card_played",
    events.TrickTaken: "trick_taken",
    events.DealScored: "deal_scored",
    events.BidMade: "bid_made",
    DealStarted: "hearts_deal_started",
    PassReceived: "pass_received",
    MoonChosen: "moon_chosen",
    DraftStarted: "draft_started",
    CardDrafted: "card_drafted",
}
VIEWS: Final[Mapping[type, str]] = {
    HeartsView: "hearts",
    TwoHandedSpadesView: "two_handed_spades",
}
