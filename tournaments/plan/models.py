"""What a tournament says of the language models that play in it, beside how they are asked.

How a model is asked, and so how it plays, are the arguments of its entry. Here is where it is reached and
what it may use, which changes no result.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

LLM: Final = "llm"
"""The name of the bot that asks a language model."""

OF_PLAY: Final = ("model", "words", "prompt", "reply", "reply_tokens", "request")
"""The keys of an entry that say how its model is asked: they are its arguments."""

_MILLION: Final = 1_000_000


def money(amount: float) -> str:
    """Return an amount in whatever money a file counts, to the hundredth of a hundredth."""
    return f"{amount:,.4f}".rstrip("0").rstrip(".")


@dataclass(frozen=True, slots=True)
class Prices:
    """What a million tokens cost, of prompts and of replies, in whatever money the file counts."""

    tokens_in: float
    tokens_out: float

    def of(self, tokens_in: int, tokens_out: int) -> float:
        """Return what tokens cost."""
        return (self.tokens_in * tokens_in + self.tokens_out * tokens_out) / _MILLION


@dataclass(frozen=True, slots=True)
class Budget:
    """The most that may be used: tokens of prompts and replies, and money; None: any."""

    tokens: int | None = None
    cost: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelUse:
    """Where an entry's model is reached, what it costs, and how much of it may be used."""

    model: str
    base_url: str
    key_from: str | None = None
    prices: Prices | None = None
    budget: Budget = Budget()


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """The language models of a tournament, by entry.

    ``budget`` is that of all together. A provider gets ``calls`` at a time. With ``void`` a match is void,
    and played again, when the provider of an entry failed in it. ``transcripts`` are kept in the tournament's
    folder. They ``are_reported`` beside the standings, those of remote entries, too.
    """

    uses: Mapping[str, ModelUse] = field(default_factory=dict)
    budget: Budget = Budget()
    calls: int = 8
    void: bool = False
    transcripts: bool = True
    are_reported: bool = False
