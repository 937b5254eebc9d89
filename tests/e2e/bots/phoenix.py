"""Dies at its third decision, but only the first time; started again it plays on."""

import os
from pathlib import Path

import fairdeal

DIED = Path("died")


def phoenix(decision: fairdeal.Decision) -> fairdeal.Answer:
    if decision.id == 3 and not DIED.exists():
        DIED.touch()
        os._exit(7)
    assert isinstance(decision.legal, fairdeal.LegalActions)
    return decision.legal.actions[0]


fairdeal.run(phoenix)
