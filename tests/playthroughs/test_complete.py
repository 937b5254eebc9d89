"""That there is a playthrough for every phase with every way to end, and for whatever else must be seen.

How a match ended is read off its result and events, never off the name of its file.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import pytest

from referee.cards import Seat
from referee.games.actions import AloneChoice, LeftoversChoice, MoonChoice
from referee.games.euchre.events import AloneChosen, PickedUp, TrumpCalled
from referee.games.events import BidMade, DealScored, TrickTaken
from referee.games.hearts.rules import Dealt, MoonChosen, PassDirection
from referee.games.partners import SIDES, partner
from referee.games.piquet.events import (
    BlankClaimed,
    Bonus,
    BonusScored,
    Declared,
    LeftoversSettled,
    PiquetAnswer,
)
from referee.games.registry import GAMES
from referee.games.spades.rules import Looked

Playthrough = Any  # the class of conftest.py
"""A match that was played to its end."""

FIXED: Final = frozenset({"fixed deals", "fixed deals, drawn"})
CAPPED: Final = frozenset({"cap", "cap, drawn"})


def target(_run: Playthrough) -> str:
    return "target"


def bounds(run: Playthrough) -> str:
    """Return which sides passed which bound of a game of spades."""
    totals = run.result.scores
    high = sum(total >= run.options["target"] for total in totals)
    low = sum(total <= run.options["floor"] for total in totals)
    return {(1, 0): "target", (2, 0): "both at the target", (0, 1): "floor", (0, 2): "both at the floor"}.get(
        (high, low), "target and floor"
    )


def rubicon(run: Playthrough) -> str:
    crossed = "crossed" if min(run.scored[-1].totals) >= run.options["rubicon"] else "not crossed"
    return f"rubicon {crossed} in {len(run.scored)} deals"


def end_of(run: Playthrough) -> str:
    """Return the way in which a match ended."""
    result = run.result
    own = COURSES[run.game.name].own_end
    way = "fixed deals" if run.deals is not None else "cap" if result.capped else own(run)
    return f"{way}, drawn" if result.ranks.count(1) > 1 else way


# --- what happens on the way ------------------------------------------------------------------------------


def of_deals(run: Playthrough) -> list[list[Any]]:
    """Return the events of each deal, its scoring last."""
    deals: list[list[Any]] = [[]]
    for event in run.events:
        deals[-1].append(event)
        if isinstance(event, DealScored):
            deals.append([])
    return deals[:-1]


def any_deal(happens: Callable[[list[Any]], bool]) -> Callable[[Playthrough], bool]:
    return lambda run: any(happens(events) for events in of_deals(run))


def told(kind: type, **fields: Any) -> Callable[[Playthrough], bool]:
    """Return whether there is an event with these fields."""
    return lambda run: any(
        isinstance(event, kind) and all(getattr(event, name) == value for name, value in fields.items())
        for event in run.events
    )


def moon(choice: MoonChoice, *, decided: bool) -> Callable[[Playthrough], bool]:
    return lambda run: told(MoonChosen, choice=choice)(run) and ("moon" in run.decided) == decided


def tricks(events: list[Any]) -> Counter[int]:
    return Counter(event.seat for event in events if isinstance(event, TrickTaken))


def nil(*, made: bool, blind: bool = False) -> Callable[[Playthrough], bool]:
    return any_deal(
        lambda events: any(
            bid.tricks == 0 and bid.blind == blind and (tricks(events)[bid.seat] == 0) == made
            for bid in events
            if isinstance(bid, BidMade)
        )
    )


def bags_cost(run: Playthrough) -> bool:
    """Return whether a bag counter fell, which only a full one does."""
    counters = [(0, 0), *(scored.bags for scored in run.scored)]
    return any(b < a for old, new in pairwise(counters) for a, b in zip(old, new, strict=True))


def a_tie_plays_on(run: Playthrough) -> bool:
    *before, _last = run.scored
    return any(min(scored.totals) == max(scored.totals) >= run.options["target"] for scored in before)


def loners(events: list[Any]) -> list[Seat]:
    return [e.seat for e in events if isinstance(e, AloneChosen) and e.choice == AloneChoice.ALONE]


def maker(events: list[Any]) -> Seat:
    """Return the seat that made trump in a deal that was played: the first to be asked if it goes alone."""
    said: AloneChosen = next(event for event in events if isinstance(event, AloneChosen))
    return said.seat


def alone_takes_all(*, as_maker: bool) -> Callable[[Playthrough], bool]:
    return any_deal(
        lambda events: any(
            tricks(events)[seat] == 5 and (seat in (maker(events), partner(maker(events)))) == as_maker
            for seat in loners(events)
        )
    )


def points_of_makers(points: int) -> Callable[[Playthrough], bool]:
    """Return whether a deal brought its makers these points, and if none, their opponents two."""

    def happens(events: list[Any]) -> bool:
        if not any(isinstance(event, AloneChosen) for event in events):
            return False
        gained = {seat: events[-1].points[i] for i, side in enumerate(SIDES) for seat in side}
        return not loners(events) and gained[maker(events)] == points

    return any_deal(happens)


def puts_the_upcard_aside(events: list[Any]) -> bool:
    return any(isinstance(event, PickedUp) and event.discarded == events[0].upcard for event in events)


def a_blank(*, elders: bool) -> Callable[[Playthrough], bool]:
    return any_deal(
        lambda events: any(
            isinstance(event, BlankClaimed) and (event.seat == events[0].elder) == elders for event in events
        )
    )


@dataclass(frozen=True)
class Course:
    """What must be seen of a game: the ways a match ends, the game's own told by ``own_end``, and turns."""

    ends: frozenset[str]
    own_end: Callable[[Playthrough], str]
    turns: Mapping[str, Callable[[Playthrough], bool]]


COURSES: Final[Mapping[str, Course]] = {
    "hearts": Course(
        ends=FIXED | CAPPED | {"target", "target, drawn"},
        own_end=target,
        turns={
            "a moon chosen to subtract": moon(MoonChoice.SUBTRACT, decided=True),
            "a moon chosen to add": moon(MoonChoice.ADD, decided=True),
            "a moon that an option subtracts": moon(MoonChoice.SUBTRACT, decided=False),
            "a moon that an option adds": moon(MoonChoice.ADD, decided=False),
            "the jack of diamonds": lambda run: run.options["jack_of_diamonds"] is True,
            **{f"pass {way.name.lower()}": told(Dealt, direction=way) for way in PassDirection},
        },
    ),
    "spades": Course(
        ends=FIXED
        | CAPPED
        | {"target", "both at the target", "both at the target, drawn"}
        | {"floor", "both at the floor", "both at the floor, drawn", "target and floor"},
        own_end=bounds,
        turns={
            "a nil made": nil(made=True),
            "a nil failed": nil(made=False),
            "a blind nil made": nil(made=True, blind=True),
            "a blind nil failed": nil(made=False, blind=True),
            "a look": told(Looked),
            "ten bags": bags_cost,
        },
    ),
    "two_handed_spades": Course(
        ends=FIXED | CAPPED | {"target"},
        own_end=target,
        turns={
            "a nil made": nil(made=True),
            "a nil failed": nil(made=False),
            "ten bags": bags_cost,
            "a tie at the target": a_tie_plays_on,
        },
    ),
    "euchre": Course(
        ends=FIXED | CAPPED | {"target"},
        own_end=target,
        turns={
            "a void deal": any_deal(lambda events: isinstance(events[-2], TrumpCalled)),
            "two loners": any_deal(lambda events: len(loners(events)) == 2),
            "a maker alone takes all": alone_takes_all(as_maker=True),
            "a defender alone takes all": alone_takes_all(as_maker=False),
            "makers set": points_of_makers(0),
            "makers with three or four": points_of_makers(1),
            "makers with all": points_of_makers(2),
            "the upcard put aside": any_deal(puts_the_upcard_aside),
        },
    ),
    "piquet": Course(
        ends=FIXED
        | {"cap, drawn"}
        | {f"rubicon {way} in {deals} deals" for way in ("crossed", "not crossed") for deals in (6, 8)},
        own_end=rubicon,
        turns={
            **{f"a bonus: {bonus.name.lower()}": told(BonusScored, bonus=bonus) for bonus in Bonus},
            **{f"an answer: {answer.name.lower()}": told(Declared, answer=answer) for answer in PiquetAnswer},
            "nothing declared": told(Declared, combination=None),
            "an elder's blank": a_blank(elders=True),
            "a younger's blank": a_blank(elders=False),
            **{
                f"leftovers: {way.name.lower()}": told(LeftoversSettled, choice=way)
                for way in LeftoversChoice
            },
        },
    ),
}


def test_every_game_says_how_its_matches_end() -> None:
    assert COURSES.keys() == GAMES.keys()


@pytest.mark.parametrize("game", COURSES)
def test_every_phase_is_seen_with_every_way_to_end(game: str, corpus: Mapping[str, Playthrough]) -> None:
    wanted = {(phase, end) for phase in GAMES[game].phases for end in COURSES[game].ends}
    seen = {(phase, end_of(run)) for run in corpus.values() if run.game.name == game for phase in run.decided}
    assert (wanted - seen, seen - wanted) == (set(), set())


@pytest.mark.parametrize(("game", "turn"), [(game, turn) for game in COURSES for turn in COURSES[game].turns])
def test_what_may_happen_on_the_way_is_seen(game: str, turn: str, corpus: Mapping[str, Playthrough]) -> None:
    happens = COURSES[game].turns[turn]
    assert any(happens(run) for run in corpus.values() if run.game.name == game)
