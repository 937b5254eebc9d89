"""Functions ``agent(observation, configuration)``, as Kaggle's competitions have them, at a fairdeal table.

::

    import fairdeal
    from fairdeal.adapters import kaggle

    def agent(observation, configuration):
        some = observation.legal
        return some[0] if observation.choose is None else some[: observation.choose[0]]

    fairdeal.main(kaggle.bot(agent), "127.0.0.1:7447", matches=1)
    fairdeal.main(kaggle.bot("submission.py"), "127.0.0.1:7447", matches=1)

No package of Kaggle is needed. Both arguments consist of numbers, texts, lists and dicts, as
`json.dumps` takes them; the keys of a dict are attributes too. Cards are texts such as ``"QS"``, and the
words of the protocol are in small letters. The observation:

``step``
    How many decisions the agent had before in this match.
``remainingOverageTime``
    Seconds left in the bank of the match, for decisions that take longer than ``actTimeout``.
``player``
    The agent's seat, from 0.
``phase``, ``view``
    What is decided, and all that the seat knows: the fields of the game's view, such as
    `fairdeal.HeartsView`.
``legal``
    The legal answers: a card to play; a number of tricks to bid; a word, such as ``"keep"``; a
    combination of piquet, ``{"suit": ...}``, ``{"suit": ..., "top": ..., "length": ...}`` or
    ``{"rank": ..., "count": ...}``, or ``"nothing"``.
``choose``
    None: the agent returns one item of ``legal``. Otherwise ``[minimum, maximum]``: it returns a list of this
    many different ones.

The configuration is the same all through a match:

``actTimeout``
    Seconds for each decision.
``game``, ``options``, ``deals``
    What is played: all options by name, and the fixed number of deals, None for a whole game.
``match``, ``entries``
    The match's id, and who plays, by seat; none where names are not told.
``seats``, ``sides``
    How many seats there are, and which of them win together.
``maxFaults``
    The number of faults at which the agent forfeits.
"""

import inspect
import sys
from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path
from types import CodeType
from typing import Any, Final

from fairdeal._player import Bot
from fairdeal.actions import (
    Action,
    Answer,
    Bid,
    Declare,
    Legal,
    LegalActions,
    LegalChoice,
    LegalCombinations,
    OtherAction,
    PlayCard,
)
from fairdeal.adapters._plain import plain
from fairdeal.cards import Card
from fairdeal.combinations import Combination
from fairdeal.errors import BadAnswer, BadSetting
from fairdeal.updates import Decision, Seated

__all__ = ["Agent", "Struct", "bot", "configuration", "observation"]

Agent = Callable[..., Any]
"""A function of an observation and, if it has a second parameter, a configuration."""

_NOTHING: Final = "nothing"


class Struct(dict[str, Any]):
    """A dict whose keys are also attributes, as are those of all dicts in it."""

    def __init__(self, values: dict[str, Any]) -> None:
        super().__init__({key: _struct(value) for key, value in values.items()})

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"there is no {name!r}, only {', '.join(self)}") from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value


def bot(agent: Agent | str | PathLike[str]) -> Callable[[Decision], Answer] | type[Bot]:
    """Return the bot for an agent: a function, or a file whose last callable is the agent.

    A function plays all matches. A file is run once now, to see what is wrong with it, and again for each
    match, which so has variables of its own; what lies beside it can be imported, as its folder is put at the
    end of `sys.path`.

    Raises:
        BadSetting: the file cannot be read or run, or holds no agent; or the argument is neither.
    """
    if callable(agent):
        return _named(_act_with(agent), agent)
    if not isinstance(agent, str | PathLike):
        raise BadSetting(f"{agent!r} is not an agent: give a function, or the path of a file that holds one")
    path = Path(agent)
    code = _compiled(path)
    if (folder := str(path.resolve().parent)) not in sys.path:
        sys.path.append(folder)
    _last_callable(code, path)
    return _submission(code, path)


def observation(decision: Decision) -> dict[str, Any]:
    """Return the observation for a decision, see the module."""
    view = plain(decision.view)
    return {
        "step": decision.id - 1,
        "remainingOverageTime": decision.bank,
        "player": decision.seat,
        "phase": view and view["phase"],
        "view": view,
        "legal": [_item(each) for each in _offered(decision.legal)],
        "choose": _count(decision.legal),
    }


def configuration(match: Seated) -> dict[str, Any]:
    """Return the configuration for a match, see the module."""
    return {
        "actTimeout": match.clock.move,
        "game": match.game,
        "options": dict(match.options),
        "deals": match.deals,
        "match": match.id,
        "entries": list(match.entries),
        "seats": sum(len(side) for side in match.sides),
        "sides": plain(match.sides),
        "maxFaults": match.max_faults,
    }


def _act_with(agent: Agent) -> Callable[[Decision], Any]:
    """Return a function from a decision to the agent's answer."""
    takes = _arguments(agent)

    def act(decision: Decision) -> Any:
        told = [Struct(observation(decision)), Struct(configuration(decision.match))]
        return _answer(decision, agent(*told[:takes]))

    return act


def _arguments(agent: Agent) -> int:
    """Return how many arguments an agent takes: two, or only the observation."""
    try:
        parameters = inspect.signature(agent).parameters.values()
    except ValueError:  # a callable in C without a signature
        return 2
    if any(each.kind is each.VAR_POSITIONAL for each in parameters):
        return 2
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if not positional:
        raise BadSetting(f"{_name(agent)} is not an agent: it takes no observation")
    return min(2, len(positional))


def _named(act: Callable[[Decision], Any], agent: Agent) -> Callable[[Decision], Any]:
    act.__name__ = _name(agent)  # the entry's name where nothing else names it
    return act


def _name(agent: Agent) -> str:
    name: str = getattr(agent, "__name__", type(agent).__name__)
    return name


def _submission(code: CodeType, path: Path) -> type[Bot]:
    """Return a class whose objects each run the file."""

    class Submission:
        def __init__(self) -> None:
            self._act = _act_with(_last_callable(code, path))

        def act(self, decision: Decision) -> Answer:
            """Return the agent's answer."""
            answer: Answer = self._act(decision)
            return answer

    Submission.__name__ = path.stem
    return Submission


def _compiled(path: Path) -> CodeType:
    try:
        return compile(path.read_bytes(), str(path), "exec")
    except OSError as error:
        raise BadSetting(f"agent {path}: cannot be read: {error.strerror}") from None
    except (SyntaxError, ValueError) as error:
        raise BadSetting(f"agent {path}: is not Python: {error}") from None


def _last_callable(code: CodeType, path: Path) -> Agent:
    """Run a file and return the last callable that it defines."""
    names: dict[str, Any] = {"__name__": path.stem, "__file__": str(path)}
    try:
        exec(code, names)
    except (Exception, SystemExit) as error:
        raise BadSetting(f"agent {path}: failed when it was run: {error!r}") from error
    agents = [value for name, value in names.items() if name != "__builtins__" and callable(value)]
    if not agents:
        raise BadSetting(f"agent {path}: holds no function agent(observation, configuration)")
    _arguments(agents[-1])
    agent: Agent = agents[-1]
    return agent


def _struct(value: Any) -> Any:
    if isinstance(value, dict):
        return Struct(value)
    return [_struct(each) for each in value] if isinstance(value, list) else value


def _offered(legal: Legal) -> Sequence[Action | Card | Combination]:
    match legal:
        case LegalActions(actions):
            return [action for action in actions if not isinstance(action, OtherAction)]
        case LegalChoice(cards):
            return cards
        case LegalCombinations(combinations):
            return combinations


def _count(legal: Legal) -> list[int] | None:
    return None if isinstance(legal, LegalActions) else [legal.minimum, legal.maximum]


def _item(offered: Action | Card | Combination) -> Any:
    match offered:
        case PlayCard(card):
            return card.name
        case Bid(tricks):
            return tricks
        case Declare(combination):
            return _NOTHING if combination is None else plain(combination)
    return plain(offered)


def _answer(decision: Decision, given: Any) -> Any:
    """Return the answer that an agent's items stand for.

    Raises:
        BadAnswer: they are not among the legal ones.
    """
    offered, count = _offered(decision.legal), _count(decision.legal)
    items = [_item(each) for each in offered]
    where = f"match {decision.match.id}, decision {decision.id}: the agent answered {given!r}, but"
    if count is None:
        if given not in items:
            raise BadAnswer(f"{where} the legal answers are {items}")
        return offered[items.index(given)]
    if not isinstance(given, list | tuple):
        raise BadAnswer(f"{where} a list of {count[0]} to {count[1]} of {items} is asked for")
    if foreign := [each for each in given if each not in items]:
        raise BadAnswer(f"{where} {foreign[0]!r} is not among {items}")
    return [offered[items.index(each)] for each in given]
