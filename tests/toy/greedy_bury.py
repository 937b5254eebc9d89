"""Bury by rules of thumb: bury the lowest card, win as cheaply as possible, else lose the lowest."""

from typing import Any

from fairdeal import Answer, Decision, LegalChoice
from fairdeal.bots.tricks import playable


def answer(view: Any, decision: Decision) -> Answer:
    """Return the answer to a decision."""
    if isinstance(decision.legal, LegalChoice):
        return [min(decision.legal.cards)]
    cards = playable(decision.legal)
    if view.trick is None:
        return max(cards)
    return min([card for card in cards if card > view.trick.cards[0]], default=min(cards))
