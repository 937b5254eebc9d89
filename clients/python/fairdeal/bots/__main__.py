"""House bots from a terminal; exit status 0, 1 when the session failed, 2 for a wrong setting."""

import argparse
import sys
from collections.abc import Sequence

from fairdeal import BadSetting, FairdealError
from fairdeal.bots import NAMES, play


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a house bot and return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m fairdeal.bots", description="Have a house bot play at a referee."
    )
    parser.add_argument("name", metavar="NAME", choices=NAMES, help=f"the bot: {' or '.join(NAMES)}")
    parser.add_argument("--game", help="the game to play; by default all that the bot knows")
    parser.add_argument(
        "--connect",
        metavar="ADDRESS",
        help="the referee, HOST:PORT or unix:/PATH; by default FAIRDEAL_ADDRESS",
    )
    parser.add_argument("--matches", metavar="N", type=int, help="how many matches to play, 0 for no limit")
    parser.add_argument("--tables", metavar="N", type=int, default=64, help="how many at once; by default 64")
    parser.add_argument(
        "--blunder", metavar="P", type=float, default=0.0, help="how often greedy plays at random, 0 to 1"
    )
    parser.add_argument("--seed", help="what the bot draws from; by default FAIRDEAL_SEED")
    parser.add_argument("--entry", help="the entry that plays; by default FAIRDEAL_ENTRY or the bot's name")
    parser.add_argument("--instance", help="tells several sessions of one entry apart")
    given = parser.parse_args(arguments)
    try:
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
            say=_say if given.connect else None,
        )
    except FairdealError as error:
        sys.stderr.write(f"{parser.prog}: {error}\n")
        return 2 if isinstance(error, BadSetting) else 1
    return 0


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
