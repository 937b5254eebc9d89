"""Which field of the protocol carries which event and which view: where a new game adds what it tells."""

from collections.abc import Mapping
from typing import Final

from referee.games.euchre.events import AloneChosen, TrumpCalled, UpcardCalled
from referee.games.euchre.view import DealStarted as EuchreDealStarted
from referee.games.euchre.view import EuchreView, UpcardTaken
from referee.games.events import BidMade, CardPlayed, DealScored, TrickTaken
from referee.games.hearts.rules import MoonChosen
from referee.games.hearts.view import DealStarted as HeartsDealStarted
from referee.games.hearts.view import HeartsView, PassReceived
from referee.games.piquet.events import (
    BlankClaimed,
    BonusScored,
    CombinationsShown,
    LeftoversSettled,
)
from referee.games.piquet.view import CardsExchanged, CombinationDeclared, PiquetView
from referee.games.piquet.view import DealStarted as PiquetDealStarted
from referee.games.spades.view import CardsLooked, SpadesView
from referee.games.spades.view import DealStarted as SpadesDealStarted
from referee.games.two_handed_spades.view import CardDrafted, DraftStarted, TwoHandedSpadesView

EVENTS: Final[Mapping[type, str]] = {
    CardPlayed: "card_played",
    TrickTaken: "trick_taken",
    DealScored: "deal_scored",
    BidMade: "bid_made",
    HeartsDealStarted: "hearts_deal_started",
    PassReceived: "pass_received",
    MoonChosen: "moon_chosen",
    SpadesDealStarted: "spades_deal_started",
    CardsLooked: "cards_looked",
    EuchreDealStarted: "euchre_deal_started",
    UpcardCalled: "upcard_called",
    TrumpCalled: "trump_called",
    UpcardTaken: "upcard_taken",
    AloneChosen: "alone_chosen",
    PiquetDealStarted: "piquet_deal_started",
    BlankClaimed: "blank_claimed",
    CardsExchanged: "cards_exchanged",
    LeftoversSettled: "leftovers_settled",
    CombinationDeclared: "combination_declared",
    CombinationsShown: "combinations_shown",
    BonusScored: "bonus_scored",
    DraftStarted: "draft_started",
    CardDrafted: "card_drafted",
}
VIEWS: Final[Mapping[type, str]] = {
    HeartsView: "hearts",
    SpadesView: "spades",
    EuchreView: "euchre",
    PiquetView: "piquet",
    TwoHandedSpadesView: "two_handed_spades",
}
