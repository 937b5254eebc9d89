"""Records as text for people: what `fairdeal record show` prints."""

from referee.transcript.text import WIDTH, lines

__all__ = ["WIDTH", "lines"]
