"""What a bot kept of a match, beside the record of it: docs/bots.md describes the lines and the digest."""

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any, Final

from referee.codec.proto import decision_bytes
from referee.core.told import asked, ended, start_of
from referee.games.base import Game
from referee.match.effects import Append, Deals, Effect, Input, MatchSetup, Tell
from referee.match.match import Match
from referee.match.messages import Closed, Decision, Given
from referee.verify.lines import Line
from referee.verify.values import Discrepancy, NotVerified, Status, as_json, difference, differs

_SHAPES: Final = {"match_id": str, "attempt": int, "seat": int, "entries": list, "game": str}
_COMMITMENT: Final = ("scheme", "epoch_id", "commit", "manifest")


_Items = dict[tuple[int, int], bytes]  # by seat and decision


class HeardMatch(Match):
    """A match that remembers what each seat was asked, and what came of it."""

    def __init__(self, setup: MatchSetup, game: Game[Any], deals: Deals) -> None:
        super().__init__(setup, game, deals)
        self._answers: dict[tuple[int, int], Given] = {}
        self.asked: _Items = {}
        self.closed: _Items = {}
        self._maybe_asked: _Items = {}
        self._maybe_closed: _Items = {}
        self._is_plain = False  # since all that comes out is heard in `_done`

    def restarted(self, now: int, grace: int) -> list[Effect]:
        """Do the same, and remember what was held back: how long the referee went on is not known.

        What it told then, its bots have, though it is not told again.
        """
        self._hear(self._grid.held, self._maybe_asked, self._maybe_closed)
        return super().restarted(now, grace)

    def _done(self, now: int) -> list[Effect]:
        effects = super()._done(now)
        self._hear(effects, self.asked, self.closed)
        return effects

    def _hear(self, effects: Iterable[Effect], asked: _Items, closed: _Items) -> None:
        for effect in effects:
            match effect:
                case Append(Input(kind="answer", seat=seat, decision_id=number, given=given)):
                    assert seat is not None and number is not None and given is not None
                    self._answers.setdefault((seat, number), given)
                case Tell(seat, Decision() as decision):
                    asked.setdefault((seat, decision.decision_id), decision_bytes(decision))
                case Tell(seat, Closed() as end):
                    given = self._answers.get((seat, end.decision_id))
                    closed[seat, end.decision_id] = ended(end, given)

    def digest(self, seat: int, manifest: bytes, line: Line) -> str:
        """Return the digest that a bot has which was told what its line says, in hexadecimal.

        Raises:
            KeyError: it says that it was told a decision that the seat was never asked.
        """
        made = hashlib.sha256(start_of(self.setup, seat, manifest))
        last, unknown = line["decisions"], set(line["unknown"])
        decisions, ends = {**self._maybe_asked, **self.asked}, {**self._maybe_closed, **self.closed}
        if last:
            decisions[seat, last]  # before that many are gone through
        missed: set[int] = set()
        for first, until in line["missed"]:
            missed.update(range(max(1, first), min(until, last) + 1))
        for number in range(1, last + 1):
            if number not in missed:
                made.update(asked(decisions[seat, number]))
                if number not in unknown:
                    made.update(ends[seat, number])
        return made.hexdigest()

    def whole_digest(self, seat: int, manifest: bytes) -> str:
        """Return the digest of all that a seat was told, in hexadecimal."""
        made = hashlib.sha256(start_of(self.setup, seat, manifest))
        for of, number in sorted(self.asked):
            if of == seat:
                made.update(asked(self.asked[seat, number]) + self.closed.get((seat, number), b""))
        return made.hexdigest()


def check_recorded(match: HeardMatch, lines: Sequence[Line]) -> None:
    """Compare the digests that a record holds by seat, if it does, with those of its match, which is over.

    It holds none if nobody was asked anything, or if an earlier version has written it.

    Raises:
        NotVerified: they are others.
    """
    if "told" not in lines[-1]:
        return
    manifest = bytes.fromhex(lines[0]["commitment"]["manifest"])
    seats = len(lines[0]["entries"]) if match.asked else 0
    due = [match.whole_digest(seat, manifest) for seat in range(seats)]
    if where := difference(due, lines[-1]["told"], "told"):
        raise differs("a seat was told or answered something else than this record says", len(lines), where)


def check_told(match: HeardMatch, lines: Sequence[Line], kept: Sequence[Line], *, digests: bool) -> None:
    """Compare a record with the lines that bots kept of its match; ``digests``: it was played to its end.

    Raises:
        NotVerified: it is not what they were told and answered.
    """
    for line in kept:
        _check_line(match, lines, line, digests=digests)


def _check_line(match: HeardMatch, lines: Sequence[Line], kept: Line, *, digests: bool) -> None:
    header, outcome, reveal = lines[0], lines[-2], lines[-1]
    if not all(type(kept.get(name)) is kind for name, kind in _SHAPES.items()):
        raise NotVerified(Discrepancy("a line that the bot kept is damaged", None, "told"))
    seat, who = kept["seat"], f"the bot of seat {kept['seat']}"
    if not 0 <= seat < len(header["entries"]):
        raise differs(
            f"{who} was told a seat that there is not", 1, ("entries", kept["entries"], header["entries"])
        )
    told = {"game": kept["game"], **({"entries": kept["entries"]} if kept["entries"] else {})}
    found = {name: header[name] for name in told}
    told["commitment"] = {name: kept.get(name) for name in _COMMITMENT}
    found["commitment"] = {name: header["commitment"][name] for name in _COMMITMENT}
    if where := difference(told, found):
        raise differs(f"{who} was told something else when it was seated", 1, where)
    if kept["type"] == "breach":
        raise NotVerified(Discrepancy(f"{who} tells of a breach: {kept.get('breach')}", None, "told"))
    if kept["type"] != "finished":
        return
    end = {name: kept.get(name) for name in ("termination", "ranks", "scores")}
    if where := difference(end, {name: outcome[name] for name in end}):
        raise differs(f"{who} was told another end", len(lines) - 1, where)
    if kept.get("secret") and (where := difference(kept["secret"], reveal["secret"], "secret")):
        raise differs(f"{who} was told another secret", len(lines), where)
    if not digests:
        return
    try:
        digest = match.digest(seat, bytes.fromhex(kept["manifest"]), kept)
    except (KeyError, TypeError, ValueError):
        text = f"{who} tells of other decisions than this record has"
        raise NotVerified(Discrepancy(text, None, "told", as_json(kept.get("decisions")))) from None
    if where := difference(kept.get("told"), digest, "told"):
        raise differs(f"{who} was told or answered something else than this record says", None, where)


def of_other_software(error: NotVerified, text: str) -> NotVerified:
    """Return a difference of digests as one that another version's messages may have caused."""
    return NotVerified(
        Discrepancy(
            f"{error.problem.text}, or {text}", None, "told", error.problem.expected, error.problem.found
        ),
        Status.UNKNOWN,
    )
