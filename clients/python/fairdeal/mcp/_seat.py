"""A seat as an agent holds it: what the agent is told, and its answers read. No I/O."""

import json
from collections import deque
from typing import Any, Final

from fairdeal.actions import Noted
from fairdeal.errors import FairdealError
from fairdeal.updates import Closed, Decision, Fault, Finished, Termination
from fairdeal.words import TEXT_HASH, Profile, parse, reminder, rules, situation
from fairdeal.words._frame import HOW_TO_ANSWER, HOW_TO_REPLY

MOST_NOTE: Final = 400
"""Characters of an agent's note that are kept: a match keeps 64 KiB or more of each seat."""
_MOST_NEWS: Final = 20

HOW_TO_ACT: Final = (
    'You may think first. Answer with the tool "act": give it the number of the turn, and your answer as its'
    ' argument "action". A card is a string, several cards are a list of strings, a number of tricks is a'
    " number, a word is a string."
)
NOTHING_YET: Final = "It is not your turn yet. Call wait again."
NO_RULES_YET: Final = "There is no match yet. Call wait first: the rules can be told from your first turn on."

_FAULTS: Final = {
    Fault.LATE: "your answer did not come in time",
    Fault.DISCONNECTED: "the connection was lost for too long",
}


class BadCall(FairdealError):
    """A call of an agent that cannot be taken; the text says what to do."""


class HeldSeat:
    """What an agent knows of its seat, with at most one open decision, its turn; turns are counted from 1.

    All that it tells is made from the seat's own decisions and results.
    """

    def __init__(self, profile: Profile = "full") -> None:
        self.turn = 0
        """The number of the last turn."""
        self.decision: Decision | None = None
        """The decision that is open."""
        self.over = ""
        """Why there are no more turns; empty while there are."""
        self._profile: Profile = profile
        self._attempts = 0
        self._situation = ""
        self._last: Decision | None = None  # of the match that is played, for its rules
        self._news: deque[str] = deque(maxlen=_MOST_NEWS)

    @property
    def is_ready(self) -> bool:
        """Return whether there is something to do for the agent."""
        return self.decision is not None or bool(self.over)

    def ask(self, decision: Decision) -> None:
        """Take a decision as the next turn.

        Raises:
            NoWords: there are no words for the game, or its version of the rules.
        """
        self._situation = situation(decision, self._profile)
        self.decision = self._last = decision
        self.turn += 1
        self._attempts = 0

    def close(self) -> None:
        """Close the turn."""
        self.decision = None

    def tell_begun(self) -> None:
        """Take the news that a match begins."""
        self._last = None
        self._news.append("A match begins. The tool rules tells how it is played.")

    def tell_closed(self, closed: Closed) -> None:
        """Take the news that a decision is closed; only a fault is told."""
        if closed.fault:
            why = _FAULTS.get(closed.fault, "your answer was not taken")
            self._news.append(f"A fault: {why}, and the referee played the default action for you.")

    def tell_finished(self, finished: Finished) -> None:
        """Take the news that a match is over."""
        self._news.append(_ended(finished))

    def end(self, why: str) -> None:
        """Take it that there are no more turns, and why."""
        self.over = why
        self.decision = None

    def told(self) -> str:
        """Return the news since the last time, and the turn if there is one."""
        parts = [*self._news]
        self._news.clear()
        if decision := self.decision:
            seconds, bank = round(decision.move_time, 1), round(decision.bank, 1)
            parts += [
                f"Turn {self.turn} is yours. At its beginning you had {seconds:g} s for it, and {bank:g} s"
                " more for the rest of the match.",
                self._situation.rstrip(),
                f'Answer with the tool act: {{"turn": {self.turn}, "action": ...}}',
            ]
        else:
            parts.append(self.over or NOTHING_YET)
        return "\n\n".join(parts)

    def rules(self) -> str:
        """Return the rules of the match that is played, and how to answer.

        Raises:
            BadCall: there is no match yet.
        """
        if self._last is None:
            raise BadCall(NO_RULES_YET)
        return rules(self._last, self._profile).replace(HOW_TO_ANSWER, HOW_TO_ACT)

    def read(self, turn: object, action: object, note: object = "") -> Noted:
        """Return the answer of a turn with its note; the turn stays open until it is closed.

        Raises:
            BadCall: the turn is not open, or the action cannot be read or is not legal.
        """
        decision = self.decision
        if decision is None:
            raise BadCall(f"No turn is open. {self.over or NOTHING_YET}")
        if turn != self.turn:
            raise BadCall(f"The turn that is open is {self.turn}, not {str(turn)[:20]}. Call look.")
        self._attempts += 1
        reading = parse(decision, _reply(action), self._profile)
        if reading.problem:
            told = reminder(decision, reading, self._profile)
            raise BadCall(told.replace(HOW_TO_REPLY, "You may call act again while there is time."))
        thought = str(note)[:MOST_NOTE].encode(errors="replace").decode()
        said: dict[str, Any] = {"thought": thought} if thought else {}
        if self._profile != "full":
            said["profile"] = self._profile
        return Noted(reading.answer, {**said, "words": TEXT_HASH, "attempts": self._attempts})


def _reply(action: object) -> str:
    """Return an argument as a reply; agents often send a list, or the whole reply, as text."""
    if isinstance(action, str) and (text := action.strip())[:1] == "{":
        return text
    if isinstance(action, str) and text[:1] == "[":
        return f'{{"action": {text}}}'
    return json.dumps({"action": action})


def _ended(finished: Finished) -> str:
    """Return a sentence on how a match ended."""
    if finished.termination is Termination.VOID:
        return "The match is void: it counts for nothing."
    said = [f"The match is over: {finished.termination.name.lower()}."]
    if finished.match.seat in finished.forfeited:
        said.append("You forfeited it by your faults.")
    if finished.rank is not None:
        said.append(f"Your rank is {finished.rank} of {len(finished.ranks)}.")
    if finished.score is not None:
        said.append(f"Your score is {finished.score}.")
    return " ".join(said)
