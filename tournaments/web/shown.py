"""What of a match goes to a browser, as data for JSON: steps as the viewer's table draws them."""

from typing import Any

from referee.cards import Seat
from referee.codec.json import plain
from referee.games.registry import GAMES
from referee.match.effects import MatchSetup
from referee.match.messages import Finished
from referee.viewer.frames import asked_of
from referee.viewer.live import Step

Data = dict[str, Any]


def table_data(setup: MatchSetup, seat: Seat | None = None) -> Data:
    """Return what is the same in all steps of a match; ``seat`` is whose view they are."""
    game = GAMES[setup.game]
    return {
        "match_id": setup.match_id,
        "attempt": setup.attempt,
        "game": setup.game,
        "title": game.title,
        "entries": list(setup.entries),
        "sides": [list(side) for side in game.sides],
        "deals": setup.deals,
        "seat": seat,
    }


def step_data(step: Step, seat: Seat | None = None) -> Data:
    """Return a step: what is known, who is asked, and of the own ``seat`` what it may answer."""
    asked: dict[str, Data] = {str(each): {} for each in step.to_act}
    if seat is not None and step.legal is not None:
        asked[str(seat)] = asked_of(step.legal)
    return {
        "view": {name: value for name, value in plain(step.view).items() if name != "seat"},
        "asked": asked,
        "text": list(step.text),
        "begins_deal": step.begins_deal,
    }


def end_data(finished: Finished) -> Data:
    """Return how a match ended."""
    return {
        "termination": finished.termination.name.lower(),
        "ranks": list(finished.ranks),
        "scores": list(finished.scores),
    }


def told(seen: Step | Finished, seat: Seat | None = None) -> tuple[str, Data]:
    """Return the kind and the data of what a watcher sees."""
    return ("end", end_data(seen)) if isinstance(seen, Finished) else ("step", step_data(seen, seat))
