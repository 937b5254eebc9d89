"""Every text that a bot may get when it is refused or its session ends.

None of them holds what the bot said, but for numbers and, quoted and on one line, the game that nobody knows.
"""

import re
from typing import Final

_NUMBER: Final = r"-?[0-9]{1,20}"

REFUSALS: Final = (
    f"card number {_NUMBER} is not a card",
    f"suit number {_NUMBER} is not a suit",
    f"rank number {_NUMBER} is not a rank",
    f"[A-Za-z]{{3,20}} number {_NUMBER} is not a choice",
    "the answer holds an empty action, which bots give whose code failed: see the bot's log",
    "the action is of no kind that this referee knows",
    "a combination is of no kind that this referee knows",
    "the answer holds neither an action nor an index",
    "a choice is answered by naming what is chosen, not by an index",
    f"index {_NUMBER} is given where 0 to {_NUMBER} are legal",
    "a (card|combination) is chosen twice",
    "not among the legal actions of this decision",
    "this decision is answered by choosing (card|combination)s",
    f"an action with {_NUMBER} cards, where there are 52 at most",
    f"an action with {_NUMBER} combinations, where there are 40 at most",
    f"{_NUMBER} (card|combination)s are chosen where {_NUMBER}( to {_NUMBER})? are asked for",
    "a (card|combination) is chosen that cannot be chosen here",
    "the match is over",
    "the decision already has a different answer",
    "the decision is closed",
    "this seat was never asked this decision",
    "there is no such match, it is over, or the bot has no seat in it",
    "the referee knows no such match, or the bot had no seat in it",
)

ENDS: Final = (
    "the frame is not a PlayRequest",
    "a name in the frame is longer than 200 characters",
    "a name in the frame holds a character that cannot be printed",
    f"the frame holds {_NUMBER} (ready|declines|answers), at most 256 are allowed",
    f"the hello holds {_NUMBER} versions, at most 100 are allowed",
    f"the hello names {_NUMBER} games, at most 100 are allowed",
    "hello belongs in the first frame only",
    "hello names no entry",
    r"unknown game ['\"].{0,402}['\"]; this referee plays [a-z_, ]+",
    f"this referee speaks version 1 of the protocol, the bot: (none|{_NUMBER}(, {_NUMBER}){{0,99}})",
    "frames_received counts more frames than were sent",
    f"the frame has {_NUMBER} bytes, at most 32768 are allowed",
    "the bot does not acknowledge the frames that it receives \\(frames_received\\)",
    "the bot sends (frames|answers) faster than it may",
    "the bot sends more bytes than it may",
    "bots that have not said hello send too much from this address",
    "the bot reconnects too often; wait some seconds before the next attempt",
    "the frames of this bot take too much of the referee's time",
    f"the hello resumes {_NUMBER} matches, a session may play {_NUMBER}",
    "sessions of this entry are opened too fast; wait a second",
    "the token is not this entry's; FAIRDEAL_ENTRY names the one that a bot plays as",
    "the stream is closed",
    "a newer session of the same entry and instance took over",
)

_REFUSALS: Final = re.compile("|".join(REFUSALS))
_ENDS: Final = re.compile("|".join(ENDS))


def is_refusal(text: str) -> bool:
    """Return whether a refusal may say this."""
    return _may_be_said(_REFUSALS, text)


def is_end(text: str) -> bool:
    """Return whether a session may end with this."""
    return _may_be_said(_ENDS, text)


def _may_be_said(known: re.Pattern[str], text: str) -> bool:
    return text.isprintable() and known.fullmatch(text) is not None
