"""Decisions as a bot gets them, from states of the rules."""

from collections.abc import Mapping
from typing import Any, Final

from fairdeal import Decision
from fairdeal.testing.asked import AskedDecision, seated_of
from referee.cards import Seat
from referee.games.base import Game, State
from referee.games.options import OptionValue
from referee.match import messages
from referee.match.clock import SECOND, ClockSettings, Micros
from tests.noninterference.adaptors import ADAPTORS
from tests.noninterference.drive import drive
from tests.noninterference.variant import base
from tests.noninterference.window import WindowDecks

CLOCK: Final = ClockSettings(
    move=2 * SECOND, bank=60 * SECOND, increment=0, lag=0, lag_cap=0, start=10 * SECOND
)


def asked(
    game: Game[Any],
    state: State,
    seat: Seat,
    options: Mapping[str, OptionValue],
    *,
    deals: int | None = None,
    entries: tuple[str, ...] | None = None,
    match_id: str = "m-1",
    decision_id: int = 1,
    bank: int = 60 * SECOND,
) -> Decision:
    """Return the decision of a seat that is to act."""
    seated = messages.Seated(
        match_id=match_id,
        attempt=1,
        game=game.name,
        rules_version=game.rules_version,
        options=options,
        deals=deals or 0,
        seat=seat,
        entries=entries or tuple("abcd"[: game.seats]),
        commitment=WindowDecks.commitment,
        clock=CLOCK,
        max_faults=3,
        sides=game.sides,
    )
    question = messages.Decision(
        match_id=match_id,
        decision_id=decision_id,
        sequence=decision_id,
        move_time=Micros(2 * SECOND),
        bank=Micros(bank),
        legal=state.legal(seat),
        view=game.view(state, seat),
    )
    return AskedDecision(seated_of(seated), question, "seed")


def sample(name: str, phase: str, *key: object, at: float = 0.5) -> Decision:
    """Return a decision of a phase, with the default options; ``at`` is how far on in the phase."""
    game, state = position(name, phase, *key, at=at)
    return asked(game, state, state.to_act()[0], game.bind({}))


def position(name: str, phase: str, *key: object, at: float = 0.5) -> tuple[Game[Any], State]:
    """Return a state of a phase in which some seat is to act."""
    adaptor = ADAPTORS[name]
    for number in range(100):
        window = drive(adaptor, phase, "words", *key, number)
        there = [move for move, each in enumerate(window.phases) if each == phase and window.to_act[move]]
        if there:
            return adaptor.game, base(window, there[int(at * (len(there) - 1))]).truth.state
    raise AssertionError(f"no decision of {name} in {phase}")
