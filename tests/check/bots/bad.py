"""Bots that are wrong in one way: bad.py VICE [GAME...].

But for its vice each does all that the protocol asks of it; `good` has none, nor have those in busy.py.
"""

import sys

import busy
import opening
import trials
import trouble
from frames import Good

VICES: dict[str, type[Good]] = {"good": Good, **busy.BOTS, **opening.VICES, **trials.VICES, **trouble.VICES}

if __name__ == "__main__":
    VICES[sys.argv[1]](sys.argv[2:]).run()
