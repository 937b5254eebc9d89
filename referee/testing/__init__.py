"""What a referee and its bots are tried with, for tests and research.

Whole matches in Python without sockets (`play`, `Arena`):

>>> from referee.testing import play
>>> from fairdeal.bots import make
>>> played = play("two_handed_spades", [make("greedy"), make("random")], seed="spring", deals=2)
>>> played.outcome.termination.name
'COMPLETED'

A referee of this process behind a real socket (`serving`), for bots as they are:

    async with serving("hearts", deals=1) as house:
        report = await house.play("a", "b", "c", "d")  # their bots dial house.address

Bots that misbehave on purpose (`SCRIPTS`), which keep a `Transcript` of what they were told; see
`referee.testing.scripted`:

    transcript = await SCRIPTS["silent"](house.address, "d").run()
    print(transcript.of("closed"), transcript.endings)

A clock that moves only when it is told to (`VirtualClock`), for code that is given its time:

>>> from referee.testing import VirtualClock
>>> clock = VirtualClock()
>>> clock.advance(250_000)
250000
"""

from referee.testing.arena import Arena, Played, play
from referee.testing.scripted import SCRIPTS, Ending, Transcript
from referee.testing.serve import House, serving
from referee.testing.virtual import VirtualClock

__all__ = [
    "SCRIPTS",
    "Arena",
    "Ending",
    "House",
    "Played",
    "Transcript",
    "VirtualClock",
    "play",
    "serving",
]
