"""Builds kits and runs their own tests: `python -m tests.kits.build [all | NAME ...]`."""

import shutil
import subprocess
import sys
import time
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor

from tests.kits.kits import Command, Kit, chosen


def main(arguments: list[str]) -> int:
    """Build the kits that are named, by default all, and return the exit status."""
    try:
        kits = chosen(" ".join(arguments) or "all")
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    if missing := [line for kit in kits for line in _missing(kit)]:
        print("\n".join(missing), file=sys.stderr)
        return 1
    # What builds uses one core for long stretches; the tests that follow have the machine to themselves.
    with ThreadPoolExecutor(2) as two:
        is_built = list(two.map(lambda kit: _carried_out(kit, "built", kit.build), kits))
    is_good = [_carried_out(kit, "tested", kit.test) for kit in kits] if all(is_built) else [False]
    return 0 if all(is_good) else 1


def _missing(kit: Kit) -> list[str]:
    return [
        f"kit {kit.name}: {tool} is missing: {source}"
        for tool, source in kit.tools.items()
        if not shutil.which(tool)
    ]


def _carried_out(kit: Kit, what: str, commands: Collection[Command]) -> bool:
    """Carry out commands of a kit, say how long they took or how one failed, and tell whether all is well."""
    began = time.monotonic()
    for command in commands:
        done = subprocess.run(command, cwd=kit.folder, text=True, capture_output=True, check=False)
        if done.returncode:
            text = f"kit {kit.name}: {' '.join(command)}: exit status {done.returncode}"
            print(text, done.stdout, done.stderr, sep="\n", file=sys.stderr)
            return False
    if commands:
        print(f"kit {kit.name}: {what} in {time.monotonic() - began:.0f} s", flush=True)
    return True


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
