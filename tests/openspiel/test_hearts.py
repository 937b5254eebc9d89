"""Hearts played in OpenSpiel too: who plays, what is legal, whether hearts are broken, points."""

from collections.abc import Callable
from typing import Any

import pytest

from referee.cards import ALL_CARDS, Card, Suit, cards, suit_of
from referee.games.actions import Choose, ChooseCards, PlayCard
from referee.games.events import DealScored
from referee.games.hearts.rules import Phase
from referee.games.hearts.scoring import QUEEN_OF_SPADES
from tests.openspiel.conftest import HeartsTwin


@pytest.mark.parametrize("any_heart_breaks", [True, False])
@pytest.mark.parametrize("jack", [True, False])
def test_openspiel_plays_hearts_alike(
    any_heart_breaks: bool,
    jack: bool,
    hearts: type[HeartsTwin],
    draw: Callable[..., int],
    shuffled: Callable[..., tuple[Any, ...]],
    deals: int,
) -> None:
    """Only whether hearts are broken may differ, and only if hearts were led or followed so far."""
    match = hearts.match(deals=deals, moon="add", any_heart_breaks=any_heart_breaks, jack_of_diamonds=jack)
    apart = decisions = 0
    for deal in range(deals):
        key = (any_heart_breaks, jack, deal)
        twin = hearts(match, shuffled(ALL_CARDS, *key), jd_bonus=jack)
        while match.phase == Phase.PASS and match.to_act():
            legal = match.legal(match.to_act()[0])
            assert isinstance(legal, Choose)
            assert twin.their_seat == match.to_act()[0]
            twin.act(ChooseCards(shuffled(legal.cards, *key)[:3]))
        seen: set[Card] = set()
        while not twin.theirs.is_terminal():
            decisions += 1
            assert match.to_act() == (twin.their_seat,)
            ours, theirs = twin.legal_cards()
            broken = twin.theirs.hearts_broken()
            assert broken == (QUEEN_OF_SPADES in seen or any(suit_of(c) == Suit.HEARTS for c in seen))
            if match.broken == broken:
                assert ours == theirs
            else:
                apart += 1
                assert broken and not any_heart_breaks
                leads = not match.tricks.cards
                no_hearts = {c for c in theirs if suit_of(c) != Suit.HEARTS}
                assert ours == (no_hearts if leads and no_hearts - {QUEEN_OF_SPADES} else theirs)
            assert match.points == [twin.theirs.points(seat) for seat in range(4)]
            c = sorted(ours)[draw(len(ours), *key, decisions)]
            twin.act(PlayCard(c))
            seen.add(c)
        *_before, scored = twin.events
        assert isinstance(scored, DealScored)
        assert scored.points == tuple(26 - points for points in twin.theirs.returns())
    assert decisions == 52 * deals
    assert (apart > 0) == (not any_heart_breaks)


@pytest.mark.parametrize("jack", [True, False])
def test_openspiel_adds_a_moon_alike(jack: bool, hearts: type[HeartsTwin]) -> None:
    """Seat 1 holds the highest cards and wins all tricks, the jack of diamonds in one of them."""
    passed = [cards("JC QC KC"), cards("2D 3D 4D"), cards("5D 6D 7D"), cards("8D 9D TD")]
    kept = [(), cards("AC 9H TH JH QH KH AH QS KS AS"), (), ()]
    others = iter(c for c in ALL_CARDS if not any(c in some for some in (*passed, *kept)))
    hands = [[*some, *more] for some, more in zip(passed, kept, strict=True)]
    for hand in hands:
        hand += [next(others) for _ in range(13 - len(hand))]
    match = hearts.match(moon="add", jack_of_diamonds=jack)
    twin = hearts(match, [c for hand in hands for c in hand], jd_bonus=jack)
    for some in passed:
        twin.act(ChooseCards(some))
    twin.play_lowest()
    *_before, scored = twin.events
    assert isinstance(scored, DealScored)
    assert scored.points == (26, -10 if jack else 0, 26, 26)
    assert scored.points == tuple(26 - points for points in twin.theirs.returns())
