"""`fairdeal words`."""

from pathlib import Path

import typer

import fairdeal
from fairdeal.testing.asked import AskedDecision, seated_of
from fairdeal.words import PROFILES, NoWords
from referee.cards import Seat
from referee.match.messages import Decision, Seated
from referee.storage import record_files
from referee.verify import Ear, Past
from tournaments.cli.ask import past_of
from tournaments.cli.failure import Failure


def print_words(file: Path, *, seat: int, decision: int, profile: str) -> None:
    """Print the text of a decision of a match.

    Raises:
        Failure: there is no such record, seat, decision or profile, with status 2.
    """
    chosen = next((each for each in PROFILES if each == profile), None)
    if chosen is None:
        raise Failure(f"fairdeal words: --profile must be {' or '.join(PROFILES)}, not {profile!r}", 2)
    file = record_files.found(file)
    asked = _asked(past_of("words", file, seat), seat, decision)
    if isinstance(asked, int):
        had = f"decisions 1 to {asked}" if asked else "no decision"
        raise Failure(f"fairdeal words: {file}: seat {seat} had {had}, and no decision {decision}", 2)
    try:
        typer.echo(fairdeal.words(asked, chosen), nl=False)
    except NoWords as error:
        raise Failure(f"fairdeal words: {error}", 2) from None


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
