"""What a bot has given as its answer, resolved to an action."""

from referee.games.actions import Action, Legal, LegalActions
from referee.games.errors import IllegalAction, MalformedAction
from referee.match.messages import Given, Index, Malformed


def resolve(legal: Legal, given: Given) -> Action:
    """Return the action that was given, by itself or by its position in the list; it may still be illegal.

    Raises:
        MalformedAction: no action was given.
        IllegalAction: the list has no such position.
    """
    if isinstance(given, Malformed):
        raise MalformedAction(given.text)
    if not isinstance(given, Index):
        return given
    if not isinstance(legal, LegalActions):
        raise IllegalAction("a choice is answered by naming what is chosen, not by an index")
    if not 0 <= given.index < len(legal.actions):
        raise IllegalAction(f"index {given.index} is given where 0 to {len(legal.actions) - 1} are legal")
    return legal.actions[given.index]
