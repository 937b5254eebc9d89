"""That a change in any part of a game shows: broken in each way, it must fail all of its playthroughs."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from referee.cards import Seat
from referee.games.actions import Choose, LegalActions
from referee.games.base import Result
from referee.games.events import DealScored, TrickTaken
from referee.games.registry import GAMES
from tests.playthroughs.conftest import Playthrough

GOLDEN = Path(__file__).parents[1] / "golden" / "playthroughs"

Change = Callable[..., Any]  # of what a method returned, with what it was given


def leak_a_hand(view: Any, game: Any, state: Any, seat: Seat | None) -> Any:
    """Let the public see a card of seat 3's, or 1's where there are two."""
    if seat is not None:
        return view
    hand = type(game).view.__wrapped__(game, state, Seat(game.seats - 1)).hand
    return replace(view, hand=hand[:1])


def lose_a_card(view: Any, _game: Any, _state: Any, seat: Seat | None) -> Any:
    return replace(view, hand=view.hand[:-1]) if seat == 1 else view


def tell_all(told: Any, _game: Any, event: Any, _seat: Seat | None) -> Any:
    return event


def tell_nobody_of_tricks(told: Any, _game: Any, event: Any, seat: Seat | None) -> Any:
    return None if isinstance(event, TrickTaken) and seat is None else told


def drop_the_last_choice(legal: Any, _state: Any, _seat: Seat) -> Any:
    if isinstance(legal, LegalActions) and len(legal.actions) > 2:
        return LegalActions(legal.actions[:-1])
    return legal


def turn_choices_round(legal: Any, _state: Any, _seat: Seat) -> Any:
    if isinstance(legal, LegalActions):
        return LegalActions(legal.actions[::-1])
    return replace(legal, cards=legal.cards[::-1]) if isinstance(legal, Choose) else legal


def add_a_point(events: Any, _state: Any, *_given: Any) -> Any:
    return [
        replace(e, points=(e.points[0] + 1, *e.points[1:])) if isinstance(e, DealScored) else e
        for e in events
    ]


def name_another_winner(events: Any, _state: Any, *_given: Any) -> Any:
    return [TrickTaken(Seat(1 - e.seat % 2)) if isinstance(e, TrickTaken) else e for e in events]


def turn_ranks_round(result: Result | None, _state: Any) -> Any:
    return result and replace(result, ranks=tuple(3 - rank for rank in result.ranks))


CHANGES: Final[dict[str, list[Change]]] = {
    "view": [leak_a_hand, lose_a_card],
    "project": [tell_all, tell_nobody_of_tricks],
    "legal": [drop_the_last_choice, turn_choices_round],
    "apply": [add_a_point, name_another_winner],
    "result": [turn_ranks_round],
}


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize(
    ("method", "change"), [(method, change) for method, some in CHANGES.items() for change in some]
)
def test_a_change_shows_in_every_playthrough(
    game: str, method: str, change: Change, playthrough: type[Playthrough], monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = GAMES[game]
    state = rules.new(rules.bind({}), deals=None, first=Seat(0))
    owner: Any = type(rules if method in ("view", "project") else state)
    kept = getattr(owner, method)

    def changed(self: Any, *given: Any) -> Any:
        return change(kept(self, *given), self, *given)

    changed.__dict__["__wrapped__"] = kept
    monkeypatch.setattr(owner, method, changed)
    files = sorted(GOLDEN.glob(f"{game}_*.txt"))
    assert files
    for path in files:
        with suppress(ValueError):  # an input that is not legal any more fails a playthrough as well
            assert playthrough(path.read_text()).text != path.read_text(), path.name
