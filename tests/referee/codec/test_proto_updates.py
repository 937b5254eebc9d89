"""Updates as they stand on the wire, one of each kind, compared with messages made by hand."""

from typing import Any

import pytest
from google.protobuf.duration_pb2 import Duration

from fairdeal.v1 import actions_pb2, cards_pb2, events_pb2, games_pb2, views_pb2
from fairdeal.v1 import play_service_pb2 as pb
from referee.cards import Seat, card, cards
from referee.codec import proto
from referee.games import events
from referee.games.actions import (
    Choose,
    DraftChoice,
    LegalActions,
    MoonChoice,
    PlayCard,
)
from referee.games.hearts import rules as hearts
from referee.games.hearts.view import HeartsDealStarted, HeartsView, PassReceived
from referee.games.tricks import Trick
from referee.games.two_handed_spades import rules as spades
from referee.games.two_handed_spades.view import CardDrafted, DraftStarted, TwoHandedSpadesView
from referee.match.clock import ClockSettings, Micros
from referee.match.faults import Fault, FaultCounts, Termination
from referee.match.messages import (
    Closed,
    CloseReason,
    Commitment,
    Decision,
    Finished,
    Happened,
    Notice,
    NoticeKind,
    Reason,
    Refused,
    Seated,
    Welcome,
)

HEARTS_VIEW = HeartsView(
    phase=hearts.Phase.PLAY,
    deal=3,
    direction=hearts.PassDirection.ACROSS,
    seat=Seat(0),
    hand=cards("2C AS"),
    passed=cards("QS"),
    received=(),
    tricks=(Trick(Seat(3), cards("2C 3C 4C 5C"), Seat(2)),),
    trick=Trick(Seat(0), cards("KH")),
    points=(0, -10, 13, 0),
    totals=(1, -2, 3, 0),
    hearts_broken=True,
)
HEARTS_MESSAGE = views_pb2.HeartsView(
    phase="HEARTS_PHASE_PLAY",
    deal=3,
    direction="PASS_DIRECTION_ACROSS",
    seat="SEAT_0",
    hand=["CARD_TWO_OF_CLUBS", "CARD_ACE_OF_SPADES"],
    passed=["CARD_QUEEN_OF_SPADES"],
    tricks=[
        cards_pb2.Trick(
            leader="SEAT_3",
            cards=[f"CARD_{rank}_OF_CLUBS" for rank in ("TWO", "THREE", "FOUR", "FIVE")],
            winner="SEAT_2",
        )
    ],
    trick=cards_pb2.Trick(leader="SEAT_0", cards=["CARD_KING_OF_HEARTS"]),
    points=[0, -10, 13, 0],
    totals=[1, -2, 3, 0],
    hearts_broken=True,
)
SPADES_VIEW = TwoHandedSpadesView(
    phase=spades.Phase.DRAFT,
    deal=1,
    first=Seat(1),
    seat=Seat(1),
    offered=card("TD"),
    choices=(DraftChoice.KEEP, DraftChoice.REFUSE),
    kept=cards("5D"),
    discarded=cards("6D"),
    hand=cards("5D"),
    bids=(events.BidMade(Seat(1), 0),),
    tricks=(),
    trick=None,
    taken=(0, 0),
    scores=(-5, 7),
    bags=(0, 9),
    spades_broken=False,
)
SPADES_MESSAGE = views_pb2.TwoHandedSpadesView(
    phase="TWO_HANDED_SPADES_PHASE_DRAFT",
    deal=1,
    first="SEAT_1",
    seat="SEAT_1",
    offered="CARD_TEN_OF_DIAMONDS",
    choices=["DRAFT_CHOICE_KEEP", "DRAFT_CHOICE_REFUSE"],
    kept=["CARD_FIVE_OF_DIAMONDS"],
    discarded=["CARD_SIX_OF_DIAMONDS"],
    hand=["CARD_FIVE_OF_DIAMONDS"],
    bids=[events_pb2.BidMade(seat="SEAT_1", tricks=0)],
    taken=[0, 0],
    scores=[-5, 7],
    bags=[0, 9],
)
LEGAL_PLAYS = actions_pb2.Legal(
    actions=actions_pb2.ActionList(
        actions=[
            actions_pb2.Action(play_card="CARD_TWO_OF_CLUBS"),
            actions_pb2.Action(play_card="CARD_ACE_OF_SPADES"),
        ]
    )
)


def happened(**event: Any) -> pb.Update:
    return pb.Update(
        happened=pb.Happened(match_id="m", event=events_pb2.Event(sequence=9, **event)),
    )


@pytest.mark.parametrize(
    ("update", "message"),
    [
        (
            Welcome(
                version=1,
                epoch=2,
                max_frame_bytes=3,
                max_unacknowledged_frames=4,
                max_unacknowledged_bytes=5,
                max_tables=6,
                heartbeat=Micros(7_500_000),
                server="s/1",
            ),
            pb.Update(
                welcome=pb.Welcome(
                    version=1,
                    epoch=2,
                    max_frame_bytes=3,
                    max_unacknowledged_frames=4,
                    max_unacknowledged_bytes=5,
                    max_tables=6,
                    heartbeat={"seconds": 7, "nanos": 500_000_000},
                    server="s/1",
                )
            ),
        ),
        (
            Seated(
                match_id="m",
                attempt=2,
                game="g",
                rules_version=3,
                options={"word": "w", "flag": False, "number": 0},
                deals=4,
                seat=Seat(3),
                entries=("a", "b"),
                commitment=Commitment(scheme="s", epoch_id="e", commit=b"c", manifest=b"m", repeatable=True),
                clock=ClockSettings(move=1_500_000, bank=0, increment=1, lag=2, lag_cap=3, start=4_000_000),
                max_faults=5,
                sides=((Seat(0), Seat(2)), (Seat(1), Seat(3))),
            ),
            pb.Update(
                seated=pb.Seated(
                    match_id="m",
                    attempt=2,
                    game="g",
                    rules_version=3,
                    options=[
                        games_pb2.OptionValue(name="flag", flag=False),
                        games_pb2.OptionValue(name="number", number=0),
                        games_pb2.OptionValue(name="word", word="w"),
                    ],
                    deals=4,
                    seat="SEAT_3",
                    entries=["a", "b"],
                    commitment=pb.Commitment(
                        scheme="s", epoch_id="e", commit=b"c", manifest=b"m", repeatable=True
                    ),
                    clock=pb.Clock(
                        move=Duration(seconds=1, nanos=500_000_000),
                        bank=Duration(),
                        increment=Duration(nanos=1_000),
                        lag=Duration(nanos=2_000),
                        lag_cap=Duration(nanos=3_000),
                        start=Duration(seconds=4),
                    ),
                    max_faults=5,
                    sides=[
                        games_pb2.Side(seats=["SEAT_0", "SEAT_2"]),
                        games_pb2.Side(seats=["SEAT_1", "SEAT_3"]),
                    ],
                )
            ),
        ),
        (
            Decision(
                "m",
                7,
                8,
                Micros(250_000),
                Micros(0),
                LegalActions((PlayCard(card("2C")), PlayCard(card("AS")))),
                HEARTS_VIEW,
            ),
            pb.Update(
                decision=pb.Decision(
                    match_id="m",
                    decision_id=7,
                    sequence=8,
                    move_time=Duration(nanos=250_000_000),
                    bank=Duration(),
                    legal=LEGAL_PLAYS,
                    view=views_pb2.View(hearts=HEARTS_MESSAGE),
                )
            ),
        ),
        (
            Decision("m", 1, 0, Micros(1), Micros(2), Choose(cards("2C 3C"), 0, 2), SPADES_VIEW),
            pb.Update(
                decision=pb.Decision(
                    match_id="m",
                    decision_id=1,
                    move_time=Duration(nanos=1_000),
                    bank=Duration(nanos=2_000),
                    legal=actions_pb2.Legal(
                        choose_cards=actions_pb2.ChooseCards(
                            cards=["CARD_TWO_OF_CLUBS", "CARD_THREE_OF_CLUBS"], minimum=0, maximum=2
                        )
                    ),
                    view=views_pb2.View(two_handed_spades=SPADES_MESSAGE),
                )
            ),
        ),
        (
            Closed("m", 1, CloseReason.ANSWERED),
            pb.Update(closed=pb.Closed(match_id="m", decision_id=1, reason="CLOSE_REASON_ANSWERED")),
        ),
        (
            Closed("m", 1, CloseReason.DEFAULTED, Fault.LATE),
            pb.Update(
                closed=pb.Closed(
                    match_id="m", decision_id=1, reason="CLOSE_REASON_DEFAULTED", fault="FAULT_LATE"
                )
            ),
        ),
        (
            Refused("m", 2, Reason.STALE_DECISION, False, "no"),
            pb.Update(
                refused=pb.Refused(match_id="m", decision_id=2, reason="REASON_STALE_DECISION", text="no")
            ),
        ),
        (
            Finished(
                "m",
                Termination.COMPLETED,
                (2, 1),
                (-3, 0),
                True,
                (FaultCounts(), FaultCounts(1, 2, 3, 4, 5)),
                (Seat(0),),
                b"secret",
            ),
            pb.Update(
                finished=pb.Finished(
                    match_id="m",
                    termination="TERMINATION_COMPLETED",
                    ranks=[2, 1],
                    scores=[-3, 0],
                    capped=True,
                    faults=[
                        pb.FaultCounts(),
                        pb.FaultCounts(malformed=1, illegal=2, disconnected=3, late=4, sessions_lost=5),
                    ],
                    forfeited=["SEAT_0"],
                    secret=b"secret",
                )
            ),
        ),
        (
            Notice(NoticeKind.DRAINING, "bye"),
            pb.Update(notice=pb.Notice(kind="NOTICE_KIND_DRAINING", text="bye")),
        ),
        (
            Happened("m", 9, events.CardPlayed(Seat(0), card("2C"))),
            happened(card_played=events_pb2.CardPlayed(seat="SEAT_0", card="CARD_TWO_OF_CLUBS")),
        ),
        (
            Happened("m", 9, events.TrickTaken(Seat(3))),
            happened(trick_taken=events_pb2.TrickTaken(seat="SEAT_3")),
        ),
        (
            Happened("m", 9, events.DealScored(1, (-1, 2), (3, -4), (0, 5))),
            happened(deal_scored=events_pb2.DealScored(deal=1, points=[-1, 2], totals=[3, -4], bags=[0, 5])),
        ),
        (
            Happened("m", 9, events.BidMade(Seat(1), 0)),
            happened(bid_made=events_pb2.BidMade(seat="SEAT_1")),
        ),
        (
            Happened("m", 9, HeartsDealStarted(1, hearts.PassDirection.NONE, cards("AC 2D"))),
            happened(
                hearts_deal_started=events_pb2.HeartsDealStarted(
                    deal=1,
                    direction="PASS_DIRECTION_NONE",
                    hand=["CARD_ACE_OF_CLUBS", "CARD_TWO_OF_DIAMONDS"],
                )
            ),
        ),
        (
            Happened("m", 9, PassReceived(cards("2C"), Seat(1), cards("AD"), Seat(3))),
            happened(
                pass_received=events_pb2.PassReceived(
                    given=["CARD_TWO_OF_CLUBS"],
                    given_to="SEAT_1",
                    received=["CARD_ACE_OF_DIAMONDS"],
                    received_from="SEAT_3",
                )
            ),
        ),
        (
            Happened("m", 9, hearts.MoonChosen(Seat(2), MoonChoice.ADD)),
            happened(moon_chosen=events_pb2.MoonChosen(seat="SEAT_2", choice="MOON_CHOICE_ADD")),
        ),
        (
            Happened("m", 9, DraftStarted(1, Seat(0))),
            happened(draft_started=events_pb2.DraftStarted(deal=1, first="SEAT_0")),
        ),
        (
            Happened("m", 9, CardDrafted(Seat(0), DraftChoice.KEEP, card("2C"), card("3C"))),
            happened(
                card_drafted=events_pb2.CardDrafted(
                    seat="SEAT_0",
                    choice="DRAFT_CHOICE_KEEP",
                    kept="CARD_TWO_OF_CLUBS",
                    discarded="CARD_THREE_OF_CLUBS",
                )
            ),
        ),
        (
            Happened("m", 9, CardDrafted(Seat(0), DraftChoice.REFUSE, None, None)),
            happened(card_drafted=events_pb2.CardDrafted(seat="SEAT_0", choice="DRAFT_CHOICE_REFUSE")),
        ),
    ],
    ids=lambda value: type(getattr(value, "event", value)).__name__,
)
def test_updates_stand_on_the_wire(update: Any, message: pb.Update) -> None:
    assert pb.Update.FromString(proto.encode(update)) == message


def test_an_option_is_a_flag_or_a_number_whichever_of_both_was_told_before() -> None:
    values = [True, 1, False, 0, True]
    clock = ClockSettings(move=1, bank=1)
    commitment = Commitment(scheme="s", epoch_id="e", commit=b"c", manifest=b"m", repeatable=True)
    kinds = []
    for value in values:
        seated = Seated(
            match_id="m",
            attempt=1,
            game="g",
            rules_version=1,
            options={"same": value},
            deals=0,
            seat=Seat(0),
            entries=("a",),
            commitment=commitment,
            clock=clock,
            max_faults=1,
            sides=((Seat(0),),),
        )
        option = pb.Update.FromString(proto.encode(seated)).seated.options[0]
        kinds.append(option.WhichOneof("value"))
    assert kinds == ["flag", "number", "flag", "number", "flag"]
