"""The check: at a position, variants for every seat and the public, which must all be told the same."""

from dataclasses import astuple, dataclass
from typing import Final

from referee.codec import proto
from referee.games.actions import NOTHING
from referee.games.base import State
from referee.match.clock import Micros
from referee.match.messages import Decision
from tests.choices import Choices
from tests.noninterference.adaptor import Adaptor, Observer
from tests.noninterference.drive import drive
from tests.noninterference.trace import Trace, trace
from tests.noninterference.variant import Variant, base, leak, variant
from tests.noninterference.window import MATCH_ID, Window

PROPERTY: Final = "noninterference"
"""The first word of the names of test properties that hold tallies; game and phase follow."""
POSITIONS_A_PHASE: Final = 50
"""So many of each phase are checked by `make test`; planted leaks are found within as many."""
TRIES_PER_OBSERVER: Final = 6
POSITIONS_PER_WINDOW: Final = 6
WINDOWS_PER_POSITION: Final = 20
"""At most so many windows are driven for each position wanted."""


@dataclass
class Tally:
    """What was checked: variants, and positions at which ``every`` observer, ``some`` or ``none`` had one."""

    every: int = 0
    some: int = 0
    none: int = 0
    tried: int = 0
    accepted: int = 0

    @property
    def positions(self) -> int:
        return self.every + self.some + self.none

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(*map(sum, zip(astuple(self), astuple(other), strict=True)))

    def count(self, without: int, observers: int) -> None:
        """Count a position at which so many of its observers were left without a variant."""
        if not without:
            self.every += 1
        elif without < observers:
            self.some += 1
        else:
            self.none += 1


def check_phase(adaptor: Adaptor, phase: str, wanted: int, *key: object) -> Tally:
    """Check positions of a phase until so many are complete, each observer having had a variant.

    Raises:
        Leak: an observer was told of something that it may not know.
        AssertionError: so many complete positions do not come up.
    """
    tally = Tally()
    for number in range(WINDOWS_PER_POSITION * wanted):
        window = drive(adaptor, phase, *key, number)
        check_window(window, phase, tally, min(POSITIONS_PER_WINDOW, wanted - tally.every))
        if tally.every == wanted:
            return tally
    raise AssertionError(f"{adaptor.game.name}: too few positions of {phase}: {tally}")


def check_windows(adaptor: Adaptor, phase: str, count: int, tally: Tally, *key: object) -> None:
    """Check a position of a phase in each of so many windows, whether all observers have a variant or not."""
    for number in range(count):
        check_window(drive(adaptor, phase, *key, number), phase, tally, 1)


def check_window(window: Window, phase: str, tally: Tally, count: int) -> None:
    """Check some positions of a phase in one window."""
    chance = Choices(window.setup.game, phase, "positions", *window.key)
    there = [at for at, name in enumerate(window.phases) if name == phase]
    if not there:
        return
    observers = window.adaptor.observers
    sent = trace(window, max(there), base(window, 0), observers)
    # the first is special in many phases: nobody has done anything yet
    for at in [there[0], *chance.shuffled(there[1:])][:count]:
        _check_position(window, at, sent, tally, chance)


def _check_position(window: Window, at: int, sent: Trace, tally: Tally, chance: Choices) -> None:
    left = list(window.adaptor.observers)
    here = base(window, at).truth.state
    for _ in range(TRIES_PER_OBSERVER * len(left)):
        target = chance.one(left)
        swap = window.adaptor.swap(window.past(at), target, chance)
        if swap is None:
            continue
        tally.tried += 1
        found = variant(window, at, swap, target, left)
        if found is None:
            continue
        tally.accepted += 1
        _compare(window, at, sent, here, found)
        left = [observer for observer in left if observer not in found.observers]
        if not left:
            break
    tally.count(len(left), len(window.adaptor.observers))


def _compare(window: Window, at: int, sent: Trace, here: State, found: Variant) -> None:
    """Demand that the variant's observers are sent the same bytes at the same times, and see the same now."""
    other = trace(window, at, found, found.observers)
    for observer in found.observers:
        for move in range(at + 1):
            if other.after(observer, move) != sent.after(observer, move):
                raise leak(window, move, found.swap, [observer], "what is sent then differs")
        if _shown(window, found.truth.state, observer) != _shown(window, here, observer):
            raise leak(window, at, found.swap, [observer], "the view then, or what is legal, differs")


def _shown(window: Window, state: State, observer: Observer) -> bytes:
    """Return the view of an observer, and what is legal for it, as they are sent."""
    legal = NOTHING if observer is None else state.legal(observer)
    view = window.adaptor.game.view(state, observer)
    return proto.encode(Decision(MATCH_ID, 0, 0, Micros(0), Micros(0), legal, view))
