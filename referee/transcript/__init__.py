"""Records as text for people: what `fairdeal record show` prints."""

from referee.transcript.text import WIDTH, are_of_deal, lines, sides_of

__all__ = ["WIDTH", "are_of_deal", "lines", "sides_of"]
