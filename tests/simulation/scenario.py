"""What is played, and an oracle that tells how each match must end, from the rules of the game alone."""

import hashlib
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from referee.cards import Seat
from referee.dealing.decks import MatchDeals
from referee.games.base import State
from referee.games.registry import GAMES
from referee.match.clock import SECOND, ClockSettings
from referee.match.effects import MatchSetup
from referee.match.faults import FaultPolicy, Termination
from tests.simulation.conduct import Conduct, Misconduct, Start, choice

CLOCK: Final = ClockSettings(
    move=SECOND, bank=4 * SECOND, increment=30_000, lag=100_000, lag_cap=300_000, start=8 * SECOND
)


@dataclass(frozen=True, slots=True)
class Scenario:
    """A short variant of a game."""

    game: str
    deals: int | None = 1
    options: tuple[tuple[str, object], ...] = ()


SCENARIOS: Final = (
    Scenario("euchre"),
    Scenario("euchre"),
    Scenario("euchre"),
    Scenario("euchre", deals=2),
    Scenario("euchre", deals=None, options=(("target", 1),)),
    Scenario("piquet"),
    Scenario("piquet"),
    Scenario("piquet"),
    Scenario("two_handed_spades"),
    Scenario("two_handed_spades", deals=None, options=(("max_deals", 1),)),
    Scenario("hearts"),
    Scenario("spades"),
)


def setup_of(
    scenario: Scenario, match_id: str, entries: tuple[str, ...], max_faults: int, attempt: int = 1
) -> MatchSetup:
    """Return the setup of a match."""
    return MatchSetup(
        match_id=match_id,
        attempt=attempt,
        game=scenario.game,
        options=GAMES[scenario.game].bind(dict(scenario.options)),
        deals=scenario.deals,
        entries=entries,
        clock=CLOCK,
        faults=FaultPolicy(max_faults=max_faults),
    )


class FirstKeys:
    """The secret that each epoch is given first."""

    repeatable: Final = False

    def secret(self, epoch_id: str) -> bytes:
        return drawn_secret(epoch_id, 0)

    def forget(self, epoch_id: str) -> None:
        """Nothing is kept."""

    def forget_all_but(self, epoch_ids: object) -> None:
        """Nothing is kept."""


def drawn_secret(epoch_id: str, number: int) -> bytes:
    """Return the secret that an epoch is given when one is drawn for it for the n-th time."""
    return hashlib.sha256(f"{epoch_id}/{number}".encode()).digest()


@dataclass(frozen=True, slots=True)
class Expected:
    """How a match must end; ``decisions``, ``wrongs`` and ``forfeited`` by seat.

    ``wrongs`` are the decisions for which the default must have been played.
    """

    termination: Termination
    ranks: tuple[int, ...]
    scores: tuple[int, ...]
    capped: bool
    decisions: tuple[int, ...]
    wrongs: tuple[tuple[tuple[int, Misconduct], ...], ...]
    absent: tuple[bool, ...]
    forfeited: tuple[bool, ...]


def expected(setup: MatchSetup, conducts: tuple[Conduct, ...]) -> Expected:
    """Return how a match ends in which nothing goes wrong but what bots do."""
    options = tuple(sorted(setup.options.items()))
    return _expected(
        setup.match_id, setup.attempt, setup.game, setup.deals, options, setup.faults.limit, conducts
    )


@lru_cache(maxsize=4096)
def _expected(
    match_id: str,
    attempt: int,
    game: str,
    deals: int | None,
    options: tuple[tuple[str, object], ...],
    max_faults: int,
    conducts: tuple[Conduct, ...],
) -> Expected:
    rules = GAMES[game]
    scenario = Scenario(game, deals, options)
    setup = setup_of(scenario, match_id, ("",) * rules.seats, max_faults, attempt)
    fold = _Fold(setup, conducts)
    fold.play()
    return fold.result()


class _Fold:
    """One match played out by the rules, without time, sessions or a referee."""

    def __init__(self, setup: MatchSetup, conducts: tuple[Conduct, ...]) -> None:
        self._setup = setup
        self._rules = GAMES[setup.game]
        self._deals = MatchDeals(setup, self._rules, FirstKeys())
        self._conducts = conducts
        self._forfeited = [False] * self._rules.seats
        self._absent = [conduct.start is Start.ABSENT for conduct in conducts]
        self._asked: Counter[int] = Counter()
        self._wrongs: list[list[tuple[int, Misconduct]]] = [[] for _ in conducts]
        self._state: State | None = None
        self._over = False

    def play(self) -> None:
        for seat, conduct in enumerate(self._conducts):
            if conduct.start is not Start.READY:
                self._forfeit(seat)
        if self._over:
            return
        options, deals = self._setup.options, self._setup.deals
        state = self._rules.new(options, deals=deals, first=self._deals.first(self._rules.seats))
        self._state = state
        while state.result() is None and not self._over:
            if state.needs_deck:
                state.deal(self._deals.deck(state.deal_number))
                continue
            asked = state.to_act()
            gone = [seat for seat in asked if self._forfeited[seat]]
            if gone:
                self._default(state, gone[0])
            else:
                self._ask(state, asked[0])

    def _ask(self, state: State, seat: Seat) -> None:
        self._asked[seat] += 1
        number = self._asked[seat]
        wrong = self._conducts[seat].wrong(number)
        if wrong is None:
            state.apply(seat, choice(state.legal(seat), self._setup.match_id, int(seat), number))
            return
        self._wrongs[seat].append((number, wrong))
        if len(self._wrongs[seat]) >= self._setup.faults.limit:
            self._forfeit(seat)
        if not self._over:
            self._default(state, seat)

    def _default(self, state: State, seat: Seat) -> None:
        state.apply(seat, self._rules.default(self._rules.view(state, seat), state.legal(seat)))

    def _forfeit(self, seat: int) -> None:
        self._forfeited[seat] = True
        self._over = len(self._rules.sides) == 2 or all(self._forfeited)

    def result(self) -> Expected:
        sides = self._rules.sides
        gone = [any(self._forfeited[seat] for seat in side) for side in sides]
        scores: tuple[int, ...] = ()
        capped = False
        if self._over:
            termination = Termination.FORFEIT
            ranks = tuple(2 if g and not all(gone) else 1 for g in gone)
        else:
            assert self._state is not None
            result = self._state.result()
            assert result is not None
            termination, scores, capped = Termination.COMPLETED, result.scores, result.capped
            # a side's rank is 1 plus the number of those above it, and who forfeited is below all others
            ranks = tuple(
                1
                + sum(
                    (other_gone < is_gone) or (other_gone == is_gone and not is_gone and other < rank)
                    for other_gone, other in zip(gone, result.ranks, strict=True)
                )
                for is_gone, rank in zip(gone, result.ranks, strict=True)
            )
        return Expected(
            termination,
            ranks,
            tuple(scores),
            capped,
            tuple(self._asked[seat] for seat in range(self._rules.seats)),
            tuple(map(tuple, self._wrongs)),
            tuple(self._absent),
            tuple(self._forfeited),
        )
