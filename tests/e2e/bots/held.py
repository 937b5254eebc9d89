"""Plays the lowest card that it may; while a file `hold` is there, it finishes one match and then waits.

When it waits it makes a file `held`, so that a test knows that a match is going on and will not end.
"""

import asyncio
from pathlib import Path

import fairdeal

HOLD, HELD = Path("hold"), Path("held")


class Held:
    def __init__(self) -> None:
        self.finished = 0

    async def act(self, decision: fairdeal.Decision) -> fairdeal.Answer:
        while self.finished and HOLD.exists():
            HELD.touch()
            await asyncio.sleep(0.005)
        assert isinstance(decision.legal, fairdeal.LegalActions)
        cards = [action.card for action in decision.legal.actions if isinstance(action, fairdeal.PlayCard)]
        return min(cards, key=lambda card: card.rank) if cards else decision.legal.actions[0]

    def on_finished(self, finished: fairdeal.Finished) -> None:
        self.finished += 1


fairdeal.run(Held())
