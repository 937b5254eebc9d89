"""The checks in which something happens to a bot: unknown fields, refusals, void matches, broken streams."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, Final

from google.protobuf.message import Message

from fairdeal.v1 import play_service_pb2 as pb
from referee.match.faults import Fault
from referee.server.runtime import FinishedMatch
from tournaments.check.asked import Asked
from tournaments.check.catalogue import SESSIONS
from tournaments.check.connection import BotStream
from tournaments.check.harness import BUDGET, FOR_EVER, Harness, Wanted
from tournaments.check.results import CheckFailed, DoesNotApply, Finding
from tournaments.check.shorten import shown

REPLACED_WATCH: Final = 3.0
"""Seconds in which a bot that was replaced must not reconnect; fewer when its process ends before."""

_STARTED_EARLY: Final = (
    "the bot was back before check-bot asked for it, as if somebody had started it again, so this check"
    " did not show whether it dials by itself; start it only when check-bot asks for it"
)

_IN_MID_DEAL: Final = 3  # the decision at which it happens
_STALE_MOVE: Final = 1.0  # seconds for a decision whose answer is held back until it is late, at first
_STALE_SILENCE: Final = 2  # how many decisions may be late without any answer before the bot counts as silent
_SECOND_ANSWER: Final = 0.3  # seconds in which a bot may answer an open decision again
_NO_INDEX: Final = 100_000  # no list has so many actions

_NEW_VALUE: Final = 99  # a number that no enum of the protocol has
_UNKNOWN_VARINT: Final = b"\xf8\x7c\x01"  # field 1999, the number 1
_UNKNOWN_KIND: Final = b"\xfa\x7c\x03new"  # field 1999, three bytes


# What the bot does not know


async def unknown(harness: Harness) -> None:
    """Play a match in which every frame holds something that no bot knows."""
    with harness.monitor.meddling(told=_make_newer):
        await harness.play(Wanted(match_id="newer", game=harness.game))


def _make_newer(connection: BotStream, frame: pb.PlayResponse) -> None:
    """Turn a frame into one from a newer version of the protocol."""
    for update in frame.updates:
        kind = update.WhichOneof("kind")
        inner = getattr(update, kind)
        if kind == "decision":
            _add_field(inner.legal)
            _add_field(inner.view)
            _add_field(getattr(inner.view, inner.view.WhichOneof("game")))
        elif kind == "happened":
            inner.event.ClearField("trick_taken")  # so that it is an event of an unknown kind
            _add_field(inner.event)
        elif kind == "closed":
            inner.reason = _NEW_VALUE
        _add_field(inner)
        _add_field(update)
    notice = pb.Update(notice=pb.Notice(text="something new"))
    notice.notice.kind = _NEW_VALUE  # type: ignore[assignment]
    frame.updates.append(notice)
    frame.updates.append(pb.Update.FromString(_UNKNOWN_KIND))
    _add_field(frame)


def _add_field(message: Message) -> None:
    message.MergeFromString(_UNKNOWN_VARINT)


# Refused answers


async def stale(harness: Harness) -> None:
    """Delay an answer until it is late, so that it is refused, and check that the bot plays on.

    A bot that seems to be silent gets more time, as much as elsewhere: the machine may be busy.
    """
    course = _Stale()
    await _play_stale(harness, course, "stale", _STALE_MOVE)
    if course.is_silent:
        await _play_stale(harness, _Stale(is_last=True), "stale-again", _STALE_MOVE + harness.patience)


async def _play_stale(harness: Harness, course: "_Stale", match_id: str, move: float) -> None:
    """Play such a match with this many seconds for a decision, until the bot is known to be silent.

    It is not cut short before that is known either way: on a busy machine the time for a decision stands.
    """
    wanted = Wanted(match_id=match_id, game=harness.game, clock=harness.clock(move))
    with harness.monitor.meddling(told=course.told, heard=course.heard, expected=course.expected):
        async with playing(harness, wanted, away=FOR_EVER) as match:
            await harness.until(lambda: course.is_due or course.is_silent or match.done(), FOR_EVER)
            if course.held and not match.done():
                harness.say(*course.held)
            await harness.until(lambda: course.is_silent or course.plays_on or match.done(), FOR_EVER)
            seconds = BUDGET * harness.patience
            if not await harness.until(lambda: course.is_silent or match.done(), FOR_EVER):
                harness.note_cut(wanted, seconds)
            harness.referee.cancel(match_id)


class _Stale:
    """The course of a match in which the first answer comes too late.

    ``is_silent`` tells that the bot did not answer any more, which is a failure in the last such match.
    """

    def __init__(self, *, is_last: bool = False) -> None:
        self.held: tuple[BotStream, pb.Answer] | None = None
        self.is_silent = False
        self._is_last = is_last
        self._late: set[int] = set()
        self._is_refused = False
        self._asked_after: set[int] = set()  # decisions that the bot was asked after it knew of the refusal
        self._answered_after = 0
        self._silent = 0

    @property
    def plays_on(self) -> bool:
        """Return whether the bot has answered what it was asked after the refusal."""
        return self._answered_after > 0

    @property
    def is_due(self) -> bool:
        """Return whether the delayed answer is too late by now."""
        return self.held is not None and self.held[1].decision_id in self._late

    def told(self, connection: BotStream, frame: pb.PlayResponse) -> None:
        """Notice the refusal, and the decisions after it."""
        for update in frame.updates:
            if update.refused.reason == pb.REASON_STALE_DECISION:
                self._is_refused = True
            elif update.HasField("decision") and self._is_refused:
                self._asked_after.add(update.decision.decision_id)

    def heard(self, connection: BotStream, frame: pb.PlayRequest) -> None:
        """Delay the first answer."""
        if self.held is None and frame.answers:
            self.held = connection, frame.answers.pop(0)
        for answer in frame.answers:
            self._answered_after += answer.decision_id in self._asked_after

    def expected(self, asked: Asked, fault: Fault) -> bool:
        """Return whether a fault is expected here: this check is not about slow bots."""
        number = asked.decision.decision_id
        if fault is not Fault.LATE:
            return False
        self._late.add(number)
        self._silent += number in self._asked_after or self.held is None
        self.is_silent = not self.plays_on and self._silent > _STALE_SILENCE
        return not (self.is_silent and self._is_last)


async def refused(harness: Harness) -> None:
    """Refuse an answer that closes its decision, then one whose decision stays open."""
    spoilt: list[int] = []
    held: list[pb.Answer] = []
    is_said = False

    def heard(connection: BotStream, frame: pb.PlayRequest) -> None:
        if not frame.answers or is_said:
            return
        answer = frame.answers[0]
        if not spoilt:
            spoilt.append(answer.decision_id)
            answer.index = _NO_INDEX
        elif answer.decision_id >= _IN_MID_DEAL:
            held.append(frame.answers.pop(0))

    def expected(asked: Asked, fault: Fault) -> bool:
        return fault is Fault.ILLEGAL and asked.decision.decision_id in spoilt

    with harness.monitor.meddling(heard=heard, expected=expected):
        async with playing(harness, Wanted(match_id="refused", game=harness.game)) as match:
            await harness.until(lambda: bool(held) or match.done(), FOR_EVER)
            if not held:
                return
            connection = harness.connection
            refusal = pb.Refused(
                match_id=held[0].match_id,
                decision_id=held[0].decision_id,
                reason=pb.REASON_RATE_LIMITED,
                still_open=True,
                text="not now; the decision still stands",
            )
            connection.inject(pb.Update(refused=refusal))
            harness.proxy.wake(connection)
            # nothing says what the bot must do then: it may answer again or not
            await harness.until(lambda: len(held) > 1 or match.done(), _SECOND_ANSWER)
            is_said = True
            harness.say(harness.connection, held[-1])


# Void matches, broken streams, newer sessions


async def another_attempt(harness: Harness) -> None:
    """Void a match in mid-deal and play it again."""
    reached = Reached()
    with harness.monitor.meddling(heard=reached.heard):
        wanted = Wanted(match_id="void", game=harness.game, deals=2)
        async with playing(harness, wanted) as match:
            if await reached.within(harness, match):
                harness.referee.void(harness.owner)
    if reached.connection:
        await harness.play(replace(wanted, attempt=2))


async def drop(harness: Harness) -> None:
    """Break the stream when the bot answers, before the answer arrives."""
    reached = Reached()
    # at most, when it ends only then and has to be restarted
    away = harness.return_seconds + harness.connect_seconds + 2 * harness.patience
    with harness.monitor.meddling(heard=reached.heard):
        wanted = Wanted(match_id="drop", game=harness.game, deals=2, clock=harness.clock(away))
        async with playing(harness, wanted, away=away) as match:
            if await reached.within(harness, match):
                assert reached.connection
                harness.cut(reached.connection)


async def replaced(harness: Harness) -> None:
    """Open a newer session of the same name in mid-deal, and check that the bot does not come back."""
    monitor = harness.monitor
    reached = Reached()
    await harness.present()
    with monitor.meddling(heard=reached.heard):
        wanted = Wanted(match_id="replaced", game=harness.game, deals=2)
        match = await harness.begin(wanted)
        bot, seconds = harness.bot, BUDGET * harness.patience
        await harness.until(lambda: bool(reached.connection or match.done() or bot.exited), seconds)
        if reached.connection is None:
            if bot.exited:
                raise harness.departed(
                    wanted, harness.absence("the bot's process ends in the middle of a match")
                )
            if monitor.is_spoilt:
                return
            raise CheckFailed(harness.absence("the bot does not answer"))
    older = harness.connection
    newer = harness.impostor()
    try:

        def is_back() -> bool:
            connection = monitor.connection
            return connection is not older and connection is not None and _name(connection) == _name(older)

        await harness.until(lambda: is_back() or harness.bot.exited is not None, REPLACED_WATCH)
        if is_back():
            hello = harness.connection.hello
            if not (harness.bot.is_ours or (hello and hello.resume)):  # it knows nothing of its match
                raise DoesNotApply(_STARTED_EARLY)
            raise CheckFailed(
                Finding(
                    what="the bot dials again after a newer session has replaced it",
                    place=f"{SESSIONS}: Sessions",
                    sent=shown(pb.Notice(kind=pb.NOTICE_KIND_REPLACED), "notice")
                    + ", then the end of the stream",
                    came=shown(hello, "hello") if hello else "",
                    expected="no hello of this entry and instance any more",
                )
            )
    finally:
        newer.leave()


def _name(connection: BotStream) -> tuple[str, str]:
    return (connection.hello.entry, connection.hello.instance) if connection.hello else ("", "")


class Reached:
    """Notices the bot's answer in mid-deal, and keeps it from the referee."""

    def __init__(self) -> None:
        self.connection: BotStream | None = None
        self.answers: list[pb.Answer] = []

    def heard(self, connection: BotStream, frame: pb.PlayRequest) -> None:
        """Check a frame from the bot."""
        if self.connection is None and any(answer.decision_id >= _IN_MID_DEAL for answer in frame.answers):
            self.connection = connection
            self.answers.extend(frame.answers)
            del frame.answers[:]

    async def within(self, harness: Harness, match: asyncio.Future[Any]) -> bool:
        """Wait for the answer or the end of the match, and return whether the answer came."""
        await harness.until(lambda: self.connection is not None or match.done(), FOR_EVER)
        return self.connection is not None


@asynccontextmanager
async def playing(
    harness: Harness, wanted: Wanted, *, away: float = 0.0
) -> AsyncIterator[asyncio.Task[FinishedMatch]]:
    """Play a match, and wait at the end of the context until it is over.

    The bot may be ``away`` for this many seconds.
    """
    budget = away + BUDGET * harness.patience
    match = asyncio.create_task(harness.play(wanted, budget=budget))
    match.add_done_callback(lambda _: harness.monitor.changed())
    try:
        yield match
        await match
    finally:
        match.cancel()
        await asyncio.wait({match})
