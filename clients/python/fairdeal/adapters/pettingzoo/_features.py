"""The observations of each game: fields of a view, one after the other, as numbers."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final

from fairdeal._wire_enum import WireEnum
from fairdeal.adapters.pettingzoo._actions import PACKS, items_of
from fairdeal.adapters.pettingzoo._look import Look, one_hot
from fairdeal.events import PassDirection, PiquetBonus, PiquetRound
from fairdeal.views import EuchrePhase, HeartsPhase, PiquetPhase, SpadesPhase, TwoHandedSpadesPhase, View

MOST: Final = 2**31 - 1
_FOUR, _TWO = 4, 2
_PASSES: Final = 4  # the directions in which hearts are passed
_TURNS: Final = 26  # of the draft of two-handed spades, both seats'


@dataclass(frozen=True, slots=True)
class Field:
    """A row of ``size`` numbers from ``low`` to ``high``, and what reads it off a view."""

    name: str
    size: int
    low: int
    high: int
    read: Callable[[Look], Sequence[int]]


def values_of(game: str, view: View, picked: Sequence[int]) -> list[int]:
    """Return the observation of the seat that a view belongs to."""
    look = Look(game, view, picked)
    return list(chain.from_iterable(field.read(look) for field in FIELDS[game]))


def layout_of(game: str) -> dict[str, slice]:
    """Return where the fields of a game stand."""
    places, at = {}, 0
    for field in FIELDS[game]:
        places[field.name] = slice(at, at + field.size)
        at += field.size
    return places


def _bits(name: str, size: int, read: Callable[[Look], Sequence[int]]) -> Field:
    return Field(name, size, 0, 1, read)


def _plane(name: str, game: str, read: Callable[[Any], Iterable[Any]]) -> Field:
    return _bits(name, len(PACKS[game]), lambda look: look.plane(read(look.view)))


def _points(name: str, size: int, read: Callable[[Look], Sequence[int]]) -> Field:
    return Field(name, size, -MOST, MOST, read)


def _begin(game: str, phases: type[WireEnum]) -> list[Field]:
    count = len(phases) - 1
    return [
        _bits("phase", count, lambda look: one_hot(look.view.phase.value, count)),
        Field("deal", 1, 0, MOST, lambda look: [look.view.deal]),
        _plane("hand", game, lambda view: view.hand),
    ]


def _picked(game: str) -> Field:
    """Return the actions picked so far, for games in which several cards are chosen together."""
    return _bits("picked", len(items_of(game)), lambda look: look.picks())


def _tricks(game: str, seats: int, tricks: int) -> list[Field]:
    size = len(PACKS[game])
    return [
        _bits("played", seats * size, lambda look: look.played()),
        Field("trick_of_card", size, 0, tricks, lambda look: look.numbers()),
        _bits("table", seats * size, lambda look: look.table()),
        _bits("leader", seats, lambda look: look.seat(look.view.trick.leader if look.view.trick else None)),
    ]


def _bids(seats: int) -> Field:
    return Field(
        "bids", seats, -1, 13, lambda look: look.by_seat([(b.seat, b.tricks) for b in look.view.bids], -1)
    )


_BROKEN: Final = _bits("spades_broken", 1, lambda look: [int(look.view.spades_broken)])

_HEARTS: Final = [
    *_begin("hearts", HeartsPhase),
    _picked("hearts"),
    _bits("direction", _PASSES, lambda look: one_hot(look.view.direction.value, len(PassDirection) - 1)),
    _plane("passed", "hearts", lambda view: view.passed),
    _plane("received", "hearts", lambda view: view.received),
    *_tricks("hearts", _FOUR, 13),
    _points("points", _FOUR, lambda look: look.of_seats(look.view.points)),
    _points("totals", _FOUR, lambda look: look.of_seats(look.view.totals)),
    _bits("hearts_broken", 1, lambda look: [int(look.view.hearts_broken)]),
]

_SPADES: Final = [
    *_begin("spades", SpadesPhase),
    _bits("dealer", _FOUR, lambda look: look.seat(look.view.dealer)),
    _bits(
        "blind_sides", _TWO, lambda look: look.of_sides([int(n in look.view.blind_sides) for n in range(2)])
    ),
    _bits("looked", _FOUR, lambda look: look.by_seat([(seat, 1) for seat in look.view.looked])),
    _bids(_FOUR),
    _bits("blind", _FOUR, lambda look: look.by_seat([(b.seat, int(b.blind)) for b in look.view.bids])),
    *_tricks("spades", _FOUR, 13),
    Field("taken", _FOUR, 0, 13, lambda look: look.of_seats(look.view.taken)),
    _points("scores", _TWO, lambda look: look.of_sides(look.view.scores)),
    _points("bags", _TWO, lambda look: look.of_sides(look.view.bags)),
    _BROKEN,
]

_TWO_HANDED_SPADES: Final = [
    *_begin("two_handed_spades", TwoHandedSpadesPhase),
    _bits("first", _TWO, lambda look: look.seat(look.view.first)),
    _plane("offered", "two_handed_spades", lambda view: [view.offered]),
    # in the order of the turns: 0 to come, 1 kept, 2 refused
    Field("choices", _TURNS, 0, 2, lambda look: _filled([c.value for c in look.view.choices], _TURNS)),
    _plane("kept", "two_handed_spades", lambda view: view.kept),
    _plane("discarded", "two_handed_spades", lambda view: view.discarded),
    _bids(_TWO),
    *_tricks("two_handed_spades", _TWO, 13),
    Field("taken", _TWO, 0, 13, lambda look: look.of_seats(look.view.taken)),
    _points("scores", _TWO, lambda look: look.of_seats(look.view.scores)),
    _points("bags", _TWO, lambda look: look.of_seats(look.view.bags)),
    _BROKEN,
]

_EUCHRE: Final = [
    *_begin("euchre", EuchrePhase),
    _bits("dealer", _FOUR, lambda look: look.seat(look.view.dealer)),
    _plane("upcard", "euchre", lambda view: [view.upcard]),
    # calls and choices by seat, as they are numbered on the wire, 0 where there is none
    Field("upcard_calls", _FOUR, 0, 2, lambda look: _calls(look, look.view.upcard_calls)),
    Field("trump_calls", _FOUR, 0, 5, lambda look: _calls(look, look.view.trump_calls)),
    _bits("maker", _FOUR, lambda look: look.seat(look.view.maker)),
    _bits("trump", 4, lambda look: one_hot(look.view.trump or 0, 4)),
    _plane("discarded", "euchre", lambda view: [view.discarded]),
    Field(
        "alone", _FOUR, 0, 2, lambda look: look.by_seat([(a.seat, a.choice.value) for a in look.view.alone])
    ),
    *_tricks("euchre", _FOUR, 5),
    Field("taken", _TWO, 0, 5, lambda look: look.of_sides(look.view.taken)),
    _points("scores", _TWO, lambda look: look.of_sides(look.view.scores)),
]

_PIQUET: Final = [
    *_begin("piquet", PiquetPhase),
    _picked("piquet"),
    _bits("elder", _TWO, lambda look: look.seat(look.view.elder)),
    _plane("dealt", "piquet", lambda view: view.dealt),
    _plane("discarded", "piquet", lambda view: view.discarded),
    _plane("drawn", "piquet", lambda view: view.drawn),
    _plane("looked", "piquet", lambda view: view.looked),
    Field(
        "exchanged",
        _TWO,
        -1,
        7,
        lambda look: look.by_seat([(e.seat, e.count) for e in look.view.exchanges], -1),
    ),
    _bits("blank_claimed", _TWO, lambda look: look.by_seat([(b.seat, 1) for b in look.view.blanks])),
    _bits("blank", _TWO * 32, lambda look: look.planes([(b.seat, b.cards) for b in look.view.blanks])),
    _plane("leftovers", "piquet", lambda view: view.leftovers),
    # for point, sequence and set: 1 if elder has spoken, length, value, rank, younger's answer; 0 if not told
    Field("declared", 15, 0, 90, lambda look: _declared(look.view)),
    Field("shown_points", 2 * 3, 0, MOST, lambda look: _shown_points(look)),
    _bits("shown", 2 * 3 * 32, lambda look: _shown(look)),
    *_tricks("piquet", _TWO, 12),
    _points("points", _TWO, lambda look: look.of_seats(look.view.points)),
    _points("totals", _TWO, lambda look: look.of_seats(look.view.totals)),
    Field("bonuses", 2 * 4, 0, 60, lambda look: _bonuses(look)),
]

FIELDS: Final[Mapping[str, Sequence[Field]]] = {
    "hearts": _HEARTS,
    "spades": _SPADES,
    "euchre": _EUCHRE,
    "piquet": _PIQUET,
    "two_handed_spades": _TWO_HANDED_SPADES,
}


def _filled(values: Sequence[int], size: int) -> list[int]:
    return [*values, *[0] * (size - len(values))]


def _calls(look: Look, calls: Sequence[WireEnum]) -> list[int]:
    return look.by_seat([((look.view.dealer + n) % _FOUR, call.value) for n, call in enumerate(calls, 1)])


def _rounds() -> list[PiquetRound]:
    return [each for each in PiquetRound if each.value]


def _declared(view: Any) -> list[int]:
    said = {made.round: made for made in view.declarations}
    found: list[int] = []
    for round_ in _rounds():
        if made := said.get(round_):
            answer = made.answer.value if made.answer else 0
            found += [1, made.length, made.value or 0, made.rank or 0, answer]
        else:
            found += [0] * 5
    return found


def _shown_points(look: Look) -> list[int]:
    return [
        number
        for round_ in _rounds()
        for number in look.by_seat([(s.seat, s.points) for s in look.view.shown if s.round is round_])
    ]


def _shown(look: Look) -> list[int]:
    return [
        number
        for round_ in _rounds()
        for number in look.planes([(s.seat, s.cards) for s in look.view.shown if s.round is round_])
    ]


def _bonuses(look: Look) -> list[int]:
    return [
        number
        for bonus in [each for each in PiquetBonus if each.value]
        for number in look.by_seat([(b.seat, b.points) for b in look.view.bonuses if b.bonus is bonus])
    ]
