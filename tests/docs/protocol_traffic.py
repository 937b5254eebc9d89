"""Examples of the protocol's messages, taken from real sessions; a few that are rare are made by hand."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final
from unittest.mock import patch

from google.protobuf.message import Message

import fairdeal
from fairdeal._session import Session
from fairdeal.bots import make
from fairdeal.v1 import actions_pb2, cards_pb2, events_pb2
from fairdeal.v1 import play_service_pb2 as pb
from referee.games.registry import GAMES
from tests.testing.by_frames import play

# each match shows what is rare in its game
_MATCHES: Final = (
    ("hearts", "random", 2, {}),
    ("hearts", "greedy", 2, {}),
    ("spades", "greedy", 2, {}),
    ("spades", "random", 4, {"blind_nil_gap": 50}),
    ("euchre", "random", 40, {}),
    ("piquet", "greedy", 2, {}),
    ("piquet", "random", 6, {}),
    ("two_handed_spades", "greedy", 1, {}),
)


class _Listening:
    """A house bot that asks for events, too."""

    def __init__(self, name: str) -> None:
        self.act = make(name).act

    def on_event(self, _happened: fairdeal.Happened) -> None:
        """Events are only asked for by bots that have this."""


@dataclass(frozen=True, slots=True)
class AnsweredDecision:
    """A decision and its answer, as they went over the wire."""

    decision: pb.Decision
    answer: pb.Answer


@cache
def examples() -> Mapping[tuple[str, str], Message]:
    """Return an example for each message of a bot's session, by name and by which kind it is of.

    It is the fullest, and of these the shortest. The kind is empty for messages that have none.
    """
    found: dict[tuple[str, str], Message] = {}
    for message in (*(frame for _, frame in _traffic()), *_RARE):
        for part in _parts(message):
            key = part.DESCRIPTOR.name, _kind(part)
            if key not in found or _rank(part) < _rank(found[key]):
                found[key] = part
    return found


@cache
def decisions() -> Mapping[tuple[str, str], AnsweredDecision]:
    """Return a decision of each kind with its answer, by game and kind: those that are shortest."""
    found: dict[tuple[str, str], AnsweredDecision] = {}
    open_ones: dict[tuple[int, str], pb.Decision] = {}  # by bot and match
    for bot, frame in _traffic():
        if isinstance(frame, pb.PlayResponse):
            for update in frame.updates:
                if update.HasField("decision"):
                    open_ones[bot, update.decision.match_id] = update.decision
        elif isinstance(frame, pb.PlayRequest):
            for answer in frame.answers:
                decision = open_ones[bot, answer.match_id]
                key = _game_and_kind(decision)
                if key not in found or _legal_size(decision) < _legal_size(found[key].decision):
                    found[key] = AnsweredDecision(decision, answer)
    return {("hearts", "moon"): _MOON} | found


def _legal_size(decision: pb.Decision) -> tuple[bool, int, bytes]:
    """Rank decisions by how little there is to choose, those with no choice at all last."""
    data = decision.legal.SerializeToString(deterministic=True)
    return len(data) < 12, len(data), data


def _game_and_kind(decision: pb.Decision) -> tuple[str, str]:
    game = decision.view.WhichOneof("game")
    assert game
    view = getattr(decision.view, game)
    phase = view.DESCRIPTOR.fields_by_name["phase"].enum_type.values_by_number[view.phase].name
    return game, phase.removeprefix(f"{game.upper()}_PHASE_").lower()


def _kind(message: Message) -> str:
    if isinstance(message, pb.PlayRequest):
        names = [field.name for field, _ in message.ListFields()]
        return " ".join(name for name in names if name != "frames_received")
    oneofs = message.DESCRIPTOR.oneofs
    return (message.WhichOneof(oneofs[0].name) or "") if oneofs else ""


def _rank(message: Message) -> tuple[int, int, bytes]:
    data = message.SerializeToString(deterministic=True)
    return -len(message.ListFields()), len(data), data


def _parts(message: Message) -> Iterator[Message]:
    """Yield a message and all that it is made of."""
    yield message
    for field, value in message.ListFields():
        if field.message_type:
            for part in value if field.is_repeated else [value]:
                yield from _parts(part)


@cache
def _traffic() -> tuple[tuple[int, Message], ...]:
    """Return what bots were told and said, each with a number for the bot."""
    frames: list[tuple[int, Message]] = []
    sessions: list[Session] = []
    receive, take = Session.receive, Session.take_frames

    def hear(session: Session, frame: bytes) -> Any:
        frames.append((sessions.index(session), pb.PlayResponse.FromString(frame)))
        return receive(session, frame)

    def say(session: Session) -> list[bytes]:
        if session not in sessions:
            sessions.append(session)
        said = take(session)
        frames.extend((sessions.index(session), pb.PlayRequest.FromString(frame)) for frame in said)
        return said

    with patch.object(Session, "receive", hear), patch.object(Session, "take_frames", say):
        for game, bot, deals, options in _MATCHES:
            bots = [_Listening(bot) for _ in range(GAMES[game].seats)]
            play(game, bots, seed="docs", deals=deals, options=options, match_id=f"{game}-1")
    return tuple(frames)


_QUEEN: Final = cards_pb2.CARD_QUEEN_OF_SPADES

# what does not happen in those matches
_MOON: Final = AnsweredDecision(
    pb.Decision(
        match_id="hearts-1",
        decision_id=15,
        legal=actions_pb2.Legal(
            actions=actions_pb2.ActionList(
                actions=[
                    actions_pb2.Action(moon=actions_pb2.MOON_CHOICE_SUBTRACT),
                    actions_pb2.Action(moon=actions_pb2.MOON_CHOICE_ADD),
                ]
            )
        ),
    ),
    pb.Answer(match_id="hearts-1", decision_id=15, index=1),
)
_RARE: Final[tuple[Message, ...]] = (
    pb.PlayRequest(
        hello=pb.Hello(
            versions=[1],
            entry="alice",
            instance="laptop",
            games=["hearts"],
            tables=64,
            matches=10,
            events=True,
            resume=[pb.ResumePoint(match_id="hearts-1", sequence=17, attempt=1)],
            agent="alice's bot/0.3",
        )
    ),
    pb.PlayRequest(frames_received=12, declines=[pb.Decline(match_id="hearts-2")]),
    pb.PlayRequest(frames_received=40, bye=pb.Bye()),
    pb.Update(
        refused=pb.Refused(
            match_id="hearts-1",
            decision_id=9,
            reason=pb.REASON_STALE_DECISION,
            text="decision 9 is closed",
        )
    ),
    pb.Update(
        closed=pb.Closed(
            match_id="hearts-1", decision_id=9, reason=pb.CLOSE_REASON_DEFAULTED, fault=pb.FAULT_LATE
        )
    ),
    pb.Update(
        finished=pb.Finished(
            match_id="piquet-1",
            termination=pb.TERMINATION_FORFEIT,
            ranks=[2, 1],
            scores=[0, 0],
            faults=[pb.FaultCounts(illegal=1, late=2, sessions_lost=1), pb.FaultCounts()],
            forfeited=[cards_pb2.SEAT_0],
        )
    ),
    pb.FaultCounts(malformed=1, illegal=1, disconnected=1, late=1, sessions_lost=1),
    pb.Update(notice=pb.Notice(kind=pb.NOTICE_KIND_DRAINING, text="the referee is about to leave")),
    pb.Update(redirect=pb.Redirect(address="10.0.0.7:7447")),
    actions_pb2.Action(moon=actions_pb2.MOON_CHOICE_ADD),
    actions_pb2.Action(trump_call=actions_pb2.TRUMP_CALL_HEARTS),
    events_pb2.Event(
        sequence=70,
        moon_chosen=events_pb2.MoonChosen(seat=cards_pb2.SEAT_2, choice=actions_pb2.MOON_CHOICE_ADD),
    ),
    events_pb2.Event(
        sequence=6,
        trump_called=events_pb2.TrumpCalled(seat=cards_pb2.SEAT_1, call=actions_pb2.TRUMP_CALL_HEARTS),
    ),
    events_pb2.Event(sequence=2, blank_claimed=events_pb2.BlankClaimed(seat=cards_pb2.SEAT_1)),
)
