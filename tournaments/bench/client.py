"""What a bench's client process runs: some streams of random bots, or of echo clients."""

import argparse
import asyncio

import fairdeal
from fairdeal.bots import make
from tournaments.bench.echo import reply_many


def main() -> None:
    """Run the streams that the command line names, until the server ends them."""
    parser = argparse.ArgumentParser()
    parser.add_argument("kind", choices=["bots", "echo"])
    parser.add_argument("address")
    parser.add_argument("first", type=int, help="number of the first stream")
    parser.add_argument("streams", type=int)
    parser.add_argument("size", type=int, help="tables a stream, or bytes an answer")
    arguments = parser.parse_args()
    if arguments.kind == "echo":
        asyncio.run(reply_many(arguments.address, [arguments.size] * arguments.streams))
    else:
        numbers = range(arguments.first, arguments.first + arguments.streams)
        asyncio.run(_bots(arguments.address, numbers, arguments.size))


async def _bots(address: str, numbers: range, tables: int) -> None:
    sessions = (
        fairdeal.run_async(make("random"), address, entry=f"bot{number}", tables=tables) for number in numbers
    )
    await asyncio.gather(*sessions)


if __name__ == "__main__":
    main()
