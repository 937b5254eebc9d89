"""Dies at its third decision, in the middle of a match."""

import os
import sys

import fairdeal


def quitter(decision: fairdeal.Decision) -> fairdeal.Answer:
    if decision.id == 3:
        sys.stdout.write("out of ideas\n")
        sys.stdout.flush()
        os._exit(7)
    assert isinstance(decision.legal, fairdeal.LegalActions)
    return decision.legal.actions[0]


fairdeal.run(quitter)
