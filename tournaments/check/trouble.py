"""The checks in which something happens to a bot: news, refusals, void matches, broken streams."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, Final

from google.protobuf.message import Message

from fairdeal.v1 import play_service_pb2 as pb
from referee.faults import Fault
from referee.server.driver import Report
from tournaments.check.asked import Asked
from tournaments.check.catalogue import SESSIONS
from tournaments.check.line import Line
from tournaments.check.results import Failure, SceneFailed
from tournaments.check.shorten import shown
from tournaments.check.stage import BUDGET, FOR_EVER, Stage, Wanted

REPLACED_WATCH: Final = 3.0
"""Seconds in which a bot that was replaced must not dial again; fewer when its process ends before."""

_IN_MID_DEAL: Final = 3  # the decision at which it happens
_STALE_MOVE: Final = 1.0  # seconds for a decision whose answer is held back until it is late, at first
_STALE_SILENCE: Final = 2  # decisions that may be late without any answer before the bot counts as silent
_SECOND_ANSWER: Final = 0.3  # seconds in which a bot may answer again what still stands
_NO_INDEX: Final = 100_000  # no list has so many actions

_NEW_VALUE: Final = 99  # that no enum of the protocol has
_UNKNOWN_VARINT: Final = b"\xf8\x7c\x01"  # field 1999, the number 1
_UNKNOWN_KIND: Final = b"\xfa\x7c\x03new"  # field 1999, three bytes


# What it does not know


async def unknown(stage: Stage) -> None:
    """Play a match in every frame of which there is something that no bot knows."""
    with stage.watch.meddling(told=_make_newer):
        await stage.play(Wanted(match_id="newer", game=stage.game))


def _make_newer(line: Line, frame: pb.PlayResponse) -> None:
    """Turn a frame into one of a newer version of the protocol."""
    for update in frame.updates:
        kind = update.WhichOneof("kind")
        inner = getattr(update, kind)
        if kind == "decision":
            _add_field(inner.legal)
            _add_field(inner.view)
            _add_field(getattr(inner.view, inner.view.WhichOneof("game")))
        elif kind == "happened":
            inner.event.ClearField("trick_taken")  # then it is an event of an unknown kind
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


async def stale(stage: Stage) -> None:
    """Hold an answer back until its time has run out, let it be refused, and see the bot play on.

    A bot that seems to be silent is given more time, as much as elsewhere: the machine may be busy.
    """
    course = _Stale()
    await _play_stale(stage, course, "stale", _STALE_MOVE)
    if course.is_silent:
        await _play_stale(stage, _Stale(is_last=True), "stale-again", _STALE_MOVE + stage.patience)


async def _play_stale(stage: Stage, course: "_Stale", match_id: str, move: float) -> None:
    """Play such a match with so many seconds for a decision, until the bot is known to be silent."""
    wanted = Wanted(match_id=match_id, game=stage.game, clock=stage.clock(move))
    with stage.watch.meddling(told=course.told, heard=course.heard, expected=course.expected):
        async with playing(stage, wanted) as match:
            await stage.until(lambda: course.is_due or course.is_silent or match.done(), FOR_EVER)
            if course.held and not match.done():
                stage.say(*course.held)
            await stage.until(lambda: course.is_silent or match.done(), FOR_EVER)
            stage.referee.cancel(match_id)


class _Stale:
    """The course of a match in which the first answer comes too late.

    ``is_silent`` tells that the bot did not answer any more, which is a failure in the last such match.
    """

    def __init__(self, *, is_last: bool = False) -> None:
        self.held: tuple[Line, pb.Answer] | None = None
        self.is_silent = False
        self._is_last = is_last
        self._late: set[int] = set()
        self._is_refused = False
        self._asked_after: set[int] = set()  # decisions that the bot was asked once it knew of the refusal
        self._answered_after = 0
        self._silent = 0

    @property
    def is_due(self) -> bool:
        """Tell whether the answer that is held back is too late by now."""
        return self.held is not None and self.held[1].decision_id in self._late

    def told(self, line: Line, frame: pb.PlayResponse) -> None:
        """Notice the refusal, and what is asked after it."""
        for update in frame.updates:
            if update.refused.reason == pb.REASON_STALE_DECISION:
                self._is_refused = True
            elif update.HasField("decision") and self._is_refused:
                self._asked_after.add(update.decision.decision_id)

    def heard(self, line: Line, frame: pb.PlayRequest) -> None:
        """Hold the first answer back."""
        if self.held is None and frame.answers:
            self.held = line, frame.answers.pop(0)
        for answer in frame.answers:
            self._answered_after += answer.decision_id in self._asked_after

    def expected(self, asked: Asked, fault: Fault) -> bool:
        """Tell whether a fault is no failure: a bot that is merely slow is not meant."""
        number = asked.decision.decision_id
        if fault is not Fault.LATE:
            return False
        self._late.add(number)
        self._silent += number in self._asked_after or self.held is None
        self.is_silent = not self._answered_after and self._silent > _STALE_SILENCE
        return not (self.is_silent and self._is_last)


async def refused(stage: Stage) -> None:
    """Have an answer refused that closes its decision, then one whose decision still stands."""
    spoilt: list[int] = []
    held: list[pb.Answer] = []
    is_said = False

    def heard(line: Line, frame: pb.PlayRequest) -> None:
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

    with stage.watch.meddling(heard=heard, expected=expected):
        async with playing(stage, Wanted(match_id="refused", game=stage.game)) as match:
            await stage.until(lambda: bool(held) or match.done(), FOR_EVER)
            if not held:
                return
            line = stage.line
            refusal = pb.Refused(
                match_id=held[0].match_id,
                decision_id=held[0].decision_id,
                reason=pb.REASON_RATE_LIMITED,
                still_open=True,
                text="not now; the decision still stands",
            )
            line.inject(pb.Update(refused=refusal))
            stage.gateway.wake(line)
            # what it demands of the bot is nowhere said: another answer is as good as none
            await stage.until(lambda: len(held) > 1 or match.done(), _SECOND_ANSWER)
            is_said = True
            stage.say(stage.line, held[-1])


# Void matches, broken streams, newer sessions


async def another_attempt(stage: Stage) -> None:
    """Void a match in mid-deal and play it again."""
    reached = Reached()
    with stage.watch.meddling(heard=reached.heard):
        wanted = Wanted(match_id="void", game=stage.game, deals=2)
        async with playing(stage, wanted) as match:
            if await reached.within(stage, match):
                stage.referee.void(stage.owner)
    if reached.line:
        await stage.play(replace(wanted, attempt=2))


async def drop(stage: Stage) -> None:
    """Break the stream when the bot answers, before the answer has arrived."""
    reached = Reached()
    # at most, when it ends only then and has to be started again
    away = stage.return_seconds + stage.connect_seconds + 2 * stage.patience
    with stage.watch.meddling(heard=reached.heard):
        wanted = Wanted(match_id="drop", game=stage.game, deals=2, clock=stage.clock(away))
        async with playing(stage, wanted, away=away) as match:
            if await reached.within(stage, match):
                assert reached.line
                stage.cut(reached.line)


async def replaced(stage: Stage) -> None:
    """Open a newer session of the same name in mid-deal, and see that the bot does not come back."""
    watch = stage.watch
    reached = Reached()
    await stage.present()
    with watch.meddling(heard=reached.heard):
        wanted = Wanted(match_id="replaced", game=stage.game, deals=2)
        match = await stage.begin(wanted)
        bot, seconds = stage.bot, BUDGET * stage.patience
        await stage.until(lambda: bool(reached.line or match.done() or bot.exited), seconds)
        if reached.line is None:
            if bot.exited:
                raise stage.departed(wanted, stage.absence("the bot's process ends in the midst of a match"))
            if watch.is_spoilt:
                return
            raise SceneFailed(stage.absence("the bot does not answer"))
    older = stage.line
    newer = stage.impostor()
    try:

        def is_back() -> bool:
            line = watch.line
            return line is not older and line is not None and _name(line) == _name(older)

        await stage.until(lambda: is_back() or stage.bot.exited is not None, REPLACED_WATCH)
        if is_back():
            hello = stage.line.hello
            raise SceneFailed(
                Failure(
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


def _name(line: Line) -> tuple[str, str]:
    return (line.hello.entry, line.hello.instance) if line.hello else ("", "")


class Reached:
    """Notices the bot's answer in mid-deal, and keeps it from the referee."""

    def __init__(self) -> None:
        self.line: Line | None = None
        self.answers: list[pb.Answer] = []

    def heard(self, line: Line, frame: pb.PlayRequest) -> None:
        """Look at a frame from the bot."""
        if self.line is None and any(answer.decision_id >= _IN_MID_DEAL for answer in frame.answers):
            self.line = line
            self.answers.extend(frame.answers)
            del frame.answers[:]

    async def within(self, stage: Stage, match: asyncio.Future[Any], seconds: float = FOR_EVER) -> bool:
        """Wait until it has come, or the match is over, and tell whether it has."""
        await stage.until(lambda: self.line is not None or match.done(), seconds)
        return self.line is not None


@asynccontextmanager
async def playing(stage: Stage, wanted: Wanted, *, away: float = 0.0) -> AsyncIterator[asyncio.Task[Report]]:
    """Play a match, and wait at the end of the context until it is over.

    The bot may be ``away`` for so many seconds.
    """
    budget = away + BUDGET * stage.patience
    match = asyncio.create_task(stage.play(wanted, budget=budget))
    match.add_done_callback(lambda _: stage.watch.changed())
    try:
        yield match
        await match
    finally:
        match.cancel()
        await asyncio.wait({match})
