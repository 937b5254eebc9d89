"""Plays the lowest card that it may, and while a file `hold` is there only so many matches as that says.

When it waits it makes a file `held`, so that a test knows that a match is going on and will not end; when it
is told that the referee is about to leave, a file `told`.
"""

import asyncio
from pathlib import Path

import fairdeal

HOLD, HELD = Path("hold"), Path("held")


async def released(finished: int) -> None:
    """Wait while a file `hold` says that so many matches are enough."""
    free, loop = asyncio.Event(), asyncio.get_running_loop()

    def look() -> None:
        try:
            is_held = finished >= int(HOLD.read_text())
        except FileNotFoundError:
            is_held = False
        if is_held:
            HELD.touch()
            loop.call_later(0.005, look)
        else:
            free.set()

    look()
    await free.wait()


class Held:
    def __init__(self) -> None:
        self.finished = 0

    async def act(self, decision: fairdeal.Decision) -> fairdeal.Answer:
        await released(self.finished)
        assert isinstance(decision.legal, fairdeal.LegalActions)
        cards = [action.card for action in decision.legal.actions if isinstance(action, fairdeal.PlayCard)]
        return min(cards, key=lambda card: card.rank) if cards else decision.legal.actions[0]

    def on_notice(self, notice: fairdeal.Notice) -> None:
        if notice.kind is fairdeal.NoticeKind.DRAINING:
            Path("told").touch()

    def on_finished(self, finished: fairdeal.Finished) -> None:
        self.finished += 1


fairdeal.run(Held(), tables=1)
