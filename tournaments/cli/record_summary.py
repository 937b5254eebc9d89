"""Many records in a few lines: one for each match, and a table of the entries."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Final

from referee.match.clock import SECOND
from referee.storage.record import Record, RecordError
from referee.transcript import sides_of
from tournaments.text import one_line

_FAULTS: Final = ("malformed", "illegal", "disconnected", "late")
_NAME: Final = 24  # characters of an entry's name that are shown in the table


@dataclass
class _Entry:
    """What is counted of an entry; times in microseconds."""

    seats: int = 0
    ranked: int = 0
    won: float = 0.0
    ranks: int = 0
    forfeits: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    answered: int = 0
    thought: int = 0
    longest: int = 0


class Summary:
    """Counts what became of the matches of records."""

    def __init__(self) -> None:
        self._entries: dict[str, _Entry] = {}
        self._ends: Counter[str] = Counter()

    def add(self, whole: Record) -> None:
        """Count a match.

        Raises:
            RecordError: its header or its outcome is damaged.
        """
        try:
            self._add(whole.header["entries"], _outcome(whole), sides_of(whole))
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise _damaged(error) from None

    def _add(self, names: list[str], outcome: dict[str, Any], sides: tuple[tuple[int, ...], ...]) -> None:
        self._ends[outcome["termination"]] += 1
        ranks: list[int] = outcome["ranks"]
        firsts = ranks.count(1)
        for seat, name in enumerate(names):
            entry = self._entries.setdefault(name, _Entry())
            entry.seats += 1
            entry.forfeits += seat in outcome["forfeited"]
            entry.faults.update({fault: outcome["faults"][seat][fault] for fault in _FAULTS})
            time = outcome["times"][seat]
            entry.answered += time["answered"]
            entry.thought += time["total"]
            entry.longest = max(entry.longest, time["longest"])
            for side, rank in zip(sides, ranks, strict=False):
                if seat in side:
                    entry.ranked += 1
                    entry.ranks += rank
                    entry.won += (rank == 1) / firsts

    def line(self, whole: Record) -> str:
        """Return a match in one line: what it is, how it ended, who ranks where with which score."""
        header, outcome = whole.header, _outcome(whole)
        try:
            sides = sides_of(whole)
            ranks = outcome["ranks"]
            scores = [f" ({score})" for score in outcome["scores"]] or [""] * len(ranks)
            names = [
                f"{rank} {'+'.join(header['entries'][seat] for seat in side)}{score}"
                for rank, side, score in sorted(zip(ranks, sides, scores, strict=False))
            ]
            faults = sum(counts[fault] for counts in outcome["faults"] for fault in _FAULTS)
            told = f"{header['match_id']}.{header['attempt']} {header['game']} {outcome['termination']}"
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise _damaged(error) from None
        ended = f": {', '.join(names)}" if names else ""
        return one_line(f"{told}{ended}{f'; faults {faults}' if faults else ''}")

    def table(self) -> list[str]:
        """Return the table of the entries, who won most first."""
        number = self._ends.total()
        ends = ", ".join(f"{count} {end}" for end, count in self._ends.most_common())
        width = min(_NAME, max(map(len, self._entries), default=0))
        rows = ["", f"{number} record{'s' * (number != 1)}: {ends}", ""]
        head = f"{'seats':>6} {'won':>7} {'rank':>5} {'forfeits':>8} {'faults':>6} {'mean':>8} {'longest':>8}"
        rows.append(f"{'entry':<{max(width, 5)}} {head}")
        for name, entry in self._ranking():
            won = f"{entry.won:g}" if entry.won == int(entry.won) else f"{entry.won:.2f}"
            rank = f"{entry.ranks / entry.ranked:.2f}" if entry.ranked else "-"
            mean = f"{entry.thought / entry.answered / SECOND:.3f} s" if entry.answered else "-"
            longest = f"{entry.longest / SECOND:.3f} s" if entry.answered else "-"
            shown = one_line(name)[:_NAME]
            rows.append(
                f"{shown:<{max(width, 5)}} {entry.seats:>6} {won:>7} {rank:>5} {entry.forfeits:>8}"
                f" {entry.faults.total():>6} {mean:>8} {longest:>8}"
            )
        rows += ["", "mean, longest: time to think about a decision that was answered"]
        return rows

    def data(self) -> list[dict[str, Any]]:
        """Return the table for programs; times in microseconds."""
        return [
            {
                "entry": name,
                "seats": entry.seats,
                "won": entry.won,
                "mean_rank": entry.ranks / entry.ranked if entry.ranked else None,
                "forfeits": entry.forfeits,
                "faults": dict(entry.faults),
                "answered": entry.answered,
                "thought": entry.thought,
                "longest": entry.longest,
            }
            for name, entry in self._ranking()
        ]

    def _ranking(self) -> list[tuple[str, _Entry]]:
        return sorted(self._entries.items(), key=lambda each: (-each[1].won, each[0]))


def _outcome(whole: Record) -> dict[str, Any]:
    for line in reversed(whole.lines):
        if line["type"] == "outcome":
            return dict(line)
    raise RecordError("the record has no outcome")


def _damaged(error: Exception) -> RecordError:
    return RecordError(f"the record is damaged ({type(error).__name__}): fairdeal record verify says where")
