"""Domain values as plain data: what it looks like, that it reads back, and what is refused."""

import json
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.cards import Rank, Seat, Suit, card, cards
from referee.codec.json import PlainError, from_plain, from_tagged, plain, tagged
from referee.codec.json_text import tagged_text, text
from referee.games import events
from referee.games.actions import (
    Action,
    Bid,
    CallTrump,
    ChooseCards,
    ChooseCombinations,
    Declare,
    Draft,
    DraftChoice,
    Moon,
    MoonChoice,
    PlayCard,
    TrumpCall,
)
from referee.games.combinations import PointCombination, SequenceCombination, SetCombination
from referee.games.hearts import rules as hearts
from referee.games.hearts.view import HeartsView
from referee.games.tricks import Trick
from referee.games.two_handed_spades import rules as spades
from referee.games.two_handed_spades.view import CardDrafted, TwoHandedSpadesView
from referee.match.clock import Micros
from referee.match.effects import Outcome
from referee.match.faults import FaultCounts, FaultPolicy, SeatTime, Termination
from referee.match.messages import Index, Malformed

ANSWERS = (*get_args(Action), Index, Malformed)
EVENTS = (
    hearts.Dealt,
    hearts.CardsPassed,
    hearts.MoonChosen,
    spades.Dealt,
    spades.Drafted,
    events.BidMade,
    events.CardPlayed,
    events.TrickTaken,
    events.DealScored,
)
OTHERS = (Outcome, FaultPolicy, CardDrafted, HeartsView, TwoHandedSpadesView)


@pytest.mark.parametrize(
    ("value", "data"),
    [
        (PlayCard(card("TC")), {"type": "play_card", "card": "TC"}),
        (Bid(0), {"type": "bid", "tricks": 0}),
        (Draft(DraftChoice.REFUSE), {"type": "draft", "choice": "refuse"}),
        (Moon(MoonChoice.ADD), {"type": "moon", "choice": "add"}),
        (ChooseCards(()), {"type": "choose_cards", "cards": []}),
        (ChooseCards(cards("2C QS")), {"type": "choose_cards", "cards": ["2C", "QS"]}),
        (CallTrump(TrumpCall.PASS), {"type": "call_trump", "choice": "pass"}),
        (Declare(None), {"type": "declare"}),
        (
            Declare(SequenceCombination(Suit.SPADES, Rank.KING, 4)),
            {
                "type": "declare",
                "combination": {"type": "sequence_combination", "suit": "spades", "top": "king", "length": 4},
            },
        ),
        (
            ChooseCombinations((PointCombination(Suit.CLUBS), SetCombination(Rank.TEN, 3))),
            {
                "type": "choose_combinations",
                "combinations": [
                    {"type": "point_combination", "suit": "clubs"},
                    {"type": "set_combination", "rank": "ten", "count": 3},
                ],
            },
        ),
        (Index(0), {"type": "index", "index": 0}),
        (Malformed("no"), {"type": "malformed", "text": "no"}),
        (
            hearts.Dealt(1, hearts.PassDirection.LEFT, (cards("2C 3C"), cards("AS"))),
            {"type": "dealt", "deal": 1, "direction": "left", "hands": [["2C", "3C"], ["AS"]]},
        ),
        (
            CardDrafted(Seat(0), DraftChoice.KEEP, None, None),
            {"type": "card_drafted", "seat": 0, "choice": "keep"},
        ),
        (Trick(Seat(3), cards("2C")), {"type": "trick", "leader": 3, "cards": ["2C"]}),
        (
            Outcome(
                Termination.VOID,
                (),
                (-3,),
                True,
                (FaultCounts(late=1),),
                (Seat(1),),
                (SeatTime(2, Micros(9), Micros(7)),),
            ),
            {
                "type": "outcome",
                "termination": "void",
                "ranks": [],
                "scores": [-3],
                "capped": True,
                "faults": [{"malformed": 0, "illegal": 0, "disconnected": 0, "late": 1, "sessions_lost": 0}],
                "forfeited": [1],
                "times": [{"answered": 2, "total": 9, "longest": 7}],
            },
        ),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, dict) else "",
)
def test_values_stand_as_plain_data(value: Any, data: dict[str, Any]) -> None:
    assert tagged(value) == data
    assert plain(value) == {name: field for name, field in data.items() if name != "type"}
    assert json.loads(text(value)) == plain(value)
    assert from_tagged([type(value)], data) == value


@pytest.mark.parametrize("struct", ANSWERS + EVENTS + OTHERS)
@settings(max_examples=20)
@given(data=st.data())
def test_every_value_reads_back_from_its_json(struct: type, values_of: Any, data: st.DataObject) -> None:
    value = data.draw(values_of(struct))
    written = json.dumps(tagged(value), separators=(",", ":"))
    assert tagged_text(value) == written
    assert from_tagged([struct], json.loads(written)) == value


@settings(max_examples=50)
@given(data=st.data())
def test_a_tag_tells_the_answers_apart(values_of: Any, data: st.DataObject) -> None:
    value = data.draw(st.one_of([values_of(struct) for struct in ANSWERS]))
    read = from_tagged(ANSWERS, tagged(value))
    assert (type(read), read) == (type(value), value)


@pytest.mark.parametrize(
    ("struct", "data", "text"),
    [
        (PlayCard, [], "play_card: an object is expected"),
        (PlayCard, None, "play_card: an object is expected"),
        (PlayCard, {}, "play_card.card: missing"),
        (PlayCard, {"card": None}, "play_card.card: None is not a card"),
        (PlayCard, {"card": "QS", "seat": 0}, "play_card: unknown field seat"),
        (PlayCard, {"card": "1S"}, "play_card.card: '1S' is not a card"),
        (PlayCard, {"card": ["QS"]}, "play_card.card: "),
        (Bid, {"tricks": "3"}, "bid.tricks: '3' is not of type int"),
        (Bid, {"tricks": True}, "bid.tricks: True is not of type int"),
        (Bid, {"tricks": 3.0}, "bid.tricks: 3.0 is not of type int"),
        (Moon, {"choice": "both"}, "moon.choice: "),
        (Moon, {"choice": 1}, "moon.choice: 1 is not of type str"),
        (ChooseCards, {"cards": "QS"}, "choose_cards.cards: 'QS' is not of type list"),
        (ChooseCards, {"cards": {"QS": 1}}, "choose_cards.cards: "),
        (ChooseCards, {"cards": ["QS", "XX"]}, "choose_cards.cards: 'XX' is not a card"),
        (Malformed, {"text": 7}, "malformed.text: 7 is not of type str"),
        (Declare, {"combination": None}, "declare.combination: unknown type None"),
        (Declare, {"combination": {"type": "bid", "tricks": 3}}, "declare.combination: unknown type 'bid'"),
        (
            ChooseCombinations,
            {"combinations": [{"type": "set_combination", "rank": "one", "count": 3}]},
            "choose_combinations.combinations: set_combination.rank: 'ONE'",
        ),
        (Trick, {"leader": "0", "cards": []}, "trick.leader: '0' is not of type int"),
        (Trick, {"leader": 0, "cards": [], "winner": None}, "trick.winner: None is not of type int"),
        (FaultPolicy, {"substitute": 1, "max_faults": 3}, "fault_policy.substitute: 1 is not of type bool"),
        (
            Outcome,
            {
                "termination": "completed",
                "ranks": [1],
                "scores": [1],
                "capped": False,
                "faults": [{}],
                "forfeited": [],
            },
            "outcome.faults: fault_counts.malformed: missing",
        ),
    ],
)
def test_wrong_data_is_refused_by_the_name_of_the_field(struct: type, data: Any, text: str) -> None:
    with pytest.raises(PlainError) as caught:
        from_plain(struct, data)
    assert str(caught.value).startswith(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("data", [{"type": "pass"}, {"card": "QS"}, [], None, {"type": ["bid"]}])
def test_a_tag_that_names_none_of_the_types_is_refused(data: Any) -> None:
    with pytest.raises(PlainError, match="unknown type"):
        from_tagged(ANSWERS, data)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3) | st.just("QS"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)
names = st.sampled_from(["type", "card", "cards", "tricks", "choice", "index", "text", "leader", "winner"])


@given(st.sampled_from((*ANSWERS, Trick)), json_values | st.dictionaries(names, json_values, max_size=3))
def test_nothing_but_a_plain_error_comes_of_wrong_data(struct: type, data: Any) -> None:
    try:
        value = from_plain(struct, data)
    except PlainError:
        return
    assert from_plain(struct, plain(value)) == value
