"""Spades played in OpenSpiel too: who plays, what is legal, tricks, points."""

from collections.abc import Callable
from typing import Any

from referee.cards import ALL_CARDS, Suit, suit_of
from referee.games.actions import Bid, PlayCard
from referee.games.events import DealScored
from referee.games.partners import SIDES
from referee.games.spades.rules import Phase
from tests.openspiel.conftest import SpadesTwin


def points_of(bids: list[int], taken: list[int]) -> int:
    """Return the points of a side as OpenSpiel counts: all its tricks fill the contract, a nil's too."""
    nils = sum(100 if tricks == 0 else -100 for bid, tricks in zip(bids, taken, strict=True) if bid == 0)
    contract, over = sum(bids), sum(taken) - sum(bids)
    if over < 0:
        return nils - 10 * contract
    return nils + 10 * contract + over - 100 * (over // 10)


def test_openspiel_plays_spades_alike(
    spades: type[SpadesTwin], draw: Callable[..., int], shuffled: Callable[..., tuple[Any, ...]], deals: int
) -> None:
    """Only leads of broken spades differ, which it forbids, and failed nils beside a contract not filled."""
    unbroken = nils = decisions = 0
    for deal in range(2 * deals):
        match = spades.match(deals=1, first=deal % 4)
        twin = spades(match, shuffled(ALL_CARDS, "spades", deal))
        while match.phase == Phase.BID:
            assert match.to_act() == (twin.their_seat,)
            most = len(twin.theirs.legal_actions()) - 1
            twin.act(Bid(min(most, draw(5, "bid", deal, twin.their_seat))))
        while not twin.theirs.is_terminal():
            decisions += 1
            assert match.to_act() == (twin.their_seat,)
            ours, theirs = twin.legal_cards()
            if ours != theirs:
                unbroken += 1
                assert match.broken and not match.tricks.cards
                assert theirs == {c for c in ours if suit_of(c) != Suit.SPADES}
            twin.act(PlayCard(sorted(theirs)[draw(len(theirs), deal, decisions)]))
        *_before, scored = twin.events
        assert isinstance(scored, DealScored)
        for side, points in zip(SIDES, scored.points, strict=True):
            bids = [bid.tricks for seat in side for bid in match.bidding.made if bid.seat == seat]
            taken = [match.taken[seat] for seat in side]
            returned = twin.theirs.returns()[(side[0] + twin.shift) % 4]
            assert returned == points_of(bids, taken)
            of_nils = sum(tricks for bid, tricks in zip(bids, taken, strict=True) if bid == 0)
            if of_nils and sum(taken) - of_nils < sum(bids):
                nils += 1
                assert returned != points
            else:
                assert returned == points
    assert decisions == 2 * deals * 52
    assert unbroken and nils
