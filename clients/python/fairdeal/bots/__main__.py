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
        given = line.parse_args(arguments)
        with log_shown():
            play(
                given.name,
                game=given.game,
                address=given.connect,
                entry=given.entry,
                instance=given.instance,
                tables=given.tables,
                matches=given.matches,
                blunder=given.blunder,
                seed=given.seed,
                connect_timeout=given.connect_timeout,
                reconnect_timeout=given.reconnect_timeout,
                say=_say if given.connect else None,
            )
    except FairdealError as error:
        sys.stderr.write(f"{line.prog}: {error}\n")
        return 2 if isinstance(error, BadSetting) else 1
    return 0


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
