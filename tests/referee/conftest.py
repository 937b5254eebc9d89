"""What the tests of the referee share: a match and a hall driven by hand, with all that comes out kept."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import strategies as st

from fairdeal.v1 import play_service_pb2 as pb
from referee.access import Access, Trusting
from referee.cards import ALL_CARDS, Card, Seat
from referee.clock import ClockSettings
from referee.effects import Append, Effect, Finish, Input, MatchSetup, Owner, Tell, Wake
from referee.faults import FaultPolicy
from referee.games.actions import Action, Choose, ChooseCards, ChooseCombinations, Legal, LegalActions
from referee.games.registry import GAMES
from referee.hall import Hall
from referee.limits import DEFAULT, Limits
from referee.match import Match
from referee.observer import UNOBSERVED, Observer
from referee.session import Session
from referee.shapes import Kind, Shape, fields_of
from referee.table import Key, OpenTable, Table
from referee.updates import Closed, Commitment, Decision, Update
from tests.draws import draw, shuffled

CLOCK = ClockSettings(move=100, bank=50, increment=7, lag=10, lag_cap=15, start=1_000)
POLICY = FaultPolicy()
EVERYBODY = Trusting()
SECRET = bytes(range(32))


def pick(legal: Legal, *key: object) -> Action:
    """Return a legal action that is a function of the key."""
    if isinstance(legal, LegalActions):
        return legal.actions[draw(len(legal.actions), *key)]
    if isinstance(legal, Choose):
        return ChooseCards(tuple(sorted(shuffled(legal.cards, *key)[: legal.minimum])))
    return ChooseCombinations(legal.combinations[: draw(legal.maximum + 1, *key)])


class Decks:
    """Decks that are a function of a key, or those given; a stand-in for the dealing scheme."""

    commitment = Commitment(
        scheme="fairdeal/1", epoch_id="m-1.1", commit=bytes(32), manifest=bytes(32), repeatable=True
    )
    secret = SECRET

    def __init__(
        self,
        key: object = 0,
        *,
        first: int = 0,
        decks: Sequence[Sequence[Card]] = (),
        cards: Sequence[Card] = ALL_CARDS,
    ) -> None:
        self._key = key
        self._cards = cards
        self._first = Seat(first)
        self._decks = decks

    def deck(self, deal: int) -> tuple[Card, ...]:
        return tuple(self._decks[deal]) if self._decks else shuffled(self._cards, self._key, deal)

    def first(self, seats: int) -> Seat:
        return self._first


class Driven:
    """A match that is given inputs by hand; ``steps`` holds the effects of each, in order."""

    def __init__(
        self,
        game: str = "hearts",
        *,
        deals: int | None = 1,
        clock: ClockSettings = CLOCK,
        faults: FaultPolicy = POLICY,
        decks: Any = None,
        **options: object,
    ) -> None:
        rules = GAMES[game]
        self.setup = MatchSetup(
            match_id="m-1",
            game=game,
            options=rules.bind(options),
            deals=deals,
            entries=tuple("abcd"[: rules.seats]),
            clock=clock,
            faults=faults,
        )
        self.seats = range(rules.seats)
        self.match = Match(self.setup, rules, decks or Decks(cards=rules.cards))
        self.now = 0
        self.steps: list[list[Effect]] = []
        self.give("start")

    def give(self, kind: str, *args: Any, at: int | None = None, **more: Any) -> list[Effect]:
        """Give an input, by default at the time of the last one; return its effects."""
        self.now = self.now if at is None else at
        effects: list[Effect] = getattr(self.match, kind)(*args, now=self.now, **more)
        self.steps.append(effects)
        return effects

    def begin(self, at: int = 0) -> "Driven":
        """Seat everybody, so that the first deal begins."""
        for kind in ("back", "ready"):
            for seat in self.seats:
                self.give(kind, Seat(seat), at=at)
        return self

    def answer(self, seat: int, given: Any = None, *, at: int | None = None) -> list[Effect]:
        """Answer a seat's open decision, by default with its first legal action."""
        decision = self.decision(seat)
        assert decision is not None
        if given is None:
            given = pick(decision.legal)
        return self.give("answer", Seat(seat), decision.decision_id, given, at=at)

    def play_out(self, *key: object) -> "Driven":
        """Play to the end, every choice a function of the key."""
        while self.outcome is None:
            for seat in self.asked:
                decision = self.decision(seat)
                assert decision is not None
                self.answer(seat, pick(decision.legal, seat, decision.decision_id, *key))
        return self

    def told(self, seat: int, kind: Any = Update) -> list[Any]:
        """Return the updates of a kind that a seat was told so far."""
        tells = [effect for effects in self.steps for effect in effects if isinstance(effect, Tell)]
        return [tell.update for tell in tells if tell.seat == seat and isinstance(tell.update, kind)]

    def decision(self, seat: int) -> Decision | None:
        """Return the open decision of a seat, going by what it was told."""
        closed = {update.decision_id for update in self.told(seat, Closed)}
        still = [update for update in self.told(seat, Decision) if update.decision_id not in closed]
        return still[-1] if still else None

    @property
    def asked(self) -> list[int]:
        """Return the seats that have an open decision."""
        return [seat for seat in self.seats if self.decision(seat)]

    @property
    def outcome(self) -> Any:
        """Return how the match ended, None while it goes on."""
        return self.match.outcome

    @property
    def log(self) -> list[Any]:
        """Return what was appended to the record."""
        return [e.entry for effects in self.steps for e in effects if isinstance(e, Append)]

    @property
    def inputs(self) -> list[Input]:
        """Return the inputs that were appended to the record."""
        return [entry for entry in self.log if isinstance(entry, Input)]

    @property
    def wake(self) -> int:
        """Return when the match wants to be woken."""
        return [e.at for effects in self.steps for e in effects if isinstance(e, Wake)][-1]

    @property
    def finishes(self) -> list[Any]:
        """Return the outcomes that were announced: one at most, if all is well."""
        return [e.outcome for effects in self.steps for e in effects if isinstance(e, Finish)]


class Guest:
    """A bot in a hall: what it says goes in as frames, ``heard`` are all updates that came out.

    One that is ``deaf`` leaves its frames where they are.
    """

    def __init__(self, lobby: "Lobby", session: Session) -> None:
        self.lobby = lobby
        self.session = session
        self.deaf = False
        self.frames: list[bytes] = []
        self.heard: list[pb.Update] = []
        self._answered: set[tuple[str, int]] = set()

    def say(self, **fields: Any) -> "Guest":
        """Send a frame with these fields of a PlayRequest; it acknowledges all frames heard."""
        return self.send(
            pb.PlayRequest(**{"frames_received": len(self.frames), **fields}).SerializeToString()
        )

    def send(self, frame: bytes) -> "Guest":
        self.lobby.hall.receive(self.session, frame, self.lobby.now)
        self.lobby.turn()
        return self

    def ready(self) -> "Guest":
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
        self.lobby.hall.disconnect(self.session, self.lobby.now)
        self.lobby.turn()


class Lobby:
    """A hall and its guests, driven as a server does it: take, release, send."""

    def __init__(
        self,
        *,
        access: Access = EVERYBODY,
        deals: Callable[..., Any] = lambda setup, rules: Decks(setup.match_id, cards=rules.cards),
        open_tables: Sequence[str] = (),
        limits: Limits = DEFAULT,
        observer: Observer = UNOBSERVED,
    ) -> None:
        self._names = 0
        self.hall = Hall(
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
        )
        self.now = 0
        self.guests: list[Guest] = []
        self.opened: list[Table] = []
        self.finished: list[Table] = []
        self.inputs: list[tuple[Key, Input]] = []

    def _new_match_id(self, game: str) -> str:
        self._names += 1
        return f"{game}-{self._names}"

    def connect(self, token: str | None = None, peer: str = "") -> Guest:
        """Return a guest that has said nothing yet."""
        guest = Guest(self, self.hall.connect(token, self.now, peer))
        self.guests.append(guest)
        return guest

    def arrive(self, entry: str, *, token: str | None = None, **hello: Any) -> Guest:
        """Return a guest that has said hello."""
        greeting = pb.Hello(**{"versions": [1], "entry": entry, "tables": 4, "events": True, **hello})
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
        **options: object,
    ) -> Table:
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
        )
        self.hall.create(setup, self.now, owners)
        self.turn()
        return self.opened[-1]

    def seat(self, game: str = "hearts", **more: Any) -> list[Guest]:
        """Open a table for a match, and seat its entries, whose first decisions are then put."""
        self.create(game, **more)
        guests = [self.arrive(entry) for entry in "abcd"[: GAMES[game].seats]]
        for guest in guests:
            guest.ready()
        return guests

    def turn(self) -> None:
        """Let out what has come, as one turn of a server's loop."""
        output = self.hall.take()
        self.opened += output.opened
        self.finished += output.finished
        self.inputs += output.inputs
        for session in output.sessions:
            session.release(self.now)
            if session.ended:
                self.hall.disconnect(session, self.now)
        for guest in self.guests:
            guest.listen()

    def tick(self, at: int | None = None) -> None:
        """Let the time come at which the hall wants to be woken, or another."""
        due = self.hall.next_wake if at is None else at
        assert due is not None
        self.now = due
        self.hall.tick(due)
        self.turn()

    def play_out(self, *key: object) -> None:
        """Let all guests answer until none of them is asked any more."""
        while sum(guest.answer(number, *key) for number, guest in enumerate(self.guests)):
            pass


_NUMBERS = {int: st.integers(0, 2**31 - 1), bool: st.booleans(), str: st.text(), bytes: st.binary()}


def _values(shape: Shape) -> st.SearchStrategy[Any]:
    if shape.kind is Kind.CARD:
        return st.integers(0, 51)
    if shape.kind is Kind.SEAT:
        return st.integers(0, 3)
    if shape.kind in (Kind.ENUM, Kind.RANKED):
        return st.sampled_from(list(shape.type))
    if shape.kind is Kind.MICROS:
        return st.integers(0, 2**40)
    if shape.kind is Kind.STRUCT:
        return structs(shape.type)
    if shape.kind is Kind.UNION:
        return st.one_of([structs(member) for member in shape.members])
    if shape.kind is Kind.LIST:
        assert shape.item is not None
        return st.lists(_values(shape.item), max_size=4).map(tuple)
    return _NUMBERS[shape.type]


def _present(shape: Shape) -> st.SearchStrategy[Any]:
    """Return the strategy for what may be absent: such a number is never 0, which looks so on the wire."""
    return _values(shape).filter(bool) if shape.type is int else _values(shape)


def structs(struct: type) -> st.SearchStrategy[Any]:
    """Return the strategy that builds a domain dataclass from its fields' shapes."""
    fields = {
        name: st.none() | _present(shape) if shape.optional else _values(shape)
        for name, shape in fields_of(struct)
    }
    return st.builds(struct, **fields)


# These are classes and functions, which keep nothing: hence they may serve a whole session


@pytest.fixture(scope="session")
def decks() -> type[Decks]:
    return Decks


@pytest.fixture(scope="session")
def driven() -> type[Driven]:
    return Driven


@pytest.fixture(scope="session")
def lobby() -> type[Lobby]:
    return Lobby


@pytest.fixture(scope="session")
def values_of() -> Callable[[type], st.SearchStrategy[Any]]:
    return structs


@pytest.fixture(scope="session")
def choice() -> Callable[..., Action]:
    return pick


@pytest.fixture(scope="session")
def at_random() -> Callable[..., int]:
    return draw
