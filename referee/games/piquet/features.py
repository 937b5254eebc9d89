"""What an observation for training holds of piquet."""

from typing import Final

from referee.games.features import (
    MOST,
    Features,
    Field,
    Look,
    bits,
    by_seat,
    cards,
    seat,
    tricks,
)
from referee.games.piquet import GAME
from referee.games.piquet.events import Bonus, PiquetRound

_CARDS: Final = len(GAME.cards)


def _declared(look: Look) -> list[int]:
    """Return for each round 1 if elder has spoken, length, value, rank, younger's answer; 0 if not told."""
    said = {made.round.value: made for made in look.view.declarations}
    found: list[int] = []
    for each in PiquetRound:
        if made := said.get(each):
            answer = made.answer.value if made.answer else 0
            found += [1, made.length, made.value or 0, made.rank or 0, answer]
        else:
            found += [0] * 5
    return found


def _shown_points(look: Look) -> list[int]:
    return [
        number
        for each in PiquetRound
        for number in look.by_seat([(s.seat, s.points) for s in look.view.shown if s.round.value == each])
    ]


def _shown(look: Look) -> list[int]:
    return [
        number
        for each in PiquetRound
        for number in look.planes([(s.seat, s.cards) for s in look.view.shown if s.round.value == each])
    ]


def _bonuses(look: Look) -> list[int]:
    return [
        number
        for each in Bonus
        for number in look.by_seat([(b.seat, b.points) for b in look.view.bonuses if b.bonus.value == each])
    ]


FEATURES: Final = Features(
    [
        seat("elder", GAME),
        cards("dealt", GAME),
        cards("discarded", GAME),
        cards("drawn", GAME),
        cards("looked", GAME),
        Field(
            *("exchanged", 2, -1, 7),
            lambda look: look.by_seat([(e.seat, e.count) for e in look.view.exchanges], -1),
        ),
        bits("blank_claimed", 2, lambda look: look.by_seat([(b.seat, 1) for b in look.view.blanks])),
        bits("blank", 2 * _CARDS, lambda look: look.planes([(b.seat, b.cards) for b in look.view.blanks])),
        cards("leftovers", GAME),
        Field("declared", 5 * len(PiquetRound), 0, 90, _declared),
        Field("shown_points", 2 * len(PiquetRound), 0, MOST, _shown_points),
        bits("shown", 2 * len(PiquetRound) * _CARDS, _shown),
        *tricks(GAME, 12),
        by_seat("points", GAME),
        by_seat("totals", GAME),
        Field("bonuses", 2 * len(Bonus), 0, 60, _bonuses),
    ],
    picks=True,
    stops=True,
)
