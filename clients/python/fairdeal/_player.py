"""The types of bots, and the calls of their methods."""

import inspect
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, Final, Literal, Protocol

from fairdeal._session import Session, ends_match
from fairdeal.actions import Answer, only_answer
from fairdeal.errors import BadAnswer, BadSetting
from fairdeal.updates import Closed, Decision, Finished, Happened, Notice, Refused, Seated, Update

log = logging.getLogger("fairdeal")


class Bot(Protocol):
    """A bot: an object that answers decisions.

    It may also have hooks, sync or async: ``on_seated(seated)``, ``on_event(happened)`` (without it the
    referee sends no events), ``on_closed(closed)``, ``on_refused(refused)``, ``on_finished(finished)`` and
    ``on_notice(notice)``.
    """

    def act(self, decision: Decision, /) -> Answer | Awaitable[Answer]:
        """Return the answer to a decision."""


BotFunction = Callable[[Decision], Answer | Awaitable[Answer]]

AnyBot = Bot | type[Bot] | BotFunction
"""What can be run.

An object or a function plays every match; a class is called without arguments for each match.
"""

MatchKey = tuple[str, int]
"""An attempt at a match: its id and number."""

OnError = Literal["stop", "fault"]
"""What an exception of the bot does: it ends the run, or it is logged and costs a fault."""

_GIVEN_UP: Final = "the referee gets no answer and counts a fault (malformed)"

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

    With ``play_forced`` the bot is not asked where one answer is legal.

    Raises:
        BadSetting: it is not a bot.
    """

    def __init__(self, bot: AnyBot, on_error: OnError, *, play_forced: bool = False) -> None:
        self._class = bot if isinstance(bot, type) else None
        self._shared: object = bot
        if not callable(getattr(bot, "act", None)):
            if isinstance(bot, type) or not callable(bot):
                raise BadSetting(
                    f"{bot!r} is not a bot: give a function, or an object with a method act(decision)"
                )
            self._shared = _Function(bot)
        self._on_error = on_error
        self._play_forced = play_forced
        self._objects: dict[MatchKey, object] = {}  # where each match has its own
        self._given_up: dict[MatchKey | None, int] = {}  # the last decision in which the bot failed
        self.is_async = any(_is_async(getattr(self._shared, name, None)) for name in _METHODS.values())
        """Whether one of the methods is a coroutine function."""
        self.wants_events = hasattr(bot, "on_event")
        """Whether the bot gets events."""
        self.wants_closed = self.is_async or hasattr(bot, "on_closed")
        """Whether the bot, or what runs it, hears that its answers were taken."""

    def call(self, update: Update) -> Any:
        """Pass an update to the bot's method and return its result; None if there is no such method."""
        if isinstance(update, Decision):
            if self._play_forced and (forced := only_answer(update.legal)) is not None:
                return forced
            bot: Any = self._object(key_of(update)) if self._class else self._shared
            return bot.act(update)
        key = key_of(update)
        method = getattr(self._object(key), _METHODS[type(update)], None)
        was_given_up = isinstance(update, Refused | Closed) and self._given_up.get(key) == update.decision_id
        if isinstance(update, Closed) and update.note_dropped:
            where = f"match {update.match.id}, decision {update.decision_id}"
            log.warning("%s: the referee did not keep the note: it is too long, or too many came", where)
        if key and ends_match(update):
            self._objects.pop(key, None)
            self._given_up.pop(key, None)
        if method is None:
            if not was_given_up:  # the log has told that with its cause
                _log_fault(update)
            return None
        return method(update)

    def forgives(self, session: Session, update: Update, error: Exception) -> bool:
        """Log an exception of the bot and give up the decision, a fault, unless it ends the run."""
        if self._on_error == "stop":
            return False
        if not isinstance(update, Decision):
            log.error("the bot failed in %s", _METHODS[type(update)], exc_info=error)
            return True
        bad = isinstance(error, BadAnswer)
        what = "returned an illegal answer" if bad else f"raised {type(error).__name__}"
        text = "match %s, decision %d: act %s; %s"
        log.error(text, update.match.id, update.id, what, _GIVEN_UP, exc_info=error)
        self._given_up[key_of(update)] = update.id
        session.give_up(update)
        return True

    def _object(self, key: MatchKey | None) -> object:
        if self._class is None:
            return self._shared
        if key is None:
            return None
        if key not in self._objects:
            self._objects[key] = self._class()
        return self._objects[key]


def play(session: Session, player: Player, updates: Iterable[Update]) -> None:
    """Have a sync bot handle the updates of a session."""
    for update in updates:
        try:
            given = player.call(update)
            if isinstance(update, Decision):
                session.answer(update, given)
        except Exception as error:
            if not player.forgives(session, update, error):
                raise


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
