"""Turns a bot's answer into the protocol's message, checked against the legal answers."""

import json
import logging
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

from fairdeal import _decode
from fairdeal.actions import (
    MAX_NOTE,
    ChooseCards,
    ChooseCombinations,
    Declare,
    LegalActions,
    LegalChoice,
    LegalCombinations,
    Noted,
)
from fairdeal.cards import Card, Cards
from fairdeal.combinations import Combination
from fairdeal.errors import BadAnswer
from fairdeal.updates import Decision
from fairdeal.v1 import actions_pb2
from fairdeal.v1 import play_service_pb2 as play

log = logging.getLogger("fairdeal")


def answer(decision: Decision, given: object) -> play.Answer:
    """Return the message for a bot's answer, see `fairdeal.actions.Answer`.

    Raises:
        BadAnswer: it is not among the legal answers.
    """
    if isinstance(given, Noted):
        bare, note = without_note(decision, given)
        reply = no_answer(decision) if bare is None else answer(decision, bare)
        reply.note = note
        return reply
    match_id, decision_id, legal = decision.match.id, decision.id, decision.legal
    if isinstance(given, actions_pb2.Action):
        return play.Answer(match_id=match_id, decision_id=decision_id, action=given)
    if isinstance(legal, LegalActions):
        index = position(decision, legal, given)
        return play.Answer(match_id=match_id, decision_id=decision_id, index=index)
    reply = play.Answer(match_id=match_id, decision_id=decision_id)
    if isinstance(legal, LegalChoice):
        _fill_cards(reply.action.choose_cards, decision, legal, given)
    else:
        _fill_combinations(reply.action.choose_combinations, decision, legal, given)
    return reply


def answer_bytes(decision: Decision, given: object) -> bytes:
    """Return the bytes of the same message; the usual ones, of an action in a list, are put together here.

    Raises:
        BadAnswer: it is not among the legal answers.
    """
    legal = decision.legal
    if isinstance(legal, LegalActions):
        for index, each in enumerate(legal.actions):
            if each is given:
                return b"%b%b\x20%b" % (_begin(decision.match.id), _varint(decision.id), _varint(index))
    return answer(decision, given).SerializeToString()


def item(answer: bytes) -> bytes:
    """Return the bytes of an answer as an item of a request."""
    return b"\x2a%b%b" % (_varint(len(answer)), answer)


def acknowledgement(frames: int) -> bytes:
    """Return the bytes of a request that says how many frames were received; more can be put behind it."""
    return b"\x08%b" % _varint(frames) if frames else b""


@lru_cache(1024)
def _begin(match_id: str) -> bytes:
    """Return what the bytes of all answers in a match begin with, up to the number of the decision."""
    name = match_id.encode()
    return b"\x0a%b%b\x10" % (_varint(len(name)), name)


def _varint(number: int) -> bytes:
    """Return a number that is not negative as on the wire: seven bits a byte, the lowest first."""
    if number < 128:
        return _BYTES[number]
    return bytes([number & 127 | 128]) + _varint(number >> 7)


_BYTES: Final = tuple(bytes([number]) for number in range(128))


def no_answer(decision: Decision) -> play.Answer:
    """Return an answer without an action, for which the referee plays the default and counts a fault."""
    reply = play.Answer(match_id=decision.match.id, decision_id=decision.id)
    reply.action.SetInParent()
    return reply


def without_note(decision: Decision, given: object) -> tuple[object, bytes]:
    """Return a bot's answer by itself, and the bytes of its note, none where it has no note."""
    return (given.answer, _note(decision, given.note)) if isinstance(given, Noted) else (given, b"")


def _note(decision: Decision, note: str | Mapping[str, object]) -> bytes:
    """Return the bytes of a note, none where it cannot be sent: it must never cost the answer."""
    try:
        text = note if isinstance(note, str) else json.dumps(note, ensure_ascii=False, separators=(",", ":"))
        data = text.encode()
    except (TypeError, ValueError, RecursionError) as error:
        problem = f"is neither text nor JSON: {error}"
    else:
        if len(data) <= MAX_NOTE:
            return data
        problem = f"has {len(data)} bytes, and {MAX_NOTE} may be sent"
    log.warning("match %s, decision %d: the note is not sent: it %s", decision.match.id, decision.id, problem)
    return b""


def position(decision: Decision, legal: LegalActions, given: object) -> int:
    """Return the position of a bot's answer in the list of legal ones.

    Raises:
        BadAnswer: it is not in the list.
    """
    action = _decode.play_of(given) if isinstance(given, Card) else given
    for position, each in enumerate(legal.actions):
        if each is action:  # as most are: comparing their fields takes longer
            return position
    if isinstance(action, Combination):
        action = Declare(action)
    if action in legal.actions:
        return legal.actions.index(action)
    listed = ", ".join(map(repr, legal.actions)) or "of a kind that this version has no type for"
    raise _bad(decision, given, f"the legal actions are {listed}")


def _fill_cards(message: actions_pb2.CardList, decision: Decision, legal: LegalChoice, given: object) -> None:
    cards = given.cards if isinstance(given, ChooseCards) else given
    if not isinstance(cards, Sequence) or not all(isinstance(card, Card) for card in cards):
        raise _bad(decision, given, "several cards are to be chosen, such as [Card('QS'), Card('KS')]")
    _check_count(decision, legal, given, cards)
    if foreign := Cards(card for card in cards if card not in legal.cards):
        raise _bad(decision, given, f"{foreign} cannot be chosen")
    message.SetInParent()  # an empty choice must be on the wire too
    offered = decision.message.legal.choose_cards.cards
    message.cards.extend([number for number in offered if _decode.card(number) in cards])


def _fill_combinations(
    message: actions_pb2.CombinationList, decision: Decision, legal: LegalCombinations, given: object
) -> None:
    chosen = given.combinations if isinstance(given, ChooseCombinations) else given
    if not isinstance(chosen, Sequence) or not all(isinstance(each, Combination) for each in chosen):
        text = "several combinations are to be chosen, such as [SetCombination(Rank.TEN, 3)], or none: []"
        raise _bad(decision, given, text)
    _check_count(decision, legal, given, chosen)
    for each in chosen:
        if each not in legal.combinations:
            raise _bad(decision, given, f"{each} cannot be chosen")
    message.SetInParent()
    offered = decision.message.legal.choose_combinations.combinations
    message.combinations.extend([each for each in offered if _decode.combination(each) in chosen])


def _check_count(
    decision: Decision,
    legal: LegalChoice | LegalCombinations,
    given: object,
    chosen: Sequence[object],
) -> None:
    item = "card" if isinstance(legal, LegalChoice) else "combination"
    if len(set(chosen)) < len(chosen):
        raise _bad(decision, given, f"a {item} is chosen twice")
    low, high = legal.minimum, legal.maximum
    if not low <= len(chosen) <= high:
        bounds = f"{low}" if low == high else f"{low} to {high}"
        raise _bad(decision, given, f"{bounds} {item}s are to be chosen")


def _bad(decision: Decision, given: object, reason: str) -> BadAnswer:
    return BadAnswer(
        f"match {decision.match.id}, decision {decision.id}: act answered {given!r}, but {reason}"
    )
