"""What a bot has given as its answer, resolved to an action."""

from referee.games.actions import Action, Legal, LegalActions
from referee.games.base import check_legal
from referee.games.errors import BadAction, IllegalAction, MalformedAction
from referee.match.messages import Given, Index, Malformed


def resolve(legal: Legal, given: Given) -> Action:
    """Return the legal action that was given, by itself or by its position in the list.

    Raises:
        MalformedAction: no action was given, or a choice names something twice.
        IllegalAction: the list has no such position, or the action is not among the legal ones.
    """
    if not isinstance(given, Index):
        if isinstance(given, Malformed):
            raise MalformedAction(given.text)
        check_legal(legal, given)
        return given
    if not isinstance(legal, LegalActions):
        raise IllegalAction("a choice is answered by naming what is chosen, not by an index")
    if (action := legal.at(given.index)) is None:
        raise IllegalAction(f"index {given.index} is given where 0 to {len(legal) - 1} are legal")
    return action


def legal_action(legal: Legal, given: Given) -> Action | None:
    """Return the same, or None where it is malformed or illegal."""
    try:
        return resolve(legal, given)
    except BadAction:
        return None
