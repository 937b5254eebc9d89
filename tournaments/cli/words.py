"""`fairdeal words`."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import typer

import fairdeal
from fairdeal.testing.asked import AskedDecision, seated_of
from fairdeal.words import PROFILES, TEXT_HASH, NoWords
from referee.cards import Seat
from referee.match.messages import Decision, Seated
from referee.storage import record_files
from referee.verify import Ear, Past
from tournaments.cli.ask import past_of
from tournaments.cli.failure import Failure
from tournaments.text import one_line
from tournaments.usage.account import note_of


def print_words(file: Path, *, seat: str, decision: int, profile: str | None) -> None:
    """Print the text of a decision of a match, by default in the profile in which the seat's model was asked.

    Raises:
        Failure: there is no such record, seat, decision or profile, with status 2.
    """
    chosen = next((each for each in PROFILES if each == profile), None)
    if profile is not None and chosen is None:
        raise Failure(f"fairdeal words: --profile must be {' or '.join(PROFILES)}, not {profile!r}", 2)
    file = record_files.found(file)
    match, number = past_of("words", file, seat)
    asked = _asked(match, number, decision)
    if isinstance(asked, int):
        had = f"decisions 1 to {asked}" if asked else "no decision"
        raise Failure(f"fairdeal words: {file}: seat {number} had {had}, and no decision {decision}", 2)
    note = _note(match, number, decision)
    for remark in _remarks(note):
        typer.echo(f"fairdeal words: {remark}", err=True)
    was = next((each for each in PROFILES if each == note.get("profile")), PROFILES[0])
    try:
        typer.echo(fairdeal.words(asked, chosen or was), nl=False)
    except NoWords as error:
        raise Failure(f"fairdeal words: {error}", 2) from None


def _note(match: Past, seat: int, decision: int) -> Mapping[str, Any]:
    """Return the note of a model with a decision, or else with another one of its seat; empty without any."""
    notes = {
        line.get("decision_id"): note
        for line in match.lines
        if line.get("kind") == "answer" and line.get("seat") == seat
        if (note := note_of(line.get("note"))) is not None
    }
    return notes.get(decision) or next(iter(notes.values()), {})


def _remarks(note: Mapping[str, Any]) -> Iterator[str]:
    """Yield how a model was asked otherwise than it is printed."""
    texts = note.get("words")
    if isinstance(texts, str) and texts != TEXT_HASH:
        yield f"the model was asked in the texts {one_line(texts)}; these are {TEXT_HASH}"
    if isinstance(prompt := note.get("prompt"), str):
        yield f"before this text the model had a prompt of its own, with the hash {one_line(prompt)}"


def _asked(match: Past, seat: int, wanted: int) -> fairdeal.Decision | int:
    """Return a decision of a seat, or how many it had."""
    ear = Ear(Seat(seat))
    seated: Seated | None = None
    last = 0
    for _line, _input, held, effects in match.steps():
        for update in ear.new([*held, *effects]):
            if isinstance(update, Seated):
                seated = update
            elif isinstance(update, Decision):
                last = update.decision_id
                if last == wanted and seated:
                    return AskedDecision(seated_of(seated), update)
    return last
