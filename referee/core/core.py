"""The core: all sessions and matches of one referee, as a pure object.

Frames and times go in; what comes out is collected until the runtime takes it: lines for the journal,
sessions with something to send, finished matches. The runtime writes the journal first and releases the
sessions after that, so nothing that a bot was told can be missing from the record. The gRPC server is one
runtime, the arena in `fairdeal.testing` another.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

from referee.cards import Seat
from referee.codec import proto
from referee.core.access import Access, Denied
from referee.core.budgets import Budgets
from referee.core.limits import DEFAULT, Limits
from referee.core.matches import Matches, NewMatch, growing_match
from referee.core.matchmaking import Queue
from referee.core.observer import UNOBSERVED, Observer, Observers
from referee.core.output import Output
from referee.core.routes import ALL_HERE, Routes
from referee.core.running_match import OpenTable, RunningMatch
from referee.core.session import Ended, Session
from referee.core.sessions import Sessions
from referee.games.base import Game
from referee.games.registry import GAMES
from referee.match.effects import Deals, MatchSetup, Owner
from referee.match.faults import Termination
from referee.match.messages import Decision, Hello, Notice, NoticeKind, Reason, Redirect, Refused, Request


class Core:
    """All sessions and matches of one referee.

    ``sessions`` and ``matches`` are for others to look at, and for the core alone to change. ``deals`` gives
    each match its decks; ``new_match_id`` names the matches of the open tables; ``blocked`` returns the
    entries that organisers keep out; ``new_match`` makes each match; ``routes`` say which bots play in
    another process.
    """

    def __init__(
        self,
        *,
        deals: Callable[[MatchSetup, Game[Any]], Deals],
        access: Access,
        server: str,
        open_tables: Iterable[OpenTable] = (),
        new_match_id: Callable[[str], str] | None = None,
        limits: Limits = DEFAULT,
        observer: Observer = UNOBSERVED,
        blocked: Callable[[], Collection[str]] = frozenset,
        new_match: NewMatch = growing_match,
        routes: Routes = ALL_HERE,
    ) -> None:
        self.access = access
        self.limits = limits
        observer = self.observer = Observers(observer)  # whose errors must not reach a match
        self._new_match_id = new_match_id
        self.sessions = Sessions(access, server, limits, observer, blocked)
        self.matches = Matches(deals, observer, self._finished, new_match)
        self._budgets = Budgets(limits)
        self._queue = Queue(open_tables)
        self._routes = routes
        self._draining = False

    # Sessions

    def connect(self, token: str | None, now: int, peer: str = "", real: int | None = None) -> Session:
        """Return a new session, which its first frame opens; it may be over already.

        ``peer`` is the address that it comes from, without its port; ``real`` is as in `receive`.
        """
        session = self.sessions.connect(token, now, peer, now if real is None else real)
        self.matches.output.touch(session)
        return session

    def receive(self, session: Session, frame: bytes, now: int, real: int | None = None) -> None:
        """Take a frame of a session; a frame that breaks the protocol or a limit ends the session.

        ``real`` is a time that never stands, which limits go by; by default it is the same as ``now``.
        """
        if session.ended or session.leaving:
            return
        real = now if real is None else real
        try:
            session.hear(frame, now)
            self._budgets.hear(session, frame, real)
            most = self.limits.tables_per_session
            # before its hello a session is asked nothing, and its frame is no mere acknowledgement
            if session.hello and (plain := proto.plain_answers(frame, session.asked, most)):
                self._receive_answers(session, *plain, now, real)
            else:
                self._receive(session, proto.decode(frame, most), now, real)
        except proto.WireError as error:
            self._end(session, Reason.PROTOCOL_VIOLATION, str(error), now)
        except (Ended, Denied) as error:
            self._end(session, error.reason, error.text, now)

    def charge(self, entry: str, number: int, stalled: int, now: int, real: int) -> None:
        """Charge an entry for a stall that its frames caused; too many stalls end the session of this number.

        Strangers, whose entry is empty, are not charged: each sends only one frame.
        """
        if not entry:
            return
        try:
            self._budgets.hear_stall(entry, stalled, real)
        except Ended as error:
            if session := self.sessions.find(number):
                self._end(session, error.reason, error.text, now)

    def disconnect(self, session: Session, now: int) -> None:
        """Record that a session's stream is gone."""
        self.sessions.disconnect(session)
        self._leave_seats(session, now)

    def fail(self, session: Session, error: BaseException, now: int) -> None:
        """End a session in which the referee itself failed."""
        self.observer.failed("a session", error)
        self._end(session, Reason.INTERNAL, "the referee failed; the session ends", now)

    def end_session(self, number: int, now: int) -> None:
        """End a session because an organiser wants it."""
        if session := self.sessions.find(number):
            self._end(session, Reason.ENDED_BY_ORGANISER, "an organiser has ended the session", now)

    def end_sessions(self, now: int) -> None:
        """End all sessions, since their server stops."""
        for session in self.sessions.present:
            self._end(session, Reason.SHUTTING_DOWN, "the referee is leaving", now)

    def review(self, now: int) -> None:
        """End the sessions with a token that is not valid any more or a blocked entry; send on who waits."""
        for session, denied in self.sessions.outcasts():
            self._end(session, denied.reason, denied.text, now)
        if not self._draining:
            for session, address in self._routes.review(self.sessions.welcomed, now):
                self._send_on(session, address, now)

    def _send_on(self, session: Session, address: str, now: int) -> None:
        """Let a session go on at another address."""
        session.tell(Redirect(address))
        session.sent_on = True
        self.sessions.leave(session)
        self._leave_seats(session, now)
        self.matches.output.touch(session)

    def drain(self) -> None:
        """Begin no more matches at the open tables, and tell all bots that the referee is about to leave."""
        self._draining = True
        for session in self.sessions.welcomed:
            self._tell_of_drain(session)

    def dismiss(self, owner: Owner) -> None:
        """Ask a bot, if it is here, to leave when its matches are over."""
        if session := self.sessions.get(owner):
            self._tell_of_drain(session)

    def _tell_of_drain(self, session: Session, why: str = "the referee is about to leave") -> None:
        session.tell(Notice(NoticeKind.DRAINING, why))
        self.matches.output.touch(session)

    def _retire(self, session: Session) -> None:
        """Give a session no more matches, and tell its bot so."""
        session.retired = True
        self._tell_of_drain(session, "the bot asked for no more matches")

    def _receive_answers(
        self,
        session: Session,
        received: int,
        answers: Sequence[tuple[Decision, proto.PlainAnswer]],
        now: int,
        real: int,
    ) -> None:
        """Take a frame of nothing but answers to open decisions, as most are."""
        session.acknowledge(received)
        self._budgets.hear_answers(session, len(answers), real)
        for decision, given in answers:
            match_id, number = decision.match_id, decision.decision_id
            if not self.matches.answer(session, match_id, number, given, b"", now):
                self._refuse_answer(session, match_id, number)
        self.matches.output.touch(session)

    def _receive(self, session: Session, request: Request, now: int, real: int) -> None:
        if (session.hello is None) != (request.hello is not None):
            raise Ended(Reason.PROTOCOL_VIOLATION, "hello belongs in the first frame only")
        session.acknowledge(request.frames_received)
        if request.hello:
            self._open(session, request.hello, request.no_more_matches, now, real)
        elif request.no_more_matches and not session.retired:
            self._retire(session)
        said = len(request.ready) + len(request.declines) + len(request.answers)
        self._budgets.hear_answers(session, said, real)
        for match_id in request.ready:
            if found := self.matches.at(session, match_id):
                table, seat = found
                self.matches.drive(table, now, table.match.ready, seat, now)
        for match_id in request.declines:
            if found := self.matches.at(session, match_id):
                table, seat = found
                self.matches.drive(table, now, table.match.decline, seat, now)
        for answer in request.answers:
            match_id, number = answer.match_id, answer.decision_id
            if not self.matches.answer(session, match_id, number, answer.given, answer.note, now):
                self._refuse_answer(session, match_id, number)
        if request.bye:
            self.sessions.leave(session)
            self._leave_seats(session, now)
        self.matches.output.touch(session)

    def _open(self, session: Session, hello: Hello, no_more_matches: bool, now: int, real: int) -> None:
        if not hello.entry:
            raise Ended(Reason.PROTOCOL_VIOLATION, "hello names no entry")
        if unknown := sorted(set(hello.games) - set(GAMES)):
            known = ", ".join(sorted(GAMES))
            raise Ended(Reason.PROTOCOL_VIOLATION, f"unknown game {unknown[0]!r}; this referee plays {known}")
        self.sessions.check(session, hello, real)
        owner = (hello.entry, hello.instance)
        self._budgets.hear_rejoin(hello.entry, self.matches.retelling(owner, hello), real)
        tables = self.matches.of(owner)
        elsewhere = None if tables else self._routes.of(hello)
        if self._draining and not tables and elsewhere is None:
            raise Ended(Reason.SHUTTING_DOWN, "the referee is about to leave")
        if older := self.sessions.get(owner):
            text = "a newer session of the same entry and instance took over"
            older.tell(Notice(NoticeKind.REPLACED, text))
            self._end(older, Reason.REPLACED, text, now)
        self.sessions.open(session, hello, now)
        self.matches.output.arrived.append(owner)
        self.matches.output.touch(session)
        if elsewhere is not None:
            self._send_on(session, elsewhere, now)
            return
        for table in tables:
            self.matches.seat(table, Seat(table.owners.index(owner)), session, now)
        for match_id in hello.resume:
            self._tell_what_became_of(match_id, session)
        session.excuse()
        if no_more_matches:
            self._retire(session)
        elif self._draining:
            self._tell_of_drain(session)
        else:
            self._queue.join(session)
            self._fill_open_tables(now)

    def _tell_what_became_of(self, match_id: str, session: Session) -> None:
        """Answer a resume point of a match in which the bot no longer has a seat."""
        if match_id in session.seats:
            return
        finished = self.matches.over(match_id, session.identity)
        if session.matches_left is not None and not (finished and finished.termination is Termination.VOID):
            session.matches_left -= 1  # the bot counts this match, and may not want another one
        if finished:
            session.tell(finished)
        else:
            text = "the referee knows no such match, or the bot had no seat in it"
            _refuse(session, match_id, 0, text)

    def _refuse_answer(self, session: Session, match_id: str, decision_id: int) -> None:
        text = "there is no such match, it is over, or the bot has no seat in it"
        _refuse(session, match_id, decision_id, text)
        self.observer.refused(session.identity[0], match_id, Reason.MATCH_NOT_FOUND)

    def _end(self, session: Session, reason: Reason, text: str, now: int) -> None:
        self.sessions.end(session, reason, text)
        self._leave_seats(session, now)
        self.matches.output.touch(session)

    def _leave_seats(self, session: Session, now: int) -> None:
        self._queue.leave(session)
        self.matches.leave(session, now)

    # Matches

    def create(self, setup: MatchSetup, now: int, owners: tuple[Owner, ...] | None = None) -> None:
        """Open a table for a match; the owners whose sessions are here take their seats.

        Raises:
            ValueError: a match of this id is being played, one owner is given two seats, or there are not as
                many owners as seats.
        """
        owners = owners or tuple((entry, "") for entry in setup.entries)
        table = self.matches.open(setup, owners, now)
        for seat, owner in enumerate(table.owners):
            if session := self.sessions.get(owner):
                self.matches.seat(table, Seat(seat), session, now)

    def abandon(self, owner: Owner, now: int) -> None:
        """Let an owner's seats forfeit: its bot is known never to come back."""
        for table in self.matches.of(owner):
            self.matches.drive(table, now, table.match.abandon, Seat(table.owners.index(owner)), now)

    def resign(self, owner: Owner, now: int) -> None:
        """Let an owner's seats forfeit, who gives up."""
        for table in self.matches.of(owner):
            self.matches.drive(table, now, table.match.resign, Seat(table.owners.index(owner)), now)

    def void(self, owner: Owner, now: int) -> None:
        """End the matches of an owner without a result: it was our own fault that its bot was lost."""
        for table in self.matches.of(owner):
            self.matches.drive(table, now, table.match.void, now)

    def stand(self, match_id: str, now: int, grace: int) -> None:
        """Let the clocks of a match stand until its bots are back, at most for ``grace``."""
        if table := self.matches.get(match_id):
            self.matches.drive(table, now, table.match.restarted, now, grace)

    def cancel(self, match_id: str, now: int) -> None:
        """End a match without a result."""
        if table := self.matches.get(match_id):
            self.matches.drive(table, now, table.match.cancel, now)

    @property
    def open_games(self) -> frozenset[str]:
        """Return the games of the open tables."""
        return self._queue.games

    def _fill_open_tables(self, now: int) -> None:
        while not self._draining and (filled := self._queue.next_filled()):
            opened, sessions = filled
            if (elsewhere := self._routes.for_table(sessions, now)) is not None:
                for session in sessions:
                    self._send_on(session, elsewhere, now)
                continue
            assert self._new_match_id is not None
            owners = tuple(session.identity for session in sessions)
            setup = MatchSetup(
                match_id=self._new_match_id(opened.game),
                game=opened.game,
                options=opened.options,
                deals=opened.deals,
                entries=tuple(entry for entry, _instance in owners),
                clock=next((each.clock for each in sessions if each.clock), opened.clock),
                faults=opened.faults,
            )
            self.create(setup, now, owners)

    # Time

    @property
    def next_wake(self) -> int | None:
        """Return when `tick` is next due."""
        return min(
            (due for due in (self.matches.next_wake, self.sessions.next_wake) if due is not None),
            default=None,
        )

    def is_due(self, now: int) -> bool:
        """Return whether `tick` is due."""
        due = self.sessions.next_wake
        return (due is not None and due <= now) or self.matches.is_due(now)

    def tick(self, now: int) -> None:
        """Handle what is due."""
        self.matches.tick(now)
        told, silent = self.sessions.tick(now)
        for session in told:
            self.matches.output.touch(session)
        for session in silent:
            seconds = self.limits.idle_seconds if session.hello else self.limits.hello_seconds
            what = "sent no frame, not even an acknowledgement," if session.hello else "sent no hello"
            self._end(session, Reason.IDLE, f"the bot {what} for {seconds} s", now)

    # What came out

    def take(self) -> Output:
        """Return what has come out since the last time."""
        output, self.matches.output = self.matches.output, Output()
        return output

    def release(self, output: Output, now: int) -> None:
        """Let the sessions tell what came out, once it is written; one whose bot does not read is ended."""
        for session in output.sessions:
            session.release(now)
        for session in output.sessions:  # after all: what this tells others is not written yet
            if session.is_behind:
                text = "the bot does not acknowledge the frames that it receives (frames_received)"
                self._end(session, Reason.SLOW_READER, text, now)

    def _finished(self, table: RunningMatch, now: int) -> None:
        for session in filter(None, table.sessions):
            self._queue.join(session)  # a bot that has played goes to the end of the queue
        self._fill_open_tables(now)


def _refuse(session: Session, match_id: str, decision_id: int, text: str) -> None:
    """Refuse a match in which a bot has no seat; ``decision_id`` is 0 where it answered no decision."""
    refused = Refused(
        match_id=match_id,
        decision_id=decision_id,
        reason=Reason.MATCH_NOT_FOUND,
        still_open=False,
        text=text,
    )
    session.tell(refused)
