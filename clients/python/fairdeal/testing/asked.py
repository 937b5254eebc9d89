"""What the rules ask and tell, as a bot gets it, and its answers as the rules take them.

All goes over the protocol's messages, so that a bot sees what it would see of a server. But most decisions
are plays of a card, and most bots look at little of them: the message is made when it is first used.
"""

from functools import cache, lru_cache
from typing import Any, Final

from fairdeal import _decode, _encode, _updates
from fairdeal.actions import Legal, LegalActions
from fairdeal.actions import PlayCard as Play
from fairdeal.cards import ALL_CARDS
from fairdeal.updates import Decision, Seated, Update
from fairdeal.v1 import actions_pb2
from fairdeal.v1 import play_service_pb2 as pb
from referee.cards import SUIT_MASKS, Hand, cards_of
from referee.codec.proto import action_of, encode, legal_bytes
from referee.games import actions
from referee.match import messages
from referee.match.messages import CloseReason, Given, Index

_PLAYS: Final = tuple(Play(card) for card in ALL_CARDS)  # in the canonical order of both sides
_C, _D, _H, _S = SUIT_MASKS


class AskedDecision(Decision):
    """A decision of the rules as a bot is asked it; ``seed`` is that of its draws."""

    __slots__ = ("_asked", "_message")

    def __init__(self, match: Seated, asked: messages.Decision, seed: str = "") -> None:
        self.match = match
        self.id = asked.decision_id
        self._asked = asked
        self._seed = seed
        self._message: pb.Decision | None = None
        self._legal: Legal | None = None
        self._view = None
        self._chance = None

    @property
    def message(self) -> pb.Decision:  # type: ignore[override] # made when it is first used
        """Return the message of the protocol."""
        if self._message is None:
            self._message = _wire(self._asked).decision
        return self._message

    @property
    def legal(self) -> Legal:
        """Return the legal answers, as those of any decision."""
        if self._legal is None:
            self._legal = _legal(self._asked.legal)
        return self._legal


def _legal(legal: actions.Legal) -> Legal:
    if not isinstance(legal, actions.LegalActions):
        return _decoded(legal)
    if some := legal.cards:
        return LegalActions(
            _of_suit(some & _C) + _of_suit(some & _D) + _of_suit(some & _H) + _of_suit(some & _S)
        )
    return _listed(legal)


@cache  # a suit has 8,192 sets of cards
def _of_suit(some: Hand) -> tuple[Play, ...]:
    return tuple([_PLAYS[card] for card in cards_of(some)])


@lru_cache(256)
def _listed(legal: actions.LegalActions) -> Legal:
    # the same bids and choices come again and again
    return _decoded(legal)


def _decoded(legal: actions.Legal) -> Legal:
    return _decode.legal(actions_pb2.Legal.FromString(legal_bytes(legal)))


def given_of(decision: Decision, said: object) -> tuple[Given, bytes]:
    """Return the answer of a bot as a match takes it, and its note.

    Raises:
        BadAnswer: it is not among the legal answers.
    """
    given, note = _encode.without_note(decision, said)
    legal = decision.legal
    gives_up = given is None
    if isinstance(legal, LegalActions) and not (gives_up or isinstance(given, actions_pb2.Action)):
        return Index(_encode.position(decision, legal, given)), note
    return action_of(_encode.answer(decision, said).action), note


def seated_of(told: messages.Seated) -> Seated:
    """Return a seat as a bot is told of it."""
    return _updates.seated(_wire(told).seated)


def is_taken(told: messages.Update) -> bool:
    """Return whether an update says no more than that an answer was taken."""
    return isinstance(told, messages.Closed) and told.reason is CloseReason.ANSWERED and not told.note_dropped


def update_of(match: Seated, told: messages.Update) -> Update:
    """Return an update about a match as a bot is told it, but for seats and decisions."""
    message: Any = _wire(told)
    kind = message.WhichOneof("kind")
    made: Update = getattr(_updates, kind)(match, getattr(message, kind))
    return made


def _wire(told: messages.Update) -> pb.Update:
    return pb.Update.FromString(encode(told))
