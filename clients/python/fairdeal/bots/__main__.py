"""House bots from a terminal; exit status 0, 1 when the session failed, 2 for a wrong setting."""

import sys
from collections.abc import Sequence

from fairdeal import BadSetting, FairdealError
from fairdeal.bots import play
from fairdeal.bots.arguments import parser
from fairdeal.by_hand import log_shown


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a house bot and return the exit status."""
    line = parser()
    try:
        given = vars(line.parse_args(arguments))
        address = given.pop("connect")
        with log_shown():
            play(address=address, say=_say if address else None, **given)
    except FairdealError as error:
        sys.stderr.write(f"{line.prog}: {error}\n")
        return 2 if isinstance(error, BadSetting) else 1
    return 0


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
