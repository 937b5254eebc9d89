"""Turns what a bot answered into the protocol's message, checked against the legal answers."""

from collections.abc import Sequence

from fairdeal.actions import ChooseCards, LegalActions, LegalChoice, PlayCard
from fairdeal.cards import Card, Cards
from fairdeal.errors import BadAnswer
from fairdeal.updates import Decision
from fairdeal.v1 import actions_pb2
from fairdeal.v1 import play_service_pb2 as play


def answer(decision: Decision, given: object) -> play.Answer:
    """Return the message for what a bot answered, see `fairdeal.actions.Answer`.

    Raises:
        BadAnswer: it is not among the legal answers.
    """
    reply = play.Answer(match_id=decision.match.id, decision_id=decision.id)
    if isinstance(given, actions_pb2.Action):
        reply.action.CopyFrom(given)
    elif isinstance(decision.legal, LegalActions):
        reply.index = _position(decision, decision.legal, given)
    else:
        chosen = _chosen(decision, decision.legal, given)
        # an empty choice must be on the wire too
        reply.action.choose_cards.SetInParent()
        offered = decision.message.legal.choose_cards.cards
        reply.action.choose_cards.cards.extend([number for number in offered if number in chosen])
    return reply


def no_answer(decision: Decision) -> play.Answer:
    """Return an answer that is no action, on which the referee plays the default and counts a fault."""
    reply = play.Answer(match_id=decision.match.id, decision_id=decision.id)
    reply.action.SetInParent()
    return reply


def _position(decision: Decision, legal: LegalActions, given: object) -> int:
    action = PlayCard(given) if isinstance(given, Card) else given
    for position, each in enumerate(legal.actions):
        if each == action:
            return position
    listed = ", ".join(map(repr, legal.actions)) or "of a kind that this version has no type for"
    raise _bad(decision, given, f"the legal actions are {listed}")


def _chosen(decision: Decision, legal: LegalChoice, given: object) -> set[int]:
    """Return the numbers of the cards chosen."""
    cards = given.cards if isinstance(given, ChooseCards) else given
    if not isinstance(cards, Sequence) or not all(isinstance(card, Card) for card in cards):
        raise _bad(decision, given, "several cards are to be chosen, such as [Card('QS'), Card('KS')]")
    chosen = {card.number for card in cards}
    if len(chosen) < len(cards):
        raise _bad(decision, given, "a card is chosen twice")
    if not legal.minimum <= len(cards) <= legal.maximum:
        bounds = (
            f"{legal.minimum}" if legal.minimum == legal.maximum else f"{legal.minimum} to {legal.maximum}"
        )
        raise _bad(decision, given, f"{bounds} cards are to be chosen")
    if foreign := Cards(card for card in cards if card not in legal.cards):
        raise _bad(decision, given, f"{foreign} cannot be chosen")
    return chosen


def _bad(decision: Decision, given: object, reason: str) -> BadAnswer:
    return BadAnswer(
        f"match {decision.match.id}, decision {decision.id}: act answered {given!r}, but {reason}"
    )
