"""Hearts: what is searched, and how a deal is played to its end."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any, Final

from fairdeal import Answer, Card, Cards, Decision, LegalChoice, Rank, Suit
from fairdeal.bots import greedy_hearts
from fairdeal.bots.searcher_1.bits import SPADES, SUITS, each, high, low, under
from fairdeal.bots.searcher_1.search import GameSearch
from referee.games.actions import ChooseCards, Moon, MoonChoice
from referee.games.events import DealScored

HEARTS: Final = SUITS[2]
QUEEN: Final = 49
QUEEN_BIT: Final = 1 << QUEEN
OVER_QUEEN: Final = 3 << (QUEEN + 1)
POINTS: Final = HEARTS | QUEEN_BIT
PASSING: Final = 7  # a pass is searched among so many cards


def candidates(decision: Decision, plain: Answer) -> list[Answer] | None:
    """Return the passes that are worth a search, of the cards that are worst to keep; else all answers."""
    legal = decision.legal
    if not isinstance(legal, LegalChoice):
        return None
    hand, worst = legal.cards, list(greedy_hearts.pass_on(legal.cards, PASSING))
    spades = [card for card in hand.of(Suit.SPADES) if card.rank >= Rank.QUEEN and card not in worst]
    return [Cards(some) for some in combinations([*worst, *spades], legal.minimum)]


def play_out(state: Any) -> Sequence[int]:
    """Play a deal to its end by rules of thumb, and return its points by side."""
    events: list[Any] = []
    while due := state.to_act():
        if state.phase == 2:
            events = _play(state)
        elif state.phase == 1:
            for seat in due:
                state.apply(seat, ChooseCards(worst_three(state.hands[seat])))
        else:
            events = state.apply(due[0], Moon(MoonChoice.SUBTRACT))
        if events and type(events[-1]) is DealScored:
            break
    points: Sequence[int] = events[-1].points
    return points


def worst_three(hand: int) -> tuple[Any, ...]:
    """Return the three cards that are worst to keep."""
    guarded = (hand & SPADES & under(QUEEN)).bit_count() >= 4

    def danger(card: int) -> float:
        suit = hand & SUITS[card // 13]
        if card >= 39:
            return 0 if guarded or card < QUEEN else 40 if card == QUEEN else 30
        lower = (suit & under(card)).bit_count()
        found = card % 13 - 2 * lower
        return found + 4 if card >= 26 else found + (6 if suit.bit_count() <= 3 else 0)

    return tuple(sorted(each(hand), key=danger)[-3:])


def _play(state: Any) -> list[Any]:
    hands, tricks = state.hands, state.tricks
    legal_play, apply_play = state.legal_play, state.apply_play
    events: list[Any] = []
    left = hands[0] | hands[1] | hands[2] | hands[3]
    while len(tricks.complete) < 13:
        seat = tricks.turn
        legal = legal_play(seat).cards
        if legal & (legal - 1):
            led = tricks.led
            out = left & ~hands[seat]
            if led is None:
                card = _lead(legal, hands[seat], out)
            elif legal & SUITS[led]:
                card = _follow(legal, tricks.cards, led, out)
            else:
                card = _throw(legal, out)
        else:
            card = legal.bit_length() - 1
        left ^= 1 << card
        events = apply_play(seat, card)
    return events


def _lead(legal: int, hand: int, out: int) -> int:
    best, least = -1, 1e9
    queen_is_out = out & QUEEN_BIT
    for suit in range(4):
        held = legal & SUITS[suit]
        if not held:
            continue
        others = out & SUITS[suit]
        card = low(held)
        size = others.bit_count()
        if suit == 3 and queen_is_out:
            if not hand & (QUEEN_BIT | OVER_QUEEN):
                cost = -1.0  # it may force the queen out
                card = high(held)
            else:
                below = held & under(QUEEN)
                card, cost = (low(below), 2.0) if below else (card, 9.0)
        elif not size:
            cost = 5.0
        else:
            below_it = (others & under(card)).bit_count()
            cost = below_it / size + (0.5 if suit == 2 else 0.0)
            if not below_it and suit != 2:
                cost = -0.5
        if cost < least:
            best, least = card, cost
    return best


def _follow(legal: int, cards: list[int], led: int, out: int) -> int:
    suit = SUITS[led]
    table = 0
    for card in cards:
        table |= 1 << card
    below = legal & under(high(table & suit))
    if below & QUEEN_BIT:
        return QUEEN
    clean = not table & POINTS
    last = len(cards) == 3
    over = legal & ~below & ~QUEEN_BIT
    safe = led != 2 and (out & suit).bit_count() >= 8 and not out & suit & QUEEN_BIT
    if over and clean and (last or safe):
        return high(over)
    if below:
        return high(below)
    if not over:
        return QUEEN
    return high(over) if last else low(over)


def _throw(legal: int, out: int) -> int:
    if legal & QUEEN_BIT:
        return QUEEN
    if out & QUEEN_BIT and legal & OVER_QUEEN:
        return high(legal & OVER_QUEEN)
    best, most = -1, -1.0
    for suit in range(4):
        held = legal & SUITS[suit]
        if held:
            card = high(held)
            others = out & SUITS[suit]
            size = others.bit_count()
            burden = 0.5 if suit == 2 else 0.0
            burden += (others & under(card)).bit_count() / size if size else 0.0
            if burden > most:
                best, most = card, burden
    return best


SEARCH: Final = GameSearch(
    candidates, play_out, two_sided=False, low_wins=True, special=frozenset({Card("QS"), Card("JD")})
)
