"""The adaptors of all games; a game without one fails `test_positions`."""

from collections.abc import Mapping
from typing import Final

from tests.noninterference.adaptor import Adaptor
from tests.noninterference.euchre import EuchreAdaptor
from tests.noninterference.hearts import HeartsAdaptor
from tests.noninterference.piquet import PiquetAdaptor
from tests.noninterference.spades import SpadesAdaptor
from tests.noninterference.two_handed_spades import TwoHandedSpadesAdaptor

_ALL: Final[tuple[Adaptor, ...]] = (
    HeartsAdaptor(),
    SpadesAdaptor(),
    EuchreAdaptor(),
    PiquetAdaptor(),
    TwoHandedSpadesAdaptor(),
)
ADAPTORS: Final[Mapping[str, Adaptor]] = {adaptor.game.name: adaptor for adaptor in _ALL}
