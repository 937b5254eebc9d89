"""House bots and language models from a terminal.

Exit status 0; 1 when the session failed, 2 for a wrong setting. Of a language model also `REFUSED` when its
provider takes no calls, so that another try is in vain, and `OUTAGE` when it does not answer.
"""

import atexit
import gc
import sys
from collections.abc import Sequence

from fairdeal import BadSetting, FairdealError, llm
from fairdeal.bots import play
from fairdeal.bots.arguments import OUTAGE, REFUSED, parser
from fairdeal.by_hand import log_shown
from fairdeal.llm import arguments as of_model


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a bot and return the exit status."""
    line = parser()
    try:
        given = vars(line.parse_args(arguments))
        address, name = given.pop("connect"), given.pop("name")
        say = _say if address else None
        with log_shown():
            if name == llm.NAME:
                settings, rest = of_model.taken(given)
                llm.play(settings, address, say=say, **rest, **given)
            else:
                of_model.refuse(given, name)
                play(name, address, say=say, **given)
    except FairdealError as error:
        sys.stderr.write(f"{line.prog}: {error}\n")
        return _status(error)
    return 0


def _status(error: FairdealError) -> int:
    if isinstance(error, BadSetting):
        return 2
    if isinstance(error, llm.ModelRefused):
        return REFUSED
    return OUTAGE if isinstance(error, llm.ProviderFailed) else 1


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    atexit.register(gc.freeze)  # else the collector looks at the end through all that was loaded
    sys.exit(main())
