"""Seats that are played from within the process: sessions like those of bots, whose frames take no network.

What comes out of a session is read in a turn of the loop of its own, never in that of the referee.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

from fairdeal._player import Player, play
from fairdeal._session import Session as BotSession
from fairdeal.bots import HouseBot
from fairdeal.v1 import play_service_pb2 as pb
from referee.codec import proto
from referee.core.access import Denied
from referee.core.session import Ended, Session
from referee.games.actions import Action, Legal
from referee.games.base import check_legal
from referee.games.errors import BadAction
from referee.match.clock import ClockSettings
from referee.match.effects import Owner
from referee.match.messages import Reason
from referee.server.runtime import Referee

_PEER: Final = "web"


def hello_of(owner: Owner, games: Sequence[str] = ()) -> pb.Hello:
    """Return the hello of a seat that plays one match, of one of the games if some are given."""
    entry, instance = owner
    return pb.Hello(
        versions=[1], entry=entry, instance=instance, games=games, tables=1, matches=1, agent="web"
    )


class _Link:
    """A session with the referee; ``heard`` is called soon when there may be something to read."""

    def __init__(self, referee: Referee, token: str, heard: Callable[[], None]) -> None:
        self._referee = referee
        self._heard = heard
        self._is_due = False
        self.is_open = True
        self.session: Session = referee.connect(token, self._wake, _PEER)

    def _wake(self) -> None:
        if not self._is_due:
            self._is_due = True
            asyncio.get_running_loop().call_soon(self._hear)

    def _hear(self) -> None:
        self._is_due = False
        if self.is_open:
            self._heard()

    def frames(self) -> list[bytes]:
        """Return the frames that came."""
        frames = []
        while (frame := self.session.next_frame()) is not None:
            frames.append(frame)
        return frames

    def say(self, frame: bytes) -> None:
        """Send a frame."""
        self._referee.receive(self.session, frame)

    def close(self) -> None:
        """Let the session go."""
        if self.is_open:
            self.is_open = False
            self._referee.disconnect(self.session)


class _SeatHere:
    """A seat with a session; it says nothing before `begin`."""

    _link: _Link

    @property
    def refused(self) -> Ended | None:
        """Return why the referee has not let it in, if so."""
        return self._link.session.ended

    def close(self) -> None:
        """Leave; the clock of a seat runs on."""
        self._link.close()


class HouseSeat(_SeatHere):
    """A house bot that plays one match and leaves; it answers ``pause`` seconds after it is asked.

    When the session is over before the match, ``lost`` is called with why.
    """

    def __init__(
        self,
        referee: Referee,
        token: str,
        owner: Owner,
        bot: HouseBot,
        pause: float,
        lost: Callable[[Ended], None] = lambda why: None,
    ) -> None:
        self._session = BotSession(hello_of(owner), wants_closed=False)
        self._player = Player(bot, "fault")
        self._pause = pause
        self._lost = lost
        self._failed = referee.core.observer.failed
        self._link = _Link(referee, token, self._hear)

    def begin(self) -> None:
        """Say hello."""
        self._say()

    def _hear(self) -> None:
        ended = self._link.session.ended
        if ended is None:
            try:
                updates = [update for frame in self._link.frames() for update in self._session.receive(frame)]
                play(self._session, self._player, updates)
            except Exception as error:  # noqa: BLE001 - whatever a bot does, its table must hear of it
                self._failed("a house bot", error)
                ended = Ended(Reason.INTERNAL, f"the bot failed ({type(error).__name__}); the log says where")
        if ended:
            self._link.close()
            self._lost(ended)
        elif self._pause and updates:
            asyncio.get_running_loop().call_later(self._pause, self._say)
        else:
            self._say()

    def _say(self) -> None:
        if self._link.is_open:
            for frame in self._session.take_frames():
                self._link.say(frame)
            if self._session.left:
                self._link.close()


class PersonSeat(_SeatHere):
    """A person's session for one match: it takes its seat by itself, and answers what the person chose.

    ``changed`` is called when it is seated. ``match_id`` is empty before, and ``is_over`` says that the match
    is over, or that the referee has ended the session for the reason ``why``. Who ``waits_for`` a game is
    given a seat at an open table, which then has this person's ``clock``.
    """

    def __init__(
        self,
        referee: Referee,
        token: str,
        owner: Owner,
        changed: Callable[[], None],
        clock: ClockSettings,
        waits_for: str = "",
    ) -> None:
        self.waits_for = waits_for
        self.match_id = ""
        self.seat: int | None = None
        self.is_over = False
        self.why = ""
        self.decision: pb.Decision | None = None
        self._changed = changed
        self._received = 0
        self._hello = hello_of(owner, [waits_for] if waits_for else [])
        self._link = _Link(referee, token, self.hear)
        self._link.session.clock = clock

    def begin(self) -> None:
        """Say hello."""
        self._link.say(pb.PlayRequest(hello=self._hello).SerializeToString())

    def hear(self) -> None:
        """Take what the referee has said by now."""
        if not self._link.is_open:
            return
        frames = self._link.frames()
        self._received += len(frames)
        ready = []
        for frame in frames:
            for update in pb.PlayResponse.FromString(frame).updates:
                kind = update.WhichOneof("kind")
                if kind == "seated":
                    self.match_id, self.seat = update.seated.match_id, update.seated.seat - 1
                    self.waits_for = ""
                    ready.append(pb.Ready(match_id=self.match_id))
                elif kind == "decision":
                    self.decision = update.decision
                elif kind == "closed":
                    self._close(update.closed.decision_id)
                elif kind == "finished":
                    self.is_over, self.decision = True, None
        if ended := self._link.session.ended:
            if not self.is_over:
                self.is_over, self.why = True, ended.text
            self._link.close()
        elif frames:
            bye = pb.Bye() if self.is_over else None
            said = pb.PlayRequest(frames_received=self._received, ready=ready, bye=bye)
            self._link.say(said.SerializeToString())
            if self.is_over:
                self._link.close()
        if ready or self.is_over:
            self._changed()

    def _close(self, decision_id: int) -> None:
        if self.decision and self.decision.decision_id == decision_id:
            self.decision = None

    def answer(self, decision_id: int, action: Action, legal: Legal) -> None:
        """Answer the open decision; what is not legal is refused here, and costs no fault.

        Raises:
            Denied: STALE_DECISION, it is closed; ILLEGAL_ACTION, MALFORMED_ACTION, it may not be answered so.
        """
        self.hear()
        decision = self.decision
        if decision is None or decision.decision_id != decision_id:
            raise Denied(Reason.STALE_DECISION, "this decision is closed")
        try:
            check_legal(legal, action)
        except BadAction as error:
            raise Denied(Reason.ILLEGAL_ACTION, str(error)) from None
        answer = pb.Answer(match_id=decision.match_id, decision_id=decision_id)
        proto.fill_action(answer.action, action)
        self.decision = None
        said = pb.PlayRequest(frames_received=self._received, answers=[answer])
        self._link.say(said.SerializeToString())

    def close(self) -> None:
        """Leave; the clock of a seat runs on."""
        self.is_over, self.waits_for = True, ""
        super().close()
