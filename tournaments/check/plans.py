"""What is played so that a bot is asked each kind of decision of a game."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from referee.cards import Seat
from referee.games.registry import GAMES
from tournaments.check.decks import moon_for, one_sequence
from tournaments.check.stage import Wanted

WAVES: Final = 4
"""How often more is played when a kind of decision was not asked yet."""


def _hearts(name: str, seat: int) -> list[Wanted]:
    return [Wanted(match_id=name, game="hearts", seat=seat, deals=4, decks=moon_for(Seat(seat)))]


def _spades(name: str, seat: int) -> list[Wanted]:
    options = {"blind_nil_gap": 0, "nil_points": 50}
    return [Wanted(match_id=name, game="spades", seat=seat, deals=2, options=options)]


def _euchre(name: str, seat: int) -> list[Wanted]:
    options = {"defenders_may_go_alone": True, "dealer_may_discard_upcard": False}
    return [Wanted(match_id=name, game="euchre", seat=seat, deals=8, options=options)]


def _piquet(name: str, seat: int) -> list[Wanted]:
    options = {"rubicon": 50}
    return [
        Wanted(match_id=f"{name}-{i}", game="piquet", seat=seat ^ i, deals=None, options=options)
        for i in range(2)
    ]


def _two_handed_spades(name: str, seat: int) -> list[Wanted]:
    options = {"bag_limit": 3, "nil_points": 50}
    return [Wanted(match_id=name, game="two_handed_spades", seat=seat, deals=2, options=options)]


_PLANS: Final[Mapping[str, Callable[[str, int], list[Wanted]]]] = {
    "hearts": _hearts,
    "spades": _spades,
    "euchre": _euchre,
    "piquet": _piquet,
    "two_handed_spades": _two_handed_spades,
}
_LONG: Final[Mapping[str, Mapping[str, Any]]] = {
    "hearts": {"target": 1000},
    "spades": {"target": 5000, "floor": -5000, "nil_points": 0, "blind_nil_points": 0},
    "euchre": {"target": 1000},
    "two_handed_spades": {"target": 5000},
}
CAPPED: Final = frozenset(_LONG)
"""The games that go on to the cap when the scores may grow; a partie of piquet has its six deals."""


def every_kind(game: str, wave: int) -> list[Wanted]:
    """Return matches in which a bot is asked, as a rule, all that a game asks; other ones in each wave.

    A game without a plan of its own is played whole.
    """
    name, seat = f"every-{game}-{wave}", wave % GAMES[game].seats
    if game in _PLANS:
        return _PLANS[game](name, seat)
    return [Wanted(match_id=name, game=game, seat=seat, deals=None)]


def nothing_further(wave: int) -> Wanted:
    """Return a partie of piquet in which, as a rule, a bot is asked what to add and has nothing to add."""
    return Wanted(match_id=f"further-{wave}", game="piquet", deals=6, decks=one_sequence())


def long(game: str) -> Wanted:
    """Return a match that ends, as a rule, at the cap on the number of deals."""
    return Wanted(match_id=f"long-{game}", game=game, deals=None, options=_LONG.get(game, {}))
