"""What a tournament will ask of its language models: calls and tokens, reckoned before anything is played."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from fairdeal import Answer, Decision
from fairdeal.actions import only_answer
from fairdeal.bots import make
from fairdeal.bots.arguments import parser
from fairdeal.llm.settings import DEFAULT_REPLY_TOKENS
from fairdeal.testing import play
from fairdeal.words import words
from referee.games.registry import GAMES
from tournaments.plan.models import LLM, Budget, money
from tournaments.plan.plan import Entry, Plan
from tournaments.schedule.pairing import Pairing

CHARACTERS: Final = 4
"""Characters of a token, on average: servers count in their own way."""

_SAMPLES: Final = 8  # matches of greedy bots, by which the length of a match is reckoned


@dataclass(frozen=True, slots=True)
class SeatLoad:
    """What one seat has to decide in a match: its decisions, those with a choice, and tokens of a prompt."""

    decisions: float
    calls: float
    prompt_tokens: float

    @property
    def saved(self) -> float:
        """Return the share of decisions that need no call, since one answer is legal."""
        return 1 - self.calls / self.decisions


class _Counting:
    """A greedy bot that counts what a model in its place would be asked."""

    def __init__(self) -> None:
        self.decisions = self.calls = self.characters = 0
        self._bot = make("greedy")

    def act(self, decision: Decision) -> Answer:
        """Answer as greedy does."""
        self.decisions += 1
        if only_answer(decision.legal) is None:
            self.calls += 1
            self.characters += len(words(decision))
        return self._bot.act(decision)


def match_of(plan: Plan) -> SeatLoad:
    """Return what a seat has to decide in a match of a plan, on average, as greedy bots play."""
    counting = _Counting()
    seats = GAMES[plan.game].seats
    for number in range(_SAMPLES):
        seed, options = f"expected-{number}", dict(plan.options)
        play(plan.game, [counting] * seats, seed=seed, options=options, deals=plan.deals)
    number = _SAMPLES * seats
    return SeatLoad(
        counting.decisions / number,
        counting.calls / number,
        counting.characters / CHARACTERS / max(1, counting.calls),
    )


def lines(plan: Plan, schedule: Iterator[Pairing] | None) -> Iterator[str]:
    """Yield what to expect of each language model, in plain words; without a schedule, of a match.

    The schedule holds all matches of the plan.
    """
    models = [entry for entry in plan.entries if entry.bot == LLM]
    if not models:
        return
    match = match_of(plan)
    yield (
        f"language models, as greedy bots would play: {match.calls:.0f} calls a seat and match, of"
        f" {match.decisions:.0f} decisions ({match.saved:.0%} have one legal answer), with"
        f" {match.prompt_tokens:.0f} tokens a prompt"
    )
    seats = None if schedule is None else Counter(name for each in schedule for name in each.entries)
    for entry in models:
        yield _line(plan, entry, match, seats)
    if told := _told(plan.models.budget):
        yield f"all models together{told}"


def _line(plan: Plan, entry: Entry, match: SeatLoad, seats: Mapping[str, int] | None) -> str:
    number = 1 if seats is None else seats[entry.name]
    given = vars(parser().parse_args([LLM, *entry.arguments]))
    limit = given["reply_tokens"] or DEFAULT_REPLY_TOKENS
    calls = match.calls * number
    prompts = calls * (match.prompt_tokens + _own(plan.base, given["prompt"]) / CHARACTERS)
    of = "a seat and match" if seats is None else f"{number} seat{'s' * (number != 1)} in matches"
    text = (
        f"{entry.name}: {of}, about {calls:,.0f} calls and {prompts:,.0f} tokens of prompts; replies have at"
        f" most {calls * limit:,.0f} (a second ask of a decision comes on top)"
    )
    use = plan.models.uses.get(entry.name)
    if use is not None and use.prices is not None:
        least, most = (use.prices.of(round(prompts), round(out)) for out in (0, calls * limit))
        text += f"; cost {money(least)} to {money(most)}"
    if use is not None:
        text += _told(use.budget)
        if use.budget.tokens is not None and use.budget.tokens < prompts:
            text += ": not enough for the prompts alone"
    return text


def _told(budget: Budget) -> str:
    """Return a budget in words, empty where there is none."""
    tokens = "" if budget.tokens is None else f", max_tokens = {budget.tokens:,}"
    return tokens + ("" if budget.cost is None else f", max_cost = {money(budget.cost)}")


def _own(base: Path, prompt: str | None) -> int:
    """Return the length of a text of one's own that comes before the rules; 0 where it is not there."""
    try:
        return len((base / prompt).read_text(encoding="utf-8")) if prompt else 0
    except (OSError, UnicodeDecodeError):
        return 0
