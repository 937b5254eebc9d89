"""Makes foreign text, such as a bot's output, safe to show on a terminal, in a log or in a file."""

import re
from typing import Final

MOST: Final = 1000
"""Characters in a line that is shown."""

_TAB: Final = "    "
_END: Final = "…"
# escape sequences, including the text of titles and the like
_SEQUENCE: Final = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|(?:\x1b[PX\]^_]|[\x90\x98\x9d-\x9f])[^\x00-\x1f\x7f-\x9f]*(?:\x07|\x1b\\|\x9c)?"
    r"|\x1b[ -/]*[0-~]"
)


def one_line(text: str) -> str:
    """Return a text as one line of at most `MOST` characters, which ends in … where it was longer.

    A tab is four spaces, other white space one. Left out are sequences that steer a terminal and whatever
    else is not printable: control characters, what turns text around or is not seen, half of a character, and
    what Unicode does not know.
    """
    spaced = _SEQUENCE.sub("", text).replace("\t", _TAB)
    kept = "".join(" " if each.isspace() else each for each in spaced if each.isspace() or each.isprintable())
    return kept if len(kept) <= MOST else kept[: MOST - len(_END)] + _END


def last_lines(output: bytes, most: int) -> tuple[str, ...]:
    """Return at most ``most`` last lines of an output, each made safe by `one_line`, without blank ones."""
    clean = (one_line(line).rstrip() for line in output.decode(errors="replace").splitlines())
    return tuple(line for line in clean if line)[-most:]
