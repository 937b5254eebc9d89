"""One decision put to a model: the messages, what its replies come to, and what that has taken. No I/O."""

import hashlib
from collections import Counter
from dataclasses import dataclass
from typing import Any, Final

from fairdeal.actions import PlainAnswer
from fairdeal.llm.settings import ModelSettings
from fairdeal.updates import Decision
from fairdeal.words import TEXT_HASH, Problem, Reading, parse, reminder, rules, situation

MOST_ASKS: Final = 2
"""How often a model is asked for one decision."""
TRUNCATED: Final = "truncated"
REPEATED: Final = 2000  # characters of its own reply that a model is shown again

_BANK_SHARE: Final = 4  # a decision takes at most this part of the bank
_LONGEST_MARGIN: Final = 2.0  # seconds that are left for the way to the referee
_CHARACTERS: Final = 4  # of a token, where the server does not count


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model replied.

    ``text`` is what is read, ``reasoning`` what it said apart from that; ``finish`` is why it ended, "length"
    at the limit. ``tokens_in`` and ``tokens_out`` are as the server counts, None where it does not.
    """

    text: str
    finish: str
    reasoning: str = ""
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost: float | None = None


def time_for(decision: Decision) -> float:
    """Return how many seconds the asking may take: the move's time and a part of the bank, less a margin."""
    whole = decision.move_time + decision.bank / _BANK_SHARE
    return whole - min(_LONGEST_MARGIN, whole / 10)


class Asking:
    """Asks a model for one decision, at most twice.

    ``messages`` is what to send next. `take` gets each reply; when it ``is_over``, ``answer`` is the model's,
    or None. ``problems`` counts what was wrong with replies, and `failed` what was wrong with calls.
    """

    def __init__(self, decision: Decision, settings: ModelSettings) -> None:
        self._decision = decision
        self._settings = settings
        first = rules(decision, settings.words)
        if settings.prompt.strip():
            first = f"{settings.prompt.rstrip()}\n\n{first}"
        self.messages: list[dict[str, str]] = [
            {"role": "system", "content": first},
            {"role": "user", "content": situation(decision, settings.words)},
        ]
        self.answer: PlainAnswer | None = None
        self.asks = 0
        self.problems: Counter[str] = Counter()
        self.transport = 0
        self.gave_up = ""
        """Why there is no answer: "replies", "provider", "time", "room" or "rejected"."""
        self.seconds = 0.0
        """How long the calls took that brought a reply, or had begun to when the time was over."""
        self.waited = 0.0
        """How long was waited otherwise: for room, after failures, in calls that failed."""
        self.failure = ""
        """What was wrong with the last call that failed."""
        self._finish = ""
        self._tokens = [0, 0]
        self._cost: float | None = None
        self._is_estimated = False

    @property
    def is_over(self) -> bool:
        """Return whether the model is not to be asked again."""
        return self.answer is not None or bool(self.gave_up)

    def take(self, reply: Reply, seconds: float) -> str | None:
        """Take a reply that came after so many seconds, and return what is wrong with it, None if nothing."""
        self.asks += 1
        self.seconds += seconds
        self._finish = reply.finish[:20]
        self._count(reply)
        reading = parse(self._decision, reply.text, self._settings.words)
        if reply.finish == "length":
            # its end is missing, so what looks like an answer may be a thought
            why = "it was cut off at the limit of its length, so think less before you answer"
            problem, reading = TRUNCATED, Reading(None, Problem.UNREADABLE, why)
        elif reading.problem is None:
            self.answer = reading.answer
            return None
        else:
            problem = reading.problem.value
        self.problems[problem] += 1
        if self.asks >= MOST_ASKS:
            self.gave_up = "replies"
        else:
            self._remind(reply.text, reminder(self._decision, reading, self._settings.words))
        return problem

    def failed(self, seconds: float, failure: str, begun: Reply | None = None) -> None:
        """Take a call that failed after so many seconds; what a reply had begun with is paid for, too."""
        self.transport += 1
        self.waited += seconds
        self.failure = failure
        if begun:
            self._count(begun)

    def cut_short(self, begun: Reply, seconds: float) -> None:
        """Take a reply that was still being written when the time was over."""
        self.asks += 1
        self.seconds += seconds
        self._count(begun)

    def note(self) -> dict[str, Any]:
        """Return the note for the record: short, since a match keeps a limited amount."""
        settings = self._settings
        named = {
            "model": settings.model,
            "words": TEXT_HASH,
            "profile": settings.words if settings.words != "full" else None,
            "prompt": hashlib.sha256(settings.prompt.encode()).hexdigest()[:8] if settings.prompt else None,
            "reply": settings.reply if settings.reply != "json" else None,
            "attempts": self.asks,
            "tokens_in": self._tokens[0],
            "tokens_out": self._tokens[1],
            "estimated": self._is_estimated or None,
            "cost": None if self._cost is None else round(self._cost, 6),
            "seconds": round(self.seconds, 2),
            "waited": round(self.waited, 2) or None,
            "finish": self._finish or None,
            **self.problems,
            "transport": self.transport or None,
            "gave_up": self.gave_up or None,
        }
        return {name: value for name, value in named.items() if value is not None}

    def _count(self, reply: Reply) -> None:
        sent = sum(len(message["content"]) for message in self.messages)
        counted = (reply.tokens_in, reply.tokens_out)
        estimated = (sent // _CHARACTERS, (len(reply.text) + len(reply.reasoning)) // _CHARACTERS)
        for place, number in enumerate(counted):
            self._is_estimated |= number is None
            self._tokens[place] += estimated[place] if number is None else number
        if reply.cost is not None:
            self._cost = (self._cost or 0.0) + reply.cost

    def _remind(self, said: str, reminder: str) -> None:
        if said.strip():
            self.messages.append({"role": "assistant", "content": said[-REPEATED:]})
            self.messages.append({"role": "user", "content": reminder})
        else:  # servers refuse an empty message, and some two of one speaker
            last = self.messages[-1]
            self.messages[-1] = {**last, "content": f"{last['content']}\n{reminder}"}
