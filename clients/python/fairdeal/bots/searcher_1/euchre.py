"""Euchre: what is searched, and how a deal is played to its end."""

from collections.abc import Sequence
from functools import cache
from typing import Any, Final

from fairdeal import ALL_CARDS, Answer, Cards, Decision, LegalChoice, Rank
from fairdeal.bots.searcher_1.bits import SUITS, each
from fairdeal.bots.searcher_1.search import GameSearch
from referee.games import actions

_TRUMPS: Final = {14: 1.0, 13: 0.9, 12: 0.75, 11: 0.65, 10: 0.55}
_LOW_TRUMP: Final = 0.5
_SIDE: Final = {12: 0.55, 11: 0.15}
_VOID: Final = 0.15
_UPCARD, _TRUMP = 1.9, 1.8
_ALONE, _PARTNER_ALONE, _DEFENDER_ALONE = 3.6, 4.2, 4.5
_ABOVE: Final = 100
_PLAY: Final = 5


def candidates(decision: Decision, plain: Answer) -> list[Answer] | None:
    """Return every discard; else all answers."""
    legal = decision.legal
    return [Cards([card]) for card in legal.cards] if isinstance(legal, LegalChoice) else None


def play_out(state: Any) -> Sequence[int]:
    """Play a deal to its end by rules of thumb, and return its points by side."""
    events: list[Any] = []
    while state.phase != _PLAY:
        events = _call(state, state.to_act()[0])
        if state.needs_deck or state.result() is not None:
            break  # nobody has made trump
    else:
        events = _play(state)
    points: Sequence[int] = events[-1].points
    return points


def _play(state: Any) -> list[Any]:
    tricks = state.tricks
    events: list[Any] = []
    while len(tricks.complete) < 5:
        seat = tricks.turn
        legal = state.legal_play(seat).cards
        if not legal & (legal - 1):
            card = legal.bit_length() - 1
        elif tricks.led is None:
            card = _lead(state, seat, legal)
        else:
            card = _follow(state, seat, legal)
        events = state.apply_play(seat, card)
    return events


def _call(state: Any, seat: int) -> list[Any]:
    hand, phase = state.hands[seat], state.phase
    found: list[Any]
    if phase == 1:
        trump = state.upcard // 13
        if seat == state.dealer:
            whole = hand | 1 << state.upcard
            tricks = max([worth(whole ^ 1 << card, trump) for card in each(whole)])
        else:
            gain = _of_trump(state.upcard, trump)
            tricks = worth(hand, trump) + (gain if (seat + 2) % 4 == state.dealer else -gain)
        call = actions.UpcardCall.ACCEPT if tricks >= _UPCARD else actions.UpcardCall.PASS
        found = state.apply_upcard(seat, call)
    elif phase == 3:
        card = min(
            each(hand if state._dealer_may_discard_upcard else hand & ~(1 << state.upcard)),
            key=lambda card: (-worth(hand ^ 1 << card, state.trump), _power(card, state.trump)),
        )
        found = state.apply_discard(seat, card)
    elif phase == 2:
        worths = [(worth(hand, suit), -suit) for suit in range(4) if suit != state.upcard // 13]
        tricks, suit = max(worths)
        may_pass = actions.CallTrump(actions.TrumpCall.PASS) in state.legal(seat)
        pick = actions.TrumpCall.PASS if may_pass and tricks < _TRUMP else actions.TrumpCall(1 - suit)
        found = state.apply_trump(seat, pick)
    else:
        enough = _DEFENDER_ALONE
        if seat == state.maker:
            enough = _ALONE
        elif seat == (state.maker + 2) % 4:
            enough = _PARTNER_ALONE
        alone = worth(hand, state.trump) >= enough
        found = state.apply_alone(seat, actions.AloneChoice.ALONE if alone else actions.AloneChoice.TOGETHER)
    return found


def _power(card: int, trump: int) -> int:
    """Return how high a card is in its own suit, trumps above the others."""
    return _POWERS[trump][card]


def _power_of(card: int, trump: int) -> int:
    if card % 13 == 9 and card // 13 in (trump, 3 - trump):
        return _ABOVE + (14 if card // 13 == trump else 13)
    return (_ABOVE if card // 13 == trump else 0) + card % 13


_POWERS: Final = [[_power_of(card, trump) for card in range(52)] for trump in range(4)]
_ALL_TRUMPS: Final = [sum([1 << card for card in range(52) if row[card] >= _ABOVE]) for row in _POWERS]


def _of_trump(card: int, trump: int) -> float:
    return _TRUMPS.get(_power(card, trump) - _ABOVE, _LOW_TRUMP)


def worth(hand: int, trump: int) -> float:
    """Return roughly how many tricks a hand takes."""
    tricks, row = 0.0, _POWERS[trump]
    for card in each(hand):
        power = row[card]
        tricks += _TRUMPS.get(power - _ABOVE, _LOW_TRUMP) if power >= _ABOVE else _SIDE.get(power, 0.0)
    side = hand & ~_ALL_TRUMPS[trump]
    if (hand ^ side).bit_count() >= 2:
        tricks += _VOID * sum([not side & SUITS[suit] for suit in range(4) if suit != trump])
    return tricks


@cache
def _above(card: int, trump: int) -> int:
    """Return the cards of the suit of a card that are higher."""
    trumps, row = _ALL_TRUMPS[trump], _POWERS[trump]
    suit = trumps if trumps >> card & 1 else SUITS[card // 13] & ~trumps
    return sum([1 << other for other in each(suit) if row[other] > row[card]])


def _best_out(state: Any, seat: int, card: int) -> bool:
    """Return whether no card that others may hold is higher in the suit of a card."""
    above = _above(card, state.trump)
    return not any(hand & above for other, hand in enumerate(state.hands) if other != seat)


def _lead(state: Any, seat: int, legal: int) -> int:
    trump = state.trump
    all_trumps = _ALL_TRUMPS[trump]
    trumps, side = each(legal & all_trumps), each(legal & ~all_trumps)
    making = seat % 2 == state.maker % 2
    if trumps and making:
        best = max(trumps, key=lambda card: _power(card, trump))
        if (len(trumps) > 2 and seat == state.maker) or _best_out(state, seat, best):
            return best
    sure = [card for card in side if _best_out(state, seat, card)]
    if sure:
        return max(sure, key=lambda card: card % 13)
    if making and seat != state.maker and trumps:
        return max(trumps, key=lambda card: _power(card, trump))
    return min(side or trumps, key=lambda card: _power(card, trump))


def _follow(state: Any, seat: int, legal: int) -> int:
    tricks, trump = state.tricks, state.trump
    row = tricks.ranking.powers[tricks.led]
    table = tricks.cards
    best = max(table, key=row.__getitem__)
    seats, holder = tricks.seats, tricks.winning
    last = len(table) == len(seats) - 1
    cards = each(legal)
    winning = [card for card in cards if row[card] > row[best]]
    if not winning or (holder == (seat + 2) % 4 and (last or _best_out(state, seat, best))):
        return min(cards, key=lambda card: _power(card, trump))
    cheapest, highest = min(winning, key=row.__getitem__), max(winning, key=row.__getitem__)
    return cheapest if last or tricks.ranking.suits[cheapest] != tricks.led else highest


SEARCH: Final = GameSearch(
    candidates, play_out, special=frozenset(card for card in ALL_CARDS if card.rank is Rank.JACK)
)
