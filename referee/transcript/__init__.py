"""Records as text for people: what `fairdeal record show` prints."""

from referee.games.transcript import hand_text
from referee.transcript.page import action_text
from referee.transcript.text import WIDTH, Telling, are_of_deal, by_line, lines, sides_of

__all__ = ["WIDTH", "Telling", "action_text", "are_of_deal", "by_line", "hand_text", "lines", "sides_of"]
