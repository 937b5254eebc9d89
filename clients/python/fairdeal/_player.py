"""What a bot is, and the calling of its methods."""

import inspect
import logging
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, Literal, Protocol

from fairdeal._session import Session, ends_match
from fairdeal.actions import Answer
from fairdeal.errors import BadSetting
from fairdeal.updates import Closed, Decision, Finished, Happened, Notice, Refused, Seated, Update

log = logging.getLogger("fairdeal")


class Bot(Protocol):
    """What a bot is at least: something that answers decisions.

    It may have hooks besides, sync or async: ``on_seated(seated)``, ``on_event(happened)`` (only with it are
    events asked for), ``on_closed(closed)``, ``on_refused(refused)``, ``on_finished(finished)`` and
    ``on_notice(notice)``.
    """

    def act(self, decision: Decision, /) -> Answer | Awaitable[Answer]:
        """Return the answer to a decision."""


BotFunction = Callable[[Decision], Answer | Awaitable[Answer]]

AnyBot = Bot | type[Bot] | BotFunction
"""What can be run.

An object or a function plays every match; of a class, called without arguments, each match gets an object.
"""

MatchKey = tuple[str, int]
"""An attempt at a match: its id and number."""

OnError = Literal["stop", "fault"]
"""What follows an exception of the bot: the run ends with it, or it is logged and costs a fault."""

_METHODS: Final[Mapping[type[Update], str]] = {
    Seated: "on_seated",
    Decision: "act",
    Happened: "on_event",
    Closed: "on_closed",
    Refused: "on_refused",
    Finished: "on_finished",
    Notice: "on_notice",
}


class _Function:
    """A function as a bot."""

    def __init__(self, act: BotFunction) -> None:
        self.act = act


class Player:
    """Calls a bot's methods: those of one object or, given a class, of one object for each match.

    Raises:
        BadSetting: it is no bot.
    """

    def __init__(self, bot: AnyBot, on_error: OnError) -> None:
        self._class = bot if isinstance(bot, type) else None
        self._shared: object = bot
        if not callable(getattr(bot, "act", None)):
            if isinstance(bot, type) or not callable(bot):
                raise BadSetting(f"{bot!r} is no bot: it needs a method act(decision), or to be a function")
            self._shared = _Function(bot)
        self._on_error = on_error
        self._objects: dict[MatchKey, object] = {}  # where each match has its own
        self.is_async = any(_is_async(getattr(self._shared, name, None)) for name in _METHODS.values())
        """Whether one of the methods is a coroutine function."""
        self.wants_events = hasattr(bot, "on_event")
        """Whether the bot is to be told events."""

    def call(self, update: Update) -> Any:
        """Tell the bot an update and return what its method returns; None where it has no such method."""
        key = key_of(update)
        method = getattr(self._object(key), _METHODS[type(update)], None)
        if key and ends_match(update):
            self._objects.pop(key, None)
        if method is None:
            _log_fault(update)
            return None
        return method(update)

    @contextmanager
    def forgiving(self, session: Session, update: Update) -> Iterator[None]:
        """Let an exception of the bot through or, where it costs a fault, log it and give the decision up."""
        try:
            yield
        except Exception:
            if self._on_error == "stop":
                raise
            log.exception("the bot failed in %s", _METHODS[type(update)])
            if isinstance(update, Decision):
                session.give_up(update)

    def _object(self, key: MatchKey | None) -> object:
        if self._class is None:
            return self._shared
        if key is None:
            return None
        if key not in self._objects:
            self._objects[key] = self._class()
        return self._objects[key]


def play(session: Session, player: Player, updates: Iterable[Update]) -> None:
    """Have a sync bot play what a session was told."""
    for update in updates:
        with player.forgiving(session, update):
            given = player.call(update)
            if isinstance(update, Decision):
                session.answer(update, given)


def key_of(update: Update) -> MatchKey | None:
    """Return the match that an update belongs to."""
    if isinstance(update, Notice):
        return None
    match = update if isinstance(update, Seated) else update.match
    return (match.id, match.attempt) if match else None


def name_of(bot: AnyBot) -> str:
    """Return the name of a bot's class or function."""
    named = bot if inspect.isclass(bot) or inspect.isroutine(bot) else type(bot)
    return named.__name__


def _is_async(method: object) -> bool:
    return inspect.iscoroutinefunction(method) or inspect.iscoroutinefunction(type(method).__call__)


def _log_fault(update: Update) -> None:
    if isinstance(update, Refused):
        where = f"match {update.match.id if update.match else 'unknown'}"
        if ends_match(update):
            log.warning("%s: the referee does not go on with it: %s %s", where, update.reason, update.text)
        else:
            where = f"{where}, decision {update.decision_id}"
            log.warning("%s: the answer was refused: %s %s", where, update.reason, update.text)
    elif isinstance(update, Closed) and update.fault:
        where = f"match {update.match.id}, decision {update.decision_id}"
        log.warning("%s: %s: the referee played the default action", where, update.fault.name)
