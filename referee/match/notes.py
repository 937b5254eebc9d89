"""Notes with answers: a bot's own words for the record, which nobody is shown while the deals are secret."""

from typing import Final

NOTE_BYTES: Final = 4096
"""The most bytes of one note."""

MATCH_BYTES: Final = 256 * 1024
"""The most bytes of the notes of a match; each seat has an equal part, so that none costs another its own."""


def text_of(note: bytes) -> str | None:
    """Return a note as text, or None if it is too long or not UTF-8."""
    if len(note) > NOTE_BYTES:
        return None
    try:
        return note.decode()
    except UnicodeDecodeError:
        return None
