"""What a bot author imports: run a bot at a fairdeal referee, with typed views and actions.

A bot is an object with a method ``act(decision)``, or a function from a decision to an answer::

    import fairdeal

    class FirstCard:
        def act(self, decision: fairdeal.Decision) -> fairdeal.Answer:
            legal = decision.legal
            if isinstance(legal, fairdeal.LegalChoice):
                return legal.cards[: legal.minimum]
            return legal.actions[0]

    fairdeal.run(FirstCard(), "127.0.0.1:7447", matches=1)

`fairdeal.bots` holds the house bots and `fairdeal.v1` is the
protocol's generated code.
"""

from fairdeal._player import AnyBot, Bot
from fairdeal._run import run, run_async
from fairdeal.actions import (
    Action,
    Answer,
    Bid,
    ChooseCards,
    Draft,
    Legal,
    LegalActions,
    LegalChoice,
    Moon,
    OtherAction,
    PlayCard,
)
from fairdeal.cards import ALL_CARDS, Card, Cards, Rank, Suit
from fairdeal.chance import Chance
from fairdeal.errors import (
    BadAnswer,
    BadSetting,
    CannotConnect,
    ConnectionLost,
    FairdealError,
    ProtocolError,
    Rejected,
    Replaced,
)
from fairdeal.events import (
    BidMade,
    CardDrafted,
    CardPlayed,
    DealScored,
    DraftStarted,
    Event,
    HeartsDealStarted,
    MoonChosen,
    PassDirection,
    PassReceived,
    TrickTaken,
)
from fairdeal.updates import (
    Clock,
    Closed,
    CloseReason,
    Commitment,
    Decision,
    Fault,
    FaultCounts,
    Finished,
    Happened,
    Notice,
    NoticeKind,
    Refused,
    Seated,
    Termination,
)
from fairdeal.views import HeartsPhase, HeartsView, Trick, TwoHandedSpadesPhase, TwoHandedSpadesView, View

__all__ = [
    "ALL_CARDS",
    "Action",
    "Answer",
    "AnyBot",
    "BadAnswer",
    "BadSetting",
    "Bid",
    "BidMade",
    "Bot",
    "CannotConnect",
    "Card",
    "CardDrafted",
    "CardPlayed",
    "Cards",
    "Chance",
    "ChooseCards",
    "Clock",
    "CloseReason",
    "Closed",
    "Commitment",
    "ConnectionLost",
    "DealScored",
    "Decision",
    "Draft",
    "DraftStarted",
    "Event",
    "FairdealError",
    "Fault",
    "FaultCounts",
    "Finished",
    "Happened",
    "HeartsDealStarted",
    "HeartsPhase",
    "HeartsView",
    "Legal",
    "LegalActions",
    "LegalChoice",
    "Moon",
    "MoonChosen",
    "Notice",
    "NoticeKind",
    "OtherAction",
    "PassDirection",
    "PassReceived",
    "PlayCard",
    "ProtocolError",
    "Rank",
    "Refused",
    "Rejected",
    "Replaced",
    "Seated",
    "Suit",
    "Termination",
    "Trick",
    "TrickTaken",
    "TwoHandedSpadesPhase",
    "TwoHandedSpadesView",
    "View",
    "run",
    "run_async",
]
