"""The bot that the referee sees: it passes updates to its program, and the program's answers back."""

import asyncio
from collections.abc import Callable

from fairdeal import by_hand
from fairdeal._session import ends_match
from fairdeal.actions import Answer
from fairdeal.stdio import _answers, _format
from fairdeal.stdio._questions import AnswerLine, Questions, StrayLine, WrongLine
from fairdeal.updates import (
    Closed,
    CloseReason,
    Decision,
    Fault,
    Finished,
    Happened,
    Notice,
    NoticeKind,
    Refused,
    Seated,
    Termination,
    Update,
)
from fairdeal.v1 import actions_pb2

_UNANSWERED = {
    Fault.LATE: "the bot did not answer in time",
    Fault.DISCONNECTED: "the time ran out while there was no session",
}


class PipedBot:
    """Plays as a program does; lines go out by ``write`` and come in by `hear`.

    ``say`` gets a line for each match begun and finished, ``warn`` one for each problem. ``matches``
    is how many the bot plays, 0 for no limit.
    """

    def __init__(
        self,
        write: Callable[[bytes], None],
        *,
        matches: int,
        say: Callable[[str], None],
        warn: Callable[[str], None],
    ) -> None:
        self._write = write
        self._say = say
        self._warn = warn
        self._questions = Questions()
        self._waiting: dict[Decision, asyncio.Future[Answer]] = {}
        self._blamed: dict[str, int] = {}  # by match, the last decision whose fault was reported
        self._playing: dict[str, asyncio.Event] = {}  # set when the match is over
        self._matches = matches
        self._finished = 0
        self._is_draining = False
        self._strays = 0

    @property
    def is_over(self) -> bool:
        """Return whether the program is done: the session is about to end by itself."""
        if self._matches and self._finished >= self._matches:
            return True
        return self._is_draining and not self._playing

    @property
    def is_playing(self) -> bool:
        """Return whether the bot has a seat in a match."""
        return bool(self._playing)

    @property
    def strays(self) -> int:
        """Return how many lines of the program belonged to no open decision."""
        return self._strays

    def hear(self, line: bytes) -> None:
        """Take a line that the program printed."""
        heard = self._questions.hear(line)
        match heard:
            case AnswerLine(decision, answer):
                self._answer(decision, answer)
            case WrongLine(decision, text):
                self._blame(decision.match.id, decision.id, f"the bot answered {text}; this is a fault")
                self._answer(decision, actions_pb2.Action())  # nothing is set: the referee plays the default
            case StrayLine():
                self._strays += 1
                if self._strays == 1:
                    shown = _answers.shown(line)
                    self._warn(f"the bot's line {shown} belongs to no open decision, and is ignored")

    async def act(self, decision: Decision) -> Answer:
        """Return the program's answer; cancelled once the decision is closed."""
        self._waiting[decision] = asyncio.get_running_loop().create_future()
        self._questions.ask(decision)
        self._tell(decision)
        try:
            return await self._waiting[decision]
        finally:
            self._questions.close(decision)
            del self._waiting[decision]

    async def on_seated(self, seated: Seated) -> None:
        """Pass on where the bot has a seat, after the end of an earlier attempt at the match."""
        if before := self._playing.get(seated.id):
            await before.wait()
        self._playing[seated.id] = asyncio.Event()
        self._say(by_hand.begun(seated))
        self._tell(seated)

    def on_closed(self, closed: Closed) -> None:
        """Pass on that a decision was closed without a legal answer of the program, or its note dropped."""
        if closed.fault:
            text = _UNANSWERED.get(closed.fault, f"a fault, {closed.fault.name}")
            self._blame(closed.match.id, closed.decision_id, f"{text}; the referee played the default action")
        if closed.note_dropped or closed.reason is not CloseReason.ANSWERED:
            self._tell(closed)

    def on_refused(self, refused: Refused) -> None:
        """Pass on that an answer, or a resume point, was refused."""
        match_id = refused.message.match_id
        text = f"{refused.reason} {refused.text}"
        if ends_match(refused):
            self._warn(f"match {match_id}: the referee does not go on with it: {text}")
            self._end(match_id, counts=True)
        else:
            self._blame(match_id, refused.decision_id, f"the answer was refused: {text}")
        self._tell(refused)

    def on_finished(self, finished: Finished) -> None:
        """Pass on how a match ended."""
        self._say(by_hand.ended(finished))
        self._end(finished.match.id, counts=finished.termination is not Termination.VOID)
        self._tell(finished)

    def on_notice(self, notice: Notice) -> None:
        """Pass on a notice."""
        self._is_draining |= notice.kind is NoticeKind.DRAINING
        self._tell(notice)

    def _answer(self, decision: Decision, answer: Answer) -> None:
        waiting = self._waiting[decision]
        if not waiting.done():  # it is done, cancelled, when the decision was closed just now
            waiting.set_result(answer)

    def _tell(self, update: Update) -> None:
        self._write(_format.line(update))

    def _end(self, match_id: str, *, counts: bool) -> None:
        if playing := self._playing.pop(match_id, None):
            playing.set()
        self._blamed.pop(match_id, None)
        self._finished += counts

    def _blame(self, match_id: str, decision_id: int, text: str) -> None:
        """Report a problem with a decision, once."""
        if self._blamed.get(match_id) != decision_id:
            if match_id in self._playing:
                self._blamed[match_id] = decision_id
            self._warn(f"match {match_id}, decision {decision_id}: {text}")


class PipedBotWithEvents(PipedBot):
    """Passes on events, too, which the referee sends to bots that want them."""

    def on_event(self, happened: Happened) -> None:
        """Pass on an event."""
        self._tell(happened)
