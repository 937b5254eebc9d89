"""Euchre: what is searched, and how a deal is played to its end."""

from collections.abc import Sequence
from typing import Any, Final

from fairdeal import ALL_CARDS, Answer, Cards, Decision, LegalChoice, Rank
from fairdeal.bots.searcher_1.bits import each
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
    powers = tricks.ranking.powers
    events: list[Any] = []
    while len(tricks.complete) < 5:
        seat = tricks.turn
        legal = state.legal_play(seat).cards
        if not legal & (legal - 1):
            card = legal.bit_length() - 1
        elif tricks.led is None:
            card = _lead(state, seat, legal, powers)
        else:
            card = _follow(state, seat, legal, powers)
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


def _is_trump(card: int, trump: int) -> bool:
    return card // 13 == trump or card == 13 * (3 - trump) + 9


def _power(card: int, trump: int) -> int:
    """Return how high a card is in its own suit, trumps above the others."""
    if card % 13 == 9 and _is_trump(card, trump):
        return _ABOVE + (14 if card // 13 == trump else 13)
    return (_ABOVE if card // 13 == trump else 0) + card % 13


def _of_trump(card: int, trump: int) -> float:
    return _TRUMPS.get(_power(card, trump) - _ABOVE, _LOW_TRUMP)


def worth(hand: int, trump: int) -> float:
    """Return roughly how many tricks a hand takes."""
    tricks, trumps, suits = 0.0, 0, [0, 0, 0, 0]
    for card in each(hand):
        if _is_trump(card, trump):
            tricks += _of_trump(card, trump)
            trumps += 1
        else:
            tricks += _SIDE.get(card % 13, 0.0)
            suits[card // 13] += 1
    if trumps >= 2:
        tricks += _VOID * sum([not suits[suit] for suit in range(4) if suit != trump])
    return tricks


def _best_out(state: Any, seat: int, card: int, powers: Any) -> bool:
    """Return whether no card that others may hold is higher in the suit of a card."""
    ranking = state.tricks.ranking
    row = powers[ranking.suits[card]]
    mine = row[card]
    mask = ranking.masks[ranking.suits[card]]
    out = 0
    for other, hand in enumerate(state.hands):
        if other != seat:
            out |= hand
    return all(row[other] < mine for other in each(out & mask))


def _lead(state: Any, seat: int, legal: int, powers: Any) -> int:
    trump = state.trump
    cards = each(legal)
    trumps = [card for card in cards if _is_trump(card, trump)]
    side = [card for card in cards if not _is_trump(card, trump)]
    making = seat % 2 == state.maker % 2
    if trumps and making:
        best = max(trumps, key=lambda card: _power(card, trump))
        if (len(trumps) > 2 and seat == state.maker) or _best_out(state, seat, best, powers):
            return best
    sure = [card for card in side if _best_out(state, seat, card, powers)]
    if sure:
        return max(sure, key=lambda card: card % 13)
    if making and seat != state.maker and trumps:
        return max(trumps, key=lambda card: _power(card, trump))
    return min(side or trumps, key=lambda card: _power(card, trump))


def _follow(state: Any, seat: int, legal: int, powers: Any) -> int:
    tricks, trump = state.tricks, state.trump
    row = powers[tricks.led]
    table = tricks.cards
    best = max(table, key=row.__getitem__)
    seats = tricks.seats
    holder = seats[(seats.index(tricks.leader) + table.index(best)) % len(seats)]
    last = len(table) == len(seats) - 1
    cards = each(legal)
    winning = [card for card in cards if row[card] > row[best]]
    if not winning or (holder == (seat + 2) % 4 and (last or _best_out(state, seat, best, powers))):
        return min(cards, key=lambda card: _power(card, trump))
    cheapest, highest = min(winning, key=row.__getitem__), max(winning, key=row.__getitem__)
    return cheapest if last or tricks.ranking.suits[cheapest] != tricks.led else highest


SEARCH: Final = GameSearch(
    candidates, play_out, special=frozenset(card for card in ALL_CARDS if card.rank is Rank.JACK)
)
