"""Spades: what is searched, and how a deal is played to its end."""

from collections.abc import Sequence
from typing import Any, Final

from fairdeal import Answer, Bid, Decision, LegalActions, PlayCard
from fairdeal.bots.searcher_1.bits import SPADES, SUITS, each
from fairdeal.bots.searcher_1.search import GameSearch
from fairdeal.bots.searcher_1.spade_play import play_cards, tricks_of
from referee.games import actions

_SPADE_WORTH: Final = (0.0,) * 9 + (0.4, 0.7, 0.9, 1.0)
_SIDE_WORTH: Final = (0.0,) * 10 + (0.2, 0.6, 0.9)
_LOW: Final = 0x1FF << 39
_NEAR: Final = 3  # bids so far from the plain one are tried, and nil


def candidates(decision: Decision, plain: Answer) -> Sequence[Answer] | None:
    """Return the bids that are worth a search, nil among them; nobody bids blind; else all answers."""
    assert isinstance(decision.legal, LegalActions)
    options = decision.legal.actions
    if not isinstance(plain, Bid):
        return None if isinstance(plain, PlayCard) else [plain]
    near = range(plain.tricks - _NEAR, plain.tricks + _NEAR + 1) if plain.tricks else range(5)
    return [bid for bid in options if isinstance(bid, Bid) and (not bid.tricks or bid.tricks in near)]


def play_out(state: Any) -> Sequence[int]:
    """Play a deal to its end by rules of thumb, and return its points by side."""
    while state.phase != 3:
        seat = state.to_act()[0]
        if state.phase == 1:
            state.apply_blind(seat, actions.BlindChoice.LOOK)
        else:
            state.apply_bid(bid(state.hands[seat]))
    bids = {made.seat: made.tricks for made in state.bidding.made}
    points: Sequence[int] = play_cards(state, bids, True, (0, 0, 0, 0))[-1].points
    return points


def bid(hand: int) -> int:
    """Return the bid of a hand."""
    risk = 0.0
    for suit in range(4):
        step, free = (2.0, 2) if suit == 3 else (2.5, 4)
        for below, card in enumerate(each(hand & SUITS[suit])):
            risk += max(0.0, card % 13 - free - step * below)
    if risk <= 3.0:
        return 0
    low = (hand & _LOW).bit_count()
    found = tricks_of(hand, _SPADE_WORTH, _SIDE_WORTH)
    found += 0.6 * min(low, max(0, (hand & SPADES).bit_count() - 3))
    ruffs = 0.0
    for suit in range(3):
        size = (hand & SUITS[suit]).bit_count()
        ruffs += 1.0 if not size else 0.5 if size == 1 else 0.0
    return max(1, min(13, round(found + min(ruffs, low, 3.0) + 0.4)))


SEARCH: Final = GameSearch(candidates, play_out)
