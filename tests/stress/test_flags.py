"""No flag falls early: answers that come just in time, by the referee's own clock, are never late."""

from collections.abc import Callable
from itertools import count
from typing import Final

import pytest

from referee.cards import Seat
from referee.dealing.decks import MatchDeals
from referee.dealing.keys import SeededKeys
from referee.games.registry import GAMES
from referee.match.clock import ClockSettings
from referee.match.effects import Effect, MatchSetup, Tell, Wake
from referee.match.faults import FaultPolicy
from referee.match.match import Match
from referee.match.messages import Decision, Index
from tests.draws import draw
from tests.stress.processes import LONG

SHARDS: Final = 8 if LONG else 2
DECISIONS: Final = (1_000_000 if LONG else 20_000) // SHARDS
RULES: Final = GAMES["two_handed_spades"]
DEALS: Final = 20

CLOCKS: Final = (
    ClockSettings(move=1000, bank=500, increment=7, lag=10, lag_cap=15),
    ClockSettings(move=1000, bank=0, lag=0, lag_cap=0),
    ClockSettings(move=0, bank=100_000, increment=900, lag=0, lag_cap=0),
    ClockSettings(move=250_000, bank=10_000_000),
    ClockSettings(move=1, bank=1, increment=1, lag=1, lag_cap=1_000_000),
)


class RuleClock:
    """The clock of a seat as the rules tell it, apart from the referee's own: what it may take of each."""

    def __init__(self, clock: ClockSettings) -> None:
        self.clock = clock
        self.bank = clock.bank
        self.lag = clock.lag_cap

    @property
    def most(self) -> int:
        """Return how long the next decision may take."""
        return self.clock.move + min(self.clock.lag, self.lag) + self.bank

    def take(self, time: int) -> None:
        """Use up what an answer took."""
        over = max(0, time - self.clock.move)
        lag = min(over, self.clock.lag, self.lag)
        self.lag -= lag
        self.bank -= over - lag
        assert self.bank >= 0
        self.bank += self.clock.increment

    def lose(self) -> None:
        """Use up all there is."""
        self.lag -= min(self.clock.lag, self.lag)
        self.bank = 0


def times(told: RuleClock, *key: object) -> int:
    """Return how long a decision takes: nothing, the move time, all there is, or a microsecond beside it."""
    most, move = told.most, told.clock.move
    near = (most, most - 1, move, move - 1, move + 1, move + told.clock.lag, most - told.bank + 1, 0)
    return max(0, min(most, near[draw(len(near), *key)]))


class LateTable:
    """A match whose seats answer as late as they may; if they are ``careless``, not always in time."""

    def __init__(self, name: str, clock: ClockSettings, *, careless: bool) -> None:
        setup = MatchSetup(
            match_id=name,
            game=RULES.name,
            options=RULES.bind({}),
            deals=DEALS,
            entries=("a", "b"),
            clock=clock,
            faults=FaultPolicy(max_faults=1000),
        )
        self.name = name
        self.match = Match(setup, RULES, MatchDeals(setup, RULES, SeededKeys("spring")))
        self.told = [RuleClock(clock), RuleClock(clock)]
        self.wake = 0
        self.now = draw(1_000_000, name)
        self._careless = careless
        self._asked: tuple[Seat, Decision] | None = None
        self._give(self.match.start)
        for step in (self.match.back, self.match.ready):
            for seat in range(2):
                self._give(step, Seat(seat))

    def play(self) -> tuple[int, int]:
        """Play to the end; return how many decisions there were, and how many flags fell by right."""
        fallen = 0
        for number in count():
            if self.match.outcome:
                return number, fallen
            assert self._asked
            seat, decision = self._asked
            told, asked = self.told[seat], self.now
            assert decision.bank == told.bank
            assert self.wake == asked + told.most + 1
            if self._careless and draw(20, "late", self.name, number) == 0:
                self._fall(seat, asked + told.most)
                fallen += 1
                continue
            time = times(told, self.name, number)
            self.now = asked + time
            self._give(self.match.tick)  # the referee may look at any time
            assert self._asked == (seat, decision), "the flag fell early"
            told.take(time)
            self._give(self.match.answer, seat, decision.decision_id, Index(0))
        raise AssertionError

    def _fall(self, seat: Seat, last: int) -> None:
        """Let the flag fall, at the first moment when it may."""
        before = self._faults(seat)
        for now, faults in ((last, before), (last + 1, before + 1)):
            self.now = now
            self._give(self.match.tick)
            assert self._faults(seat) == faults
        self.told[seat].lose()

    def _faults(self, seat: Seat) -> int:
        return self.match._seat_states[seat].counts().late

    def _give(self, step: Callable[..., list[Effect]], *args: object) -> None:
        for effect in step(*args, now=self.now):
            if isinstance(effect, Tell) and isinstance(effect.update, Decision):
                self._asked = effect.seat, effect.update
            elif isinstance(effect, Wake):
                self.wake = effect.at


@pytest.mark.parametrize("shard", range(SHARDS))
def test_no_flag_falls_early(shard: int, figure: Callable[[str], None]) -> None:
    decisions = matches = late = 0
    while decisions < DECISIONS:
        clock = CLOCKS[(shard + matches) % len(CLOCKS)]
        # where some flags fall by right, what is left after one counts too
        table = LateTable(f"{shard}-{matches}", clock, careless=matches % 4 == 3)
        played, fallen = table.play()
        assert table.match.outcome is not None
        assert sum(faults.late for faults in table.match.outcome.faults) == fallen
        assert sum(faults.total for faults in table.match.outcome.faults) == fallen
        decisions, matches, late = decisions + played, matches + 1, late + fallen
    assert late > 0
    figure(f"{decisions} decisions in {matches} matches, {late} flags by right, 0 early")
