"""What a bot is, and the calling of its methods."""

import inspect
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, Final, Literal, Protocol

from fairdeal._session import Session
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


class Player:
    """Calls a bot's methods: those of one object or, given a class, of one object for each match.

    Raises:
        BadSetting: it is no bot.
    """

    def __init__(self, bot: AnyBot, on_error: OnError) -> None:
        if not callable(getattr(bot, "act", None)) and (isinstance(bot, type) or not callable(bot)):
            raise BadSetting(f"{bot!r} is no bot: it needs a method act(decision), or to be a function")
        self._bot = bot
        self._on_error = on_error
        self._objects: dict[str, object] = {}  # by match, where each has its own
        methods = [method for name in _METHODS.values() if (method := getattr(bot, name, None))] or [bot]
        self.is_async = any(map(_is_async, methods))
        """Whether one of the methods is a coroutine function."""
        self.wants_events = hasattr(bot, "on_event")
        """Whether the bot is to be told events."""

    def call(self, update: Update) -> Any:
        """Tell the bot an update and return what its method returns; None where it has no such method."""
        method = self._method(update)
        if isinstance(update, Finished):
            self._objects.pop(update.match.id, None)
        if method is None:
            _log_fault(update)
            return None
        return method(update)

    def failed(self, session: Session, update: Update) -> None:
        """Do what is to be done about the exception that the bot has raised and that is being handled."""
        if self._on_error == "stop":
            raise
        log.exception("the bot failed in %s", _METHODS[type(update)])
        if isinstance(update, Decision):
            session.give_up(update)

    def _method(self, update: Update) -> Callable[[Update], Any] | None:
        match_id = match_of(update)
        bot: object = self._bot
        if isinstance(bot, type):
            if not match_id:
                return None
            bot = self._objects.get(match_id) or self._objects.setdefault(match_id, bot())
        elif isinstance(update, Decision) and not hasattr(bot, "act"):
            return bot
        return getattr(bot, _METHODS[type(update)], None)


def play(session: Session, player: Player, updates: Iterable[Update]) -> None:
    """Have a sync bot play what a session was told; its exceptions go through unless they cost a fault."""
    for update in updates:
        try:
            given = player.call(update)
            if isinstance(update, Decision):
                session.answer(update, given)
        except Exception:
            player.failed(session, update)


def match_of(update: Update) -> str:
    """Return the id of the match that an update belongs to, empty for none."""
    match update:
        case Seated():
            return update.id
        case Notice() | Refused(match=None):
            return ""
    return update.match.id if update.match else ""


def name_of(bot: AnyBot) -> str:
    """Return the name of a bot's class or function."""
    named = bot if inspect.isclass(bot) or inspect.isroutine(bot) else type(bot)
    return named.__name__


def _is_async(method: object) -> bool:
    return inspect.iscoroutinefunction(method) or inspect.iscoroutinefunction(type(method).__call__)


def _log_fault(update: Update) -> None:
    if isinstance(update, Refused):
        where = f"match {match_of(update) or 'unknown'}, decision {update.decision_id}"
        log.warning("%s: the answer was refused: %s %s", where, update.reason, update.text)
    elif isinstance(update, Closed) and update.fault:
        where = f"match {update.match.id}, decision {update.decision_id}"
        log.warning("%s: %s: the referee played the default action", where, update.fault.name)
