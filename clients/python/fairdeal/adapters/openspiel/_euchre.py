"""Euchre in OpenSpiel."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from fairdeal._deals import UnseenPile, draw_deal
from fairdeal.actions import Alone, Answer, TrumpCall, UpcardCall
from fairdeal.adapters.openspiel._rules import SEATS, Rules, by_rank, in_turn, numbered, tricks_of, unseen
from fairdeal.cards import ALL_CARDS, Card, Rank, Suit
from fairdeal.chance import Chance
from fairdeal.updates import OptionValue, Seated
from fairdeal.views import EuchrePhase, EuchreView

_HAND: Final = 5
_LEFT_OVER: Final = 3
_PACK: Final = [card for card in ALL_CARDS if card.rank >= Rank.NINE]
_NUMBERS: Final = {card: by_rank(card, Rank.NINE) for card in _PACK}
_CARDS: Final = numbered(_NUMBERS)
_PASS: Final = 24
_SUITS: Final = {suit: _PASS + suit for suit in Suit}
_ALONE: Final = {Alone.ALONE: 29, Alone.TOGETHER: 30}


class Euchre(Rules):
    """Player and seat have the same number."""

    agreed: Mapping[str, tuple[OptionValue, ...]] = {
        "dealer_may_discard_upcard": (False,),
        "maker_partner_may_go_alone": (False,),
    }

    def parameters(self, match: Seated) -> dict[str, Any]:
        """Return the parameters that make their game the match's."""
        return {
            "allow_lone_defender": match.options["defenders_may_go_alone"],
            "stick_the_dealer": match.options["stick_the_dealer"],
        }

    def history(self, view: EuchreView, chance: Chance) -> list[int]:
        """Return actions that lead from a new state to the decision; what is hidden is drawn."""
        assert view.upcard is not None
        hands, discarded = _hands(view, view.upcard, chance)
        actions = [
            view.dealer,
            *[_NUMBERS[card] for card in in_turn([hands[(view.dealer + n) % SEATS] for n in range(SEATS)])],
            _NUMBERS[view.upcard],
        ]
        for call in view.upcard_calls:
            actions.append(_PASS if call is UpcardCall.PASS else _SUITS[view.upcard.suit])
        for named in view.trump_calls:
            actions.append(_SUITS[named.suit] if named.suit else _PASS)
        if discarded:
            actions.append(_NUMBERS[discarded])
        actions += [_ALONE[made.choice] for made in view.alone]
        return actions + [_NUMBERS[card] for trick in tricks_of(view) for card in trick.cards]

    def answer(self, view: EuchreView, actions: Sequence[int]) -> Answer:
        """Return the call, the card to put aside, whether to play alone, or the card to play."""
        (action,) = actions
        match view.phase:
            case EuchrePhase.UPCARD:
                return UpcardCall.PASS if action == _PASS else UpcardCall.ACCEPT
            case EuchrePhase.TRUMP:
                return TrumpCall.PASS if action == _PASS else TrumpCall(action - _PASS)
            case EuchrePhase.ALONE:
                return Alone.ALONE if action == _ALONE[Alone.ALONE] else Alone.TOGETHER
            case EuchrePhase.DISCARD:
                return [_CARDS[action]]
        return _CARDS[action]


EUCHRE: Final = Euchre()


def _hands(view: EuchreView, upcard: Card, chance: Chance) -> tuple[list[list[Card]], Card | None]:
    """Return all hands as they were dealt, and the card that the dealer put aside, if any."""
    assert view.seat is not None
    held: list[list[Card]] = [[] for _ in range(SEATS)]
    piles = [UnseenPile(_HAND) for _ in range(SEATS)]
    for trick in tricks_of(view):
        led = view.suit_of(trick.cards[0])
        for seat, card in zip(view.seats_of(trick), trick.cards, strict=True):
            held[seat].append(card)
            if view.suit_of(card) is not led:
                piles[seat].banned.update([each for each in _PACK if view.suit_of(each) is led])
    held[view.seat] += view.hand
    taken = UpcardCall.ACCEPT in view.upcard_calls
    if taken and upcard not in held[view.dealer]:
        held[view.dealer].append(upcard)  # the dealer may not put the upcard aside
    discarded = view.discarded
    hidden = unseen({upcard, *([discarded] if discarded else []), *[c for hand in held for c in hand]}, _PACK)
    others = [seat for seat in range(SEATS) if seat != view.seat]
    for seat in others:
        piles[seat].room -= len(held[seat])
    aside = UnseenPile(int(taken and view.dealer != view.seat and view.phase is not EuchrePhase.DISCARD))
    where = [*[piles[seat] for seat in others], aside, UnseenPile(_LEFT_OVER)]
    *drawn, put_aside, _left_over = draw_deal(hidden, where, chance)
    for seat, cards in zip(others, drawn, strict=True):
        held[seat] += cards
    if put_aside:
        (discarded,) = put_aside
    if taken:
        held[view.dealer].remove(upcard)
        held[view.dealer] += [discarded] if discarded else []
    return held, discarded
