"""Bots that misbehave, each in one way, to test a referee.

They speak the protocol's frames over a real socket, without the SDK and its checks. Apart from its one vice,
each bot plays on: it takes every seat and answers with the first legal action, so that matches end. It keeps
the updates that it got, and how its streams ended, as a `Transcript`.

In a test of your own, beside good ones at a referee of `fairdeal.testing.serving`:

>>> import asyncio
>>> from fairdeal.testing import SCRIPTS, serving
>>> async def main() -> None:
...     async with serving("two_handed_spades", deals=1) as served:
...         illegal, good = SCRIPTS["illegal"](served.address, "bad"), SCRIPTS["good"](served.address, "good")
...         report, told, _ = await asyncio.gather(served.play("bad", "good"), illegal.run(), good.run())
...         print(report.outcome.termination.name, report.outcome.faults[0])
...         print([refused.text for refused in told.of("refused")][0])
>>> asyncio.run(main())
FORFEIT FaultCounts(malformed=0, illegal=3, disconnected=0, late=0, sessions_lost=0)
index 1000 is given where 0 to 1 are legal

In a tournament of your own, as an entry; it finds its address and name in the environment:

    [[entries]]
    name = "bad"
    command = ["{python}", "-m", "fairdeal.testing.scripted", "illegal"]

By hand, at ``fairdeal serve``: ``python -m fairdeal.testing.scripted --help`` lists them. A script of your
own is a subclass of `Good`.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from fairdeal.testing.scripted import vices
from fairdeal.testing.scripted.bot import Good, Transcript, first_legal
from fairdeal.testing.scripted.stream import Ending

SCRIPTS: Final[Mapping[str, type[Good]]] = MappingProxyType(
    {
        "good": Good,
        "illegal": vices.Illegal,
        "malformed": vices.MalformedAnswers,
        "slow": vices.Slow,
        "silent": vices.Silent,
        "crash": vices.Crash,
        "flood": vices.Flood,
        "half_open": vices.HalfOpen,
        "deaf": vices.Deaf,
        "reconnecting": vices.Reconnecting,
        "wrong_token": vices.WrongToken,
        "wrong_name": vices.WrongName,
        "wrong_seat": vices.WrongSeat,
        "twice": vices.Twice,
        "stale": vices.Stale,
        "out_of_turn": vices.OutOfTurn,
    }
)
"""The scripts by name."""


def describe(name: str) -> str:
    """Return in one line what a script does."""
    return (SCRIPTS[name].__doc__ or "").partition("\n")[0]


__all__ = ["SCRIPTS", "Ending", "Good", "Transcript", "describe", "first_legal"]
