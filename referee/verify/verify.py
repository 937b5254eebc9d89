"""Verifies one record: its file, its header, its decks, every line, and what others know of it."""

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from referee.dealing.decks import MatchDeals, epoch_id_of
from referee.dealing.scheme import seeded_secret
from referee.games.registry import GAMES
from referee.match.match import Match
from referee.match.replay import Header
from referee.storage.recorder import SOFTWARE
from referee.verify.header import check_name, most_lines, opened, read_match
from referee.verify.lines import Line, header_of, lines_of
from referee.verify.replayed import check_unplayed, is_unplayed, replay
from referee.verify.told import HeardMatch, check_recorded, check_told, of_other_software
from referee.verify.values import (
    Discrepancy,
    Known,
    NotVerified,
    Status,
    Verdict,
    difference,
    differs,
    unknown,
)

UNOPENED: Final = (
    "; the match is void, and has no result: a referee that finds its key gone when it comes back ends it so"
)

UNTOLD: Final = "the digests of what bots were told and answered"
OTHERWISE: Final = f"{UNTOLD}: another version, which put its messages otherwise, made them"


def verify(data: bytes, *, name: str = "", known: Known | None = None, told: Sequence[Line] = ()) -> Verdict:
    """Verify a record, the bytes of its file, and return what was found out.

    ``name`` is that of the file, which is compared if records are named so; ``known`` is what somebody else
    knows of the record, ``told`` the lines that bots kept; those of other matches are passed over.
    """
    verification = _Verification()
    try:
        verification.run(data, name, known, told)
    except NotVerified as error:
        verdict = replace(verification.verdict, status=error.status, problem=error.problem)
    else:
        verdict = verification.verdict
    digest = hashlib.sha256(data).hexdigest()
    if known is None or digest == known.sha256:
        return verdict
    changed = "the file is not the one whose SHA-256 is stored"
    if verdict.problem:
        both = replace(verdict.problem, text=f"{verdict.problem.text} [{changed}]")
        return replace(verdict, status=Status.WRONG, problem=both)
    text = f"{changed}; nothing in it shows what was changed"
    problem = Discrepancy(text, None, "sha256", f'"{known.sha256}"', f'"{digest}"')
    return replace(verdict, status=Status.WRONG, problem=problem)


class _Verification:
    """What is known of a record so far."""

    def __init__(self) -> None:
        self.verdict = Verdict(status=Status.VERIFIED)

    def run(self, data: bytes, name: str, known: Known | None, told: Sequence[Line]) -> None:
        """Verify a record.

        Raises:
            NotVerified: something is wrong, or not known to this version.
        """
        first = header_of(data)  # and only then the rest, which may be much of what no match has
        self._note(first)
        if "seat" in first:
            raise unknown(
                "this is what one seat knew of a match: get the whole record to verify it", 1, "seat"
            )
        header = read_match(first)
        check_name(name, header.setup)
        if known:
            _compare("header", known.header, first, 1)
        lines = lines_of(data, most_lines(header.setup))
        self.verdict = replace(self.verdict, termination=_text(lines[-2], "termination"))
        try:
            deals = opened(header, lines[-1], len(lines))
        except NotVerified as error:
            if not (error.problem.field == "commitment.commit" and is_unplayed(lines)):
                raise
            raise NotVerified(
                replace(error.problem, text=error.problem.text + UNOPENED), Status.UNKNOWN
            ) from None
        if known and known.knows_seed:
            _check_seed(known.seed, header, deals.secret, len(lines))
        key = {"match_id": header.setup.match_id, "attempt": header.setup.attempt}
        kept = [line for line in told if all(line.get(name) == value for name, value in key.items())]
        self.verdict = replace(self.verdict, notes=_replayed(header, deals, lines, kept))
        if known:
            _compare("outcome", known.outcome, lines[-2], len(lines) - 1)
            times = [line["at"] for line in lines if line["type"] == "input"]
            if where := difference(known.duration, times[-1] - times[0], "duration"):
                raise differs("the store has another duration", len(lines) - 1, where)

    def _note(self, header: Line) -> None:
        """Note which match a record is of, as far as its header says."""
        commitment, attempt = header.get("commitment"), header.get("attempt")
        told = commitment if isinstance(commitment, dict) else {}
        self.verdict = replace(
            self.verdict,
            match_id=_text(header, "match_id"),
            attempt=attempt if type(attempt) is int else 0,
            game=_text(header, "game"),
            epoch=(_text(told, "epoch_id"), _text(told, "commit")),
        )


def _replayed(
    header: Header, deals: MatchDeals, lines: Sequence[Line], kept: Sequence[Line]
) -> tuple[str, ...]:
    rules = GAMES[header.setup.game]
    needs_told = kept or "told" in lines[-1]
    match = HeardMatch(header.setup, rules, deals) if needs_told else Match(header.setup, rules, deals)
    if header.rules_version != rules.rules_version:
        if is_unplayed(lines):
            return _unplayed(header, deals, lines)
        played, ours = header.rules_version, rules.rules_version
        raise unknown(
            f"played by version {played} of the rules of {rules.name}; this program has version {ours}:"
            " commitment and manifest are right, but the match cannot be replayed",
            1,
            "rules_version",
        )
    try:
        notes = replay(match, rules.seats, lines)
    except NotVerified as error:
        if is_unplayed(lines):
            with suppress(NotVerified):
                return _unplayed(header, deals, lines)
        raise error from None
    if isinstance(match, HeardMatch):
        if notes:
            check_told(match, lines, kept, digests=False)
            return (*notes, UNTOLD)
        try:
            check_recorded(match, lines)
        except NotVerified:
            if lines[0]["software"] == SOFTWARE:
                raise
            notes = (OTHERWISE,)
        _check_told(match, lines, kept)
    return notes


def _unplayed(header: Header, deals: MatchDeals, lines: Sequence[Line]) -> tuple[str, ...]:
    rules = GAMES[header.setup.game]
    match = HeardMatch(header.setup, rules, deals)
    check_recorded(match, lines)  # nothing was told to anybody
    return check_unplayed(match, rules.seats, lines)


def _check_told(match: HeardMatch, lines: Sequence[Line], kept: Sequence[Line]) -> None:
    try:
        check_told(match, lines, kept, digests=True)
    except NotVerified as error:
        played_by = lines[0]["software"]
        if error.problem.field == "told" and error.problem.found and played_by != SOFTWARE:
            text = f"{played_by} put its messages otherwise than this version, {SOFTWARE}"
            raise of_other_software(error, text) from None
        raise


def _check_seed(seed: str | None, header: Header, secret: bytes, number: int) -> None:
    is_repeatable = header.commitment.repeatable
    if is_repeatable != (seed is not None):
        where = ("commitment.repeatable", seed is not None, is_repeatable)
        raise differs("the tournament has a seed, or has none", 1, where)
    if seed is not None and (due := seeded_secret(seed, epoch_id_of(header.setup))) != secret:
        text = "the secret does not follow from the seed of the tournament"
        raise differs(text, number, ("secret", due.hex(), secret.hex()))


def _compare(what: str, known: Any, line: Line, number: int) -> None:
    for name, value in known.items():
        if where := difference(value, line.get(name), name):
            raise differs(f"the store has another {what}", number, where)


def _text(line: Line, name: str) -> str:
    value = line.get(name)
    return value if isinstance(value, str) else ""
