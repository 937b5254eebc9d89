"""The account of an entry's language model: its calls, what was wrong with them, tokens, time.

All of it is the bot's own word, from the notes with its answers, but for the defaults that were played.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Final

from tournaments.plan.models import Prices

PROBLEMS: Final = ("unreadable", "truncated", "empty", "illegal")
"""What may be wrong with a reply."""

FEWEST_CALLS: Final = 20
MOST_FAILURES: Final = 0.1
MOST_DEFAULTS: Final = 0.2
"""With fewer calls, a larger share of failed ones or of defaults, results are provisional."""

_MOST: Final = 10**9  # of any number in a note


@dataclass(slots=True)
class Account:
    """What one entry's model did in some matches.

    ``asked`` are the decisions put to it, without the forced ones; ``first`` those that it answered legally
    at the first ask, ``defaults`` those in which the default action was played. ``calls`` are all, and
    ``transport`` those that failed. ``seconds`` is how long replies took, ``waited`` the rest of the model's
    time: for room, after failures. ``estimated`` counts the decisions whose tokens the server did not count.
    """

    matches: int = 0
    asked: int = 0
    first: int = 0
    defaults: int = 0
    calls: int = 0
    unreadable: int = 0
    truncated: int = 0
    empty: int = 0
    illegal: int = 0
    transport: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    estimated: int = 0
    cost: float = 0.0
    seconds: float = 0.0
    waited: float = 0.0

    def __iadd__(self, other: "Account") -> "Account":
        for field in fields(self):
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))
        return self

    @property
    def tokens(self) -> int:
        """Return the tokens of prompts and replies together."""
        return self.tokens_in + self.tokens_out

    @property
    def first_share(self) -> float | None:
        """Return the share of decisions answered legally at the first ask, None without any."""
        return self.first / self.asked if self.asked else None

    def cost_by(self, prices: Prices | None) -> float | None:
        """Return what the calls cost by prices, or as the server says; None where neither is known."""
        if prices is not None:
            return prices.of(self.tokens_in, self.tokens_out)
        return self.cost or None

    @property
    def provisional(self) -> tuple[str, ...]:
        """Return why the results are provisional, if they are: too few decisions were the model's own."""
        found = []
        if self.calls < FEWEST_CALLS:
            found.append("calls")
        if self.transport > MOST_FAILURES * self.calls:
            found.append("provider")
        if self.defaults > MOST_DEFAULTS * self.asked:
            found.append("defaults")
        return tuple(found)


def accounts_of(entries: Iterable[str], lines: Iterable[Mapping[str, Any]]) -> dict[str, Account]:
    """Return the accounts of one match, by its entries of each seat and the lines of its record.

    An entry without the note of a model has none; one with several seats has one for all of them.
    """
    seats = tuple(entries)
    found = {entry: Account() for entry in seats}
    models: set[str] = set()
    for line in lines:
        seat = line.get("seat")
        if not isinstance(seat, int) or not 0 <= seat < len(seats):
            continue
        account = found[seats[seat]]
        if line.get("type") == "substituted" and "fault" in line:
            account.defaults += 1
            account.asked += line["fault"] not in ("malformed", "illegal")  # else its note says so
        elif line.get("kind") == "answer" and (note := note_of(line.get("note"))) is not None:
            models.add(seats[seat])
            _take(account, note)
    for account in found.values():
        account.matches = 1
    return {entry: account for entry, account in found.items() if entry in models}


def note_of(text: object) -> Mapping[str, Any] | None:
    """Return the note of a language model, None for another one: it may be anything."""
    try:
        note = json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        return None
    return note if isinstance(note, dict) and "attempts" in note and "tokens_in" in note else None


def _take(account: Account, note: Mapping[str, Any]) -> None:
    def number(name: str) -> float:
        value = note.get(name)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _MOST:
            return 0
        return value

    def count(name: str) -> int:
        return int(number(name))

    problems = {name: count(name) for name in PROBLEMS}
    attempts, transport = count("attempts"), count("transport")
    account.asked += 1
    account.first += attempts == 1 and "gave_up" not in note and not any(problems.values())
    account.calls += attempts + transport
    account.transport += transport
    for name, times in problems.items():
        setattr(account, name, getattr(account, name) + times)
    account.tokens_in += count("tokens_in")
    account.tokens_out += count("tokens_out")
    account.estimated += bool(note.get("estimated"))
    account.cost += number("cost")
    account.seconds += number("seconds")
    account.waited += number("waited")
