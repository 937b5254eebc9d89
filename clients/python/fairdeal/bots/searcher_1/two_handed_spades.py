"""Two-handed spades: what is searched, which deals are likely, and how a deal is played to its end."""

from collections.abc import Iterator, Sequence
from math import comb, perm
from typing import Any, Final

from fairdeal import Answer, Bid, Decision, LegalActions
from fairdeal.bots.searcher_1.bits import SPADES, SUITS, each
from fairdeal.bots.searcher_1.search import GameSearch
from fairdeal.bots.searcher_1.spade_play import play_cards, tricks_of
from fairdeal.model import State, each_world
from referee.games.actions import DraftChoice

_SPADE_WORTH: Final = (0.75,) * 8 + (0.95, 1.1, 1.4, 1.6, 1.7)
_SIDE_WORTH: Final = (0.0,) * 10 + (0.2, 0.56, 0.87)
_AVERAGE: Final = (sum(_SPADE_WORTH) + 3 * sum(_SIDE_WORTH)) / 52
_GOOD: Final = SPADES | sum([1 << 13 * suit + rank for suit in range(3) for rank in (11, 12)])
_WORD: Final = 2**32
_HAND: Final = 13
_NEAR: Final = 3  # bids so far from the plain one are tried


def candidates(decision: Decision, plain: Answer) -> Sequence[Answer] | None:
    """Return the bids that are worth a search, nil among them; else all answers."""
    if not isinstance(plain, Bid):
        return None
    assert isinstance(decision.legal, LegalActions)
    options = decision.legal.actions
    near = range(plain.tricks - _NEAR, plain.tricks + _NEAR + 1)
    return [bid for bid in options if isinstance(bid, Bid) and (not bid.tricks or bid.tricks in near)]


def play_out(state: Any) -> Sequence[int]:
    """Play a deal to its end by rules of thumb, and return its points by side."""
    while state.phase == 1:
        top = state.top
        worth = _SPADE_WORTH[top - 39] if top >= 39 else _SIDE_WORTH[top % 13]
        state.apply_draft(state.to_act()[0], DraftChoice.KEEP if worth >= _AVERAGE else DraftChoice.REFUSE)
    while state.phase == 2:
        tricks = tricks_of(state.hands[state.to_act()[0]], _SPADE_WORTH, _SIDE_WORTH)
        state.apply_bid(max(1, min(13, round(tricks - 1.7))))
    bids = {made.seat: made.tricks for made in state.bidding.made}
    # what the other has thrown away is out, for all that a seat knows
    gone = [sum(1 << card for card in state.discarded[1 - seat]) for seat in range(2)]
    points: Sequence[int] = play_cards(state, bids, False, (gone[0], gone[1]))[-1].points
    return points


def deals(decision: Decision) -> Iterator[State]:
    """Yield deals in which the other has kept and refused cards by their worth, as a drafter does.

    Without that, the other's hand is as poor as what it has thrown away, and bids come out too high.
    """
    for world in each_world(decision):
        yield _redrawn(decision, world)


def _redrawn(decision: Decision, world: State) -> State:
    state: Any = world.rules
    if state.phase == 1:
        return world
    other = 1 - decision.seat
    hand = state.hands[other]
    hidden = hand | sum([1 << card for card in state.discarded[other]])
    free = each(hidden & ~_shown(state, other))
    good = [card for card in free if _GOOD >> card & 1]
    bad = [card for card in free if not _GOOD >> card & 1]
    out = [card for card in state.kept[other] if not hand >> card & 1]  # played
    good_out = sum([_GOOD >> card & 1 for card in out])
    bads = (hidden & ~_GOOD).bit_count() + len(out) - good_out
    keeps = sum([choice == DraftChoice.KEEP for choice in state.choices[state.first != other :: 2]])
    size = hand.bit_count()
    weights = []
    for count in range(size + 1):  # so many good cards in the hand
        kept_good = good_out + count
        thrown_bad = bads - (_HAND - kept_good)
        ways = comb(len(good), count) * comb(len(bad), size - count)
        # each card kept on sight was good, and each one refused was bad
        weights.append(ways * perm(kept_good, keeps) * perm(max(0, thrown_bad), _HAND - keeps))
    if not sum(weights):  # the other drafts in another way
        return world
    number, count = decision.chance.draw(_WORD) * sum(weights) // _WORD, 0
    while number >= weights[count]:
        number -= weights[count]
        count += 1
    choose = decision.chance.choose
    drawn = [*choose(good, count, count), *choose(bad, size - count, size - count)]
    state.hands[other] = sum([1 << card for card in drawn])
    state.kept[other][:] = [*out, *drawn]
    state.discarded[other][:] = each(hidden & ~state.hands[other])
    return world


def _shown(state: Any, seat: int) -> int:
    """Return the cards of the suits that a seat did not follow, and so does not hold."""
    found = 0
    for trick in [*state.tricks.complete, state.tricks.current]:
        if trick and len(trick.cards) == 2 and trick.leader != seat:
            led = trick.cards[0] // 13
            if trick.cards[1] // 13 != led:
                found |= SUITS[led]
    return found


SEARCH: Final = GameSearch(candidates, play_out, deals=deals)
