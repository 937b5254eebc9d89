"""Builds kits and runs their own tests: `python -m tests.kits.build [all | NAME ...]`."""

import shutil
import subprocess
import sys
import time

from tests.kits.kits import Kit, chosen


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
    return max((_build(kit) for kit in kits), default=0)


def _missing(kit: Kit) -> list[str]:
    return [
        f"kit {kit.name}: {tool} is missing: {source}"
        for tool, source in kit.tools.items()
        if not shutil.which(tool)
    ]


def _build(kit: Kit) -> int:
    began = time.monotonic()
    for command in (*kit.build, *kit.test):
        done = subprocess.run(command, cwd=kit.folder, text=True, capture_output=True, check=False)
        if done.returncode:
            print(f"kit {kit.name}: {' '.join(command)}: exit status {done.returncode}", file=sys.stderr)
            print(done.stdout, done.stderr, sep="\n", file=sys.stderr)
            return 1
    print(f"kit {kit.name}: built and tested in {time.monotonic() - began:.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
