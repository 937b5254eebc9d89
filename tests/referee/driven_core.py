"""A core and its guests, driven by hand as a server does it."""

from collections.abc import Callable, Collection, Sequence
from typing import Any

from fairdeal.v1 import play_service_pb2 as pb
from referee.core.access import Access, Trusting
from referee.core.core import Core
from referee.core.limits import DEFAULT, Limits
from referee.core.observer import UNOBSERVED, Observer
from referee.core.routes import ALL_HERE, Routes
from referee.core.running_match import Key, OpenTable, RunningMatch
from referee.core.session import Session
from referee.games.registry import GAMES
from referee.match.clock import ClockSettings
from referee.match.effects import Input, MatchSetup, Owner
from referee.match.faults import FaultPolicy
from tests.draws import draw, shuffled
from tests.referee.driven import CLOCK, POLICY, KeyedDecks

EVERYBODY = Trusting()


class DrivenBot:
    """A bot in a core: what it says goes in as frames, ``heard`` are all updates that came out.

    One that is ``deaf`` leaves its frames where they are.
    """

    def __init__(self, driven_core: "DrivenCore", session: Session) -> None:
        self.driven_core = driven_core
        self.session = session
        self.deaf = False
        self.frames: list[bytes] = []
        self.heard: list[pb.Update] = []
        self._answered: set[tuple[str, int]] = set()

    def say(self, **fields: Any) -> "DrivenBot":
        """Send a frame with these fields of a PlayRequest; it acknowledges all frames heard."""
        return self.send(
            pb.PlayRequest(**{"frames_received": len(self.frames), **fields}).SerializeToString()
        )

    def send(self, frame: bytes) -> "DrivenBot":
        self.driven_core.core.receive(self.session, frame, self.driven_core.now)
        self.driven_core.turn()
        return self

    def ready(self) -> "DrivenBot":
        """Take every seat that was offered."""
        return self.say(ready=[pb.Ready(match_id=seated.match_id) for seated in self.of("seated")])

    def listen(self) -> None:
        while not self.deaf and (frame := self.session.next_frame()) is not None:
            assert len(frame) <= 32 * 1024
            self.frames.append(frame)
            self.heard.extend(pb.PlayResponse.FromString(frame).updates)

    def of(self, kind: str) -> list[Any]:
        """Return the updates of a kind that were heard, without their wrapping."""
        return [getattr(update, kind) for update in self.heard if update.HasField(kind)]

    @property
    def open(self) -> list[Any]:
        """Return the decisions that were heard and that this bot has not answered."""
        closed = self._answered | {(c.match_id, c.decision_id) for c in self.of("closed")}
        return [d for d in self.of("decision") if (d.match_id, d.decision_id) not in closed]

    def answer(self, *key: object) -> bool:
        """Answer every open decision, each choice a function of the key; tell whether there were any."""
        answers = [self._answer(decision, *key) for decision in self.open]
        if answers:
            self.say(answers=answers)
        return bool(answers)

    def _answer(self, decision: Any, *key: object) -> pb.Answer:
        self._answered.add((decision.match_id, decision.decision_id))
        answer = pb.Answer(match_id=decision.match_id, decision_id=decision.decision_id)
        key = (decision.decision_id, *key)
        if decision.legal.HasField("choose_cards"):
            choice = decision.legal.choose_cards
            chosen: Sequence[Any] = shuffled(choice.cards, *key)[: choice.minimum]
            answer.action.choose_cards.SetInParent()
            answer.action.choose_cards.cards.extend(chosen)
        elif decision.legal.HasField("choose_combinations"):
            answer.action.choose_combinations.SetInParent()
        else:
            actions = decision.legal.actions.actions
            number = draw(len(actions), *key)
            if draw(2, "how", *key):
                answer.index = number
            else:
                answer.action.CopyFrom(actions[number])
        return answer

    def leave(self) -> None:
        """Lose the stream without a word."""
        self.driven_core.core.disconnect(self.session, self.driven_core.now)
        self.driven_core.turn()


class DrivenCore:
    """A core and its guests, driven as a server does it: take, release, send."""

    def __init__(
        self,
        *,
        access: Access = EVERYBODY,
        deals: Callable[..., Any] = lambda setup, rules: KeyedDecks(setup.match_id, cards=rules.cards),
        open_tables: Sequence[str] = (),
        limits: Limits = DEFAULT,
        observer: Observer = UNOBSERVED,
        blocked: Callable[[], Collection[str]] = frozenset,
        routes: Routes = ALL_HERE,
    ) -> None:
        self._names = 0
        self._tables = 1 if open_tables else 4  # what a guest offers
        self.core = Core(
            deals=deals,
            access=access,
            server="referee/test",
            open_tables=[
                OpenTable(game=game, options=GAMES[game].bind({}), deals=1, clock=CLOCK, faults=POLICY)
                for game in open_tables
            ],
            new_match_id=self._new_match_id,
            limits=limits,
            observer=observer,
            blocked=blocked,
            routes=routes,
        )
        self.now = 0
        self.guests: list[DrivenBot] = []
        self.opened: list[RunningMatch] = []
        self.finished: list[RunningMatch] = []
        self.inputs: list[tuple[Key, Input]] = []

    def _new_match_id(self, game: str) -> str:
        self._names += 1
        return f"{game}-{self._names}"

    def connect(self, token: str | None = None, peer: str = "") -> DrivenBot:
        """Return a guest that has said nothing yet."""
        guest = DrivenBot(self, self.core.connect(token, self.now, peer))
        self.guests.append(guest)
        return guest

    def arrive(self, entry: str, *, token: str | None = None, **hello: Any) -> DrivenBot:
        """Return a guest that has said hello."""
        usual = {"versions": [1], "entry": entry, "tables": self._tables, "events": True}
        greeting = pb.Hello(**{**usual, **hello})
        return self.connect(token).say(hello=greeting)

    def create(
        self,
        game: str = "hearts",
        match_id: str = "m-1",
        *,
        attempt: int = 1,
        deals: int | None = 1,
        entries: Sequence[str] | None = None,
        owners: tuple[Owner, ...] | None = None,
        faults: FaultPolicy = POLICY,
        clock: ClockSettings = CLOCK,
        event_grid: int = 0,
        epoch: str = "",
        **options: object,
    ) -> RunningMatch:
        """Open a table for a match; by default its entries are a, b, c, d."""
        setup = MatchSetup(
            match_id=match_id,
            attempt=attempt,
            game=game,
            options=GAMES[game].bind(options),
            deals=deals,
            entries=tuple(entries or "abcd"[: GAMES[game].seats]),
            clock=clock,
            faults=faults,
            event_grid=event_grid,
            epoch=epoch,
        )
        self.core.create(setup, self.now, owners)
        self.turn()
        return self.opened[-1]

    def seat(self, game: str = "hearts", **more: Any) -> list[DrivenBot]:
        """Open a table for a match, and seat its entries, whose first decisions are then put."""
        self.create(game, **more)
        guests = [self.arrive(entry) for entry in "abcd"[: GAMES[game].seats]]
        for guest in guests:
            guest.ready()
        return guests

    def turn(self) -> None:
        """Release the output so far, as one turn of a server's loop does."""
        output = self.core.take()
        self.opened += output.opened
        self.finished += output.finished
        self.inputs += output.inputs
        over = [session for session in output.sessions if session.ended]
        self.core.release(output, self.now)
        for session in over:
            self.core.disconnect(session, self.now)
        for guest in self.guests:
            guest.listen()

    def tick(self, at: int | None = None) -> None:
        """Let the time come at which the core wants to be woken, or another."""
        due = self.core.next_wake if at is None else at
        assert due is not None
        self.now = due
        self.core.tick(due)
        self.turn()

    def play_out(self, *key: object) -> None:
        """Let all guests answer until none of them is asked any more."""
        while sum(guest.answer(number, *key) for number, guest in enumerate(self.guests)):
            pass
