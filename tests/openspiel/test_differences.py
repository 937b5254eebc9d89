"""Every known difference between our games and OpenSpiel's, each shown at a position.

OpenSpiel's options are set to come as near as they can; what its defaults have otherwise is shown too. When a
test here fails because the two agree, strike the difference, and have the other tests compare the point.
"""

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any, Final

import pyspiel
import pytest

from referee.cards import ALL_CARDS, CARD_NAMES, Card, Suit, card, cards, suit_of
from referee.games.actions import (
    Alone,
    AloneChoice,
    Bid,
    Blind,
    CallTrump,
    CallUpcard,
    Choose,
    ChooseCards,
    LegalActions,
    Moon,
    MoonChoice,
    TrumpCall,
    UpcardCall,
)
from referee.games.euchre.rules import CARDS
from referee.games.euchre.rules import Phase as EuchrePhase

ALL_SPADES: Final = "2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS AS"
MOON_HAND: Final = "JC QC KC AC 9H TH JH QH KH AH QS KS AS"


def deck_of(*hands: str, size: int = 13, pack: Sequence[Card] = ALL_CARDS, then: str = "") -> list[Card]:
    """Return a deck of named cards, the hands filled up in order from the others, the rest behind."""
    named = [list(cards(hand)) for hand in [*hands, "", "", "", ""][:4]]
    rest = [c for c in pack if c not in [*chain(*named), *cards(then)]]
    for hand in named:
        while len(hand) < size:
            hand.append(rest.pop(0))
    return [*chain(*named), *cards(then), *rest]


def legal_of(twin: Any, *suits: Suit) -> tuple[str, str]:
    """Return the cards of some suits that the seat in turn may play, by us and by them."""
    ours, theirs = twin.legal_cards()
    both = [[CARD_NAMES[c] for c in sorted(some) if suit_of(c) in suits] for some in (ours, theirs)]
    return " ".join(both[0]), " ".join(both[1])


# --- hearts -----------------------------------------------------------------------------------------------


def pass_lowest(twin: Any) -> None:
    for seat in range(4):
        twin.act(ChooseCards(twin.ours.legal(seat).cards[:3]))


def unpassed(hearts: Any, deck: Sequence[Card], **parameters: bool) -> Any:
    """Return a deal in which nothing is passed: the fourth of a match."""
    match = hearts.match(deals=4)
    for _ in range(3):
        twin = hearts(match, deck_of())
        pass_lowest(twin)
        twin.play_lowest()
        if match.to_act():
            match.apply(match.to_act()[0], Moon(MoonChoice.ADD))
    return hearts(match, deck, **parameters)


def a_led_heart(hearts: Any) -> tuple[str, str]:
    deck = deck_of(
        "AC KC 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH",
        "2C 3C KH AH 2D 3D 4D 5D 6D 7D 8D 9D TD",
        "4C 5C 6C JD QD 2S 3S 4S 5S 6S 7S 8S 9S",
    )
    twin = unpassed(hearts, deck)
    twin.play(cards("2C 4C 7C AC KC 3C 5C 8C 2H KH JD KD"))
    return legal_of(twin, Suit.HEARTS)


def a_leader_with_hearts_and_the_queen(hearts: Any) -> tuple[str, str]:
    deck = deck_of("AC KC QS 2H 3H 4H 5H 6H 7H 8H 9H TH JH", "2C 3C QH KH AH", "4C 5C", "7C 8C")
    twin = unpassed(hearts, deck, can_lead_hearts_instead_of_qs=False)
    twin.play(cards("2C 4C 7C AC KC 3C 5C 8C"))
    return legal_of(twin, *Suit)


def a_moon(hearts: Any) -> tuple[Any, Any]:
    twin = unpassed(hearts, deck_of(MOON_HAND))
    before = twin.ours.totals
    twin.play_lowest()
    twin.ours.apply(0, Moon(MoonChoice.SUBTRACT))
    points = tuple(b - a for a, b in zip(before, twin.ours.totals, strict=True))
    return points, tuple(26 - points for points in twin.theirs.returns())


def the_direction_of_the_first_pass(hearts: Any) -> tuple[Any, Any]:
    begun = pyspiel.load_game("hearts").new_initial_state()
    offered = [begun.action_to_string(-1, n).lower() for n in begun.legal_actions()]
    twin = hearts(hearts.match(), deck_of())
    return [twin.events[0].direction.name.lower()], offered


def who_passes_what(hearts: Any) -> tuple[Any, Any]:
    twin = hearts(hearts.match(), deck_of())
    legal = twin.ours.legal(3)
    assert isinstance(legal, Choose)
    before = len(twin.theirs.legal_actions())
    twin.theirs.apply_action(twin.theirs.legal_actions()[0])
    return (twin.ours.to_act(), legal.minimum), (
        (twin.their_seat,),
        before - len(twin.theirs.legal_actions()),
    )


def how_long_it_lasts(twins: Any) -> tuple[Any, Any]:
    match = twins.match()
    twin = twins(match, deck_of())
    if twin.name == "hearts":
        pass_lowest(twin)
    else:
        for _ in range(4):
            twin.act(Bid(3))
    twin.play_lowest()
    return match.needs_deck, not twin.theirs.is_terminal()


# --- spades -----------------------------------------------------------------------------------------------


def bid(twin: Any, *tricks: int) -> None:
    """Bid for all seats, given by seat."""
    for _ in range(4):
        twin.act(Bid(tricks[twin.ours.to_act()[0]]))


def broken_spades(spades: Any) -> tuple[str, str]:
    twin = spades(spades.match(), deck_of("2C 3C 4C", "2D 2S 3S AS", "5C 6C", "7C 8C"))
    bid(twin, 3, 3, 3, 3)
    twin.play(cards("2C 2S 5C 7C"))
    return legal_of(twin, Suit.SPADES)


def a_bid_over_thirteen(spades: Any) -> tuple[int, int]:
    twin = spades(spades.match(), deck_of())
    twin.act(Bid(8))
    twin.act(Bid(2))
    legal = twin.ours.legal(2)
    assert isinstance(legal, LegalActions)
    most = max(action.tricks for action in legal.actions if isinstance(action, Bid))
    return most, max(twin.theirs.legal_actions()) - 52


def points_after(spades: Any, bids: Sequence[int], *hands: str) -> tuple[int, int]:
    """Return what a deal brings our side 0 when all play their first cards."""
    twin = spades(spades.match(), deck_of(*hands))
    bid(twin, *bids)
    twin.play_lowest()
    return twin.events[-1].points[0], twin.theirs.returns()[0]


def a_nil_that_fills_the_contract(spades: Any) -> tuple[int, int]:
    return points_after(spades, (0, 2, 6, 3), ALL_SPADES)


def a_nil_beside_a_contract_not_filled(spades: Any) -> tuple[int, int]:
    low = "AC 2D 3D 4D 5D 6D 7D 2H 3H 4H 5H 6H 7H"
    return points_after(spades, (0, 2, 13, 3), low, "2C 3C", "4C 5C", "6C 7C")


def bags_with_a_score_below_nothing(spades: Any) -> tuple[int, int]:
    match = spades.match(floor=-5000)
    first = spades(match, deck_of(ALL_SPADES))
    bid(first, 0, 2, 6, 3)
    first.play_lowest()
    twin = spades(match, deck_of(ALL_SPADES))
    twin.theirs.set_current_scores([match.scores[1], match.scores[0]])  # the dealer's side comes first
    bid(twin, 4, 2, 2, 3)
    twin.play_lowest()
    return twin.events[-1].points[0], twin.theirs.returns()[1]


def a_blind_nil(spades: Any) -> tuple[Any, Any]:
    twin = spades(spades.match(blind_nil_gap=0), deck_of())
    legal = twin.ours.legal(0)
    assert isinstance(legal, LegalActions)
    blind = any(isinstance(action, Blind) for action in legal.actions)
    return blind, any(n >= 52 + 14 for n in twin.theirs.legal_actions())


# --- euchre -----------------------------------------------------------------------------------------------

LONE = deck_of(
    "9D TD QC KC QH", "JS JC AS 9S 9H", "QS TS KS KH AD", "9C TC AC KD JH", size=5, pack=CARDS, then="TH"
)


def make_spades(twin: Any) -> Any:
    """Have all pass the upcard, and seat 2 name spades; the dealer is seat 0."""
    for _ in range(4):
        twin.act(CallUpcard(UpcardCall.PASS))
    twin.act(CallTrump(TrumpCall.PASS))
    twin.act(CallTrump(TrumpCall.SPADES))
    return twin


def the_upcard_put_aside(euchre: Any) -> tuple[bool, bool]:
    twin = euchre(euchre.match(), LONE)
    twin.act(CallUpcard(UpcardCall.ACCEPT))
    legal = twin.ours.legal(0)
    assert isinstance(legal, Choose)
    upcard = card("TH")
    return upcard in legal.cards, twin.to_theirs(upcard) in twin.theirs.legal_actions()


def asked_to_go_alone(twin: Any) -> tuple[list[int], list[int]]:
    ours: list[int] = []
    theirs: list[int] = []
    while twin.ours.phase == EuchrePhase.ALONE:
        ours.append(twin.ours.to_act()[0])
        twin.ours.apply(ours[-1], Alone(AloneChoice.TOGETHER))
    while twin.TOGETHER in twin.theirs.legal_actions():
        theirs.append(twin.their_seat)
        twin.theirs.apply_action(twin.TOGETHER)
    return ours, theirs


def who_may_go_alone(euchre: Any) -> tuple[Any, Any]:
    return asked_to_go_alone(make_spades(euchre(euchre.match(), LONE)))


def who_may_go_alone_by_default(euchre: Any) -> tuple[Any, Any]:
    match = euchre.match(maker_partner_may_go_alone=False)
    return asked_to_go_alone(make_spades(euchre(match, LONE, allow_lone_defender=False)))


def a_lone_defender_of_four_tricks(euchre: Any) -> tuple[Any, Any]:
    twin = make_spades(euchre(euchre.match(maker_partner_may_go_alone=False), LONE))
    twin.act(Alone(AloneChoice.TOGETHER))
    twin.act(Alone(AloneChoice.ALONE))
    twin.play_lowest()
    return (twin.ours.taken[1], twin.events[-1].points[1]), (twin.ours.taken[1], twin.theirs.returns()[1])


def points_of_the_losers(euchre: Any) -> tuple[Any, Any]:
    twin = make_spades(euchre(euchre.match(maker_partner_may_go_alone=False), LONE))
    for _ in range(3):
        twin.act(Alone(AloneChoice.TOGETHER))
    twin.play_lowest()
    return twin.events[-1].points, tuple(map(int, twin.theirs.returns()[:2]))


def the_deal_after_a_void_one(euchre: Any) -> tuple[bool, bool]:
    match = euchre.match(stick_the_dealer=False)
    twin = euchre(match, LONE, stick_the_dealer=False)
    for _ in range(4):
        twin.act(CallUpcard(UpcardCall.PASS))
    for _ in range(4):
        twin.act(CallTrump(TrumpCall.PASS))
    return match.needs_deck, not twin.theirs.is_terminal()


# --- the table --------------------------------------------------------------------------------------------

Position = Callable[[Any], tuple[Any, Any]]

DIFFERENCES: Final[list[tuple[str, Position, Any, Any]]] = [
    # their hearts are broken by any heart: we have an option for that, they none for ours
    ("hearts", a_led_heart, "", "AH"),
    (
        "hearts",
        a_leader_with_hearts_and_the_queen,
        "2H 3H 4H 5H 6H 7H 8H 9H TH JH QS",
        "QS",
    ),  # their default; their option is ours
    ("hearts", a_moon, (-26, 0, 0, 0), (0, 26, 26, 26)),  # they add always: we have an option for that
    ("hearts", the_direction_of_the_first_pass, ["left"], ["no pass", "left", "across", "right"]),
    ("hearts", who_passes_what, ((0, 1, 2, 3), 3), ((0,), 1)),  # one card at a time, seat by seat
    ("hearts", how_long_it_lasts, True, False),  # one deal: no totals, no target
    ("spades", broken_spades, "3S AS", ""),  # their spades are never broken
    ("spades", a_bid_over_thirteen, 13, 5),  # of a side
    ("spades", a_nil_that_fills_the_contract, -247, -33),
    ("spades", a_nil_beside_a_contract_not_filled, -229, -230),  # its tricks are no bags and bring nothing
    ("spades", bags_with_a_score_below_nothing, -33, 67),  # they read bags off the last digit of the score
    ("spades", a_blind_nil, True, False),
    ("spades", how_long_it_lasts, True, False),  # one deal: no dealer moves, nothing ends at 500 or -200
    ("euchre", the_upcard_put_aside, True, False),  # we have an option for theirs
    ("euchre", who_may_go_alone, [2, 1, 3, 0], [2, 1, 3]),  # not the maker's partner: our option too
    ("euchre", who_may_go_alone_by_default, [2, 1, 3], [2]),  # their option is ours
    ("euchre", a_lone_defender_of_four_tricks, (4, 2), (4, 4)),
    ("euchre", points_of_the_losers, (0, 2), (-2, 2)),  # a zero sum
    ("euchre", the_deal_after_a_void_one, True, False),  # one deal
]


@pytest.mark.parametrize(
    ("game", "position", "ours", "theirs"),
    DIFFERENCES,
    ids=[f"{game}-{position.__name__}" for game, position, _ours, _theirs in DIFFERENCES],
)
def test_openspiel_has_it_otherwise(
    game: str, position: Position, ours: Any, theirs: Any, request: pytest.FixtureRequest
) -> None:
    assert position(request.getfixturevalue(game)) == (ours, theirs)
    assert ours != theirs
