"""The events of a deal as text: which function shows which.

A new game adds its module here; an event that has no function is shown as it stands.
"""

from collections.abc import Mapping
from typing import Final

from referee.transcript import euchre, hearts, piquet, spades, two_handed_spades
from referee.transcript.page import Show

BY_GAME: Final[Mapping[str, Mapping[str, Show]]] = {
    "hearts": hearts.SHOWS,
    "spades": spades.SHOWS,
    "euchre": euchre.SHOWS,
    "piquet": piquet.SHOWS,
    "two_handed_spades": two_handed_spades.SHOWS,
}
