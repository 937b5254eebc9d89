"""A match that is driven by hand, with all that comes out kept."""

from collections.abc import Sequence
from typing import Any

from referee.cards import ALL_CARDS, Card, Seat
from referee.games.actions import Action, Choose, ChooseCards, ChooseCombinations, Legal, LegalActions
from referee.games.registry import GAMES
from referee.match.clock import ClockSettings
from referee.match.effects import Append, Effect, Finish, Input, MatchSetup, Tell, Wake
from referee.match.faults import FaultPolicy
from referee.match.match import Match
from referee.match.messages import Closed, Commitment, Decision, Update
from tests.draws import draw, shuffled

CLOCK = ClockSettings(move=100, bank=50, increment=7, lag=10, lag_cap=15, start=1_000)
POLICY = FaultPolicy()
SECRET = bytes(range(32))


def pick(legal: Legal, *key: object) -> Action:
    """Return a legal action that is a function of the key."""
    if isinstance(legal, LegalActions):
        return legal.actions[draw(len(legal.actions), *key)]
    if isinstance(legal, Choose):
        return ChooseCards(tuple(sorted(shuffled(legal.cards, *key)[: legal.minimum])))
    return ChooseCombinations(legal.combinations[: draw(legal.maximum + 1, *key)])


class KeyedDecks:
    """Decks that are a function of a key, or those given; a stand-in for the dealing scheme."""

    commitment = Commitment(
        scheme="fairdeal/2", epoch_id="m-1.1", commit=bytes(32), manifest=bytes(32), repeatable=True
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
        event_grid: int = 0,
        start: int = 0,
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
            event_grid=event_grid,
        )
        self.seats = range(rules.seats)
        self.match = Match(self.setup, rules, decks or KeyedDecks(cards=rules.cards))
        self.now = start
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
